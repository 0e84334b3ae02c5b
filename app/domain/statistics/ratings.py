"""Agreement of any number of raters, of whom each rated some of the items.

Counts are n x q: how many raters gave item i the label k of the declared codebook. An item with one rating or
none cannot show agreement (it is not pairable); for Gwet's and Fleiss's share of each label it still counts.
Of two raters who rated everything the values are those of `agreement`.

Sources: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., chapters 2, 3 and 5; Krippendorff (2011),
Computing Krippendorff's Alpha-Reliability. Items with the same counts are added up once, in fractions of whole
numbers, so that neither the order of the items nor that of the raters moves a digit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from app.domain.statistics.agreement import Coefficient

Patterns: TypeAlias = Counter[tuple[int, ...]]
PAIR: Final = 2


@dataclass(frozen=True)
class Ratings:
    """Agreement of all raters in every form; `n_items` were rated by one or more, `n_pairable` by two or more."""

    n_items: int
    n_pairable: int
    percent_agreement: float | None
    fleiss_kappa: Coefficient
    gwet_ac1: Coefficient
    brennan_prediger: Coefficient
    krippendorff_alpha: Coefficient


def counts(items: Iterable[Sequence[object]], categories: Sequence[object]) -> Patterns:
    """Count the ratings of each item, None for a missing one. Raises ValueError for a label that was not declared.

    >>> counts([("yes", "yes", None), ("no", "yes", "yes"), ("yes", "yes", None)], ("yes", "no"))
    Counter({(2, 0): 2, (2, 1): 1})
    """
    place = {category: k for k, category in enumerate(categories)}
    found: Patterns = Counter()
    for ratings in items:
        row = [0] * len(place)
        for label in ratings:
            if label is None:
                continue
            if label not in place:
                message = f"{label!r} is not one of the declared categories {list(categories)}"
                raise ValueError(message)
            row[place[label]] += 1
        found[tuple(row)] += 1
    return found


def agreement(patterns: Patterns, q: int) -> Ratings:
    """Return every coefficient of ratings counted by item, over q >= 2 declared labels.

    >>> fleiss = counts([("a", "b", "c")] * 2, "abc")  # three raters who never agree
    >>> agreement(fleiss, 3).fleiss_kappa.value, agreement(fleiss, 3).krippendorff_alpha.value
    (-0.5, -0.25)
    """
    if q < PAIR or any(len(row) != q or min(row) < 0 for row in patterns):
        message = f"ratings are counted over {q} categories, 2 or more, for every item"
        raise ValueError(message)
    rated = Counter({row: times for row, times in patterns.items() if sum(row)})
    pairable = Counter({row: times for row, times in rated.items() if sum(row) >= PAIR})
    n = pairable.total()
    shares = _shares(rated, q)
    observed = _mean_agreed(pairable) if n else None
    return Ratings(
        n_items=patterns.total(),
        n_pairable=n,
        percent_agreement=None if observed is None else float(observed),
        fleiss_kappa=_corrected(observed, n, sum((share**2 for share in shares), Fraction(0))),
        gwet_ac1=_corrected(observed, n, sum((share * (1 - share) for share in shares), Fraction(0)) / (q - 1)),
        brennan_prediger=_corrected(observed, n, Fraction(1, q)),
        krippendorff_alpha=_alpha(pairable, q),
    )


def standard_errors(patterns: Patterns, q: int) -> dict[str, float | None]:
    """Return Gwet's standard errors, which take items as independent: to compare with other programs.

    For each item the coefficient is made linear, and the variance of the mean of those values is taken
    (chapter 5, without a finite population). None where the coefficient is undefined or of one item, and where all
    agree on everything: that no disagreement was seen does not make one impossible.
    """
    found = agreement(patterns, q)
    rated = Counter({row: times for row, times in patterns.items() if sum(row)})
    n, shares = rated.total(), _shares(rated, q)
    chance = {
        "fleiss_kappa": [float(share) for share in shares],
        "gwet_ac1": [float(1 - share) / (q - 1) for share in shares],
        "brennan_prediger": [1 / q] * q,
    }
    errors: dict[str, float | None] = dict.fromkeys(("percent_agreement", *chance))
    if n <= 1 or found.percent_agreement is None:
        return errors
    plain = [(_linear(row, n / found.n_pairable, 0.0), times) for row, times in rated.items()]
    if found.percent_agreement < 1:
        errors["percent_agreement"] = _spread(plain, found.percent_agreement, n)
    for name, weights in chance.items():
        value, expected = getattr(found, name).value, getattr(found, name).expected
        if value is not None and value < 1:
            fixed = name == "brennan_prediger"  # its p_e is not estimated
            slope = 0.0 if fixed else 2 * (1 - value) / (1 - expected)
            lines = [
                (_linear(row, n / found.n_pairable, expected) - slope * (_by_chance(row, weights) - expected), times)
                for row, times in rated.items()
            ]
            errors[name] = _spread(lines, value, n)
    return errors


def _linear(row: tuple[int, ...], weight: float, expected: float) -> float:
    """Return one item's part of a coefficient with a given p_e."""
    return weight * (float(_agreed(row)) - expected) / (1 - expected) if sum(row) >= PAIR else 0.0


def _by_chance(row: tuple[int, ...], weights: Sequence[float]) -> float:
    return math.fsum(weight * times / sum(row) for weight, times in zip(weights, row, strict=True))


def _spread(lines: Sequence[tuple[float, int]], value: float, n: int) -> float:
    return math.sqrt(math.fsum(times * (line - value) ** 2 for line, times in lines) / (n * (n - 1)))


def _agreed(row: tuple[int, ...]) -> Fraction:
    """Return the share of an item's pairs of raters who gave it the same label."""
    raters = sum(row)
    return Fraction(sum(times * (times - 1) for times in row), raters * (raters - 1))


def _mean_agreed(patterns: Patterns) -> Fraction:
    return sum((_agreed(row) * times for row, times in patterns.items()), Fraction(0)) / patterns.total()


def _shares(rated: Patterns, q: int) -> list[Fraction]:
    """Return the share of each label: the mean over items of the share of their raters."""
    n = rated.total() or 1
    return [
        sum((Fraction(row[k], sum(row)) * times for row, times in rated.items()), Fraction(0)) / n for k in range(q)
    ]


def _alpha(pairable: Patterns, q: int) -> Coefficient:
    """Return Krippendorff's nominal alpha; `expected` is 1 - D_e, over the values of pairable items alone."""
    uses = [sum(row[k] * times for row, times in pairable.items()) for k in range(q)]
    values = sum(uses)
    if not values:
        return Coefficient(None, "no_items", 0, None, None)
    agreed = sum(
        (Fraction(sum(x * (x - 1) for x in row), sum(row) - 1) * times for row, times in pairable.items()), Fraction(0)
    )
    chance = Fraction(sum(use * (use - 1) for use in uses), values * (values - 1))
    return _corrected(agreed / values, pairable.total(), chance)


def _corrected(observed: Fraction | None, n: int, expected: Fraction) -> Coefficient:
    if observed is None:
        return Coefficient(None, "no_items", 0, None, None)
    if expected == 1:
        return Coefficient(None, "no_variation", n, float(observed), 1.0)
    return Coefficient(float((observed - expected) / (1 - expected)), None, n, float(observed), float(expected))
