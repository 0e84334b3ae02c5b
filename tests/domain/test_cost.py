"""What a plan costs and can show: counts, minutes, and the rate that is ruled out."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.cost import ALIKE, Group, People, cost, pace_of, rules_out
from app.domain.errors import InvalidInput
from app.domain.plan import PLANS
from app.domain.protocol import Protocol, parse
from app.domain.statistics.intervals import zero_event_upper

STUDY = {"study": {"id": "x"}}
PLAN = {"words": 40, "sounds": 40, "fillers": 40, "fluent": 40}


def rules(strata=PLAN, **more):
    """Return a protocol; options that are not built yet are set as if they were."""
    found = parse(STUDY | {"selection": {"strata": strata, "controls": ["fluent"]}})
    return Protocol(found.values | {name.replace("__", "."): value for name, value in more.items()})


def groups(strata=PLAN, clusters=8, judged=None):
    """Return the items of each stratum, spread evenly over clusters that all strata share."""
    return [
        Group(name, f"c{k}", n // clusters, n // clusters if judged is None else judged)
        for name, n in strata.items()
        for k in range(clusters)
    ]


def test_the_default_plan_is_two_times_160_reviews_and_rules_out_two_per_cent():
    found = cost(rules())
    assert (found.reviewer.parts, found.reviewer.minutes) == ({"items": 160}, 80)
    assert (found.adjudicator.parts, found.adjudicator.minutes) == ({"items": 32}, 32)
    assert found.whole.items == 160
    assert found.whole.rate == pytest.approx(0.01854913408)  # R's binom.test
    assert all(each.shown.rate == pytest.approx(0.07215752451) for each in found.strata)


def test_without_a_plan_there_is_nothing_to_show():
    found = cost(parse(STUDY))
    assert (found.strata, found.whole, found.reviewer.minutes) == ((), None, 0)


def test_imported_items_count_instead_of_the_plan_stratum_by_stratum():
    found = cost(rules(), groups({"words": 24}))
    assert {each.name: (each.shown.items, each.planned) for each in found.strata} == {
        "words": (24, False), "sounds": (40, True), "fillers": (40, True), "fluent": (40, True),
    }  # fmt: skip
    assert (found.whole.items, found.whole.clusters) == (144, None)


def test_a_stratum_that_nobody_planned_is_shown_once_it_has_items():
    assert [each.name for each in cost(rules(), groups({"more": 8})).strata] == [*PLAN, "more"]


def test_pairs_that_are_equal_cost_nobody_time_and_count_in_the_rate():
    found = cost(rules(), groups(judged=2))
    assert (found.judged, found.equal, found.reviewer.parts["items"]) == (64, 96, 64)
    assert found.whole.items == 160


@pytest.mark.parametrize(("reviewers", "each"), [(0, 160), (1, 160), (2, 160), (3, 107), (4, 80), (7, 46)])
def test_a_pool_shares_the_reviews(reviewers, each):
    assert cost(rules(), people=People(reviewers)).reviewer.parts["items"] == each


def test_without_an_adjudicator_nobody_adjudicates():
    found = cost(rules(), people=People(adjudicator=False))
    assert (found.adjudicator, "adjudicated" in found.assumed) == (None, False)


def test_a_queue_with_the_reviews_in_sight_takes_one_step_an_item():
    assert cost(rules(adjudication__own_judgement_first=False)).adjudicator.minutes == 16


def test_an_extension_is_a_row_of_its_own_and_never_pooled():
    found = cost(rules(selection__extension=["fillers"]), groups())
    assert [each.name for each in found.strata if each.extension] == ["fillers"]
    assert (found.whole.items, found.judged) == (120, 160)


def test_items_in_clusters_rule_out_less_the_more_alike_they_are():
    found = cost(rules(), groups(clusters=8)).whole
    assert (found.items, found.clusters) == (160, 8)
    # 20 items a cluster: as much as 160 / 1.95 = 82.05 and 160 / 2.9 = 55.17 independent items.
    assert found.clustered == pytest.approx((zero_event_upper(160 / 1.95), zero_event_upper(160 / 2.9)))


def test_one_cluster_says_nothing_of_others():
    assert rules_out([40], 0.95) is None
    assert rules_out([], 0.95) is None


@given(st.lists(st.integers(1, 60), min_size=2, max_size=30), st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_clusters_never_rule_out_more_than_independent_items_do(sizes, confidence):
    bounds = [zero_event_upper(sum(sizes), confidence), *rules_out(sizes, confidence)]
    assert bounds == sorted(bounds)
    assert len(bounds) == 1 + len(ALIKE)
    assert bounds[-1] < 1


@given(n=st.integers(1, 5_000), confidence=st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_at_the_rate_that_is_ruled_out_no_event_is_as_likely_as_the_risk_taken(n, confidence):
    found = cost(rules({"fluent": n}, statistics__confidence=confidence))
    assert (1 - found.whole.rate) ** n == pytest.approx(1 - confidence)


def test_a_pace_stretches_every_minute():
    assert cost(rules(), pace=60).reviewer.minutes == 160
    assert cost(rules(), pace=1).adjudicator.minutes == 2


@pytest.mark.parametrize(
    ("option", "reviewer", "adjudicator"),
    [
        ({"review__sentinels": True}, {"sentinels": 16}, {}),
        ({"review__repeats": 0.1}, {"repeats": 16}, {}),
        ({"review__audit_agreed": 0.1}, {}, {"audited": 13}),
        ({"review__blinding_check": 0.25}, {"questions": 40}, {"questions": 8}),
        ({"review__practice": True}, {"practice": 10}, {"practice": 10}),
    ],
)
def test_each_option_adds_what_it_costs_whom(option, reviewer, adjudicator):
    found = cost(rules(**option))
    assert found.reviewer.parts == {"items": 160} | reviewer
    assert found.adjudicator.parts == {"items": 32} | adjudicator


def test_all_options_together_take_the_sum_of_their_times():
    found = cost(rules(review__sentinels=True, review__repeats=0.1, review__practice=True, review__blinding_check=0.25))
    assert found.reviewer.minutes == math.ceil(((160 + 16 + 16 + 10) * 30 + 40 * 10) / 60)
    assert found.assumed == {"adjudicated", "sentinels", "practice", "questions"}


def test_sentinels_and_practice_items_that_are_there_are_counted_and_not_assumed():
    options = {"review__sentinels": True, "review__practice": True}
    found = cost(rules(**options), people=People(4, sentinels=9, practice=6))
    assert (found.reviewer.parts["sentinels"], found.reviewer.parts["practice"]) == (5, 6)
    assert found.assumed == {"adjudicated"}


def test_a_limit_for_sentinels_says_how_many_answers_may_be_wrong():
    options = {"review__sentinels": True, "gate__min_sentinel_detection": 0.8}
    assert cost(rules(**options), people=People(sentinels=10)).missable == 4
    assert cost(rules(gate__min_sentinel_detection=0.8)).missable is None
    assert cost(rules(review__sentinels=True)).missable is None


@pytest.mark.parametrize("text", ["0", "-1", "3601", "99999999", "1.5", "fast", "٣"])
def test_a_pace_is_a_whole_number_of_seconds_within_reason(text):
    with pytest.raises(InvalidInput) as found:
        pace_of(text)
    assert found.value.problems[0].field == "pace"


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.key)
def test_every_plan_is_a_protocol_with_a_control(plan):
    made = parse(STUDY | {"selection": plan.values()})
    assert made.strata == plan.strata
    assert made.controls


def test_the_large_plan_is_the_smallest_even_one_that_rules_out_one_per_cent():
    (large,) = [plan for plan in PLANS if plan.key == "large"]
    n = sum(large.strata.values())
    assert zero_event_upper(n) < 0.01 < zero_event_upper(n - len(large.strata))
