from time import perf_counter

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from app.domain.difference import Difference, DifferenceRow, Segment, difference

PIECES = [
    "um",
    "Um",
    "the",
    "don't",
    "$2m",
    ",",
    ".",
    " ",
    "  ",
    "\n",
    "\u00a0",
    "\u200b",
    "\u00ad",
    "\u0301",
    "\u200d",
]
PIECES += ["\U0001f469", "\U0001f3fb", "\U0001f1e9", "\u0645\u0631", "\u202e", "好", "\r", "e"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=20)


def drawn(segments):
    """Draw a side in one line: [differs], and _ for a gap."""
    return "".join({"same": s.text, "differs": f"[{s.text}]", "gap": "_"}[s.kind] for s in segments)


@pytest.mark.parametrize(
    ("a", "b", "drawn_a", "drawn_b"),
    [
        ("the um cat", "the cat", "the [um ]cat", "the _cat"),
        ("a the um cat z", "b the cat y", "[a] the [um ]cat [z]", "[b] the _cat [y]"),
        ("I, um, went", "I went", "I[, um,] went", "I_ went"),
        ("one two three", "four five", "[one two three]", "[four five]"),
        ("we owe $2m.", "we owe $4m.", "we owe [$2m].", "we owe [$4m]."),
        ("yes, so", "yes so", "yes[,] so", "yes_ so"),
        ("so  it", "so it", "so[  ]it", "so[ ]it"),
        ("I don't know", "I do know", "I [don't] know", "I [do] know"),
        ("hi \U0001f469\u200d\U0001f467", "hi \U0001f469", "hi [\U0001f469\u200d\U0001f467]", "hi [\U0001f469]"),
        ("\u0645\u0631 um \u0628", "\u0645\u0631 \u0628", "\u0645\u0631 [um ]\u0628", "\u0645\u0631 _\u0628"),
        ("", "so", "_", "[so]"),
        ("so", "so", "so", "so"),
        ("", "", "", ""),
    ],
)  # fmt: skip
def test_what_differs_is_marked_and_what_is_missing_leaves_a_gap(a, b, drawn_a, drawn_b):
    found = difference(a, b)
    assert (drawn(found.a), drawn(found.b)) == (drawn_a, drawn_b)


@pytest.mark.parametrize(
    ("a", "b", "row"),
    [
        ("the um cat", "the cat", DifferenceRow("um", "", "the", "cat", "words")),
        ("well, um I", "well, I", DifferenceRow("um", "", "well", "I", "words")),
        ("x, a", "x, b", DifferenceRow("a", "b", "x", "", "words")),
        ("yes, so", "yes so", DifferenceRow(",", "", "yes", "so", "punctuation")),
        ("it's so", "its so", DifferenceRow("it's", "its", "", "so", "punctuation")),
        ("5% up", "5 up", DifferenceRow("5%", "5", "", "up", "words")),
        ("So it", "so it", DifferenceRow("So", "so", "", "it", "case")),
        ("So, it", "so it", DifferenceRow("So,", "so", "", "it", "case")),
        ("so  it", "so it", DifferenceRow("  ", " ", "so", "it", "whitespace")),
        ("can not", "cannot", DifferenceRow("can not", "cannot", "", "", "whitespace")),
        ("so\u00adft it", "soft it", DifferenceRow("so\u00adft", "soft", "", "it", "invisible")),
        ("e\u0301 it", "\u00e9 it", DifferenceRow("e\u0301", "\u00e9", "", "it", "invisible")),
    ],
)
def test_a_row_names_what_differs_and_where(a, b, row):
    assert difference(a, b).rows == (row,)


@given(TEXTS, TEXTS)
def test_exchanging_the_texts_gives_the_exact_mirror(a, b):
    one, other = difference(a, b), difference(b, a)
    rows = tuple(DifferenceRow(row.b, row.a, row.after, row.before, row.kind) for row in one.rows)
    assert other == Difference(one.b, one.a, rows)
    assert [s.runs for s in other.a + other.b] == [s.runs for s in one.b + one.a]


@given(TEXTS, TEXTS)
def test_segments_and_their_runs_join_to_the_stored_text(a, b):
    found = difference(a, b)
    for text, segments in ((a, found.a), (b, found.b)):
        assert "".join(segment.text for segment in segments) == text
        assert "".join(run.text for segment in segments for run in segment.runs) == text


@given(TEXTS, TEXTS)
def test_both_sides_agree_on_what_is_the_same_and_each_difference_has_a_row(a, b):
    found = difference(a, b)
    assert [s for s in found.a if s.kind == "same"] == [s for s in found.b if s.kind == "same"]
    assert all(sum(s.kind != "same" for s in side) == len(found.rows) for side in (found.a, found.b))
    assert bool(found.rows) is (a != b)
    assert not any(x.kind == y.kind == "gap" for x, y in zip(found.a, found.b, strict=True))


@given(TEXTS, TEXTS)
def test_no_grapheme_cluster_is_split(a, b):
    for text, segments in ((a, difference(a, b).a), (b, difference(a, b).b)):
        ends = {match.end() for match in regex.finditer(r"\X", text)} | {0}
        assert all(len("".join(s.text for s in segments[:n])) in ends for n in range(len(segments)))


def test_a_space_beside_a_mark_is_not_taken_for_one_at_an_end():
    assert [run.invisible for segment in difference("so um it", "so it").a for run in segment.runs] == [None] * 3


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("x " * 10_000, "y " * 10_000),
        ("a b " * 5_000, "b a a " * 3_333),
        (".," * 10_000, ",.." * 6_666),
        ("\u200d" * 20_000, "\u200d" * 19_999),
        ("", "x " * 10_000),
    ],
    ids=["nothing in common", "periodic", "punctuation", "one long cluster", "one side empty"],
)
def test_long_texts_are_compared_within_two_seconds(a, b):
    start = perf_counter()
    difference(a, b)
    assert perf_counter() - start < 2


def test_beyond_the_bound_what_lies_between_the_common_ends_is_one_difference():
    assert difference("so " + "x, " * 2_000 + "end", "so " + "y; " * 2_000 + "end").a == (
        Segment("so ", "same"),
        Segment("x, " * 1_999 + "x,", "differs"),
        Segment(" end", "same"),
    )
