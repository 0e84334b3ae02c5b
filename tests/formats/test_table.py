"""A table whose columns are called otherwise: its encoding, what stands between its cells, and its rows as items."""

import tracemalloc

import pytest

from app.domain.errors import Problem
from app.domain.mapping import ItemColumns
from app.formats.encoding import encoding_of
from app.formats.table import SHOWN, Look, foreign, look, read_table
from tests.formats.hostile.corpus import HOSTILE

GERMAN = "Nr;ohne Filter;mit Filter\n1;die die Straße ist größer;die Straße ist größer\n2;„Fuß“ é…;„Fuß“ é…\n"
GIVEN = ItemColumns({"item_id": ("Nr",), "off": ("ohne Filter",), "on": ("mit Filter",)}, {"source": "pilot"})
LOOKED = ItemColumns(GIVEN.columns, GIVEN.constants, "cp1252")


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"plain", "utf-8"),
        ("größer".encode(), "utf-8"),
        ("größer".encode("utf-8-sig"), "utf-8-sig"),
        ("größer".encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + "größer".encode("utf-16-be"), "utf-16"),
        ("größer „Fuß“ café… é”".encode("cp1252"), "cp1252"),
        ("passé\u00a0» 5 €".encode("cp1252"), "cp1252"),
        # In none of them for sure: another program must say it.
        ("größer".encode("utf-16-le"), None),
        ("größer".encode("utf-32"), None),
        (b"\xff\xfeg", None),
        (b"\xff\xfe\x00\xd8", None),
        ("größer\n".encode() + "größer".encode("cp1252"), None),
        ("größer \u2013 ".encode("cp1252") + "\u2013".encode(), None),
        ("größer 😀".encode() + b"\xf6", None),
        (b"gr\xf6\x81er", None),
        (b"gr\xf6\x00er", None),
        (b"\xef\xbb\xbfgr\xf6er", None),
    ],
)
def test_the_encoding_is_told_by_the_bytes_or_not_at_all(data, encoding):
    assert encoding_of(data) == encoding


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_of_any_mark_encoding_and_line_end_gives_the_same_items(mark, encoding, end):
    text = GERMAN.replace(";", mark).replace("\n", end)
    found = look(text.encode(encoding), "pairs.csv")
    assert (found.encoding, found.delimiter, found.columns) == (encoding, mark, ("Nr", "ohne Filter", "mit Filter"))
    given = LOOKED if encoding == "cp1252" else GIVEN
    rows = read_table(text.encode(encoding), "pairs.csv", given)
    assert rows.problems == ()
    assert [(row.line, row.value["item_id"], row.value["on"]) for row in rows.rows] == [
        (2, "1", "die Straße ist größer"),
        (3, "2", "„Fuß“ é…"),
    ]
    assert {row.value["source"] for row in rows.rows} == {"pilot"}


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("a;b\n1,5;2,5\n", ";"),
        ("a,b\nx;y,z;w\n", ","),
        ('a;b\n"x;y;z";"1, 2, 3, 4"\n', ";"),
        ('"a, the first"\t"b, the second"\n1,2\t3,4\n', "\t"),
        ("a|b|c\nx,y|z|w\n", "|"),
        ("a,b;c,d\n1;2\n3;4\n", ";"),
        ("a;b;c\n1;2\n3;4;5\n", ";"),
    ],
)
def test_what_stands_between_the_cells_is_told_by_the_first_rows(text, mark):
    assert look(text.encode(), "x.csv").delimiter == mark


@pytest.mark.parametrize(
    ("data", "line", "phrase"),
    [
        (b"", None, "empty"),
        (b"\n \n", None, "empty"),
        (b"just one column\n1\n", 1, "the first line has one column"),
        (b"a,a\n1,2\n", 1, "several columns have this name"),
        ("a,b\u200b\n1,2\n".encode(), 1, "invisible characters"),
        (b'a,"b\n1,2\n', 1, "column"),
        (b'{"item_id": "a"}', 1, "JSON"),
        (b"[1, 2]", 1, "JSON"),
        (b"<p>a, b</p>", 1, "HTML"),
        (b"%PDF-1.7", 1, "a PDF file"),
        (b"PK\x03\x04 xl/workbook.xml", 1, "an Excel workbook"),
        (("größer,b\n".encode() + "größer,c\n".encode("cp1252")), 2, "were files joined?"),
        (",".join(f"c{n}" for n in range(101)).encode() + b"\n", 1, "101 columns"),
    ],
)
def test_what_is_no_table_says_so_with_its_line(data, line, phrase):
    found = look(data, "x.csv")
    assert isinstance(found, Problem)
    assert (found.where, found.line) == ("x.csv", line)
    assert phrase in found.message


def test_a_look_shows_the_first_rows():
    found = look(b"a,b\n" + b"1,2\n" * 40, "x.csv")
    assert found.sample == (("1", "2"),) * SHOWN


def test_a_doubtful_table_shows_each_letter_with_a_word_and_is_refused_until_somebody_has_looked():
    data = GERMAN.encode("cp1252")
    found = look(data, "pairs.csv")
    assert found.doubtful
    letters = {each.character: (each.times, each.word, each.line) for each in found.letters}
    assert letters["ß"] == (6, "Straße", 2)
    assert letters["ö"] == (2, "größer", 2)
    assert set(letters) == set("ßö„“é…")
    (problem,) = read_table(data, "pairs.csv", GIVEN).problems
    assert (problem.line, problem.expected, problem.found) == (2, "UTF-8", "Windows-1252 (cp1252)")
    assert "CSV UTF-8 (Comma delimited)" in problem.message
    assert "Straße" not in problem.message


def test_an_encoding_that_is_said_and_not_there_is_refused():
    (problem,) = read_table(GERMAN.encode(), "pairs.csv", LOOKED).problems
    assert problem.message == "expected Windows-1252 (cp1252), found UTF-8"


@pytest.mark.parametrize(
    ("header", "other"),
    [
        ("item_id,stratum,cluster,source,raw_hypothesis,off,on", False),
        ("item_id;stratum;cluster;source;raw_hypothesis;off;on;tags", False),
        ("item_id|stratum|cluster|source|raw_hypothesis|off|on", True),
        ("Item_ID,stratum,cluster,source,raw_hypothesis,off,on", True),
        ("item_id,stratum,cluster,source,raw_hypothesis,off,on,remark", True),
        ("item_id,stratum,cluster,source,off,on", True),
        ("Nr;ohne;mit", True),
        ("one column", False),
        ('{"item_id": "a"}', False),
        ("[study]", False),
    ],
)
def test_a_table_is_foreign_unless_its_header_is_the_documented_one(header, other):
    assert isinstance(foreign(f"{header}\n".encode(), "x.csv"), Look) is other


def test_documented_columns_in_another_encoding_are_foreign():
    text = "item_id,stratum,cluster,source,raw_hypothesis,off,on\nä,b,c,d,e,f,g\n"
    assert foreign(text.encode("utf-8-sig"), "x.csv") is None
    assert foreign(text.encode("cp1252"), "x.csv").encoding == "cp1252"
    assert foreign(text.encode("utf-16"), "x.csv").encoding == "utf-16"


def test_of_a_broken_table_only_one_of_other_names_is_told_here():
    joined = "ä\n".encode() + "ö\n".encode("cp1252")
    assert "were files joined?" in foreign(b"Nr;mit;ohne\n" + joined, "x.csv").message
    assert foreign(b"item_id,off,on\n" + joined, "x.csv") is None
    assert foreign(b"words\n" + joined, "x.csv") is None


def test_texts_are_kept_exactly_and_names_without_the_spaces_around_them():
    given = ItemColumns({"item_id": ("a", "b"), "off": ("t",), "stratum": ("a",)})
    (row,) = read_table(b'a,b,t\n x , 7 ," =1+1\r\n "\n', "x.csv", given).rows
    assert row.value == {"item_id": "x_7", "off": " =1+1\r\n ", "stratum": "x"}


def test_a_name_of_several_columns_is_left_out_where_one_of_them_is_empty():
    (row,) = read_table(b"a,b,t\nx,,y\n", "x.csv", ItemColumns({"item_id": ("a", "b"), "off": ("t",)})).rows
    assert row.value == {"off": "y"}


def test_flags_and_tags_are_read_as_in_the_documented_form():
    given = ItemColumns({"semantic_ambiguous": ("q",), "tags": ("w",)})
    (row,) = read_table(b"q;w\nTRUE;block|interjection\n", "x.csv", given).rows
    assert row.value == {"semantic_ambiguous": True, "tags": ["block", "interjection"]}


def test_a_known_answer_beside_other_columns_is_not_left_out():
    given = ItemColumns({"item_id": ("Nr",)}).fitted(["Nr", "role", "expected"])
    table = b'Nr;role;expected\n1;sentinel;"{""label"": ""benign-retention""}"\n'
    (row,) = read_table(table, "x.csv", given).rows
    assert row.value == {"item_id": "1", "role": "sentinel", "expected": {"label": "benign-retention"}}


@pytest.mark.parametrize(
    ("rows", "line", "field", "found"),
    [
        ("1;a\n", 2, None, "2 cells"),
        ('1;a;b\n2;"x;y\n', 3, "ohne Filter", ""),
        ("Nr;ohne Filter;mit Filter\n", 2, None, ""),
    ],
)
def test_a_faulty_row_has_its_line_the_files_own_column_and_what_was_expected(rows, line, field, found):
    (problem,) = read_table(f"Nr;ohne Filter;mit Filter\n{rows}".encode(), "x.csv", GIVEN).problems
    assert (problem.line, problem.field, problem.found) == (line, field, found)
    assert problem.expected


def test_a_table_without_rows_or_without_a_mapped_column_is_refused():
    (problem,) = read_table(b"Nr;ohne Filter;mit Filter\n", "x.csv", GIVEN).problems
    assert "no item" in problem.message
    (problem,) = read_table(b"Nr;ohne Filter\n1;a\n", "x.csv", GIVEN).problems
    assert (problem.field, problem.message) == ("mit Filter", "the list has no such column")


def test_a_large_table_in_another_encoding_is_never_held_three_times():
    data = b"a;b\n" + ("ä" * 98 + ";x\n").encode("cp1252") * 20_000
    tracemalloc.start()
    found = look(data, "x.csv")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.letters[0].times == 98 * 20_000
    assert peak < 3 * len(data) + (4 << 20)


@pytest.mark.parametrize(
    "case", [case for case in HOSTILE if case.endless and case.form == "csv"], ids=lambda case: case.name
)
def test_what_is_endless_is_looked_at_and_mapped_without_an_error_of_python(case):
    data = case.build()
    found = look(data, "x.csv")
    if isinstance(found, Look):
        assert read_table(data, "x.csv", ItemColumns({}).fitted(found.columns)).problems


NAMED = ItemColumns({"item_id": ("Nr",), "off": ("ohne",), "on": ("mit",)})


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("Rolle", ["study", "sentinel"]),
        ("Art", ["practice", ""]),
        ("Erwartet", ["", '"{""label"": ""benign-retention""}"']),
    ],
)
def test_a_column_that_tells_roles_and_is_left_out_is_refused(column, cells):
    table = f"Nr;ohne;mit;{column}\n" + "".join(f"{n};a {n};b {n};{cell}\n" for n, cell in enumerate(cells))
    (problem,) = read_table(table.encode(), "x.csv", NAMED).problems
    assert (problem.field, problem.found) == (column, "left out")


@pytest.mark.parametrize("cells", [["study", "study"], ["sentinel", "of a lake"], ["", ""]])
def test_a_column_that_may_mean_anything_else_is_left_out_in_peace(cells):
    table = "Nr;ohne;mit;Art\n" + "".join(f"{n};a {n};b {n};{cell}\n" for n, cell in enumerate(cells))
    assert read_table(table.encode(), "x.csv", NAMED).problems == ()


def test_a_known_answer_that_is_no_json_is_told_by_line_and_what_is_expected():
    given = ItemColumns({**NAMED.columns, "expected": ("Erwartet",)})
    (problem,) = read_table(b"Nr;ohne;mit;Erwartet\n1;a;b;Bedeutung\n", "x.csv", given).problems
    assert (problem.line, problem.field, problem.found) == (2, "expected", "text that is no JSON")
    assert '{"label"' in problem.expected
