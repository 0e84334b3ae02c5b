"""Many tables at once give what one table at a time gives."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.statistics import agreement, stacks

ONE_BY_ONE = {
    "ac1": agreement.gwet_ac1,
    "alpha": agreement.krippendorff_alpha,
    "kappa": agreement.cohen_kappa,
    "brennan_prediger": agreement.brennan_prediger,
}
tables = st.integers(2, 7).flatmap(
    lambda q: st.lists(
        st.lists(st.lists(st.integers(0, 40), min_size=q, max_size=q), min_size=q, max_size=q), min_size=1
    )
)


@pytest.mark.parametrize("name", ONE_BY_ONE)
@given(stack=tables)
def test_a_stack_gives_what_each_table_gives(name, stack):
    for value, table in zip(stacks.COEFFICIENTS[name](np.array(stack)).tolist(), stack, strict=True):
        expected = ONE_BY_ONE[name](table).value
        assert math.isnan(value) if expected is None else value == pytest.approx(expected, abs=1e-12)


@given(stack=tables)
def test_so_does_specific_agreement(stack):
    for k in range(len(stack[0])):
        for value, table in zip(stacks.specific(k)(np.array(stack)).tolist(), stack, strict=True):
            top, bottom = agreement.specific_agreement(table, k)
            assert math.isnan(value) if bottom == 0 else value == pytest.approx(top / bottom)


def test_clusters_without_items_and_no_items_at_all_are_counted_too():
    assert stacks.by_cluster([(2, 0, 1, 1)], 3, 2).tolist() == [[[0, 0], [0, 0]], [[0, 0], [0, 0]], [[0, 1], [0, 0]]]
    assert stacks.by_cluster([], 0, 2).shape == (0, 2, 2)
