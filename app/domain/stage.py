"""Where a study stands on its way, what is done next, and on which of its pages."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

STAGES: Final = ("draft", "ready", "reviewing", "adjudicating", "ready to close", "closed")


@dataclass(frozen=True)
class NextAction:
    """The one thing to do next, and where: a page of the study, `close` on its own page, or "" to wait there."""

    place: str
    told: str


# What a draft needs, in the order in which a lead takes it up.
PREPARING: Final = (
    NextAction("protocol", "Complete the protocol."),
    NextAction("rights", "Say what may be done with each source."),
    NextAction("items", "Import the items."),
    NextAction("people", "Choose the people."),
)
PARTS: Final = tuple(each.place for each in PREPARING)
NEXT: Final = {
    "ready": NextAction("freeze", "Read the check, then freeze the study."),
    "reviewing": NextAction("", "Wait for the reviewers to sign off."),
    "adjudicating": NextAction("", "Wait for the adjudicator to sign off."),
    "ready to close": NextAction("close", "Close the study."),
    "closed": NextAction("results", "Read the results and export the memo."),
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


def next_action(stage: str, lacking: Collection[str] = ()) -> NextAction:
    """Return the one thing to do next. `lacking`: the parts of a draft that are not complete.

    >>> next_action("draft", {"people", "items"}).place
    'items'
    """
    if stage == "draft":
        return next(each for each in PREPARING if each.place in lacking)
    return NEXT[stage]
