"""Where a study stands on its way, what is done next, and on which of its pages."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

STAGES: Final = ("draft", "ready", "reviewing", "adjudicating", "ready to close", "closed")


@dataclass(frozen=True)
class Step:
    """One thing to do, and where: a part of the study, or "" where one can only wait on the study's own page."""

    place: str
    told: str


# What a draft needs, in the order in which a lead takes it up.
PREPARING: Final = (
    Step("protocol", "Complete the protocol."),
    Step("rights", "Say what may be done with each source."),
    Step("items", "Import the items."),
    Step("people", "Choose the people."),
)
PARTS: Final = tuple(step.place for step in PREPARING)
NEXT: Final = {
    "ready": Step("freeze", "Read the check, then freeze the study."),
    "reviewing": Step("", "Wait for the reviewers to sign off."),
    "adjudicating": Step("", "Wait for the adjudicator to sign off."),
    "ready to close": Step("close", "Close the study."),
    "closed": Step("results", "Read the results and export the memo."),
}


def stage(*, ready: bool, frozen: bool, reviews_signed: bool, adjudicated: bool, closed: bool) -> str:
    """Return the stage of a study.

    `ready`: the check before the freeze finds no error. `adjudicated`: the adjudicator has
    signed off, or there is none.

    >>> stage(ready=True, frozen=True, reviews_signed=True, adjudicated=False, closed=False)
    'adjudicating'
    """
    if closed:
        return "closed"
    if not frozen:
        return "ready" if ready else "draft"
    if not reviews_signed:
        return "reviewing"
    return "ready to close" if adjudicated else "adjudicating"


def next_step(stage: str, lacking: Collection[str] = ()) -> Step:
    """Return the one thing to do next. `lacking`: the parts of a draft that are not complete.

    >>> next_step("draft", {"people", "items"}).place
    'items'
    """
    if stage == "draft":
        return next(step for step in PREPARING if step.place in lacking)
    return NEXT[stage]
