"""The same coefficients for many tables at once: one for each cluster left out, or for each resample.

A stack is an array of T x q x q counts. Whatever is undefined is NaN here and goes no further than
`jackknife` and `bootstrap`, which turn it into None and a reason. Counts are whole numbers, so sums are exact in
any order; what follows is one operation at a time on each table, the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from app.domain.statistics.numeric import Array, np

Statistic: TypeAlias = Callable[[Array], Array]


def by_cluster(counted: Iterable[tuple[int, int, int, int]], clusters: int, q: int) -> Array:
    """Add up (cluster, first label, second label, how often), all numbers from 0, into clusters x q x q.

    >>> by_cluster([(0, 1, 1, 1), (1, 0, 1, 2)], 2, 2).tolist()
    [[[0, 0], [0, 1]], [[0, 2], [0, 0]]]
    """
    found = np().zeros((clusters, q, q), dtype=np().int64)
    for cluster, one, two, times in counted:
        found[cluster, one, two] += times
    return found


def cohen_kappa(stack: Array) -> Array:
    """Return Cohen's kappa of each table."""
    n = _n(stack)
    chance = (stack.sum(axis=2) * stack.sum(axis=1)).sum(axis=1)
    return _corrected(stack, chance, n * n)


def gwet_ac1(stack: Array) -> Array:
    """Return Gwet's AC1 of each table."""
    n, uses = _n(stack), _uses(stack)
    chance = (uses * (2 * n[:, None] - uses)).sum(axis=1)
    return _corrected(stack, chance, (stack.shape[1] - 1) * 4 * n * n)


def brennan_prediger(stack: Array) -> Array:
    """Return Brennan and Prediger's coefficient of each table."""
    ones = np().ones(len(stack))
    return _corrected(stack, ones, ones * stack.shape[1])


def krippendorff_alpha(stack: Array) -> Array:
    """Return Krippendorff's nominal alpha of each table."""
    n, uses = _n(stack), _uses(stack)
    return _corrected(stack, (uses * (uses - 1)).sum(axis=1), 2 * n * (2 * n - 1))


def specific(k: int) -> Statistic:
    """Return the specific agreement on label k, as a function of a stack."""
    return lambda stack: _share(2.0 * stack[:, k, k], _uses(stack)[:, k])


def ratio(stack: Array) -> Array:
    """Return the ratio of the two counts of each row of a T x 2 array."""
    return _share(stack[:, 0], stack[:, 1])


COEFFICIENTS: Final[dict[str, Statistic]] = {
    "ac1": gwet_ac1,
    "alpha": krippendorff_alpha,
    "kappa": cohen_kappa,
    "brennan_prediger": brennan_prediger,
}


def _n(stack: Array) -> Array:
    return stack.sum(axis=(1, 2))


def _uses(stack: Array) -> Array:
    return stack.sum(axis=2) + stack.sum(axis=1)


def _share(top: Array, bottom: Array) -> Array:
    with np().errstate(divide="ignore", invalid="ignore"):
        return np().where(bottom > 0, top / bottom, np().nan)


def _corrected(stack: Array, chance: Array, total: Array) -> Array:
    agreed = np().trace(stack, axis1=1, axis2=2)
    expected, observed = _share(chance, total), _share(agreed, _n(stack))
    with np().errstate(divide="ignore", invalid="ignore"):
        return np().where(chance < total, (observed - expected) / (1 - expected), np().nan)
