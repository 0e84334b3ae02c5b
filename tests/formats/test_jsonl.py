import json
import tracemalloc
from codecs import BOM_UTF8
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.jsonl import MOST_BYTES, MOST_LINE_BYTES, MOST_LINES, MOST_PROBLEMS, Row, read_jsonl

GOOD = b'{"item_id": "a"}\n'
PRIVATE = "Jane Roe"


def only_problem(data):
    (problem,) = read_jsonl(data, "items.jsonl").problems
    assert problem.where == "items.jsonl"
    return problem


@pytest.mark.parametrize(
    ("line", "field", "message"),
    [
        (b'{"off": "a", "off": "b"}', "off", "more than once"),
        (b'{"expected": {"arm": 1, "arm": 2}}', "expected.arm", "more than once"),
        (b'{"off": NaN}', "off", "finite"),
        (b'{"off": [-Infinity]}', "off", "finite"),
        (b'{"off": 1e999}', "off", "finite"),
        (b'{"off": %s}' % (b"1" * 10_000), "off", "too many digits"),
        (b'{"off": -9007199254740992}', "off", "write it as text"),
        (b'{"off": "ab\\ud800"}', "off", "character 3 is half of a surrogate"),
        (b'{"o\\udfff": "a"}', "o\\udfff", "in this key, character 2 is half of a surrogate"),
        (b'{"off": "\\u0000"}', "off", "character 1 is NUL"),
        (b'{"a\\u0000": "a"}', "a\\u0000", "in this key, character 2 is NUL"),
        (b'{"%s": NaN}' % (b"k" * 99), "k" * 60, "finite"),
        (b'{"off": %s%s}' % (b"[" * 20, b"]" * 20), "off", "deeper than 20"),
        (b'{"off": "\0"}', None, "byte 10 of the line is NUL"),
        (b'{"off": %s' % (b"[" * 100_000), None, "deeper than 20"),
        (b'{"a":' * 100_000, None, "deeper than 20"),
        (b'{"off": "caf\xe9"}', None, "byte 13 of the line is not UTF-8"),
        (b'{"off": "\xed\xa0\x80"}', None, "byte 10 of the line is not UTF-8"),
        (BOM_UTF8 + GOOD.rstrip(), None, "byte order mark"),
        (b'{"off": "a', None, "ends before its JSON does (cut off, or over several lines?): look at column 9"),
        (b'{"off": ', None, "look at column 9"),
        (b'{"off": "a"} x', None, "follows the JSON from column 14"),
        (b'{"off": "a\tb"}', None, "column 11: Invalid control character"),
        (b"{'off': 1}", None, "column 2: Expecting property name"),
        (b"[1]", None, "found a list"),
        (b'"a"', None, "found text"),
        (b"1", None, "found a number"),
        (b"true", None, "found true or false"),
        (b"null", None, "found null"),
        (b'{"off": "%s"}' % (b"x" * MOST_LINE_BYTES), None, "this line has 1,048,587 bytes"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else "",
)
def test_a_hostile_line_is_one_problem_with_line_and_field_and_keeps_its_neighbours(line, field, message):
    found = read_jsonl(GOOD + b"\n" + line + b"\n" + GOOD, "items.jsonl")
    assert [row.line for row in found.rows] == [1, 4]
    assert [(problem.line, problem.field) for problem in found.problems] == [(3, field)]
    assert message in found.problems[0].message


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", None, "empty"),
        (BOM_UTF8 + b" \r\n\n", None, "empty"),
        (b'\n[{"item_id": "a"}]', 2, "JSON array"),
        (b"item_id,stratum\na,b", 1, "CSV"),
        (b'"item_id";"stratum"\na;b', 1, "CSV"),
        (BOM_UTF8 + b"item_id\tstratum", 1, "CSV"),
        (b'{\n"item_id": "a"\n}', 1, "several lines"),
        (GOOD.decode().encode("utf-16"), 1, "UTF-16"),
        (GOOD.decode().encode("utf-16-le"), 1, "UTF-16"),
        (b"{}\n" * (MOST_LINES + 1), None, "more than 1,000,000 lines"),
    ],
    ids=["empty", "blank", "array", "comma", "semicolon", "tab", "indented", "utf-16", "utf-16-le", "lines"],
)
def test_a_file_of_another_kind_is_refused_as_a_whole(data, line, message):
    problem = only_problem(data)
    assert problem.line == line
    assert message in problem.message


@pytest.mark.parametrize("data", [BOM_UTF8 + GOOD, GOOD.replace(b"\n", b"\r\n"), b" \n" + GOOD, GOOD.strip()])
def test_a_byte_order_mark_blank_lines_and_other_line_ends_are_tolerated(data):
    found = read_jsonl(data, "items.jsonl")
    assert [row.value for row in found.rows] == [{"item_id": "a"}]
    assert found.problems == ()


def test_several_faults_of_one_line_are_all_told():
    assert [p.field for p in read_jsonl(b'{"a": NaN, "b": "\\u0000", "c": 1}', "x").problems] == ["a", "b"]


def test_after_a_thousand_problems_the_last_says_how_many_lines_are_unchecked():
    problems = read_jsonl(b"[]\n".replace(b"[]", b"1") * (MOST_PROBLEMS + 7), "x").problems
    assert len(problems) == MOST_PROBLEMS + 1
    assert "7 more lines are unchecked" in problems[-1].message


@pytest.mark.parametrize(
    "line",
    [
        f'{{"off": "{PRIVATE}',
        f'{{"off": "{PRIVATE}\\ud800"}}',
        PRIVATE,
        f'"{PRIVATE}"',
        f'{{"off": "{PRIVATE}\\x"}}',
        f'{{"off": "{PRIVATE}"}} {PRIVATE}',
        f'{{"off": "{PRIVATE}", "off": "{PRIVATE}"}}',
    ],
)
def test_no_message_repeats_content(line):
    assert "Jane" not in str(only_problem(line.encode()))


@given(st.binary() | st.text().map(str.encode) | st.binary().map(lambda tail: b'{"a": ' + tail))
def test_no_bytes_raise(data):
    found = read_jsonl(data, "x")
    assert found.rows or found.problems


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@given(st.lists(st.dictionaries(TEXTS, TEXTS)))
def test_what_was_written_reads_back_exactly(values):
    data = b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values) or GOOD
    wanted = values or [{"item_id": "a"}]
    assert read_jsonl(data, "x").rows == tuple(Row(line, value) for line, value in enumerate(wanted, start=1))


@pytest.mark.parametrize("start", [b'{"a": "', b'{"a": [', b"{"])
def test_a_line_of_100_mb_is_refused_in_under_two_seconds_without_a_copy_of_it(start):
    data = start + b"1," * 50_000_000
    tracemalloc.start()
    begun = perf_counter()
    problem = only_problem(data)
    spent, (_, peak) = perf_counter() - begun, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert problem.line == 1
    assert "this line has 100,000,0" in problem.message
    assert spent < 2
    assert peak < 1_000_000


def test_a_file_beyond_256_mib_is_refused():
    assert "at most 268,435,456" in only_problem(b" " * (MOST_BYTES + 1)).message
