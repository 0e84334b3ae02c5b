"""Which items of a closed study are worth a look, and what stands beside each: codings in arms, and nobody's name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from app.domain import codebook
from app.domain.judgement import Coding
from app.domain.outcome import JudgedItem, Outcome

_KINDS: Final[dict[str, Callable[[JudgedItem, Outcome], bool]]] = {
    "destructive": lambda _, found: found.introduced or (found.final is not None and found.final.destructive),
    "disputed": lambda _, found: found.state == "disputed",
    "unassessable": lambda _, found: found.unassessable,
    "pending": lambda _, found: found.state == "pending",
    "control": lambda item, _: item.control and item.changed and not item.withdrawn,
}
KINDS: Final = tuple(_KINDS)


def kinds(item: JudgedItem, outcome: Outcome) -> tuple[str, ...]:
    """Return all kinds of case that an item is; most items are none.

    >>> kinds(JudgedItem("fluent", "1", control=True, changed=True), Outcome("pending"))
    ('pending', 'control')
    """
    return tuple(kind for kind, holds in _KINDS.items() if holds(item, outcome))


@dataclass(frozen=True)
class Told:
    """One coding and whose it is, by part and not by name; `unresolved`: why there is none."""

    who: str
    coding: Coding | None
    unresolved: str | None = None


def told(item: JudgedItem) -> tuple[Told, ...]:
    """Return the signed reviews, sorted by the codebook so that no order tells whose they are, and the third judge's.

    A review that was never signed is a draft, and nobody's to look at.
    """
    signed = sorted(item.signed, key=_place)
    reviews = [Told("Another review" if place else "One review", coding) for place, coding in enumerate(signed)]
    step = item.adjudication
    if step is None:
        return tuple(reviews)
    own = [Told("The adjudicator, before seeing the reviews", step.first)] if step.first else []
    settled = [Told("The adjudicator, in the end", step.final, step.unresolved_reason)] if step.decision else []
    return (*reviews, *own, *settled)


def _place(coding: Coding) -> tuple[Any, ...]:
    return codebook.LABEL_KEYS.index(coding.label), coding.arm or "", coding.also or "", coding.reasons
