"""Intervals of a rate: exact, for clustered items, and for no event at all.

`confidence` is a share between 0 and 1, .95 for 95 %. Limits are shares. scipy is
imported when the first quantile is asked for, so that starting the program stays fast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import cast


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
    _check_confidence(confidence)
    special = _special()
    tail = (1 - confidence) / 2
    low = float(special.betaincinv(x, n - x + 1, tail)) if x > 0 else 0.0
    high = float(special.betainccinv(x + 1, n - x, tail)) if x < n else 1.0
    return low, high


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
    _check_confidence(confidence)
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
    return KornGraubard(clopper_pearson(x / n * n_eff, n_eff, confidence), None, deff, n_eff)


def zero_event_upper(n: int, confidence: float = 0.95) -> float:
    """Return the one-sided upper bound 1 - (1 - confidence)^(1/n) when none of n items had the event.

    It takes items as independent. Raises ValueError unless n > 0 and 0 < confidence < 1.
    Source: Hanley and Lippman-Hand (1983), JAMA 249:1743-1745; the number is R's binom.test.

    >>> round(zero_event_upper(160), 11)
    0.01854913408
    """
    if n <= 0:
        message = f"a bound needs a number of items above 0, not {n}"
        raise ValueError(message)
    _check_confidence(confidence)
    return -math.expm1(math.log1p(-confidence) / n)


def t_quantile(df: int, confidence: float = 0.95) -> float:
    """Return the value that |t| with df degrees of freedom stays below with this confidence.

    >>> round(t_quantile(3), 3)  # any printed table of t
    3.182
    """
    return float(_special().stdtrit(df, (1 + confidence) / 2))


def _special() -> ModuleType:
    from scipy import special  # type: ignore[import-untyped]

    return cast("ModuleType", special)


def _design_effect(clusters: Sequence[tuple[int, int]], x: int, n: int) -> float:
    """Return the variance between clusters over that of independent items, at least 1.

    In whole numbers up to the last step: equal rates give exactly no variance.
    """
    if x in {0, n}:
        return 1.0
    spread = sum((x_k * n - x * n_k) ** 2 for x_k, n_k in clusters)
    return max(1.0, len(clusters) * spread / ((len(clusters) - 1) * n * x * (n - x)))


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        message = f"confidence is a share between 0 and 1, such as 0.95, not {confidence}"
        raise ValueError(message)
