"""The rights ledger of a study: what may be done with each source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import preparing
from app.domain.errors import InvalidInput, Problem, Refused
from app.domain.rights import FIELDS, NEEDED, OPERATIONS
from app.store import studies
from app.web.auth import Signed, SignedUpload, house_of, see_other
from app.web.leading import Led, answer_to, chosen, shown, study_page

router: Final = APIRouter(prefix="/lead/studies/{study_id}/rights")


@router.get("")
def rights(request: Request, study_id: Led) -> Response:
    """Read the ledger; a draft's can be replaced."""
    return _page(request, study_id)


def _page(request: Request, study_id: str, status: int = 200, problems: Sequence[Problem] = ()) -> Response:
    with house_of(request).store.read() as connection:
        study = shown(connection, study_id)
        ledger = studies.ledger(connection, study_id)
    return study_page(
        request,
        study,
        "rights",
        status,
        ledger=ledger,
        fields=FIELDS,
        operations=OPERATIONS,
        needed=NEEDED,
        problems=problems,
    )


@router.post("")
def set_rights(request: Request, visitor: Signed, study_id: Led, upload: SignedUpload) -> Response:
    """Replace the ledger."""
    house = house_of(request)
    try:
        preparing.set_rights(house.store, house.world, visitor.name, study_id, *chosen(upload))
    except (InvalidInput, Refused) as error:
        return _page(request, study_id, *answer_to(error))
    return see_other(f"/lead/studies/{study_id}/rights?saved=yes")
