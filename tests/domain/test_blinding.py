"""Sides and orders, drawn from the system's secure source: bands of 4 standard errors, never widened."""

import math
import secrets
from collections import Counter, defaultdict
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain import codebook
from app.domain.blinding import allocate, allocate_one, panels, reveal, seen_from
from app.domain.judgement import Judgement

N = 2_000
PLAN = {"words": 800, "sounds": 600, "interjection": 399, "fluent": 201}
STRATA = [name for name, n in PLAN.items() for _ in range(n)]
Z = 4


@pytest.fixture(scope="module")
def drawn():
    """Return both reviewers' slots, by reviewer and position."""
    found = allocate(STRATA, 2, secrets.randbelow)
    return {judge: sorted((s for s in found if s.judge == judge), key=lambda s: s.position) for judge in (0, 1)}


def sides(slots):
    return {slot.item: slot.on_panel for slot in slots}


def left_by_stratum(slots):
    """Return stratum -> (how often the on text is on the left, how many)."""
    counts = defaultdict(Counter)
    for slot in slots:
        counts[STRATA[slot.item]][slot.on_panel] += 1
    return {stratum: (count["A"], count.total()) for stratum, count in counts.items()}


def within_band(hits, n, share, what):
    error = math.sqrt(share * (1 - share) / n)
    z = (hits / n - share) / error
    assert abs(z) <= Z, f"{what}: {hits} of n = {n}, {z:.2f} standard errors from {share:.3f}"


def runs_z(sequence):
    """Return the z of Wald and Wolfowitz's runs test, and n."""
    n = len(sequence)
    n1 = sum(sequence)
    n2 = n - n1
    runs = 1 + sum(a != b for a, b in pairwise(sequence))
    mean = 2 * n1 * n2 / n + 1
    variance = (mean - 1) * (mean - 2) / (n - 1)
    return (runs - mean) / math.sqrt(variance), n


def test_each_reviewer_sees_each_item_once_at_positions_from_1_without_a_gap(drawn):
    for slots in drawn.values():
        assert [slot.position for slot in slots] == list(range(1, N + 1))
        assert sorted(slot.item for slot in slots) == list(range(N))


def test_the_on_text_stands_left_half_the_time(drawn):
    for judge, slots in drawn.items():
        within_band(sum(slot.on_panel == "A" for slot in slots), N, 0.5, f"reviewer {judge}, on text left")


def test_sides_are_balanced_exactly_within_stratum_and_reviewer(drawn):
    for slots in drawn.values():
        assert {stratum: n for stratum, (_, n) in left_by_stratum(slots).items()} == PLAN
        assert all(abs(2 * left - n) <= n % 2 for left, n in left_by_stratum(slots).values()), left_by_stratum(slots)


def test_over_the_presentation_order_sides_come_in_as_many_runs_as_chance_makes(drawn):
    for judge, slots in drawn.items():
        z, n = runs_z([slot.on_panel == "A" for slot in slots])
        assert abs(z) <= Z, f"reviewer {judge}: runs test z = {z:.2f}, n = {n}"


def test_the_order_is_uncorrelated_with_stratum_and_with_side(drawn):
    for judge, slots in drawn.items():
        tests = {stratum: [STRATA[slot.item] == stratum for slot in slots] for stratum in PLAN}
        tests["on text left"] = [slot.on_panel == "A" for slot in slots]
        for name, marked in tests.items():
            early = sum(marked[: N // 2])
            within_band(early, sum(marked), 0.5, f"reviewer {judge}, {name}, in the first half")
            z = correlation(marked) * math.sqrt(N - 1)
            assert abs(z) <= Z, f"reviewer {judge}, {name} and position: z = {z:.2f}, n = {N}"


def correlation(marked):
    """Return Pearson's correlation of a 0/1 mark with its position; under chance its standard error is 1/sqrt(n-1)."""
    n, mean = len(marked), sum(marked) / len(marked)
    centre = (n - 1) / 2
    shared = sum((mark - mean) * (at - centre) for at, mark in enumerate(marked))
    return shared / math.sqrt(n * mean * (1 - mean) * n * (n * n - 1) / 12)


def test_every_stratum_is_spread_over_the_whole_order(drawn):
    for slots in drawn.values():
        for stratum, n in PLAN.items():
            at = [slot.position for slot in slots if STRATA[slot.item] == stratum]
            assert max(b - a for a, b in pairwise([0, *at, N + 1])) < 3 * N / n + 1, (stratum, n)


def test_the_two_reviewers_sides_and_orders_are_independent(drawn):
    one, two = sides(drawn[0]), sides(drawn[1])
    within_band(sum(one[item] == two[item] for item in range(N)), N, 0.5, "both reviewers see the same side")
    place = {slot.item: slot.position for slot in drawn[1]}
    for stratum, n in PLAN.items():
        order = [place[slot.item] for slot in drawn[0] if STRATA[slot.item] == stratum]
        rising = sum(a < b for a, b in pairwise(order))
        error = math.sqrt((n + 1) / 12)  # of the ascents of a random permutation (Eulerian numbers)
        z = (rising - (n - 1) / 2) / error
        assert abs(z) <= Z, f"{stratum}: orders of both reviewers, z = {z:.2f}, n = {n}"


def test_the_adjudicators_sides_and_order_are_fresh(drawn):
    third = allocate_one(STRATA, secrets.randbelow)
    assert sorted(slot.position for slot in third) == list(range(1, N + 1))
    assert all(abs(2 * left - n) <= n % 2 for left, n in left_by_stratum(third).values())
    fresh = sides(third)
    for judge, slots in drawn.items():
        before = sides(slots)
        within_band(sum(fresh[i] == before[i] for i in range(N)), N, 0.5, f"same side as reviewer {judge}")


def test_the_odd_one_of_a_stratum_falls_on_either_side():
    left = sum(allocate(["only"], 2, secrets.randbelow)[0].on_panel == "A" for _ in range(N))
    within_band(left, N, 0.5, "a stratum of one, on text left")


def test_of_two_items_either_comes_first_and_either_has_the_left_side():
    draws = [allocate(["pair", "pair"], 2, secrets.randbelow)[:2] for _ in range(N)]
    within_band(sum(first.item == 0 for first, _ in draws), N, 0.5, "of two items the first one first")
    within_band(sum(first.on_panel == "A" for first, _ in draws), N, 0.5, "of two items the first one left")


@pytest.mark.parametrize("reviewers", [3, 4, 5])
def test_a_larger_pool_gets_all_its_pairs_equally_often(reviewers):
    by_item = defaultdict(set)
    slots = allocate(STRATA, reviewers, secrets.randbelow)
    for slot in slots:
        by_item[slot.item].add(slot.judge)
    pairs = Counter(tuple(sorted(pair)) for pair in by_item.values())
    assert len(slots) == 2 * N
    assert pairs.keys() == set(combinations(range(reviewers), 2))
    assert max(pairs.values()) - min(pairs.values()) <= 1, (N, pairs)


@pytest.mark.parametrize("reviewers", [3, 4])
def test_in_a_larger_pool_too_each_list_is_balanced_and_without_gaps(reviewers):
    lists = defaultdict(list)
    for slot in allocate(STRATA, reviewers, secrets.randbelow):
        lists[slot.judge].append(slot)
    for slots in lists.values():
        assert sorted(slot.position for slot in slots) == list(range(1, len(slots) + 1))
        assert all(abs(2 * left - n) <= 1 for left, n in left_by_stratum(slots).values())


@pytest.mark.parametrize("reviewers", [0, 1])
def test_fewer_than_two_reviewers_are_refused(reviewers):
    with pytest.raises(ValueError, match="two reviewers"):
        allocate(STRATA, reviewers, secrets.randbelow)


def test_the_same_draws_give_the_same_lists():
    ends = [lambda _: 0, lambda n: n - 1]
    one, other = (allocate(STRATA[::100], 2, below) for below in ends)
    assert allocate(STRATA[::100], 2, ends[0]) == one != other


PANEL = st.sampled_from("AB")
JUDGEMENTS = st.one_of(
    st.builds(
        Judgement,
        st.sampled_from(codebook.GRAVITY[:1]),
        PANEL,
        also=st.sampled_from([None, *codebook.GRAVITY[1:]]),
        reasons=st.just(("negation",)),
        note=st.text(max_size=5),
    ),
    st.builds(Judgement, st.sampled_from(codebook.GRAVITY), st.just("both")),
    st.builds(Judgement, st.just("safe-cleanup"), PANEL, severity=st.just("legal")),
    st.builds(Judgement, st.sampled_from(["benign-retention", "no-material-edit", "unassessable-disputed"])),
)


def facts(coding):
    return (coding.label, coding.arm, coding.also, coding.reasons, coding.groups, coding.severity)


@given(st.text(), st.text(), PANEL)
def test_exchanging_the_sides_gives_the_mirrored_panels(off, on, on_panel):
    other = {"A": "B", "B": "A"}[on_panel]
    assert panels(off, on, on_panel) == panels(off, on, other)[::-1] == panels(on, off, other)
    assert panels(off, on, on_panel)["AB".index(on_panel)] == on


@given(JUDGEMENTS, PANEL)
def test_the_named_panel_is_revealed_as_the_text_that_stood_there(judgement, on_panel):
    arm = reveal(judgement, on_panel).arm
    if judgement.panel in {"A", "B"}:
        assert panels("off", "on", on_panel)["AB".index(judgement.panel)] == arm
    else:
        assert arm == judgement.panel


@given(JUDGEMENTS, PANEL, PANEL)
def test_seen_from_elsewhere_a_judgement_says_the_same_of_the_arms(judgement, own, other):
    assert facts(reveal(seen_from(judgement, own, other), other)) == facts(reveal(judgement, own))


@given(JUDGEMENTS, PANEL, PANEL)
def test_seen_from_elsewhere_and_back_only_the_private_note_is_gone(judgement, own, other):
    back = seen_from(seen_from(judgement, own, other), other, own)
    assert (back.core, back.reasons, back.groups, back.severity) == (
        judgement.core, judgement.reasons, judgement.groups, judgement.severity,
    )  # fmt: skip
    assert seen_from(judgement, own, other).note == ""
