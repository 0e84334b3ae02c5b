"""Word errors: the canonical split, words as they are compared, and bounds."""

import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.statistics import wer
from app.domain.statistics.words import Vocabulary

rows = st.text("abc", max_size=7)


def fewest_edits_then_substitutions(reference, hypothesis):
    """Return both by trying everything."""

    @cache
    def at(i, j):
        if i == len(reference) or j == len(hypothesis):
            return len(reference) - i + len(hypothesis) - j, 0
        if reference[i] == hypothesis[j]:
            return min(at(i + 1, j + 1), step(at(i + 1, j)), step(at(i, j + 1)))
        return min(step(at(i + 1, j)), step(at(i, j + 1)), step(at(i + 1, j + 1), 1))

    def step(cost, substituted=0):
        return cost[0] + 1, cost[1] + substituted

    return at(0, 0)


@given(reference=rows, hypothesis=rows)
def test_of_the_fewest_edits_the_split_has_the_fewest_substitutions(reference, hypothesis):
    found = wer.counter()(reference, hypothesis)
    assert (found.total, found.substitutions) == fewest_edits_then_substitutions(reference, hypothesis)
    assert found.words == len(reference)
    assert found.insertions - found.deletions == len(hypothesis) - len(reference)
    assert min(found) >= 0


@given(reference=rows, hypothesis=rows)
def test_exchanging_the_two_exchanges_deletions_and_insertions(reference, hypothesis):
    one, other = wer.counter()(reference, hypothesis), wer.counter()(hypothesis, reference)
    assert (one.substitutions, one.deletions, one.insertions) == (
        other.substitutions,
        other.insertions,
        other.deletions,
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hello, World!", "hello world"),
        ("caf\u00e9", "cafe\u0301"),
        ("\u00bfQu\u00e9?", "qu\u00e9"),
        ("Stra\u00dfe", "STRASSE"),
        ("«well» — yes", "well yes"),
        ("a\u00a0b\tc\nd", "a b c d"),
    ],
)
def test_case_composition_and_punctuation_at_the_edges_are_no_difference(one, other):
    words = wer.vocabulary()
    assert words.row(one) == words.row(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("um I went", "I went"),
        ("I I went", "I went"),
        ("w-w-went", "went"),
        ("50%", "50"),
        ("don't", "dont"),
        ("resum\u00e9", "resume"),
    ],
)
def test_what_is_measured_is_a_difference(one, other):
    words = wer.vocabulary()
    assert words.row(one) != words.row(other)


def test_a_vocabulary_forgets_before_characters_run_out_and_goes_on(monkeypatch):
    monkeypatch.setattr("app.domain.statistics.words.MOST_WORDS", 4)
    words = Vocabulary(str)
    for text in ("a b c", "d e f", "a a g"):
        words.tidy()
        row = words.row(text)
        assert len(row) == 3
        assert (row[0] == row[1]) == (text == "a a g")


@pytest.mark.load
def test_200000_pairs_are_counted_in_under_a_second():
    words, count = wer.vocabulary(), wer.counter()
    texts = [" ".join(f"w{(n * 7 + k * k) % 900}" for k in range(10)) for n in range(1000)]
    pairs = [(words.row(text), words.row(text.replace("w1", "um w1"))) for text in texts] * 200
    start = time.process_time()
    for reference, hypothesis in pairs:
        count(reference, hypothesis)
    assert time.process_time() - start < 1
