"""Sides and orders, and the only code that joins panel and arm.

Sides are balanced within stratum and reviewer and drawn independently for each
reviewer; the order is random for each reviewer, every stratum spread evenly over it.
Randomness comes in as `below`: a function giving a uniform integer in [0, n).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, TypeVar

from app.domain.judgement import Coding, Judgement
from app.domain.manifest import bytes_digest
from app.domain.protocol import REVIEWERS_PER_ITEM

T = TypeVar("T")
Below = Callable[[int], int]
Group = tuple[str, ...] | str  # a stratum, or a stratum and a role
CANNOT_TELL: Final = "cannot_tell"
GUESSES: Final = ("A", "B", CANNOT_TELL)  # the blinding check's answers
_FINE: Final = 1 << 53


@dataclass(frozen=True)
class Slot:
    """One item in one judge's list. `item` and `judge` index the inputs of the draw.

    `repeat`: the item stands in the list a second time, sides swapped. `rank`: a number
    drawn once, by which audits and the blinding check are chosen; see `ranked`.
    """

    item: int
    judge: int
    on_panel: str
    position: int
    repeat: bool = False
    rank: int | None = None


def share_of(n: int, share: float) -> int:
    """Return how many of n a share is: at least one where there is any.

    >>> share_of(160, 0.1), share_of(3, 0.1), share_of(0, 0.1), share_of(160, 0.0)
    (16, 1, 0, 0)
    """
    return max(1, math.floor(n * share + 0.5)) if n and share else 0


def allocate(strata: Sequence[Group], reviewers: int, below: Below) -> list[Slot]:
    """Draw every reviewer's items, sides and order.

    `strata`: the group of each item, within which sides are balanced and which is spread
    over the whole list. With two reviewers each sees every item; a larger pool gets all its
    pairs equally often. Returns two slots an item, positions from 1. Raises ValueError for
    fewer than two reviewers.
    """
    if reviewers < REVIEWERS_PER_ITEM:
        message = f"a study needs two reviewers or more, not {reviewers}"
        raise ValueError(message)
    mine: list[list[int]] = [[] for _ in range(reviewers)]
    pairs = _shuffled(list(combinations(range(reviewers), 2)), below)
    turn = 0
    for members in _by_stratum(strata, range(len(strata))).values():
        for item in _shuffled(members, below):
            for judge in pairs[turn % len(pairs)]:
                mine[judge].append(item)
            turn += 1
    return [slot for judge, items in enumerate(mine) for slot in _listed(strata, sorted(items), judge, below)]


def allocate_one(strata: Sequence[Group], below: Below) -> list[Slot]:
    """Draw fresh sides and an order of all items for one judge: an adjudicator, or who takes over a list.

    The adjudicator's are drawn over every item, so that nothing depends on what is routed.
    """
    return _listed(strata, range(len(strata)), 0, below)


def with_repeats(slots: Sequence[Slot], repeatable: Container[int], share: float, below: Below) -> list[Slot]:
    """Show a share of one judge's items again, sides swapped, among the last quarter of the list.

    `slots`: the judge's list in order. Only items of `repeatable`, and of the first half of
    the list, are repeated, so that a quarter of it at least lies between the two. Returns the
    list in order, positions from 1.
    """
    able = [slot for slot in slots if slot.item in repeatable]
    first_half = [slot for slot in slots[: len(slots) // 2] if slot.item in repeatable]
    again = _shuffled(first_half, below)[: share_of(len(able), share)]
    if not again:
        return list(slots)
    start = len(slots) - len(slots) // 4
    repeats = [replace(slot, on_panel=other_panel(slot.on_panel), repeat=True) for slot in again]
    late = _interleaved((slots[start:], repeats), below)
    return [replace(slot, position=place) for place, slot in enumerate([*slots[:start], *late], start=1)]


def ranked(slots: Sequence[Slot], rankable: Container[int], below: Below) -> list[Slot]:
    """Give one judge's slots of `rankable` items, but for repeats, the numbers 1, 2, ... in random order.

    Audits of agreed items take the lowest, the blinding check those that come first in another
    order of them (`checked`): each is a random sample, neither depends on the other, and nothing
    is drawn once there are answers.
    """
    numbers = iter(_shuffled(range(1, 1 + sum(_able(slot, rankable) for slot in slots)), below))
    return [replace(slot, rank=next(numbers)) if _able(slot, rankable) else slot for slot in slots]


def checked(ranks: Sequence[int], share: float) -> frozenset[int]:
    """Return the ranks that the blinding check asks about: the first by their digest.

    Path not taken: the highest. An adjudicator's list holds audits with the lowest, which it would never ask about.

    >>> sorted(checked([3, 8, 1, 5], share=0.5))
    [3, 8]
    """
    by_digest = sorted(ranks, key=lambda rank: bytes_digest(str(rank).encode()))
    return frozenset(by_digest[: share_of(len(ranks), share)])


def _able(slot: Slot, rankable: Container[int]) -> bool:
    return slot.item in rankable and not slot.repeat


def _interleaved(lists: Sequence[Sequence[Slot]], below: Below) -> list[Slot]:
    """Merge lists, each kept in its order and spread evenly over the whole."""
    placed = [
        ((rank + below(_FINE) / _FINE) / len(slots), below(_FINE), slot)
        for slots in lists
        for rank, slot in enumerate(slots)
    ]
    return [slot for _, _, slot in sorted(placed, key=lambda each: each[:2])]


def _listed(strata: Sequence[Group], items: Sequence[int], judge: int, below: Below) -> list[Slot]:
    on_panel: dict[int, str] = {}
    place: dict[int, tuple[float, int]] = {}
    for members in _by_stratum(strata, items).values():
        first = below(2)  # decides which side has one more where the stratum is odd
        sides = _shuffled(["AB"[(first + i) % 2] for i in range(len(members))], below)
        on_panel.update(zip(members, sides, strict=True))
        for rank, item in enumerate(_shuffled(members, below)):
            place[item] = (rank + below(_FINE) / _FINE) / len(members), below(_FINE)
    ordered = sorted(items, key=place.__getitem__)
    return [Slot(item, judge, on_panel[item], position) for position, item in enumerate(ordered, start=1)]


def _by_stratum(strata: Sequence[Group], items: Sequence[int]) -> dict[Group, list[int]]:
    members: defaultdict[Group, list[int]] = defaultdict(list)
    for item in items:
        members[strata[item]].append(item)
    return dict(sorted(members.items()))


def _shuffled(values: Sequence[T], below: Below) -> list[T]:
    """Fisher and Yates's shuffle (Durstenfeld 1964), from the given source."""
    shuffled = list(values)
    for last in range(len(shuffled) - 1, 0, -1):
        other = below(last + 1)
        shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
    return shuffled


def other_panel(panel: str) -> str:
    """Return B for A and A for B.

    >>> other_panel("A")
    'B'
    """
    return "B" if panel == "A" else "A"


def panels(off: str, on: str, on_panel: str) -> tuple[str, str]:
    """Return the texts of panel A and panel B.

    >>> panels("the off text", "the on text", "A")
    ('the on text', 'the off text')
    """
    return (on, off) if on_panel == "A" else (off, on)


def reveal(judgement: Judgement, on_panel: str) -> Coding:
    """Join a judgement to the arms.

    >>> reveal(Judgement("safe-cleanup", "B"), on_panel="B").arm
    'on'
    """
    arms = {None: None, "both": "both", on_panel: "on", other_panel(on_panel): "off"}
    return Coding(
        label=judgement.label,
        arm=arms[judgement.panel],
        also=judgement.also,
        reasons=judgement.reasons,
        groups=judgement.groups,
        severity=judgement.severity,
    )


def in_panels(coding: Coding, on_panel: str) -> Judgement:
    """Restate a coding in a judge's panels: the known answer of a practice item, say.

    >>> in_panels(Coding("safe-cleanup", "on"), on_panel="B").panel
    'B'
    """
    panels = {None: None, "both": "both", "on": on_panel, "off": other_panel(on_panel)}
    return Judgement(coding.label, panels[coding.arm], coding.also, coding.reasons, coding.groups, coding.severity)


def seen_from(judgement: Judgement, own_on_panel: str, other_on_panel: str) -> Judgement:
    """Restate a judgement in another judge's panels, without its private note.

    >>> seen_from(Judgement("safe-cleanup", "A", note="mine"), "A", "B")
    Judgement(label='safe-cleanup', panel='B', also=None, reasons=(), groups=(), severity=None, note='')
    """
    panel = judgement.panel
    if panel in {"A", "B"} and own_on_panel != other_on_panel:
        panel = other_panel(panel)
    return replace(judgement, panel=panel, note="")
