"""Agreement of two reviewers, from plain counts.

A table is q x q: a row is the first reviewer's label, a column the second's, in the order of the
declared codebook. So q is the table's size, never the number of labels seen. Whatever takes a table
raises ValueError for one that is not square, has fewer than 2 categories or holds a negative count.
2 x 2 counts come in this order: both, first only, second only, neither.

A coefficient is (p_o - p_e) / (1 - p_e); only p_e tells them apart. Both are kept as fractions of
whole numbers and divided once, so that "no variation" is a fact and not a matter of rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Table: TypeAlias = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Coefficient:
    """A chance-corrected coefficient and the two shares it was made of.

    `value` is None exactly where `null_reason` says why: `no_items`, or `no_variation` where p_e = 1.
    `n` counts items. `observed` (p_o) and `expected` (p_e) lie in 0..1 and are None without items.
    """

    value: float | None
    null_reason: str | None
    n: int
    observed: float | None
    expected: float | None


def contingency(pairs: Iterable[tuple[str, str]], categories: Sequence[str]) -> list[list[int]]:
    """Count pairs of labels (first reviewer's, second's) into a q x q table.

    Raises ValueError for a label that was not declared, or one declared twice.

    >>> contingency([("yes", "no"), ("yes", "yes"), ("yes", "no")], ["yes", "no"])
    [[1, 2], [0, 0]]
    """
    place = {category: index for index, category in enumerate(categories)}
    if len(place) != len(categories):
        message = f"categories must differ from each other: {list(categories)}"
        raise ValueError(message)
    table = [[0] * len(categories) for _ in categories]
    for first, second in pairs:
        if first not in place or second not in place:
            unknown = second if first in place else first
            message = f"{unknown!r} is not one of the declared categories {list(categories)}"
            raise ValueError(message)
        table[place[first]][place[second]] += 1
    return table


def observed(table: Table) -> tuple[int, int]:
    """Return how many items got the same label from both, and how many items there are.

    >>> observed([[88, 10, 2], [14, 40, 6], [18, 10, 12]])  # Cohen (1960): p_o .70
    (140, 200)
    """
    _check(table)
    return sum(row[k] for k, row in enumerate(table)), sum(map(sum, table))


def specific_agreement(table: Table, k: int) -> tuple[int, int]:
    """Return 2 n_kk and n_k+ + n_+k: how often a use of label k met the same label.

    (0, 0) means that neither reviewer used the label. Raises ValueError where k is not
    in 0..q-1. Source: Cicchetti and Feinstein (1990), J Clin Epidemiol 43:551-558.

    >>> specific_agreement([[40, 9], [6, 45]], 0)  # .842, the F1 score
    (80, 95)
    """
    _check(table)
    if not 0 <= k < len(table):
        message = f"label {k} is not in a table of {len(table)} categories"
        raise ValueError(message)
    return 2 * table[k][k], _uses(table)[k]


def cohen_kappa(table: Table) -> Coefficient:
    """Return Cohen's kappa: p_e = sum p_k+ p_+k.

    Source: Cohen (1960), Educ Psychol Meas 20:37-46.

    >>> round(cohen_kappa([[88, 10, 2], [14, 40, 6], [18, 10, 12]]).value, 3)
    0.492
    """
    agreed, n = observed(table)
    chance = sum(sum(row) * sum(column) for row, column in zip(table, zip(*table, strict=True), strict=True))
    return _corrected(agreed, n, chance, n * n)


def scott_pi(table: Table) -> Coefficient:
    """Return Scott's pi: p_e = sum p_k^2, where p_k is the mean of the two marginals.

    Source: Scott (1955), Public Opin Q 19:321-325; the number is irrCAC's, for R.

    >>> round(scott_pi([[13, 0, 0], [0, 20, 7], [0, 4, 56]]).value, 10)
    0.7962396962
    """
    agreed, n = observed(table)
    return _corrected(agreed, n, sum(uses**2 for uses in _uses(table)), (2 * n) ** 2)


def gwet_ac1(table: Table) -> Coefficient:
    """Return Gwet's AC1: p_e = sum p_k (1 - p_k) / (q - 1), at most 1/q and so never 1.

    Source: Gwet (2008), Br J Math Stat Psychol 61:29-48; the number is irrCAC's, for R.

    >>> round(gwet_ac1([[13, 0, 0], [0, 20, 7], [0, 4, 56]]).value, 10)
    0.8493305482
    """
    agreed, n = observed(table)
    chance = sum(uses * (2 * n - uses) for uses in _uses(table))
    return _corrected(agreed, n, chance, (len(table) - 1) * (2 * n) ** 2)


def brennan_prediger(table: Table) -> Coefficient:
    """Return Brennan and Prediger's coefficient: p_e = 1/q. With q = 2 it is PABAK.

    Source: Brennan and Prediger (1981), Educ Psychol Meas 41:687-699; the number is irrCAC's, for R.

    >>> round(brennan_prediger([[13, 0, 0], [0, 20, 7], [0, 4, 56]]).value, 10)
    0.835
    """
    agreed, n = observed(table)
    return _corrected(agreed, n, 1, len(table))


def krippendorff_alpha(table: Table) -> Coefficient:
    """Return Krippendorff's nominal alpha of two complete reviewers.

    1 - D_o / D_e with D_e = (2n / (2n - 1)) (1 - sum p_k^2); `expected` is 1 - D_e.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example A.

    >>> round(krippendorff_alpha([[5, 3], [1, 1]]).value, 3)
    0.095
    """
    agreed, n = observed(table)
    return _corrected(agreed, n, sum(uses * (uses - 1) for uses in _uses(table)), 2 * n * (2 * n - 1))


def positive(counts: Sequence[int]) -> tuple[int, int]:
    """Return 2a and 2a + b + c of 2 x 2 counts: `specific_agreement` on yes, (0, 0) if nobody said it."""
    both, first_only, second_only, _neither = counts
    return 2 * both, 2 * both + first_only + second_only


def negative(counts: Sequence[int]) -> tuple[int, int]:
    """Return 2d and 2d + b + c of 2 x 2 counts: `specific_agreement` on no, (0, 0) if nobody said it."""
    _both, first_only, second_only, neither = counts
    return 2 * neither, 2 * neither + first_only + second_only


def prevalence_index(counts: Sequence[int]) -> float | None:
    """Return (a - d) / n of 2 x 2 counts: 1 where both always said yes; None without items.

    Source: Byrt, Bishop and Carlin (1993), J Clin Epidemiol 46:423-429.

    >>> prevalence_index([40, 9, 6, 45])
    -0.05
    """
    both, _first_only, _second_only, neither = counts
    return (both - neither) / sum(counts) if sum(counts) else None


def bias_index(counts: Sequence[int]) -> float | None:
    """Return (b - c) / n of 2 x 2 counts: above 0 the first said yes more often; None without items.

    Source: as for `prevalence_index`.

    >>> bias_index([40, 9, 6, 45])
    0.03
    """
    _both, first_only, second_only, _neither = counts
    return (first_only - second_only) / sum(counts) if sum(counts) else None


def _check(table: Table) -> None:
    q = len(table)
    if q <= 1 or any(len(row) != q or min(row) < 0 for row in table):
        message = f"a table holds q x q counts of items for 2 categories or more, not {table}"
        raise ValueError(message)


def _uses(table: Table) -> list[int]:
    """Return n_k+ + n_+k per label: 2n p_k."""
    return [sum(row) + sum(column) for row, column in zip(table, zip(*table, strict=True), strict=True)]


def _corrected(agreed: int, n: int, chance: int, total: int) -> Coefficient:
    """Return (p_o - p_e) / (1 - p_e) of p_o = agreed / n and p_e = chance / total."""
    if n == 0:
        return Coefficient(None, "no_items", 0, None, None)
    if chance == total:
        return Coefficient(None, "no_variation", n, agreed / n, 1.0)
    value = (agreed * total - chance * n) / (n * (total - chance))
    return Coefficient(value, None, n, agreed / n, chance / total)
