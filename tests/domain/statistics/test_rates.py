"""A rate: its counts, its intervals, and its refusals."""

from dataclasses import replace

import pytest

from app.domain.statistics.intervals import clopper_pearson, korn_graubard
from app.domain.statistics.rates import Rate, rate


def test_a_rate_without_clusters_has_the_exact_interval_only() -> None:
    assert rate(2, 6) == Rate(2, 6, 1 / 3, None, None, None, {"clopper_pearson": clopper_pearson(2, 6)})


def test_a_rate_with_clusters_has_both_intervals_and_the_design_effect() -> None:
    clusters = [(1, 2), (1, 2), (0, 1), (0, 1)]
    found, clustered = rate(2, 6, clusters), korn_graubard(clusters)
    assert found.intervals["clopper_pearson"] == pytest.approx((0.0432718683, 0.7772219045), abs=1e-10)
    assert found.intervals["korn_graubard"] == clustered.interval
    assert (found.deff, found.n_eff) == (clustered.deff, clustered.n_eff)


def test_the_confidence_reaches_both_intervals() -> None:
    clusters = [(1, 9), (0, 7)]
    assert rate(1, 16, clusters, confidence=0.9).intervals == {
        "clopper_pearson": clopper_pearson(1, 16, 0.9),
        "korn_graubard": korn_graubard(clusters, 0.9).interval,
    }


def test_one_cluster_leaves_the_exact_interval() -> None:
    found = rate(1, 9, [(1, 9)])
    assert list(found.intervals) == ["clopper_pearson"]
    assert (found.deff, found.n_eff) == (None, None)


@pytest.mark.parametrize("clusters", [None, [], [(0, 0)]])
def test_a_rate_of_nothing_is_null_with_the_reason_given(clusters) -> None:
    assert rate(0, 0, clusters, null_reason="not_enabled") == replace(
        Rate(0, 0, None, "not_enabled", None, None, {}), clusters=None if clusters is None else 0
    )


@pytest.mark.parametrize("clusters", [[], [(1, 5)], [(2, 6), (0, 1)]])
def test_clusters_that_do_not_add_up_are_refused(clusters) -> None:
    with pytest.raises(ValueError, match="the rate is 2 in 6"):
        rate(2, 6, clusters)


@pytest.mark.parametrize(("numerator", "denominator"), [(-1, 4), (5, 4), (1, 0), (0, -1)])
def test_counts_that_make_no_share_are_refused(numerator: int, denominator: int) -> None:
    with pytest.raises(ValueError, match="is not a share"):
        rate(numerator, denominator)
