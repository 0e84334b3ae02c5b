"""The check before the freeze, what it asks to acknowledge, and the freeze."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import freezing
from app.domain.errors import InvalidInput, Problem, Refused
from app.domain.stage import PARTS
from app.store import audit
from app.web.auth import Signed, SignedForm, house_of, see_other
from app.web.forms import Form, one
from app.web.leading import Led, answer_to, shown, study_page

router: Final = APIRouter(prefix="/lead/studies/{study_id}/freeze")


@router.get("")
def check(request: Request, study_id: Led) -> Response:
    """See what stands between a draft and its freeze; after it, what was frozen."""
    return _page(request, study_id)


def _page(
    request: Request,
    study_id: str,
    status: int = 200,
    problems: Sequence[Problem] = (),
    entered: Form | None = None,
) -> Response:
    with house_of(request).store.read() as connection:
        study = shown(connection, study_id)
        newest = audit.newest(connection, study_id)
    report = study.standing.report
    return study_page(
        request,
        study,
        "freeze",
        status,
        report=report,
        errors={part: found for part in PARTS if (found := report.of_part(part))} if report else {},
        row=study.row,
        seen=newest,
        acknowledged=(entered or {}).get("acknowledge", []),
        sent=entered is not None,
        problems=problems,
    )


@router.post("")
def freeze(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Freeze a study whose check is clean and acknowledged."""
    house = house_of(request)
    try:
        acknowledged = form.get("acknowledge", [])
        seen = one(form, "seen")  # a form without it has seen nothing
        freezing.freeze(house.store, house.world, visitor.name, study_id, acknowledged, seen=seen)
    except (InvalidInput, Refused) as error:
        status, problems = answer_to(error)
        if isinstance(error, Refused) and error.code == "acknowledge":
            status, problems = 422, [Problem("Read each point below and tick it: only then can the study be frozen.")]
        return _page(request, study_id, status, problems, entered=form)
    return see_other(f"/lead/studies/{study_id}")
