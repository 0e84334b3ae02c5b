import csv
import io
import re
from codecs import BOM_UTF8

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.item import FIELDS
from app.formats.csv import delimiter_of, read_csv
from app.formats.records import MOST_CELL, Flaw, records
from app.formats.rows import MOST_KEYS, MOST_MARKS, MOST_ROW_BYTES

NEEDED = "item_id,stratum,cluster,source,raw_hypothesis,off,on"
HEADER = NEEDED.encode() + b"\n"
PRIVATE = "Jane Roe"


def read(data, delimiter=","):
    return read_csv(data if isinstance(data, bytes) else data.encode(), "items.csv", delimiter)


def cells(data, delimiter=","):
    return [record.cells for record in records(data if isinstance(data, bytes) else data.encode(), delimiter)]


def with_cell(key, cell):
    """Return a file whose only row has one cell more than the needed ones."""
    return f'{NEEDED},{key}\nP-1,s,c,x,raw,off,on,"{cell}"\n'


def only_problem(data, delimiter=","):
    (problem,) = read(data, delimiter).problems
    assert problem.where == "items.csv"
    return problem


def test_columns_may_stand_in_any_order_and_a_byte_order_mark_before_them():
    keys = NEEDED.split(",")[::-1]
    found = read(BOM_UTF8 + ",".join(keys).encode() + b"\n" + b",".join(key.encode() for key in keys[::-1]))
    assert [(row.line, row.value) for row in found.rows] == [(2, dict(zip(keys, keys[::-1], strict=True)))]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_the_delimiter_is_found_from_the_header(mark, quote):
    assert delimiter_of(mark.join(f"{quote}{key}{quote}" for key in NEEDED.split(","))) == mark


@pytest.mark.parametrize("header", ["", "a,b", "item_id|off|on", "items;ids"])
def test_without_item_id_no_delimiter_is_found(header):
    assert delimiter_of(header) is None


def test_an_empty_cell_is_the_empty_text_where_a_text_is_needed_and_left_out_elsewhere():
    found = read(NEEDED + ",verbatim_reference,tags,semantic_ambiguous\n,,,,raw,,,,,\n")
    assert found.rows[0].value == {"raw_hypothesis": "raw", "off": "", "on": ""}


def test_rows_without_any_text_are_skipped_and_counted_as_lines():
    found = read(HEADER + b"\n,,,,,,\n\r\nP-1,s,c,x,a,b,c\n,,,,,,")
    assert [row.line for row in found.rows] == [5]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("key", "cell", "value"),
    [
        ("tags", "block", ["block"]),
        ("tags", "block|a tag with spaces", ["block", "a tag with spaces"]),
        ("tags", "block|", ["block", ""]),
        ("semantic_ambiguous", "true", True),
        ("semantic_ambiguous", "FALSE", False),
        ("semantic_ambiguous", "True", "True"),
        ("semantic_ambiguous", " true", " true"),
        ("expected", '{""label"": ""safe-cleanup"", ""arm"": null}', {"label": "safe-cleanup", "arm": None}),
        ("raw_sha256", "007", "007"),
        ("lang", "true", "true"),
        ("verbatim_reference", '=HYPERLINK(""x"")', '=HYPERLINK("x")'),
        ("verbatim_reference", "-1+2", "-1+2"),
        ("verbatim_reference", " \u00a0 kept ", " \u00a0 kept "),
        ("verbatim_reference", "one\r\ntwo\nthree\rfour", "one\r\ntwo\nthree\rfour"),
        ("verbatim_reference", "e\u0301 \u202e 👩\u200d👧 \ufeff", "e\u0301 \u202e 👩\u200d👧 \ufeff"),
    ],
)
def test_a_cell_stands_for_a_value_of_its_column(key, cell, value):
    (row,) = read(with_cell(key, cell)).rows
    assert row.value[key] == value


@pytest.mark.parametrize("key", [field.key for field in FIELDS])
def test_every_key_of_items_is_a_column(key):
    columns = dict.fromkeys([*NEEDED.split(","), key])
    found = read(",".join(columns) + "\n" + ",".join("true" for _ in columns))
    assert key in found.rows[0].value


@pytest.mark.parametrize(
    ("key", "cell", "message"),
    [
        ("expected", "{", "not JSON at character 2"),
        ("expected", "{label: 1}", "not JSON at character 2: Expecting property name"),
        ("expected", "{} {}", "not JSON at character 4"),
        ("expected", "[" * 2_000, "deeper than 20"),
        ("expected", "[" * 21 + "]" * 21, "deeper than 20"),
        ("expected", "NaN", "finite"),
        ("lang", "e\0n", "character 2 is NUL"),
    ],
)
def test_a_cell_that_is_not_of_its_columns_kind_is_a_problem_of_its_field(key, cell, message):
    problem = only_problem(with_cell(key, cell))
    assert (problem.line, problem.field) == (2, key)
    assert message in problem.message


def test_faults_within_a_json_cell_name_the_inner_field():
    problem = only_problem(with_cell("expected", '{""arm"": 1e999, ""label"": 1}'))
    assert (problem.field, "finite" in problem.message) == ("expected.arm", True)


@pytest.mark.parametrize(
    ("header", "field", "message"),
    [
        (NEEDED + ",colour", "colour", "no key of items"),
        (NEEDED.replace("off", " Off"), " Off", "write it off, without spaces and capitals"),
        (NEEDED + ",", None, "a column of the header has no name"),
        (NEEDED + ",off", "off", "2 columns have this name"),
        (NEEDED.replace(",off", ""), "off", "every item needs it, and the header has no such column"),
        (NEEDED + ",a\u202eb", "a\\u202eb", "no key of items"),
        (NEEDED + "," * MOST_KEYS, None, "this header has 107 columns"),
    ],
)
def test_what_is_wrong_with_the_header_is_told_once_on_its_line(header, field, message):
    found = read("\n" + header + "\n" + "a,b,c,d,e,f,g\n" * 100)
    on_header = [problem for problem in found.problems if problem.line == 2]
    assert [problem.field for problem in on_header if message in problem.message] == [field]
    assert found.rows == ()


def test_an_unclosed_mark_in_the_header_is_the_only_problem_and_nothing_after_it_is_read():
    problem = only_problem("\n" + NEEDED.replace("off", '"off') + "\n" + GOOD * 100)
    assert (problem.line, problem.field) == (2, None)
    assert "opens this cell and none closes it; what follows was not checked" in problem.message


def test_without_a_sound_header_rows_are_still_checked_for_their_shape():
    found = read(NEEDED + ",colour\na,b,c,d,e,f,g,h\na,b\n")
    assert [(problem.line, problem.field) for problem in found.problems] == [(1, "colour"), (3, None)]


GOOD = "P-1,s,c,x,a,b,c\n"


@pytest.mark.parametrize(
    ("row", "field", "message"),
    [
        ("a,b,c,d,e,f\n", None, "this row has 6 cells, the header 7"),
        ("a,b,c,d,e,f,g,h\n", None, "this row has 8 cells, the header 7"),
        ("a\n", None, "this row has 1 cell, the header 7"),
        ('a,b,c,d,e,"f" g,h\n', "off", "text follows the quotation mark that closes this cell"),
        ('a,b,c,d,e,"f"" g"h,h\n', "off", "text follows the quotation mark that closes this cell"),
        ('a,b,c,d,e, "f",g\n', "off", "a quotation mark in a cell that does not begin with one"),
        ('a,b,c,d,e,5" long,g\n', "off", "a quotation mark in a cell that does not begin with one"),
        ("a,b,c,d,e,f\rf,g\n", "off", "a carriage return without a line feed"),
        ("a,b,c,d,e,f,g\r\r\n", "on", "a carriage return without a line feed"),
        ('a,b,c,d,e,f,"g"\r\r\n', "on", "text follows the quotation mark"),
        (NEEDED + "\n", None, "repeats the header"),
        (f"\ufeff{NEEDED}\n", None, "byte order mark"),
        (f"a,b,c,d,e,{'x' * (MOST_CELL + 1)},g\n", "off", "more than 131,072 characters"),
        (f'a,b,c,d,e,"{"x" * (MOST_CELL + 1)}",g\n', "off", "more than 131,072 characters"),
        ("a,b,c,d,e,f\0f,g\n", "off", "character 2 is NUL"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_hostile_row_is_one_problem_with_line_and_field_and_keeps_its_neighbours(row, field, message):
    found = read(NEEDED + "\n" + GOOD + row + GOOD)
    assert [each.line for each in found.rows] == [2, 4]
    assert [(problem.line, problem.field) for problem in found.problems] == [(3, field)]
    assert message in found.problems[0].message


@pytest.mark.parametrize(
    ("raw", "byte", "looks"),
    [
        (b'a,b,c,d,e,"x\ncaf\xe9 au lait",g\n', 4, "it looks like Windows-1252"),
        (b'a,b,c,d,e,"x\n\xc3\xa9\xed\xa0\x80",g\n', 3, "it may be in Windows-1252"),
        (b'a,b,c,d,e,"x\n\xc0\xaf",g\n', 1, "it may be in Windows-1252"),
    ],
)
def test_a_byte_that_is_not_utf_8_is_found_in_its_line_and_column_with_the_fix_in_excel(raw, byte, looks):
    found = read(HEADER + GOOD.encode() + raw + GOOD.encode())
    assert [each.line for each in found.rows] == [2, 5]
    ((line, field, message),) = [(each.line, each.field, each.message) for each in found.problems]
    assert (line, field) == (4, "off")
    assert message.startswith(f"byte {byte} of the line is not UTF-8")
    assert looks in message
    assert message.endswith("Excel does with “CSV UTF-8”")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ('a,b,c,d,e,"f,g\n' + GOOD * 3, "opens this cell and none closes it"),
        ('a,b,c,d,e,"f,g\n' + GOOD + 'a,b,c,d,e,"f",g\n', "text follows the quotation mark that closes this cell"),
        ('a,b,c,d,e,"f,g\n' + GOOD * 100_000, "opens this cell and none closes it"),
        ('a,b,c,d,e,"' + "f\n" * MOST_ROW_BYTES, "opens this cell and none closes it"),
        ('a,b,c,d,e,"f,g', "opens this cell and none closes it"),
    ],
    ids=["at-the-end", "at-a-later-mark", "too-far", "lines", "last"],
)
def test_an_unclosed_mark_is_told_where_it_opens_and_what_follows_is_said_to_be_unchecked(rows, message):
    found = read(NEEDED + "\n" + GOOD + rows)
    assert [each.line for each in found.rows] == [2]
    ((line, field, told),) = [(each.line, each.field, each.message) for each in found.problems]
    assert (line, field) == (3, "off")
    assert message in told
    assert told.endswith("; what follows was not checked") is ("\n" in rows)


def test_an_unclosed_mark_in_a_later_line_of_a_row_is_told_on_that_line():
    problem = only_problem(NEEDED + '\nP-1,s,c,x,"a\nb","c\n')
    assert (problem.line, problem.field) == (3, "off")


def test_a_line_beyond_the_limit_ends_the_reading():
    found = read(HEADER + GOOD.encode() + b"a," * MOST_ROW_BYTES + b"\n" + GOOD.encode())
    assert [each.line for each in found.rows] == [2]
    assert found.problems[0].line == 3
    assert "this row has 2,097,153 bytes or more" in found.problems[0].message


@pytest.mark.parametrize(("key", "cell"), [("tags", "t|" * 999), ("expected", "[" + "1," * 998 + "1]")])
def test_values_within_cells_are_counted_too(key, cell):
    row = f'P-1,s,c,x,a,b,c,"{cell}"\n'
    last = read(f"{NEEDED},{key}\n" + row * (MOST_MARKS // 1_000)).problems[-1]
    assert "only 1,500,000 values can be read from one file, and this row goes beyond" in last.message


@pytest.mark.parametrize("blank", ["\n", "\r\n", " \n"])
def test_millions_of_empty_lines_are_one_step_and_keep_the_numbers_right(blank):
    many = 500_000
    found = read(NEEDED + "\n" + blank * many + "a,b,c,d,e,f\n")
    assert [problem.line for problem in found.problems] == [many + 2]


def test_the_librarys_limit_for_a_cell_is_left_as_it_is():
    read(HEADER + b"x" * 200_000)
    assert csv.field_size_limit() == MOST_CELL


def test_no_message_repeats_content():
    rows = [f'a,b,c,d,e,"{PRIVATE}" x,g', f'a,b,c,d,e,{PRIVATE}",g', f"{PRIVATE}", f'a,b,c,d,e,"{PRIVATE}']
    assert "Jane" not in str(read("\n".join([NEEDED, *rows])).problems)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@given(
    st.lists(st.lists(TEXTS, min_size=7, max_size=7).filter(any)),
    st.sampled_from([",", ";", "\t"]),
    # With "\n" alone Python's writer leaves a lone carriage return without quotation marks before 3.13.
    st.sampled_from([("\r\n", csv.QUOTE_MINIMAL), ("\r\n", csv.QUOTE_ALL), ("\n", csv.QUOTE_ALL)]),
)
def test_what_pythons_writer_wrote_reads_back_exactly(rows, mark, dialect):
    end, quoting = dialect
    out = io.StringIO()
    writer = csv.writer(out, delimiter=mark, lineterminator=end, quoting=quoting)
    writer.writerows([NEEDED.split(","), *rows])
    found = read(out.getvalue(), mark)
    texts = ("raw_hypothesis", "off", "on")
    wanted = [
        {key: cell for key, cell in zip(NEEDED.split(","), row, strict=True) if cell or key in texts} for row in rows
    ]
    joined = [each for each, row in zip(wanted, rows, strict=True) if not row[0].startswith("\ufeff")]
    assert [row.value for row in found.rows] == joined
    assert len(found.problems) == len(wanted) - len(joined)


PLAIN = r'"(?:[^"]|"")*"|[^",\r\n]*'
SOUND = re.compile(rf"(?:(?:{PLAIN})(?:,|\r?\n))*(?:{PLAIN})")


@given(st.text('",\r\na ', max_size=12))
def test_a_file_is_read_if_and_only_if_rfc_4180_allows_it(text):
    flawed = any(isinstance(each, Flaw) for each in records(text.encode(), ","))
    assert flawed is not bool(SOUND.fullmatch(text))


@given(st.binary() | st.text().map(str.encode) | st.text('",;\t\r\n a\0').map(str.encode))
def test_no_bytes_raise(data):
    read(data)
    read(HEADER + data)
