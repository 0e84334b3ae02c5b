import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.text import Run, equivalent, invisible_name, only_invisible, only_lines, runs, tokens

EVERYTHING = [chr(point) for point in range(sys.maxunicode + 1)]
VARIATION_SELECTORS = [ch for ch in EVERYTHING if "VARIATION SELECTOR" in unicodedata.name(ch, "")]
INVISIBLES = VARIATION_SELECTORS + [
    ch for ch in EVERYTHING if ch != " " and unicodedata.category(ch) in {"Cc", "Cf", "Zl", "Zp", "Zs"}
]


@pytest.mark.parametrize(
    ("a", "b", "equal_under"),
    [
        ("so", "so", "exact whitespace whitespace-case"),
        (" so \t it", "so it", "whitespace whitespace-case"),
        ("so\u00a0it", "so it", "whitespace whitespace-case"),
        ("So  IT", "so it", "whitespace-case"),
        ("STRASSE", "straße", "whitespace-case"),
        ("soit", "so it", ""),
        ("so, it", "so it", ""),
        ("so\u200bit", "soit", ""),
    ],
)
@pytest.mark.parametrize("comparator", ["exact", "whitespace", "whitespace-case"])
def test_each_comparator_forgives_just_what_it_names(a, b, equal_under, comparator):
    assert equivalent(a, b, comparator) is equivalent(b, a, comparator) is (comparator in equal_under.split())


def test_an_unknown_comparator_is_named():
    with pytest.raises(ValueError, match="'fuzzy'"):
        equivalent("a", "a", "fuzzy")


def test_every_invisible_character_is_a_run_of_its_own_with_a_name():
    unseen = [ch for ch in INVISIBLES if runs(f"a{ch}b") != (Run("a"), Run(ch, invisible_name(ch)), Run("b"))]
    assert unseen == []


def test_no_two_invisible_characters_share_a_name():
    assert len({invisible_name(ch) for ch in [*INVISIBLES, " "]}) == len(set(INVISIBLES)) + 1


@pytest.mark.parametrize("ch", ["\u034f", "\u115f", "\u3164", "\uffa0", "\u2800", "\u2065"])
def test_what_is_drawn_as_nothing_counts_as_invisible_whatever_its_category(ch):
    assert runs(ch) == (Run(ch, invisible_name(ch)),)


@pytest.mark.parametrize(
    ("text", "marked"), [("a b", 0), ("a  b", 2), (" a", 1), ("a ", 1), ("a \nb", 1), ("a\u00a0 b", 1), ("   ", 3)]
)
def test_only_doubled_leading_and_trailing_spaces_are_marked(text, marked):
    assert [run.text for run in runs(text) if run.invisible == "SPACE"] == [" "] * marked


@given(st.text(), st.integers(0, 9), st.integers(0, 9))
def test_the_runs_of_a_slice_are_marked_as_in_the_whole_text(text, start, length):
    whole = [(ch, run.invisible) for run in runs(text) for ch in run.text]
    end = min(start + length, len(text))
    assert [(ch, run.invisible) for run in runs(text, start, end) for ch in run.text] == whole[start:end]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("so\u00adft", "soft", True),
        ("a  b ", "a b", True),
        ("a\u00a0b", "a b", True),
        ("\u2764\ufe0f", "\u2764", True),
        ("e\u0301", "\u00e9", True),
        ("\ufb01n", "fin", True),
        ("\u202eab", "ab", True),
        ("a b", "ab", False),
        ("a, b", "a b", False),
        ("A", "a", False),
        ("a", "a", False),
        ("a\nb", "a\r\nb", True),
        ("a\nb", "a\n\nb ", True),
        ("a\nb", "a b", False),
    ],
)
def test_a_pair_that_differs_in_invisibles_or_normalisation_alone_is_found(a, b, expected):
    assert only_invisible(a, b) is only_invisible(b, a) is expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("milk\neggs\nflour", "milk eggs flour", True),
        ("milk\neggs flour", "milk eggs\nflour", True),
        ("so\u00adft\nb", "soft b", True),
        ("milk\neggs", "milk, eggs", False),
        ("milk\neggs", "milk\n eggs\n", False),
        ("a", "a", False),
    ],
)
def test_a_pair_whose_lines_differ_and_nothing_that_is_read_is_found(a, b, expected):
    assert only_lines(a, b) is only_lines(b, a) is expected


@pytest.mark.parametrize(
    "word",
    [
        "$2m", "don't", "don\u2019t", "3.5", "1,000", "10:30", "50%", "R&D", "twenty-one", "so\u00adft",
        "e\u0301te\u0301", "\u0645\u0631\u062d\u0628\u0627", "\u2764\ufe0f", "\U0001f1e9\U0001f1ea",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467",
    ],
)  # fmt: skip
def test_a_word_keeps_the_marks_it_is_written_with(word):
    assert tokens(f'um "{word}", so') == ("um", " ", '"', word, '"', ",", " ", "so")


def test_a_script_without_spaces_is_split_by_character():
    assert tokens("你好 ok") == ("你", "好", " ", "ok")


@given(st.text())
def test_tokens_join_to_the_text(text):
    assert "".join(tokens(text)) == text
