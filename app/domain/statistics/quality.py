"""How the judging itself went: repeats, items with a known answer, sides, blinding, audit, time.

Plain functions of plain facts; where they are stored is nothing to them. A judge is a number or any other name that
never leaves here. Intervals by cluster leave out one judge at a time: answers of one judge resemble each other.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from app.domain.judgement import Coding
from app.domain.pace import PAUSE, at_work
from app.domain.statistics.intervals import clopper_pearson
from app.domain.statistics.jackknife import COEFFICIENT, jackknife
from app.domain.statistics.numeric import settled, z_quantile
from app.domain.statistics.paired import sign_test
from app.domain.statistics.rates import Rate, rate

ARMS: Final = ("off", "on")
FEWEST_GUESSES: Final = 20
FEWEST_JUDGES: Final = 4  # as of clusters for the jackknife: a spread between two or three people says little


@dataclass(frozen=True)
class Answered:
    """An answer beside the one that it is held against.

    `known` is the original answer of a repeat as it stood when the repeat was opened; the known answer of a sentinel;
    the answer on which two reviewers agreed, of an audited item. `given` is the repeat's, the judge's, the auditor's.
    """

    judge: Hashable
    known: Coding
    given: Coding


@dataclass(frozen=True)
class Guess:
    """What a judge took for the filtered text after sign-off. `right`: None for “cannot tell”."""

    judge: Hashable
    role: str
    right: bool | None


@dataclass(frozen=True)
class SideBias:
    """How often answers name text A and text B, the share of A, and the exact p that both are as likely.

    `interval` is Clopper-Pearson's; it and `p` take answers as independent.
    """

    a: int
    b: int
    value: float | None
    null_reason: str | None
    p: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class BlindingIndex:
    """Bang's index of one role: (right - wrong) / all, 0 where guesses are no better than a coin.

    `interval` is by judge; `independent` takes guesses as independent (Bang's variance, normal quantile), and is
    None for fewer than `FEWEST_GUESSES`, where a normal quantile claims too much.
    """

    right: int
    wrong: int
    cannot_tell: int
    value: float | None
    null_reason: str | None
    interval: tuple[float, float] | None
    interval_null_reason: str | None
    independent: tuple[float, float] | None
    judges: int = 0


@dataclass(frozen=True)
class ActiveMinutes:
    """The median over judges of one role of the minutes in which they were at work; None where nobody was."""

    judges: int
    median: float | None
    null_reason: str | None


def repeats(answers: Sequence[Answered], confidence: float = 0.95) -> Rate:
    """Return the share of repeats with the same label, arms and `also` as the original, clustered by judge.

    >>> same, other = Coding("safe-cleanup", "on"), Coding("benign-retention")
    >>> found = repeats([Answered(1, same, same), Answered(1, same, other), Answered(2, other, other)])
    >>> found.numerator, found.denominator
    (2, 3)
    """
    return _rate([(each.judge, each.known == each.given) for each in answers], confidence)


def audit_upheld(answers: Sequence[Answered], confidence: float = 0.95) -> Rate:
    """Return the share of audited items on which the auditor gave the answer that the reviewers had agreed on.

    There is one auditor as a rule, so that an interval by judge does not exist; Clopper-Pearson's does.
    """
    return _rate([(each.judge, each.known == each.given) for each in answers], confidence)


def sentinels_destructive(answers: Sequence[Answered], confidence: float = 0.95) -> Rate:
    """Return the share of items with known damage on which the judge recorded damage in that text, and there alone.

    Of which class is not asked: the gate counts whether damage is seen.

    >>> damaged = Coding("destructive-content", "on")
    >>> seen = [
    ...     Coding("destructive-structure", "on"),
    ...     Coding("destructive-content", "both"),
    ...     Coding("no-material-edit"),
    ... ]
    >>> sentinels_destructive([Answered(1, damaged, each) for each in seen]).numerator
    1
    """
    known = [each for each in answers if each.known.destructive]
    return _rate([(each.judge, _damaged(each.known) == _damaged(each.given)) for each in known], confidence)


def sentinels_clean(answers: Sequence[Answered], confidence: float = 0.95) -> Rate:
    """Return the share of items known to be undamaged on which the judge recorded no damage, and could judge.

    >>> clean = Coding("safe-cleanup", "on")
    >>> given = [Coding("benign-retention"), Coding("unassessable-disputed"), Coding("destructive-content", "on")]
    >>> sentinels_clean([Answered(1, clean, each) for each in given]).numerator
    1
    """
    known = [each for each in answers if not each.known.destructive and each.known.assessable]
    return _rate([(each.judge, not each.given.destructive and each.given.assessable) for each in known], confidence)


def side_bias(panels: Iterable[str | None], confidence: float = 0.95) -> SideBias:
    """Test whether answers that name one text name A as often as B; those that name none or both do not count.

    Source: the two-sided exact binomial test against one half.

    >>> found = side_bias(["A"] * 9 + ["B", None, "both"])
    >>> found.value, round(found.p, 4)
    (0.9, 0.0215)
    """
    named = Counter(panel for panel in panels if panel in {"A", "B"})
    a, b = named["A"], named["B"]
    if not a + b:
        return SideBias(0, 0, None, "no_items", None, None)
    return SideBias(a, b, a / (a + b), None, sign_test(a, b), clopper_pearson(a, a + b, confidence))


def blinding_index(guesses: Sequence[Guess], role: str, confidence: float = 0.95) -> BlindingIndex:
    """Return Bang's blinding index of one role.

    Every judge of the two texts of an item sees both arms, so there is one index a role and not one an arm.
    Source: Bang, Ni and Davis (2004), Control Clin Trials 25:143-156.

    >>> told = [True] * 6 + [False] * 2 + [None] * 2
    >>> blinding_index([Guess("r", "reviewer", each) for each in told], "reviewer").value
    0.4
    """
    by_judge: defaultdict[Hashable, list[int]] = defaultdict(lambda: [0, 0, 0])
    for guess in guesses:
        if guess.role == role:
            by_judge[guess.judge][2 if guess.right is None else int(not guess.right)] += 1
    right, wrong, cannot = (sum(row[at] for row in by_judge.values()) for at in range(3))
    value = _index(right, wrong, cannot)
    without = [_index(right - r, wrong - w, cannot - c) for r, w, c in by_judge.values()]
    found = jackknife(value, without, COEFFICIENT, confidence)
    if value is None:
        return BlindingIndex(0, 0, 0, None, "no_items", None, "no_items", None)
    independent = _independent(right, wrong, cannot, confidence)
    return BlindingIndex(
        right, wrong, cannot, value, None, found.interval, found.null_reason, independent, len(by_judge)
    )


def active_minutes(times: Iterable[Sequence[float]], pause: float = PAUSE) -> ActiveMinutes:
    """Return the median minutes at work of the judges of a role, given the seconds at which each stored an answer.

    What lies between two answers counts if it is no longer than `pause`; a longer gap was a break and counts for
    nothing. The first answer has no beginning and adds nothing.

    >>> active_minutes([[0, 60, 90, 4000, 4090], [0, 30]])
    ActiveMinutes(judges=2, median=1.75, null_reason=None)
    """
    minutes = [at_work(each, pause) / 60 for each in times if each]
    if not minutes:
        return ActiveMinutes(0, None, "no_items")
    return ActiveMinutes(len(minutes), settled(median(minutes)), None)


def _rate(marks: Sequence[tuple[Hashable, bool]], confidence: float) -> Rate:
    by_judge: defaultdict[Hashable, list[int]] = defaultdict(lambda: [0, 0])
    for judge, hit in marks:
        by_judge[judge][0] += hit
        by_judge[judge][1] += 1
    clusters = [(hits, n) for hits, n in by_judge.values()]
    found = rate(sum(hits for hits, _ in clusters), len(marks), clusters, confidence)
    if not 1 < len(clusters) < FEWEST_JUDGES:
        return found
    exact = {name: limits for name, limits in found.intervals.items() if name != "korn_graubard"}
    return replace(found, intervals=exact, deff=None, n_eff=None, interval_null_reason="few_clusters")


def _damaged(coding: Coding) -> tuple[bool, ...]:
    return tuple(coding.damage(arm) is not None for arm in ARMS)


def _index(right: int, wrong: int, cannot_tell: int) -> float | None:
    n = right + wrong + cannot_tell
    return (right - wrong) / n if n else None


def _independent(right: int, wrong: int, cannot_tell: int, confidence: float) -> tuple[float, float] | None:
    """Return the interval by Bang's variance, (p + q - (p - q)^2) / n of the shares right and wrong; None at 0."""
    n = right + wrong + cannot_tell
    value = (right - wrong) / n
    spread = (right + wrong) / n - value**2
    if spread <= 0 or n < FEWEST_GUESSES:
        return None
    reach = z_quantile(confidence) * math.sqrt(spread / n)
    return settled(max(-1.0, value - reach)), settled(min(1.0, value + reach))
