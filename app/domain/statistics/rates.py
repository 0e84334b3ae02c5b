"""A rate with its counts and intervals: the one shape in which rates are reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.statistics.intervals import clopper_pearson, korn_graubard


@dataclass(frozen=True)
class Rate:
    """How many of how many, the share, and what is known about its precision.

    `value` is None exactly where `null_reason` says why. `intervals` maps a method
    (`clopper_pearson`, which takes items as independent, and `korn_graubard`, which
    respects clusters) to its low and high limit; a method that does not apply is absent.
    `deff` and `n_eff` belong to `korn_graubard` and are None without it; where clusters were
    given and it is absent, `interval_null_reason` says why. `clusters`: how many hold items of the denominator, which
    is what an interval by cluster rests on; None where none were given.
    """

    numerator: int
    denominator: int
    value: float | None
    null_reason: str | None
    deff: float | None
    n_eff: float | None
    intervals: dict[str, tuple[float, float]]
    interval_null_reason: str | None = None
    clusters: int | None = None


def rate(
    numerator: int,
    denominator: int,
    clusters: Sequence[tuple[int, int]] | None = None,
    confidence: float = 0.95,
    null_reason: str = "no_items",
) -> Rate:
    """Return the rate numerator / denominator, with every interval that is defined.

    `clusters` are (events, items) of each cluster; `null_reason` is what to report when
    the denominator is 0. Raises ValueError where the clusters do not add up to the rate,
    or the numerator is not within 0..denominator. Sources: see `intervals`.

    >>> found = rate(8, 160, [(2, 40), (5, 40), (1, 40), (0, 40)])  # limits: R package survey
    >>> found.value, [round(limit, 8) for limit in found.intervals["korn_graubard"]]
    (0.05, [0.00240291, 0.21788919])
    >>> rate(0, 0, null_reason="label_unused").null_reason
    'label_unused'
    """
    if not 0 <= numerator <= denominator:
        message = f"a rate of {numerator} in {denominator} is not a share"
        raise ValueError(message)
    if clusters is not None:
        summed = sum(events for events, _ in clusters), sum(items for _, items in clusters)
        if summed != (numerator, denominator):
            message = f"clusters add up to {summed[0]} in {summed[1]}, the rate is {numerator} in {denominator}"
            raise ValueError(message)
    resting_on = None if clusters is None else sum(items > 0 for _, items in clusters)
    if denominator == 0:
        return Rate(numerator, denominator, None, null_reason, None, None, {}, clusters=resting_on)
    intervals = {"clopper_pearson": clopper_pearson(numerator, denominator, confidence)}
    clustered = korn_graubard(clusters or (), confidence)
    if clustered.interval is not None:
        intervals["korn_graubard"] = clustered.interval
    reason = None if clusters is None else clustered.null_reason
    value = numerator / denominator
    return Rate(numerator, denominator, value, None, clustered.deff, clustered.n_eff, intervals, reason, resting_on)
