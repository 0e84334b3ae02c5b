"""What a plan costs the people, and what it can show: a preview, before anybody has judged anything.

Counts follow from the protocol and the items. Minutes follow from a pace, and from assumptions that stand here as
constants and are told wherever a figure of theirs is shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.blinding import share_of
from app.domain.errors import InvalidInput
from app.domain.protocol import REVIEWERS_PER_ITEM, Protocol
from app.domain.statistics.intervals import sensitivity, zero_event_upper

PACE: Final = 30  # seconds an item
SLOWEST: Final = 3_600
QUESTION: Final = 10  # seconds for one question of the blinding check
ADJUDICATED: Final = 0.2  # share of items on which the two reviewers differ
SENTINELS: Final = 0.1  # sentinels for each item, while none are imported
PRACTICE: Final = 10  # practice items, while none are imported
ALIKE: Final = (0.05, 0.1)  # how alike items of one cluster may be: intraclass correlations


@dataclass(frozen=True)
class Group:
    """The imported items of one stratum that belong to one cluster; `judged`: those that people see."""

    stratum: str
    cluster: str
    items: int
    judged: int


@dataclass(frozen=True)
class People:
    """Who judges, as far as it is known.

    `sentinels` and `practice`: how many such items are imported; None while nobody knows.
    """

    reviewers: int = REVIEWERS_PER_ITEM
    adjudicator: bool = True
    sentinels: int | None = None
    practice: int | None = None


@dataclass(frozen=True)
class Shown:
    """What n items can show where none has an introduced destructive edit: the smallest rate that is ruled out.

    `clustered`: the same for each of ALIKE, where the clusters are known; None for one cluster or none.
    """

    items: int
    rate: float
    clusters: int | None
    clustered: tuple[float, ...] | None


@dataclass(frozen=True)
class Stratum:
    """One row: a stratum, whether its number is only planned, and what it can show alone."""

    name: str
    planned: bool
    control: bool
    extension: bool
    shown: Shown


@dataclass(frozen=True)
class Load:
    """What one person does: items and questions by what they are for, and the minutes that all take."""

    parts: Mapping[str, int]
    minutes: int


@dataclass(frozen=True)
class Cost:
    """What a plan costs and can show. `whole` leaves out the extension, which is never pooled; None without items.

    `judged` of the items are seen by people. `missable`: how many answers to sentinels may be wrong before the gate
    holds, where the protocol sets a limit.
    """

    pace: int
    confidence: float
    strata: tuple[Stratum, ...]
    whole: Shown | None
    judged: int
    reviewers: int
    reviewer: Load
    adjudicator: Load | None
    missable: int | None
    assumed: frozenset[str]

    @property
    def equal(self) -> int:
        """How many pairs are coded without people."""
        return sum(each.shown.items for each in self.strata) - self.judged


def pace_of(text: str) -> int:
    """Return a pace as entered, in seconds an item; empty is the usual one. Raises InvalidInput.

    >>> pace_of(""), pace_of("45")
    (30, 45)
    """
    if not text.strip():
        return PACE
    found = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(SLOWEST)) else 0
    if not 1 <= found <= SLOWEST:
        raise InvalidInput.of(f"expected a whole number of seconds from 1 to {SLOWEST:,}", field="pace")
    return found


def rules_out(clusters: Sequence[int], confidence: float) -> tuple[float, ...] | None:
    """Return the rates ruled out by items without the event in clusters of these sizes, one for each of ALIKE.

    None for one cluster or none. How alike items are cannot be estimated from no event, so that it is assumed.

    >>> [round(rate, 3) for rate in rules_out([10] * 16, 0.95)]
    [0.027, 0.035]
    """
    if len(clusters) <= 1:
        return None
    return tuple(sensitivity(clusters, rho, confidence)[1] for rho in ALIKE)


def cost(rules: Protocol, there: Sequence[Group] = (), people: People | None = None, pace: int = PACE) -> Cost:
    """Return what a protocol costs and can show.

    `there`: what is imported; a stratum of which nothing is counts as planned. `pace`: seconds an item.
    """
    people, level = people or People(), float(rules["statistics.confidence"])
    strata = tuple(_stratum(name, rules, there, level) for name in _names(rules, there))
    pooled = [each for each in strata if not each.extension]
    judged = sum(_judged(each, there) for each in strata)
    reviewer, adjudicator, assumed = _loads(rules, judged, people, pace)
    return Cost(
        pace=pace,
        confidence=level,
        strata=strata,
        whole=_whole(pooled, there, level),
        judged=judged,
        reviewers=_reviewers(people),
        reviewer=reviewer,
        adjudicator=adjudicator,
        missable=_missable(rules, _sentinels(rules, judged, people)),
        assumed=assumed,
    )


def _names(rules: Protocol, there: Sequence[Group]) -> list[str]:
    return list(dict.fromkeys([*rules.strata, *(each.stratum for each in there)]))


def _stratum(name: str, rules: Protocol, there: Sequence[Group], level: float) -> Stratum:
    sizes = [each.items for each in there if each.stratum == name and each.items]
    items = sum(sizes) or rules.strata[name]
    shown = Shown(items, zero_event_upper(items, level), len(sizes) or None, rules_out(sizes, level))
    extension = name in rules["selection.extension"]
    return Stratum(name, not sizes, name in rules.controls, extension, shown)


def _whole(strata: Sequence[Stratum], there: Sequence[Group], level: float) -> Shown | None:
    items = sum(each.shown.items for each in strata)
    if not items:
        return None
    if any(each.planned for each in strata):
        return Shown(items, zero_event_upper(items, level), None, None)
    names, sizes = {each.name for each in strata}, dict[str, int]()
    for group in there:
        if group.stratum in names:
            sizes[group.cluster] = sizes.get(group.cluster, 0) + group.items
    return Shown(items, zero_event_upper(items, level), len(sizes), rules_out(list(sizes.values()), level))


def _judged(stratum: Stratum, there: Sequence[Group]) -> int:
    """Return how many items of a stratum people see: while they are only planned, all of them."""
    return stratum.shown.items if stratum.planned else sum(g.judged for g in there if g.stratum == stratum.name)


def _reviewers(people: People) -> int:
    return max(REVIEWERS_PER_ITEM, people.reviewers)


def _sentinels(rules: Protocol, judged: int, people: People) -> int:
    if not rules["review.sentinels"]:
        return 0
    return share_of(judged, SENTINELS) if people.sentinels is None else people.sentinels


def _practice(rules: Protocol, people: People) -> int:
    if not rules["review.practice"]:
        return 0
    return PRACTICE if people.practice is None else people.practice


def _loads(rules: Protocol, judged: int, people: People, pace: int) -> tuple[Load, Load | None, frozenset[str]]:
    """Return what a reviewer and the adjudicator do, and which of the assumptions were needed for it."""
    each, asked = _per_reviewer(judged, people), rules["review.blinding_check"]
    sentinels, practice = _sentinels(rules, judged, people), _practice(rules, people)
    reviewer = {
        "items": each,
        "sentinels": _per_reviewer(sentinels, people),
        "repeats": share_of(each, rules["review.repeats"]),
        "practice": practice,
        "questions": share_of(each, asked),
    }
    differ = share_of(judged, ADJUDICATED)
    audited = share_of(judged - differ, rules["review.audit_agreed"])
    third = {
        "items": differ,
        "audited": audited,
        "practice": practice,
        "questions": share_of(differ + audited, asked),
    }
    # An own judgement and then a look at the two reviews are two steps, each as long as a review.
    twice = differ + audited if rules["adjudication.own_judgement_first"] else 0
    assumed = {
        "adjudicated": people.adjudicator and judged > 0,
        "sentinels": bool(sentinels) and people.sentinels is None,
        "practice": bool(practice) and people.practice is None,
        "questions": bool(asked) and judged > 0,
    }
    return (
        _load(reviewer, pace),
        _load(third, pace, twice) if people.adjudicator else None,
        frozenset(name for name, needed in assumed.items() if needed),
    )


def _per_reviewer(items: int, people: People) -> int:
    """Return how many of these items the busiest of the reviewers gets: pairs of reviewers are balanced."""
    return math.ceil(items * REVIEWERS_PER_ITEM / _reviewers(people))


def _load(parts: Mapping[str, int], pace: int, more: int = 0) -> Load:
    seconds = (sum(parts.values()) - parts["questions"] + more) * pace + parts["questions"] * QUESTION
    return Load({name: count for name, count in parts.items() if count or name == "items"}, math.ceil(seconds / 60))


def _missable(rules: Protocol, sentinels: int) -> int | None:
    """Return how many of the answers to sentinels may be wrong: each is answered by two people."""
    least = rules["gate.min_sentinel_detection"]
    if least is None or not sentinels:
        return None
    answers = sentinels * REVIEWERS_PER_ITEM
    return answers - math.ceil(round(float(least) * answers, 9))
