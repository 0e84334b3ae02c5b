"""Two answers on the same items: symmetry, and the counts that break formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.statistics import paired

counts = st.tuples(*[st.integers(0, 120)] * 4).filter(any)


def exchanged(four):
    both, first, second, neither = four
    return both, second, first, neither


@given(four=counts)
def test_exchanging_the_two_turns_the_difference_and_its_interval_round(four):
    low, high = paired.newcombe10(four)
    assert paired.difference(exchanged(four)) == -paired.difference(four)
    assert paired.newcombe10(exchanged(four)) == pytest.approx((-high, -low), abs=1e-11)
    assert paired.mcnemar_exact(exchanged(four)) == paired.mcnemar_exact(four)


@given(four=counts)
def test_an_interval_holds_its_difference_and_a_p_is_a_share(four):
    low, high = paired.newcombe10(four)
    assert -1 <= low <= paired.difference(four) + 1e-12
    assert paired.difference(four) - 1e-12 <= high <= 1
    assert 0 < paired.mcnemar_mid_p(four) <= paired.mcnemar_exact(four) + 1e-9 <= 1 + 1e-9


def test_many_discordant_items_do_not_overflow():
    assert paired.mcnemar_mid_p([0, 1100, 1000, 0]) == pytest.approx(0.0292, abs=2e-3)
