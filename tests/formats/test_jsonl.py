import json
import tracemalloc
from codecs import BOM_UTF8
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import MOST_PROBLEMS
from app.formats.jsonl import read_jsonl
from app.formats.rows import MOST_MARKS, MOST_ROW_BYTES, MOST_ROWS, Row

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
        (b"{off: 1}", None, "column 2: Expecting property name"),
        (b"{'off': 1}", None, "column 2: JSON has double quotation marks"),
        ("{“off”: 1}".encode(), None, "column 2: JSON has straight quotation marks"),
        (b'{"off": 1}, // more', None, "one object a line, without a comma after it"),
        (b'{"off": 1 // more', None, "column 11: JSON has no comments"),
        (b"// more", None, "JSON has no comments"),
        (b'{"o\x1b[2Jff": 1}'.replace(b"\x1b", b"\\u001b"), "o\\u001b[2Jff", "invisible characters"),
        (b"[1]", None, "found a list"),
        (b'"a"', None, "found text"),
        (b"1", None, "found a number"),
        (b"true", None, "found true or false"),
        (b"null", None, "found null"),
        (b'{"off": "%s"}' % (b"x" * MOST_ROW_BYTES), None, "this line has 1,048,587 bytes"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else "",
)
def test_a_hostile_line_is_one_problem_with_line_and_field_and_keeps_its_neighbours(line, field, message):
    found = read_jsonl(GOOD + b"\n" + line + b"\n" + GOOD, "items.jsonl")
    assert [row.line for row in found.rows] == [1, 4]
    assert [(problem.line, problem.field) for problem in found.problems] == [(3, field)]
    assert message in found.problems[0].message


@pytest.mark.parametrize("data", [BOM_UTF8 + GOOD, GOOD.replace(b"\n", b"\r\n"), b" \n" + GOOD, GOOD.strip()])
def test_a_byte_order_mark_blank_lines_and_other_line_ends_are_tolerated(data):
    found = read_jsonl(data, "items.jsonl")
    assert [row.value for row in found.rows] == [{"item_id": "a"}]
    assert found.problems == ()


def test_several_faults_of_one_line_are_all_told():
    assert [p.field for p in read_jsonl(b'{"a": NaN, "b": "\\u0000", "c": 1}', "x").problems] == ["a", "b"]


def test_reading_stops_at_a_thousand_problems_and_says_so():
    problems = read_jsonl(b"1\n" * (MOST_PROBLEMS + 7), "x").problems
    assert (len(problems), problems[-1].line) == (MOST_PROBLEMS, MOST_PROBLEMS)
    assert "stopped after 999 problems; what follows was not checked" in problems[-1].message


@pytest.mark.parametrize(
    ("line", "times", "message"),
    [(b"{}\n", MOST_ROWS + 7, "only 30,000 rows"), (b'{"a": [%s1]}\n' % (b"1," * 99_999), 16, "only 1,500,000 values")],
)
def test_what_goes_beyond_the_room_is_refused_on_its_line(line, times, message):
    (problem,) = read_jsonl(line * times, "x").problems
    assert message in problem.message
    assert problem.line == {MOST_ROWS + 7: MOST_ROWS + 1, 16: MOST_MARKS // 100_000}[times]


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
    assert found.rows or found.problems or not data.strip(BOM_UTF8 + b" \t\r\n")


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
KEYS = TEXTS.filter(str.isprintable)


@given(st.lists(st.dictionaries(KEYS, TEXTS)))
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
