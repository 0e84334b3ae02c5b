"""Sides and orders, and the only code that joins panel and arm.

Sides are balanced within stratum and reviewer and drawn independently for each
reviewer; the order is random for each reviewer, every stratum spread evenly over it.
Randomness comes in as `below`: a function giving a uniform integer in [0, n).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, TypeVar

from app.domain.judgement import Coding, Judgement
from app.domain.protocol import REVIEWERS_PER_ITEM

T = TypeVar("T")
Below = Callable[[int], int]
_FINE: Final = 1 << 53


@dataclass(frozen=True)
class Slot:
    """One item in one judge's list. `item` and `judge` index the inputs of the draw."""

    item: int
    judge: int
    on_panel: str
    position: int


def allocate(strata: Sequence[str], reviewers: int, below: Below) -> list[Slot]:
    """Draw every reviewer's items, sides and order.

    `strata`: the stratum of each item. With two reviewers each sees every item; a larger
    pool gets all its pairs equally often. Returns two slots an item, positions from 1.
    Raises ValueError for fewer than two reviewers.
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


def allocate_one(strata: Sequence[str], below: Below) -> list[Slot]:
    """Draw fresh sides and an order of all items for one judge: an adjudicator, or who takes over a list.

    The adjudicator's are drawn over every item, so that nothing depends on what is routed.
    """
    return _listed(strata, range(len(strata)), 0, below)


def _listed(strata: Sequence[str], items: Sequence[int], judge: int, below: Below) -> list[Slot]:
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


def _by_stratum(strata: Sequence[str], items: Sequence[int]) -> dict[str, list[int]]:
    members: defaultdict[str, list[int]] = defaultdict(list)
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


def seen_from(judgement: Judgement, own_on_panel: str, other_on_panel: str) -> Judgement:
    """Restate a judgement in another judge's panels, without its private note.

    >>> seen_from(Judgement("safe-cleanup", "A", note="mine"), "A", "B")
    Judgement(label='safe-cleanup', panel='B', also=None, reasons=(), groups=(), severity=None, note='')
    """
    panel = judgement.panel
    if panel in {"A", "B"} and own_on_panel != other_on_panel:
        panel = other_panel(panel)
    return replace(judgement, panel=panel, note="")
