"""The bootstrap: the same draw always, reasons, and speed at size."""

import time

import numpy as np
import pytest

from app.domain.statistics import bootstrap, stacks
from app.domain.statistics.bootstrap import percentile, resampled, why_none

CLUSTERS = np.array([[12, 100], [3, 80], [20, 150], [8, 60], [0, 40], [8, 60]])


def test_a_seed_gives_the_same_resamples_on_any_day():
    assert resampled(CLUSTERS, 3, seed=1).tolist() == [[50.0, 490.0], [43.0, 440.0], [64.0, 490.0]]
    assert (resampled(CLUSTERS, 50, seed=1) != resampled(CLUSTERS, 50, seed=2)).any()
    assert (resampled(CLUSTERS, 50, seed=1) != resampled(CLUSTERS, 50, seed=2**32 + 1)).any()


def test_the_order_of_the_clusters_does_not_matter():
    assert (resampled(CLUSTERS[::-1], 200, seed=1) == resampled(CLUSTERS, 200, seed=1)).all()


def test_what_is_held_in_memory_at_once_does_not_change_the_draw(monkeypatch):
    whole = resampled(CLUSTERS, 200, seed=1)
    monkeypatch.setattr(bootstrap, "AT_ONCE", 35)
    assert (resampled(CLUSTERS, 200, seed=1) == whole).all()


def test_in_a_large_study_clusters_are_drawn_one_by_one_with_the_same_mean(monkeypatch):
    by_kind = resampled(CLUSTERS, 2_000, seed=1)
    monkeypatch.setattr(bootstrap, "MANY", 0)
    one_by_one = resampled(CLUSTERS, 2_000, seed=1)
    assert (by_kind != one_by_one).any()
    assert by_kind.mean(axis=0) == pytest.approx(one_by_one.mean(axis=0), rel=0.02)
    assert by_kind.std(axis=0) == pytest.approx(one_by_one.std(axis=0), rel=0.08)
    monkeypatch.setattr(bootstrap, "AT_ONCE", 35)
    assert (resampled(CLUSTERS, 2_000, seed=1) == one_by_one).all()


def test_a_resample_has_as_many_clusters_as_the_study():
    ones = np.ones((7, 1), dtype=int)
    assert resampled(ones, 20, seed=3).tolist() == [[7.0]] * 20


@pytest.mark.parametrize(
    ("clusters", "resamples", "reason"),
    [(0, 9, "no_items"), (1, 9, "one_cluster"), (11, 9, "few_clusters"), (12, 9, None), (40, 0, "not_enabled")],
)
def test_too_few_clusters_have_no_bootstrap(clusters, resamples, reason):
    assert why_none(clusters, resamples) == reason


def test_more_than_one_in_a_hundred_undefined_is_no_interval_and_says_so():
    values = np.arange(1000.0)
    values[:11] = np.nan
    found = percentile(values, undefined="label_unused")
    assert (found.interval, found.null_reason, found.undefined) == (None, "label_unused", pytest.approx(0.011))
    values[10] = 10
    assert percentile(values).interval is not None


def test_where_all_resamples_are_undefined_there_is_a_reason():
    assert percentile(np.full(5, np.nan)).null_reason == "no_variation"


@pytest.mark.load
def test_ten_thousand_resamples_of_200000_items_take_under_two_seconds():
    draw = np.random.default_rng(1)
    labels, clusters = draw.integers(0, 7, (2, 200_000)), draw.integers(0, 400, 200_000)
    tables = np.bincount(clusters * 49 + labels[0] * 7 + labels[1], minlength=400 * 49).reshape(400, 7, 7)
    start = time.process_time()
    again = resampled(tables, 10_000, seed=1)
    for of in stacks.COEFFICIENTS.values():
        percentile(of(again))
    assert time.process_time() - start < 2
