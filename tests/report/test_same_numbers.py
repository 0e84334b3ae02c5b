"""Every number is the same in HTML, Markdown, CSV and JSON."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest

from app.report import bundle
from app.report.cells import shown
from app.report.specimen import specimens
from app.report.tables import tables

VERDICTS = ["PASS", "FAIL", "INCONCLUSIVE", "BLOCKED"]
# Sums of counts that stand in memo.json one by one, which tables add up for their readers.
ADDED_UP = {"outcomes", "disagreements", "taxonomy", "Guesses", "Short of the plan"}


class Grids(HTMLParser):
    """Collects the cells of each table of a page, by the name that its title has."""

    def __init__(self):
        super().__init__()
        self.found, self.row, self.cell = {}, None, None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.name = dict(attrs)["aria-labelledby"].removeprefix("memo-table-")
            self.found[self.name] = []
        elif tag == "tr":
            self.found[self.name].append([])
        elif tag in {"td", "th"}:
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in {"td", "th"}:
            self.found[self.name][-1].append(" ".join(self.cell.split()))
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def in_html(files):
    page = Grids()
    page.feed(files["memo.html"].decode())
    return page.found


def in_markdown(files):
    """Return the tables in their order, as lists of rows."""
    found, above = [], ""
    for line in files["memo.md"].decode().splitlines():
        if line.startswith("| "):
            cells = [re.sub(r"\\(.)", r"\1", each.strip()) for each in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not above.startswith("| "):
                found.append([cells])
            elif not cells[0].startswith(":--"):
                found[-1].append(cells)
        above = line
    return found


def in_csv(files, name):
    return list(csv.reader(io.StringIO(files[f"tables/{name}.csv"].decode(), newline="")))


def number(text):
    try:
        return int(text)
    except ValueError:
        return float(text)


def cells(row, columns):
    """Return the cells of a row of CSV as they were before they were written."""
    values = iter(row)
    for column in columns:
        if column.paired:
            low, high = next(values), next(values)
            yield (float(low), float(high)) if low else None
        elif column.numeric:
            text = next(values)
            yield number(text) if text else None
        else:
            yield re.sub("^'(?=[=+@-])", "", next(values)) or None


def _number(cell):
    return None if cell == "" else cell


def numbers(data):
    match data:
        case bool() | None:
            return set()
        case int() | float():
            return {data}
        case dict() | list():
            return set().union(*map(numbers, data.values() if isinstance(data, dict) else data))
    return {number(each) for each in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", data)}


@pytest.fixture(params=[*VERDICTS, *(f"specimen {n}" for n, _ in enumerate(specimens()))])
def memo(request, memos):
    kind, _, place = request.param.partition(" ")
    return list(specimens())[int(place)] if place else memos[kind]


@pytest.fixture
def files(memo):
    return bundle.bundle(memo)


def test_the_page_and_its_markdown_have_the_same_tables(files):
    assert in_markdown(files) == list(in_html(files).values())


def test_the_page_shows_what_its_csv_says(memo, files):
    for name, rows in in_html(files).items():
        table = tables(memo)[name]
        written = [list(cells(row, table.columns)) for row in in_csv(files, name)[1:]]
        for at, column in enumerate(table.for_reading().columns):
            if column.numeric:
                place = table.columns.index(column)
                assert [row[place] for row in written] == [_number(row[place]) for row in table.rows]
                read = [" ".join(shown(row[place], column).split()) for row in table.rows]
                assert [row[at] for row in rows[1:]] == read, (name, column.title)


def test_each_number_of_a_csv_stands_in_the_json_with_every_digit(memo, files):
    known = numbers(json.loads(files["memo.json"]))
    for name, table in tables(memo).items():
        for row in in_csv(files, name)[1:]:
            for cell, column in zip(cells(row, table.columns), table.columns, strict=True):
                if column.numeric and cell is not None and not {name, column.title} & ADDED_UP:
                    assert {cell} <= known if not column.paired else set(cell) <= known, (name, column.title, cell)
