"""The cluster jackknife: its limits, its reasons, and what must not move it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.statistics import jackknife, stacks
from app.domain.statistics.jackknife import ANYTHING, COEFFICIENT, RATIO, SHARE
from app.domain.statistics.numeric import t_quantile

clusters = st.lists(st.tuples(st.integers(0, 20), st.integers(20, 60)), min_size=4, max_size=12)


def without(counts):
    x, n = map(sum, zip(*counts, strict=True))
    return x / n, [(x - a) / (n - b) for a, b in counts]


def test_a_statistic_without_bounds_has_the_plain_interval():
    values = [1.0, 2.0, 3.0, 6.0]
    found = jackknife.jackknife(3.0, values, ANYTHING)
    error = math.sqrt(3 / 4 * math.fsum((each - 3) ** 2 for each in values))
    assert found.standard_error == pytest.approx(error)
    assert found.interval == pytest.approx((3 - t_quantile(3) * error, 3 + t_quantile(3) * error))


@given(counts=clusters)
def test_an_interval_lies_within_the_range_and_holds_its_value(counts):
    value, loo = without(counts)
    for bounds in (SHARE, COEFFICIENT, RATIO, ANYTHING):
        found = jackknife.jackknife(value, loo, bounds)
        assert (found.interval is None) == (found.null_reason is not None)
        if found.interval is not None:
            low, high = found.interval
            assert bounds[0] <= low < value < high <= bounds[1]


@given(data=st.data(), counts=clusters)
def test_the_order_of_the_clusters_does_not_matter(data, counts):
    value, loo = without(counts)
    assert jackknife.jackknife(value, data.draw(st.permutations(loo)), SHARE) == jackknife.jackknife(value, loo, SHARE)


@given(counts=clusters)
def test_twice_the_clusters_give_a_shorter_interval(counts):
    one, two = (jackknife.jackknife(*without(each), SHARE) for each in (counts, counts * 2))
    if one.interval is not None:
        assert two.interval[1] - two.interval[0] < one.interval[1] - one.interval[0]


@pytest.mark.parametrize(
    ("value", "values", "reason"),
    [
        (None, [], "no_items"),
        (0.5, [], "no_items"),
        (0.5, [None], "one_cluster"),
        (0.5, [0.4, 0.6], "few_clusters"),
        (0.5, [0.4, 0.6, 0.5], "few_clusters"),
        (0.5, [0.4, 0.6, 0.5, None], "no_variation"),
        (0.5, [0.5] * 4, "zero_variance"),
        (1.0, [1.0] * 4, "zero_variance"),
    ],
)
def test_where_there_is_no_interval_there_is_a_reason(value, values, reason):
    found = jackknife.jackknife(value, values, SHARE)
    assert (found.interval, found.null_reason) == (None, reason)


def test_one_disagreement_in_a_single_cluster_has_an_interval():
    """Without that cluster agreement is complete, where a logit would be infinite."""
    tables = np.array([[[9, 1], [0, 10]], *[[[10, 0], [0, 10]]] * 7])
    loo = stacks.cohen_kappa(tables.sum(axis=0) - tables)
    assert max(loo) == 1
    low, high = jackknife.jackknife(float(stacks.cohen_kappa(tables.sum(axis=0)[None])[0]), loo, COEFFICIENT).interval
    assert 0.8 < low < high < 1


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_that_is_no_share_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence is a share"):
        jackknife.jackknife(0.5, [0.4, 0.5], SHARE, confidence)
