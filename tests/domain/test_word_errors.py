"""Word errors of a study, counted by hand."""

import json

import pytest

from app.domain.item import Item
from app.domain.memo import Absent
from app.domain.statistics import sap
from app.domain.word_errors import Spoken, listener, word_errors

SAID = "um I want the the pen"
ROWS = [
    ("c1", "words", SAID, "I want the pen", SAID, "I want the pen"),
    ("c2", "words", "call my sister", "call my sister", "call my sister", "call sister"),
    ("c3", "fluent", "it is stable", "it is stable", "it is stable", "it is stable"),
    ("c4", "words", "", "", "um", "um yes"),
    ("c5", "fluent", None, None, "no reference", "no reference"),
]


def spoken(rows=ROWS):
    listen = listener()
    return [
        listen(Item(f"i{n}", stratum, cluster, "s", off, off, on, verbatim, semantic), cluster)
        for n, (cluster, stratum, verbatim, semantic, off, on) in enumerate(rows)
    ]


def test_every_number_of_a_small_study_is_the_one_counted_by_hand():
    found = word_errors(spoken()).verbatim
    assert (found.scored, found.eligible, found.empty_references) == (3, 5, 1)
    assert (found.off.numerator, found.off.denominator) == (1, 12)
    assert (found.on.numerator, found.on.denominator) == (5, 12)
    assert (found.on.substitutions, found.on.deletions, found.on.insertions) == (0, 3, 2)
    assert found.difference.value == pytest.approx(4 / 12)
    assert found.by_stratum["fluent"].on.value == 0
    assert (found.by_stratum["words"].scored, found.by_stratum["words"].eligible) == (2, 3)


def test_an_empty_reference_keeps_its_insertions_in_the_total_and_scores_nothing():
    found = word_errors(spoken([("c1", "words", "", None, "um", "um yes")])).verbatim
    assert (found.off.numerator, found.off.denominator, found.off.value, found.off.null_reason) == (
        1, 0, None, "no_reference",
    )  # fmt: skip
    assert found.difference.value is None


def test_the_challenge_takes_the_nearer_reference_and_says_which():
    found = word_errors(spoken()).sap2025
    assert (found.scored, found.eligible, found.empty_references) == (3, 5, 1)
    assert (found.off.numerator, found.off.denominator) == (0, 12)
    assert (found.on.numerator, found.on.denominator) == (1, 10)
    assert found.on.nearer[sap.WITHOUT].numerator == 1
    assert found.on.nearer[sap.NEITHER].numerator == 2
    assert found.difference.value == pytest.approx(0.1)


def test_without_references_there_is_none_and_it_says_so():
    found = word_errors(spoken(ROWS[4:]))
    assert {found.verbatim, found.semantic, found.sap2025} == {Absent(null_reason="no_reference")}
    assert word_errors([]).verbatim.null_reason == "no_items"


def test_five_clusters_have_intervals_and_equal_ones_say_why_not():
    found = word_errors(spoken(ROWS * 1)).verbatim
    assert found.on.interval[0] < found.on.value < found.on.interval[1]
    same = word_errors(spoken([(f"c{n}", *ROWS[1][1:]) for n in range(5)])).verbatim
    assert same.difference.interval_null_reason == "zero_variance"


def test_the_order_of_the_items_moves_no_digit():
    assert word_errors(spoken(ROWS[::-1])) == word_errors(spoken())


def test_what_is_kept_of_an_erased_item_gives_the_same_numbers_and_holds_no_word():
    kept = [Spoken.of_facts(each.stratum, each.cluster, json.loads(json.dumps(each.facts()))) for each in spoken()]
    assert word_errors(kept) == word_errors(spoken())
    assert "sister" not in json.dumps([each.facts() for each in spoken()])


def test_what_an_earlier_version_kept_has_references_and_no_counts():
    old = Spoken.of_facts("words", "c9", {"references": ["verbatim"]})
    found = word_errors([*spoken(), old]).verbatim
    assert (found.scored, found.eligible) == (3, 6)
