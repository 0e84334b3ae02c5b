"""The problems of an import as a table to take along."""

import csv
import io

from app.domain.errors import Problem
from app.report.problems import problems_csv


def read(problems):
    return list(csv.reader(io.StringIO(problems_csv(problems).decode("utf-8-sig"))))


def test_each_problem_is_a_row_with_line_field_found_and_expected():
    problems = [Problem.unlike("text", "a number", "items.csv", 3, "off"), Problem("was cut off", "items.csv", 4)]
    head, *rows = read(problems)
    assert head == ["Line", "Field", "Found", "Expected", "File"]
    assert rows == [["3", "off", "a number", "text", "items.csv"], ["4", "", "was cut off", "", "items.csv"]]


def test_it_opens_in_excel_as_utf_8():
    assert problems_csv([]).startswith(b"\xef\xbb\xbf")


def test_a_column_or_file_called_like_a_formula_runs_nothing():
    (_, row) = read([Problem("no such column", "=cmd|x.csv", 1, "+1")])
    assert (row[1], row[4]) == ("'+1", "'=cmd|x.csv")
