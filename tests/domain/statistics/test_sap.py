"""The challenge's scoring: marks, ties and preferences."""

import pytest

from app.domain.statistics import sap


@pytest.mark.parametrize(
    ("transcript", "first", "second"),
    [
        ("I (I) want it", "I I want it", "I want it"),
        ("[door closes] yes [laughs]", "yes", "yes"),
        ("call {g:Anna} now", "call Anna now", "call Anna now"),
        ("{w:2} please", "UNK UNK please", "UNK UNK please"),
        ("{u:mumbling} and { }", "UNK and UNK", "UNK and UNK"),
        ("(cs:hola) there", "hola there", "hola there"),
        ("(um) don\u2019t", "um don't", "don't"),
        ("plain words", "plain words", "plain words"),
    ],
)
def test_marks_of_the_corpus_are_taken_as_published(transcript, first, second):
    assert sap.markup(transcript, disfluent=True) == first
    assert sap.markup(transcript, disfluent=False) == second


def test_a_mark_may_not_stand_for_more_words_than_anybody_counted():
    assert len(sap.markup("{w:999999999}", disfluent=True).split()) == sap.MOST_UNKNOWN


@pytest.mark.parametrize(
    ("first", "second", "said", "expected"),
    [
        ("abc", "ab", "abc", (0, 6, sap.WITH)),
        ("abc", "ab", "ab", (0, 4, sap.WITHOUT)),
        ("abcd", "abef", "abx", (4, 8, sap.NEITHER)),
        ("ab", "cd", "xy", (4, 4, sap.NEITHER)),
        ("abcd", "ab", "", (6, 6, sap.NEITHER)),
    ],
)
def test_the_smaller_rate_counts_and_of_equal_ones_the_means(first, second, said, expected):
    assert sap.scorer()(first, second, said) == expected


@pytest.mark.parametrize(("first", "second"), [("", "ab"), ("ab", ""), ("", "")])
def test_an_empty_reference_is_no_crash_and_no_score(first, second):
    assert sap.scorer()(first, second, "ab") is None
