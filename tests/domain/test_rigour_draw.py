"""Repeats and ranks: what is drawn beside sides and orders."""

import random
from collections import Counter

import pytest

from app.domain.blinding import allocate, checked, ranked, share_of, with_repeats

N = 80
STRATA = ["fluent" if n % 4 == 0 else "word_repetition" for n in range(N)]
EVERY = range(N)


def chance(seed):
    return random.Random(seed).randrange  # noqa: S311 - a draw that repeats


def lists(seed, share, repeatable=EVERY):
    below = chance(seed)
    drawn = allocate(STRATA, 2, below)
    return [with_repeats([slot for slot in drawn if slot.judge == judge], repeatable, share, below) for judge in (0, 1)]


@pytest.mark.parametrize("share", [0.05, 0.1, 0.25, 0.5])
def test_a_share_of_the_items_comes_twice_with_sides_swapped_and_late(share):
    for mine in lists(1, share):
        first = {slot.item: slot for slot in mine if not slot.repeat}
        again = [slot for slot in mine if slot.repeat]
        assert len(again) == share_of(N, share)
        assert [slot.position for slot in mine] == list(range(1, len(mine) + 1))
        for slot in again:
            original = first[slot.item]
            assert {slot.on_panel, original.on_panel} == {"A", "B"}
            assert slot.position - original.position >= N // 4
            assert slot.position > N * 3 // 4


def test_no_repeats_are_drawn_where_none_are_asked_for():
    below = chance(1)
    drawn = [slot for slot in allocate(STRATA, 2, below) if slot.judge == 0]
    assert with_repeats(drawn, EVERY, 0.0, below) == drawn


def test_only_what_may_be_repeated_is():
    some = set(range(0, N, 2))
    for mine in lists(2, 0.5, some):
        assert {slot.item for slot in mine if slot.repeat} <= some


def test_each_reviewer_gets_repeats_of_their_own():
    one, other = ({slot.item for slot in mine if slot.repeat} for mine in lists(3, 0.1))
    assert one != other


def test_every_item_of_the_first_half_is_repeated_as_often_as_any_other():
    counts = Counter(slot.item for seed in range(400) for slot in lists(seed, 0.1)[0] if slot.repeat)
    expected, spread = 400 * 0.1, 4 * (400 * 0.1 * 0.9) ** 0.5
    assert all(abs(counts[item] - expected) < spread for item in EVERY)


def test_ranks_number_every_rankable_slot_once_and_no_repeat():
    mine = ranked(lists(4, 0.1)[0], set(range(60)), chance(4))
    ranks = [slot.rank for slot in mine if slot.rank is not None]
    assert sorted(ranks) == list(range(1, 61))
    assert all(slot.rank is None for slot in mine if slot.repeat or slot.item >= 60)


def test_the_check_asks_about_audits_as_often_as_about_any_other():
    ranks = range(1, 1001)
    audits = sum(rank <= 200 for rank in checked(ranks, 0.25))  # the lowest ranks are the audits
    assert abs(audits - 50) < 4 * (250 * 0.2 * 0.8) ** 0.5
