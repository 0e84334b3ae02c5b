"""Intervals of a rate: exact, for clustered items, and for no event at all.

`confidence` is a share between 0 and 1, .95 for 95 %. Limits are shares. scipy is
imported when the first quantile is asked for, so that starting the program stays fast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.statistics.numeric import check_confidence, settled, special, t_quantile

__all__ = ["KornGraubard", "clopper_pearson", "korn_graubard", "sensitivity", "t_quantile", "zero_event_upper"]


@dataclass(frozen=True)
class KornGraubard:
    """An interval for a rate of clustered items, and how it came about.

    `deff` is the design effect as used, never below 1; `n_eff` the number of independent
    items that carry as much information. Where there is no interval all three are None
    and `null_reason` says why: `no_items` or `one_cluster`.
    """

    interval: tuple[float, float] | None
    null_reason: str | None
    deff: float | None
    n_eff: float | None


def clopper_pearson(x: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact two-sided interval of x events among n independent items.

    x and n need not be whole. Raises ValueError unless n > 0, 0 <= x <= n and
    0 < confidence < 1. Source: Clopper and Pearson (1934), Biometrika 26:404-413; the
    number is in table I of Newcombe (1998), Stat Med 17:857-872.

    >>> [round(limit, 4) for limit in clopper_pearson(0, 20)]
    [0.0, 0.1684]
    """
    if not 0 < n < math.inf:
        message = f"an interval needs a finite number of items above 0, not {n}"
        raise ValueError(message)
    if not 0 <= x <= n:
        message = f"{x} events do not fit into {n} items"
        raise ValueError(message)
    check_confidence(confidence)
    beta, tail = special(), (1 - confidence) / 2
    low = float(beta.betaincinv(x, n - x + 1, tail)) if x > 0 else 0.0
    high = float(beta.betainccinv(x + 1, n - x, tail)) if x < n else 1.0
    return settled(low), settled(high)


def korn_graubard(clusters: Sequence[tuple[int, int]], confidence: float = 0.95) -> KornGraubard:
    """Return the interval of a rate whose items come in clusters, given as (events, items).

    v = K/(K-1) sum (x_k - p n_k)^2 / n^2; deff = max(1, v / (p(1-p)/n)), and 1 where p is
    0 or 1; n_eff = min(n, n/deff (t_{n-1}/t_{K-1})^2); Clopper-Pearson of p n_eff in n_eff.
    Clusters without items do not count. Raises ValueError where a cluster has more events
    than items. Source: Korn and Graubard (1998), Surv Methodol 24:193-201; the number is
    svyciprop's (method "beta") of the R package survey.

    >>> found = korn_graubard([(1, 20), (0, 25), (3, 30), (2, 28), (0, 27), (1, 30)])
    >>> [round(limit, 7) for limit in found.interval]
    [0.0113699, 0.111233]
    """
    check_confidence(confidence)
    for x_k, n_k in clusters:
        if not 0 <= x_k <= n_k:
            message = f"a cluster cannot have {x_k} events among {n_k} items"
            raise ValueError(message)
    filled = [(x_k, n_k) for x_k, n_k in clusters if n_k]
    if not filled:
        return KornGraubard(None, "no_items", None, None)
    if len(filled) == 1:
        return KornGraubard(None, "one_cluster", None, None)
    x, n = sum(x_k for x_k, _ in filled), sum(n_k for _, n_k in filled)
    deff = _design_effect(filled, x, n)
    shrink = t_quantile(n - 1, confidence) / t_quantile(len(filled) - 1, confidence)
    n_eff = min(float(n), n / deff * shrink**2)
    return KornGraubard(clopper_pearson(x / n * n_eff, n_eff, confidence), None, settled(deff), settled(n_eff))


def zero_event_upper(n: float, confidence: float = 0.95) -> float:
    """Return the one-sided upper bound 1 - (1 - confidence)^(1/n) when none of n items had the event.

    It takes items as independent; n need not be whole. Raises ValueError unless n > 0 and 0 < confidence < 1.
    Source: Hanley and Lippman-Hand (1983), JAMA 249:1743-1745; the number is R's binom.test.

    >>> round(zero_event_upper(160), 11)
    0.01854913408
    """
    if n <= 0:
        message = f"a bound needs a number of items above 0, not {n}"
        raise ValueError(message)
    check_confidence(confidence)
    return settled(-math.expm1(math.log1p(-confidence) / n))


def sensitivity(sizes: Sequence[int], rho: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the design effect 1 + (m - 1) rho, and the zero-event bound of n / deff items.

    What the bound would be if two items of a cluster resembled each other by `rho`, which no data without events
    can tell. `sizes` are the items of each cluster; m is the size of the cluster in which an item lies, on average:
    sum n_k^2 / sum n_k, which is their common size where they are equal. Raises ValueError without items or
    unless 0 <= rho <= 1. Source: Kish (1965), Survey Sampling, section 5.4.

    >>> deff, upper = sensitivity([40, 40, 40, 40], 0.05)
    >>> round(deff, 2), round(upper, 4)
    (2.95, 0.0537)
    """
    if not 0 <= rho <= 1:
        message = f"a correlation within clusters is 0 to 1 here, not {rho}"
        raise ValueError(message)
    n = sum(sizes)
    size = sum(each * each for each in sizes) / n if n else 1.0
    deff = max(1.0, 1 + (size - 1) * rho)
    return deff, zero_event_upper(n / deff, confidence)


def _design_effect(clusters: Sequence[tuple[int, int]], x: int, n: int) -> float:
    """Return the variance between clusters over that of independent items, at least 1.

    In whole numbers up to the last step: equal rates give exactly no variance.
    """
    if x in {0, n}:
        return 1.0
    spread = sum((x_k * n - x * n_k) ** 2 for x_k, n_k in clusters)
    return max(1.0, len(clusters) * spread / ((len(clusters) - 1) * n * x * (n - x)))
