"""Where a study stands on its way, and what that allows."""

from __future__ import annotations

from typing import Final

STAGES: Final = ("draft", "ready", "reviewing", "adjudicating", "ready to close", "closed")
NEXT: Final = {
    "draft": "Finish the preparation, then freeze the study.",
    "ready": "Freeze the study.",
    "reviewing": "Wait for the reviewers to sign off.",
    "adjudicating": "Wait for the adjudicator to sign off.",
    "ready to close": "Close the study.",
    "closed": "Read the results and export the memo.",
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
