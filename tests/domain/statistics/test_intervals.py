"""Intervals of a rate: exactness, clusters, no events, and refusals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.statistics.intervals import KornGraubard, clopper_pearson, korn_graubard, t_quantile, zero_event_upper

events_and_items = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
clusters_with_items = st.lists(events_and_items, min_size=2, max_size=12)
confidences = st.sampled_from([0.8, 0.9, 0.95, 0.99])


def chance_of_at_least(x: int, n: int, p: float) -> float:
    return math.fsum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(x, n + 1))


@given(case=events_and_items, confidence=confidences)
def test_each_limit_leaves_exactly_half_of_the_risk_in_the_binomial_tail(case, confidence) -> None:
    x, n = case
    low, high = clopper_pearson(x, n, confidence)
    half = (1 - confidence) / 2
    assert low == 0 if x == 0 else chance_of_at_least(x, n, low) == pytest.approx(half, rel=1e-7)
    assert high == 1 if x == n else chance_of_at_least(n - x, n, 1 - high) == pytest.approx(half, rel=1e-7)


@given(n=st.floats(0.01, 1e6), share=st.just(0.0) | st.floats(1e-6, 1))
def test_a_real_valued_interval_holds_its_share_and_mirrors_its_complement(n, share) -> None:
    low, high = clopper_pearson(share * n, n)
    assert 0 <= low <= share <= high <= 1
    assert clopper_pearson(n - share * n, n) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize(("x", "n"), [(0, 0), (0, -1), (0, math.inf), (0, math.nan), (-1, 4), (5, 4), (math.nan, 4)])
def test_counts_that_make_no_share_are_refused(x: float, n: float) -> None:
    with pytest.raises(ValueError, match="items"):
        clopper_pearson(x, n)


@pytest.mark.parametrize("confidence", [0, 1, 95, math.nan])
def test_a_confidence_outside_zero_to_one_is_refused_everywhere(confidence: float) -> None:
    for ask in (
        lambda: clopper_pearson(1, 4, confidence),
        lambda: korn_graubard([], confidence),
        lambda: zero_event_upper(4, confidence),
    ):
        with pytest.raises(ValueError, match="confidence is a share"):
            ask()


def test_a_small_worked_study_has_its_known_interval() -> None:
    found = korn_graubard([(1, 2), (1, 2), (0, 1), (0, 1)])
    assert found.deff == 1.0
    assert found.n_eff == pytest.approx(3.9146410838, abs=1e-8)
    assert found.interval == pytest.approx((0.018153439, 0.8593112537), abs=1e-8)


@pytest.mark.parametrize(("clusters", "reason"), [([], "no_items"), ([(0, 0)], "no_items"), ([(1, 9)], "one_cluster")])
def test_too_few_clusters_have_a_reason_instead_of_an_interval(clusters, reason: str) -> None:
    assert korn_graubard(clusters) == KornGraubard(None, reason, None, None)


def test_a_cluster_without_items_does_not_count() -> None:
    assert korn_graubard([(1, 9), (0, 0)]).null_reason == "one_cluster"
    assert korn_graubard([(1, 9), (0, 0), (2, 7)]) == korn_graubard([(1, 9), (2, 7)])


@pytest.mark.parametrize("cluster", [(1, 0), (3, 2), (-1, 2)])
def test_a_cluster_with_impossible_counts_is_refused(cluster: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="a cluster cannot have"):
        korn_graubard([(1, 4), cluster])


@given(clusters=clusters_with_items, confidence=confidences)
def test_clustering_never_adds_information(clusters, confidence) -> None:
    found = korn_graubard(clusters, confidence)
    x, n = map(sum, zip(*clusters, strict=True))
    assert found.deff >= 1
    assert 0 < found.n_eff <= n
    assert found.interval[0] <= x / n <= found.interval[1]
    assert found.interval[0] < found.interval[1]


@given(data=st.data(), clusters=clusters_with_items)
def test_the_order_of_the_clusters_does_not_matter(data, clusters) -> None:
    assert korn_graubard(data.draw(st.permutations(clusters))) == korn_graubard(clusters)


@given(clusters=clusters_with_items)
def test_every_cluster_twice_over_tells_at_least_twice_as_much(clusters) -> None:
    one, two = korn_graubard(clusters), korn_graubard(clusters * 2)
    assert two.n_eff >= 2 * one.n_eff * (1 - 1e-9)
    assert two.interval[0] >= one.interval[0] - 1e-9
    assert two.interval[1] <= one.interval[1] + 1e-9


@given(n=st.integers(1, 10**6), confidence=confidences)
def test_the_zero_event_bound_makes_no_event_as_unlikely_as_the_confidence_says(n, confidence) -> None:
    assert n * math.log1p(-zero_event_upper(n, confidence)) == pytest.approx(math.log1p(-confidence))


def test_the_zero_event_bound_needs_items() -> None:
    with pytest.raises(ValueError, match="above 0, not 0"):
        zero_event_upper(0)


@pytest.mark.parametrize(("df", "value"), [(1, 12.706), (5, 2.571), (30, 2.042)])
def test_t_quantiles_are_those_of_the_printed_table(df: int, value: float) -> None:
    assert t_quantile(df) == pytest.approx(value, abs=5e-4)
