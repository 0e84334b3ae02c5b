import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.json_array import _CHUNK, read_json_array
from app.formats.rows import MOST_ROW_BYTES

PRIVATE = "Jane Roe"


def read(data):
    return read_json_array(data if isinstance(data, bytes) else data.encode(), "items.json")


def told(data):
    return [(problem.line, problem.field, problem.message) for problem in read(data).problems]


def test_each_object_has_the_line_on_which_it_begins():
    data = b'\xef\xbb\xbf\r\n[ {"a": 1}, {"a":\n2},\n\n{"a": 3}\n]\n'
    assert [(row.line, row.value["a"]) for row in read(data).rows] == [(2, 1), (2, 2), (5, 3)]


@pytest.mark.parametrize("space", [b"", b" ", b"\r\n  "])
def test_space_between_the_parts_means_nothing(space):
    found = read(space.join([b"", b"[", b'{"a": 1}', b",", b"{}", b"]", b""]))
    assert [row.value for row in found.rows] == [{"a": 1}, {}]
    assert found.problems == ()


def test_faults_within_objects_are_all_told_and_their_neighbours_are_read():
    found = read(b'[{"a": NaN, "b": "\\u0000"},\n1,\n{"a": 1, "a": 2},\n{"a": 1}]')
    assert [(problem.line, problem.field) for problem in found.problems] == [(1, "a"), (1, "b"), (2, None), (3, "a")]
    assert [row.line for row in found.rows] == [4]


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b'[{},\n{"a": }]', 2, "not JSON at column 7: Expecting value"),
        (b"[{},\n {a: 1}]", 2, "not JSON at column 3: Expecting property name"),
        (b"[{},\n{'a': 1}]", 2, "column 2: JSON has double quotation marks"),
        (b"[{},\n]", 2, "a comma before the bracket"),
        (b"[,]", 1, "not JSON at column 2: Expecting value"),
        (b"[{}\n{}]", 2, "expected a comma or ] after an object, at column 1"),
        (b'[{"a": 1}}', 1, "expected a comma or ] after an object, at column 10"),
        (b"[{}]\n[{}]", 2, "something follows the array, at column 1"),
        (b"[{}],", 1, "something follows the array, at column 5"),
        (b"[{}] \x00", 1, "something follows the array, at column 6"),
        (b"[{},\n# more\n{}]", 2, "JSON has no comments"),
        (b"[{},\n\xef\xbb\xbf{}]", 2, "column 1: a byte order mark"),
        (b"[", 1, "the file ends before its array does"),
        (b"[{}\n,", 2, "the file ends before its array does"),
        (b'[{"a": "b\n', 2, "the file ends before its array does"),
        (b'[{"a": [1, \n', 2, "the file ends before its array does"),
        (b'[{"a": "b\n"}]', 1, "column 10: Invalid control character"),
        (b'[{"a": "\\x"}]', 1, "column 9: Invalid \\escape"),
        (b"[" * 100_000, 1, "deeper than 20"),
        (b'[{"a":' * 100_000, 1, "deeper than 20"),
        (b'[{},\n{"a": "caf\xe9"}]', 2, "byte 11 of the line is not UTF-8: save the file as UTF-8 (it looks like Win"),
        (b'[{},\n{"a": "\xed\xa0\x80"}]', 2, "byte 8 of the line is not UTF-8"),
        (b'[{"a": 1}, \xff', 1, "byte 12 of the line is not UTF-8"),
        (b'[{"a": "caf\xc3', 1, "byte 12 of the line is not UTF-8"),
    ],
    ids=lambda value: str(value)[:25],
)
def test_what_is_no_json_ends_the_reading_with_line_and_column(data, line, message):
    *_, (found, _, last) = told(data)
    assert found == line
    assert message in last
    assert last.endswith("; what follows was not checked")


def test_line_and_column_are_right_however_far_into_the_file_and_the_line():
    element = json.dumps({"a": "é" * 1_000}, ensure_ascii=False)
    many = 3 * _CHUNK // len(element)
    before = ",\n".join([element] * many) + ", " + ", ".join([element] * many)
    column = len(before.rpartition("\n")[2])
    found = read(f"[{before}, {{]")
    assert len(found.rows) == 2 * many
    assert [row.line for row in found.rows] == [*range(1, many), *[many] * (many + 1)]
    assert found.problems[-1].line == many
    assert f"not JSON at column {column + 4:,}: Expecting property name" in found.problems[-1].message


def test_a_byte_that_is_no_utf_8_far_into_the_file_is_told_after_the_rows_before_it():
    element = json.dumps({"a": "é" * 1_000}, ensure_ascii=False).encode()
    found = read(b"[" + (element + b",\n") * 2_000 + b'{"a": "caf\xe9"}]')
    assert len(found.rows) == 2_000
    assert [(problem.line, "byte 11 of" in problem.message) for problem in found.problems] == [(2_001, True)]


@pytest.mark.parametrize("edge", range(-3, 4))
def test_a_character_that_two_parts_share_is_read_whole(edge):
    text = "x" * (_CHUNK - len('[{"a": "') + edge - 300_000) + "👩"
    found = read(f'[{{"a": "{"y" * 299_000}"}}, {{"a": "{text[299_021:]}"}}]')
    assert [row.value["a"] for row in found.rows] == ["y" * 299_000, text[299_021:]]


def test_an_object_beyond_the_limit_is_refused_and_reading_goes_on_where_its_end_is_known():
    long = json.dumps({"a": "x" * MOST_ROW_BYTES})
    found = read(f"[{long},\n{{}}]")
    assert [row.line for row in found.rows] == [2]
    assert found.problems[0].message == f"this object has {len(long):,} characters; at most 1,048,576 can be read"


@pytest.mark.parametrize("start", ['{"a": "', '{"a": ["', '{"a": [1,', '{"a":{"b":"', "1"])
def test_an_object_without_an_end_is_refused_without_a_copy_of_the_file(start):
    data = b"[{},\n" + start.encode() + b"1," * 25_000_000
    tracemalloc.start()
    line, _, message = told(data)[-1]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert line == 2
    assert "1,048,576" in message or "problems" in message
    assert peak < 64 << 20


@pytest.mark.parametrize("data", [f'[{{"a": "{PRIVATE}', f'["{PRIVATE}"]', f'[{{}}]"{PRIVATE}"', f"[{{}}, {PRIVATE}]"])
def test_no_message_repeats_content(data):
    assert "Jane" not in str(told(data))


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@given(st.lists(st.dictionaries(TEXTS.filter(str.isprintable), TEXTS)), st.sampled_from([None, 1]), st.booleans())
def test_what_was_written_reads_back_exactly(values, indent, ascii_only):
    found = read(json.dumps(values, indent=indent, ensure_ascii=ascii_only))
    assert [row.value for row in found.rows] == values
    assert found.problems == ()


@given(st.binary() | st.text().map(str.encode) | st.text('[]{}",:1a\\ \n\r').map(str.encode))
def test_no_bytes_raise(data):
    read(b"[" + data)
