"""How the judging went, on cases counted by hand."""

import pytest

from app.domain.judgement import Coding
from app.domain.statistics import quality
from app.domain.statistics.quality import Answered, Guess

SAFE, KEPT, CANNOT = Coding("safe-cleanup", "on"), Coding("benign-retention"), Coding("unassessable-disputed")
HARM, OTHER_HARM = Coding("destructive-content", "on"), Coding("destructive-structure", "on")
BOTH = Coding("destructive-content", "both")


def counts(rate):
    return rate.numerator, rate.denominator


def test_a_repeat_is_consistent_when_label_and_arms_are_the_same():
    other_reason = Coding("destructive-content", "on", reasons=("name",), severity="clinical")
    given = [(HARM, other_reason), (HARM, BOTH), (SAFE, Coding("safe-cleanup", "off")), (KEPT, KEPT)]
    found = quality.repeats([Answered(n, known, again) for n, (known, again) in enumerate(given)])
    assert counts(found) == (2, 4)
    assert set(found.intervals) == {"clopper_pearson", "korn_graubard"}


@pytest.mark.parametrize(("judges", "reason"), [(1, "one_cluster"), (2, "few_clusters"), (3, "few_clusters")])
def test_a_share_of_few_judges_has_no_interval_by_judge(judges, reason):
    found = quality.repeats([Answered(judge, HARM, again) for judge in range(judges) for again in (HARM, BOTH)])
    assert (set(found.intervals), found.deff, found.interval_null_reason) == ({"clopper_pearson"}, None, reason)


def test_known_damage_is_found_in_its_text_whatever_its_class_and_not_in_the_other():
    given = [HARM, OTHER_HARM, Coding("destructive-content", "off"), BOTH, SAFE, CANNOT]
    answers = [Answered("r", HARM, each) for each in given] + [Answered("r", SAFE, HARM)]
    assert counts(quality.sentinels_destructive(answers)) == (2, 6)


def test_a_clean_item_is_left_clean_by_any_answer_without_damage_but_cannot_judge_is_none():
    answers = [Answered("r", SAFE, each) for each in (SAFE, KEPT, CANNOT, HARM)] + [Answered("r", HARM, HARM)]
    assert counts(quality.sentinels_clean(answers)) == (2, 4)


def test_without_items_there_is_a_reason():
    for of in (quality.repeats, quality.audit_upheld, quality.sentinels_destructive, quality.sentinels_clean):
        assert (of([]).value, of([]).null_reason) == (None, "no_items")


def test_one_judge_has_no_interval_by_judge_and_says_so():
    found = quality.audit_upheld([Answered("a", KEPT, KEPT), Answered("a", KEPT, SAFE)])
    assert counts(found) == (1, 2)
    assert (list(found.intervals), found.interval_null_reason) == (["clopper_pearson"], "one_cluster")


def test_sides_are_held_against_a_coin():
    found = quality.side_bias(["A"] * 7 + ["B"] + [None, "both"] * 5)
    assert (found.a, found.b, found.value) == (7, 1, 0.875)
    assert found.p == pytest.approx(2 * (1 + 8) / 2**8)
    assert quality.side_bias(["A", "B"]).p == 1
    assert quality.side_bias([None]).null_reason == "no_items"


def test_bangs_index_is_right_minus_wrong_over_all_with_cannot_tell_among_all():
    guesses = [Guess(judge, "reviewer", right) for judge in range(5) for right in (True, True, False, None)]
    guesses[0] = Guess(0, "reviewer", None)
    found = quality.blinding_index([*guesses, Guess(9, "adjudicator", right=False)], "reviewer")
    assert (found.right, found.wrong, found.cannot_tell) == (9, 5, 6)
    assert found.value == 4 / 20
    assert found.interval[0] < 4 / 20 < found.interval[1]
    spread = (14 / 20 - (4 / 20) ** 2) / 20
    assert found.independent == pytest.approx((4 / 20 - 1.959964 * spread**0.5, 4 / 20 + 1.959964 * spread**0.5))


def test_few_guesses_have_no_interval_that_takes_them_as_independent():
    guesses = [Guess(1, "reviewer", right) for right in (True, None) * 10]
    assert quality.blinding_index(guesses, "reviewer").independent is not None
    assert quality.blinding_index(guesses[1:], "reviewer").independent is None


@pytest.mark.parametrize(("judges", "reason"), [(1, "one_cluster"), (2, "few_clusters"), (3, "few_clusters")])
def test_few_judges_have_an_index_and_no_interval_by_judge(judges, reason):
    guesses = [Guess(judge, "reviewer", right) for judge in range(judges) for right in (True, False, True)]
    found = quality.blinding_index(guesses, "reviewer")
    assert (found.interval, found.interval_null_reason) == (None, reason)
    assert found.value == pytest.approx(1 / 3)


def test_a_role_that_nobody_has_has_no_index():
    assert quality.blinding_index([Guess(1, "reviewer", right=True)], "adjudicator").null_reason == "no_items"


def test_a_break_is_no_time_at_work():
    work = [0, 60, 120, 120 + 301, 120 + 301 + 60]
    assert quality.active_minutes([work]).median == 3
    assert quality.active_minutes([work, list(reversed(work)), [5]]).median == 3
    assert quality.active_minutes([]).null_reason == "no_items"
