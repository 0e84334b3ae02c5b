"""Two answers on the same items, yes or no each: off and on.

Counts come in this order: both, first only, second only, neither. The difference is first minus second, of shares.
What is here takes items as independent; the interval that respects clusters is the jackknife of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.domain.statistics.numeric import check_confidence, settled, special, z_quantile


def difference(counts: Sequence[int]) -> float | None:
    """Return the share of yes in the first minus that in the second; None without items.

    >>> difference([10, 15, 5, 20])
    0.2
    """
    _both, first_only, second_only, _neither = counts
    return (first_only - second_only) / sum(counts) if sum(counts) else None


def mcnemar_exact(counts: Sequence[int]) -> float:
    """Return the two-sided exact p that discordant items fall either way alike; 1 without any.

    Source: McNemar (1947), Psychometrika 12:153-157, with the binomial in place of chi squared.

    >>> mcnemar_exact([0, 5, 0, 155])
    0.0625
    """
    _both, first_only, second_only, _neither = counts
    return sign_test(first_only, second_only)


def mcnemar_mid_p(counts: Sequence[int]) -> float:
    """Return McNemar's mid-p, which counts half of what was seen: less conservative than the exact p.

    Source: Fagerland, Lydersen and Laake (2013), BMC Med Res Methodol 13:91.

    >>> mcnemar_mid_p([0, 5, 0, 155])
    0.03125
    """
    _both, one, other, _neither = counts
    n = one + other
    if one == other:
        return 1.0 if n == 0 else settled(1 - _point(one, n))
    return settled(2 * float(special().bdtr(min(one, other), n, 0.5)) - _point(one, n))


def sign_test(one: int, other: int) -> float:
    """Return the two-sided exact p of a fair coin that fell `one` and `other` times; 1 where it was never thrown.

    >>> sign_test(4, 0)
    0.125
    """
    if one == other:
        return 1.0
    return settled(min(1.0, 2 * float(special().bdtr(min(one, other), one + other, 0.5))))


def newcombe10(counts: Sequence[int], confidence: float = 0.95) -> tuple[float, float] | None:
    """Return Newcombe's interval of a paired difference by the method that he numbers 10; None without items.

    It joins the Wilson intervals of the two shares by their correlation, which is made a little smaller where the
    counts agree more than by chance. Raises ValueError unless 0 < confidence < 1. Source: Newcombe (1998), Stat
    Med 17:2635-2650; the number is PropCIs' diffpropci, for R.

    >>> [round(limit, 4) for limit in newcombe10([10, 15, 5, 20])]
    [0.0258, 0.3569]
    """
    check_confidence(confidence)
    a, b, c, d = counts
    n = a + b + c + d
    if not n:
        return None
    (low1, high1), (low2, high2) = wilson(a + b, n, confidence), wilson(a + c, n, confidence)
    first, second, phi = (a + b) / n, (a + c) / n, _correlation(a, b, c, d)

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))

    middle = (b - c) / n
    low = middle - reach(first - low1, high2 - second)
    high = middle + reach(high1 - first, second - low2)
    return settled(max(-1.0, low)), settled(min(1.0, high))


def wilson(x: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of x in n > 0. Source: Wilson (1927), J Am Stat Assoc 22:209-212.

    >>> [round(limit, 4) for limit in wilson(0, 20)]
    [0.0, 0.1611]
    """
    z2 = z_quantile(confidence) ** 2
    middle = (x + z2 / 2) / (n + z2)
    reach = math.sqrt(z2 * (x * (n - x) / n + z2 / 4)) / (n + z2)
    return (0.0 if x == 0 else middle - reach), (1.0 if x == n else middle + reach)


def _correlation(a: int, b: int, c: int, d: int) -> float:
    """Return phi, with the continuity correction of method 10: where ad > bc, n/2 is taken off, down to 0."""
    product = (a + b) * (c + d) * (a + c) * (b + d)
    if product == 0:
        return 0.0
    top = float(a * d - b * c)
    if top > 0:
        top = max(0.0, top - (a + b + c + d) / 2)
    return top / math.sqrt(product)


def _point(k: int, n: int) -> float:
    """Return the chance of exactly k heads of n."""
    return float(math.comb(n, k)) / 2.0**n if n <= 1000 else math.exp(_log_point(k, n))  # noqa: PLR2004 - 2.0**1024 overflows


def _log_point(k: int, n: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)
