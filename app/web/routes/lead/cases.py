"""The lead's look at single cases after the close: on screen, audited, never exported."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.actions import looking
from app.domain import codebook
from app.domain.difference import difference
from app.domain.text import runs
from app.web.auth import Signed, house_of
from app.web.leading import Led, shown, study_page
from app.web.showing import badges

router: Final = APIRouter(prefix="/lead/studies/{study_id}")

TITLES: Final = {
    "destructive": "Damaged",
    "disputed": "Disputed",
    "unassessable": "Not assessable",
    "pending": "Pending",
    "control": "Changed control",
}


@router.get("/cases")
def cases(
    request: Request, visitor: Signed, study_id: Led, kind: str = "", page: Annotated[str, Query(max_length=9)] = "1"
) -> Response:
    """One page of cases, both texts with their arms. Refused before the close, and the refusal is audited."""
    house = house_of(request)
    number = int(page) if page.isdecimal() else 0
    found = looking.look(house.store, house.world, visitor.name, study_id, kind, number)
    with house.store.read() as connection:
        study = shown(connection, study_id)
    return study_page(
        request,
        study,
        "cases",
        look=found,
        compared=[_compared(case) for case in found.shown],
        titles=TITLES,
        codebook=codebook,
        choices=codebook.titles(),
        runs=runs,
    )


def _compared(case: looking.Case) -> dict[str, Any]:
    """Return how the two texts of a case differ: nothing to mark where they are equal or gone."""
    if case.content is None or not case.content.changed:
        return {"shown": None, "badge": False, "lines": False, "alike": ()}
    off, on = case.content.off, case.content.on
    return {"shown": difference(off, on)} | badges(off, on)
