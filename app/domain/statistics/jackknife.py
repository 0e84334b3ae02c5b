"""The interval of any statistic of clustered items: leave out one cluster at a time.

theta_(k) is the statistic without cluster k, and SE^2 = (K-1)/K sum (theta_(k) - mean)^2. The scale g takes the
statistic's range to the whole line; by the slope of g the standard error is carried there, the interval is
g(theta) +- t(K-1) g'(theta) SE, and it is taken back. g is the logit of the place in the range for a bounded
statistic, the logarithm for one that is only not negative, and nothing for one without bounds. (Jackknifing
g(theta) itself fails where the one disagreement of a study lies in a single cluster: without it g is infinite.)

Sources: Tukey (1958), Ann Math Stat 29:614; Shao and Tu (1995), The Jackknife and Bootstrap, Springer; for the
scale, Agresti (2013), Categorical Data Analysis, section 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from app.domain.statistics.numeric import check_confidence, settled, t_quantile

Range: TypeAlias = tuple[float, float]
SHARE: Final = (0.0, 1.0)
COEFFICIENT: Final = (-1.0, 1.0)
RATIO: Final = (0.0, math.inf)
ANYTHING: Final = (-math.inf, math.inf)
FEWEST_CLUSTERS: Final = 4
ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class Jackknife:
    """An interval, or why there is none, and the standard error on the statistic's own scale (None where undefined).

    `null_reason`: `no_items` (the statistic itself is undefined), `one_cluster`, `few_clusters` (2 or 3),
    the reason given where it is undefined without some cluster, or `zero_variance` (never an interval from p to p).
    """

    interval: tuple[float, float] | None
    null_reason: str | None
    standard_error: float | None = None


def jackknife(
    value: float | None,
    without: Sequence[float | None],
    bounds: Range,
    confidence: float = 0.95,
    undefined: str = "no_variation",
) -> Jackknife:
    """Return the interval of a statistic from its value and its values `without` each cluster.

    `undefined` is the reason where the statistic has no value without some cluster. Raises
    ValueError unless 0 < confidence < 1.

    >>> found = jackknife(0.05, [0.05, 0.025, 7 / 120, 8 / 120], SHARE)  # 2, 5, 1, 0 of 40 in each of 4 clusters
    >>> [round(limit, 4) for limit in found.interval], round(found.standard_error, 4)
    ([0.0085, 0.2432], 0.027)
    """
    check_confidence(confidence)
    n = len(without)
    known = [each for each in without if each is not None]
    error = _standard_error(known) if n > 1 and len(known) == n else None
    reason = _no_interval(value, known, n, undefined) or (
        "zero_variance" if value in bounds or max(known) - min(known) <= ROUNDING else None
    )
    if reason is not None or value is None or error is None:
        return Jackknife(None, reason, error)
    scale = _scale(bounds)
    reach = t_quantile(n - 1, confidence) * error * scale.slope(value)
    limits = (scale.down(scale.up(value) - reach), scale.down(scale.up(value) + reach))
    return Jackknife((settled(limits[0]), settled(limits[1])), None, error)


def _no_interval(value: float | None, known: Sequence[float], n: int, undefined: str) -> str | None:
    """Return why there can be no interval, whatever the values are; None where there can."""
    if value is None or n == 0:
        return "no_items"
    if n == 1:
        return "one_cluster"
    if n < FEWEST_CLUSTERS:
        return "few_clusters"
    return undefined if len(known) < n else None


def _standard_error(without: Sequence[float]) -> float:
    n = len(without)
    mean = math.fsum(without) / n
    return math.sqrt((n - 1) / n * math.fsum((each - mean) ** 2 for each in without))


@dataclass(frozen=True)
class _Scale:
    """A way to the whole line and back, and its slope."""

    up: Callable[[float], float]
    down: Callable[[float], float]
    slope: Callable[[float], float]


def _scale(bounds: Range) -> _Scale:
    low, high = bounds
    if math.isinf(low):
        return _Scale(lambda x: x, lambda y: y, lambda _: 1.0)
    if math.isinf(high):
        return _Scale(math.log, _exp, lambda x: 1 / x)
    return _Scale(
        lambda x: math.log((x - low) / (high - x)),
        lambda y: low + (high - low) * _logistic(y),
        lambda x: (high - low) / ((x - low) * (high - x)),
    )


def _exp(y: float) -> float:
    return math.exp(min(y, 700.0))


def _logistic(y: float) -> float:
    return 1 / (1 + math.exp(-y)) if y >= 0 else math.exp(max(y, -700.0)) / (1 + math.exp(max(y, -700.0)))
