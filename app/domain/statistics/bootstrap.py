"""A second opinion on an interval: draw clusters again, with replacement, and look at the middle of what comes.

One resample takes K clusters of K. It is a row of weights, how often each came, so that all resamples are one
product of weights and counts: sums of whole numbers, exact in any order. Clusters with equal counts are
drawn together, which changes no distribution. Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13.

The draw is `RandomState`, whose numbers numpy has promised never to change (its enhancement proposal 19).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from app.domain.statistics.numeric import Array, check_confidence, np, settled

if TYPE_CHECKING:
    from numpy.random import RandomState

FEWEST_CLUSTERS: Final = 12  # with fewer the interval is far too short
MOST_UNDEFINED: Final = 0.01
WORD: Final = 2**32  # a seed is given to the generator in two parts
AT_ONCE: Final = 4_000_000  # weights held in memory
MOST_DRAWN: Final = 20_000_000  # weights in all: about a second
MANY: Final = 4_000_000  # weights from which on it matters how they are drawn
MOST_ALIKE: Final = 4  # clusters to a kind, on average, up to which they are drawn one by one
ENOUGH: Final = 1_000  # resamples that are drawn however many clusters there are


@dataclass(frozen=True)
class Bootstrap:
    """The percentile interval, or why there is none; `undefined` is the share of resamples without a value.

    `null_reason`: `not_enabled` (no resamples asked for), `no_items`, `one_cluster`, `few_clusters` (under 12),
    the reason given where over 1 % of the resamples have no value, or `zero_variance` (one point alone).
    """

    interval: tuple[float, float] | None
    null_reason: str | None
    undefined: float | None = None


def resampled(clusters: Array, resamples: int, seed: int) -> Array:
    """Return the summed counts of each resample: resamples x the shape of one cluster's counts.

    With many thousand clusters that all differ fewer are drawn, for they would take minutes.

    >>> resampled(np().array([[1, 40], [0, 30], [4, 50]]), 2, seed=7).shape
    (2, 2)
    """
    shape, flat = clusters.shape[1:], clusters.reshape(len(clusters), -1)
    kinds, times = np().unique(flat, axis=0, return_counts=True)
    resamples = min(resamples, max(ENOUGH, MOST_DRAWN // len(kinds)))
    # One generator for all parts, so that their size does not change the draw.
    generator = np().random.RandomState([seed % WORD, seed // WORD])
    large = len(kinds) * resamples > MANY and len(flat) <= MOST_ALIKE * len(kinds)
    draw = _one_by_one if large else _by_kind
    rows, done = max(1, AT_ONCE // (len(flat) if large else len(kinds))), []
    for start in range(0, resamples, rows):
        many = min(rows, resamples - start)
        weights = draw(generator, times, many)
        done.append(weights.astype(float) @ kinds.astype(float))
    return np().concatenate(done).reshape(resamples, *shape)


def _by_kind(generator: RandomState, times: Array, many: int) -> Array:
    """Return how often each kind of cluster came, `many` times over, drawn kind by kind."""
    clusters = int(times.sum())
    drawn: Array = generator.multinomial(clusters, times / clusters, size=many)
    return drawn


def _one_by_one(generator: RandomState, times: Array, many: int) -> Array:
    """Return the same, drawn cluster by cluster: several times as fast where few clusters are of one kind."""
    clusters, kinds = int(times.sum()), len(times)
    kind_of = np().repeat(np().arange(kinds), times)
    drawn = kind_of[generator.randint(0, clusters, size=(many, clusters), dtype=np().int32)]
    drawn += (np().arange(many) * kinds)[:, None]
    counts: Array = np().bincount(drawn.ravel(), minlength=many * kinds).reshape(many, kinds)
    return counts


def why_none(clusters: int, resamples: int) -> str | None:
    """Return why there is no bootstrap at all; None where there can be one."""
    if not resamples:
        return "not_enabled"
    if clusters <= 1:
        return "one_cluster" if clusters else "no_items"
    return "few_clusters" if clusters < FEWEST_CLUSTERS else None


def percentile(values: Array, confidence: float = 0.95, undefined: str = "no_variation") -> Bootstrap:
    """Return the percentile interval of a statistic's resampled values; NaN stands for a value that does not exist.

    The limits are values that came, never between two. Raises ValueError unless 0 < confidence < 1.

    >>> percentile(np().arange(1000.0)).interval
    (24.0, 974.0)
    >>> percentile(np().array([0.2, 0.2])).null_reason
    'zero_variance'
    """
    check_confidence(confidence)
    known = np().sort(values[~np().isnan(values)])
    missing = (len(values) - len(known)) / len(values)
    if missing > MOST_UNDEFINED:
        return Bootstrap(None, undefined, missing)
    if known[0] == known[-1]:
        return Bootstrap(None, "zero_variance", missing)
    tail = (1 - confidence) / 2
    low, high = (known[max(0, math.ceil(settled(share * len(known))) - 1)] for share in (tail, 1 - tail))
    return Bootstrap((settled(float(low)), settled(float(high))), None, missing)
