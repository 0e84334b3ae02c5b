"""The lead's pages after the close: results and export. A draft that is blocked has them too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import reporting
from app.domain.errors import InvalidInput, Problem, Refused
from app.report import html
from app.report.wording import DECISIONS
from app.web.auth import Signed, SignedForm, house_of
from app.web.forms import Form, one
from app.web.leading import Led, answer_to, shown, study_page

router: Final = APIRouter(prefix="/lead/studies/{study_id}")


@router.get("/results")
def results(request: Request, visitor: Signed, study_id: Led) -> Response:
    """The memo on screen. Refused before the close, and the refusal is audited."""
    house = house_of(request)
    composed = reporting.memo_of(house.store, house.world, visitor.name, study_id)
    with house.store.read() as connection:
        study = shown(connection, study_id)
    return study_page(request, study, "results", memo_body=html.body(composed))


@router.get("/export")
def export_page(request: Request, study_id: Led) -> Response:
    """Choose the further decision, then take the memo along."""
    return _page(request, study_id)


def _page(
    request: Request,
    study_id: str,
    status: int = 200,
    problems: Sequence[Problem] = (),
    *,
    entered: Form | None = None,
    written: Path | None = None,
) -> Response:
    with house_of(request).store.read() as connection:
        study = shown(connection, study_id)
    return study_page(
        request,
        study,
        "export",
        status,
        decisions=list(DECISIONS.items()),
        decision=one(entered or {}, "decision") or "none",
        folder=one(entered or {}, "folder") or f"memo-{study_id}",
        exports=reporting.EXPORTS,
        written=written,
        problems=problems,
    )


@router.post("/export")
def export(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """The memo in every format, as one archive to download or as a new folder beside the database."""
    house, decision = house_of(request), one(form, "decision")
    try:
        if one(form, "to") == "folder":
            name = one(form, "folder").strip()
            place = reporting.export_beside(house.store, house.world, visitor.name, study_id, name, decision)
            return _page(request, study_id, entered=form, written=place)
        archive = reporting.export_zip(house.store, house.world, visitor.name, study_id, decision)
    except (InvalidInput, Refused) as error:
        return _page(request, study_id, *answer_to(error), entered=form)
    named = f'attachment; filename="memo-{study_id}.zip"'
    return Response(archive, media_type="application/zip", headers={"Content-Disposition": named})
