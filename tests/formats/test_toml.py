from codecs import BOM_UTF8
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import InvalidInput
from app.formats.toml import MOST_BYTES, read_toml, write_toml


def problems_of(data):
    with pytest.raises(InvalidInput) as refused:
        read_toml(data, "protocol.toml")
    assert all(problem.where == "protocol.toml" for problem in refused.value.problems)
    return refused.value.problems


@pytest.mark.parametrize("data", [b'[study]\nid = "a"', BOM_UTF8 + b'[study]\r\nid = "a"\r\n'])
def test_a_file_is_read_with_or_without_a_byte_order_mark(data):
    assert read_toml(data, "protocol.toml") == {"study": {"id": "a"}}


@pytest.mark.parametrize(
    ("data", "line", "field", "message"),
    [
        (b"", None, None, "empty"),
        (BOM_UTF8 + b" \n", None, None, "empty"),
        (b"a = 1\nb = x", 2, None, "column 5: Invalid value"),
        (b"a = 1\nb = ", 2, None, "end of the file"),
        (b"a = 1\na = 2\n\nb = 1\n", 2, None, "stands twice"),
        (b"[a]\n[a]\n", 2, None, "twice"),
        (b'a = 1\nb = "\\ud800"', 2, None, "not a Unicode scalar value"),
        (b'a = 1\nb = "\0"', 2, None, "Illegal character"),
        (b'[a]\nb = "\\u0000"', None, "a.b", "NUL"),
        (b"a = 1\nb = [nan]", None, "b", "finite"),
        (b"a = 1\nb = -inf", None, "b", "finite"),
        (b"a = 1e999", None, "a", "finite"),
        (b"a = 1\nb = " + b"1" * 10_000, 2, None, "too many digits"),
        (b"a = 0x" + b"f" * 10_000, None, "a", "write it as text"),
        (b"a = " + b"[" * 21 + b"]" * 21, None, "a", "deeper than 20"),
        (b"a = " + b"[" * 100_000, None, None, "deeper than 20"),
        (b"a = " + b"{a=" * 100_000, None, None, "deeper than 20"),
        (b"b = 1\n" + b"a." * 400_000 + b"a = 1", 2, None, "deeper than 20"),
        (b'b = {c = """""""", ' + b"a . " * 200_000 + b"a = 1}", 1, None, "deeper than 20"),
        (b'a = 1\nb = "caf\xe9"', 2, None, "byte 9 of the line is not UTF-8"),
        ("a = 1".encode("utf-16"), 1, None, "UTF-16"),
        (b"#" * (MOST_BYTES + 1), None, None, "1,048,577 bytes"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else "",
)
def test_a_hostile_file_is_one_clear_problem(data, line, field, message):
    (problem,) = problems_of(data)
    assert (problem.line, problem.field) == (line, field)
    assert message in problem.message


@pytest.mark.parametrize("text", ["a." * 99, "see a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w"])
@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''"])
def test_dots_within_text_are_no_deep_key(text, quote):
    assert read_toml(f"a = {quote}{text}{quote} # {text}".encode(), "x") == {"a": text}


def test_no_message_repeats_content():
    assert "Jane" not in str(problems_of(b'a = "Jane Roe')[0])


@given(st.binary() | st.text().map(str.encode) | st.text("ab.=[]{}\"'\\#\n 1").map(str.encode))
def test_no_bytes_raise_anything_else(data):
    with suppress(InvalidInput):
        read_toml(data, "x")


VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('ab-_ .\u00e9"', min_size=1), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.from_regex("[a-z]{1,8}", fullmatch=True), st.dictionaries(st.text("ab c", min_size=1), VALUES))
)
def test_what_was_written_reads_back_equal(sections):
    data = write_toml(sections).encode()
    assert read_toml(data, "protocol.toml") == sections if sections else data == b"\n"
