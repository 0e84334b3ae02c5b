"""The lead's pages after the close: results and export."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import reporting
from app.domain.errors import InvalidInput, Refused
from app.report import html
from app.report.wording import DECISIONS
from app.store import studies
from app.store.progress import progress
from app.web.auth import Signed, SignedForm, house_of, one
from app.web.pages import render
from app.web.routes.lead.progress import Led

router: Final = APIRouter(prefix="/lead/studies/{study_id}")


@router.get("/results")
def results(request: Request, visitor: Signed, study_id: Led) -> Response:
    """The memo on screen. Refused before the close, and the refusal is audited."""
    house = house_of(request)
    composed = reporting.memo_of(house.store, house.world, visitor.name, study_id)
    with house.store.read() as connection:
        found = progress(connection, studies.get(connection, study_id))
    return render(
        request,
        "lead/results.html",
        title=f"Results: {found.title}",
        study_title=found.title,
        progress=found,
        memo_body=html.body(composed),
    )


@router.get("/export")
def export_page(request: Request, study_id: Led) -> Response:
    """Choose the further decision, then download the memo."""
    return _export_page(request, study_id)


def _export_page(request: Request, study_id: str, status: int = 200, error: str | None = None) -> Response:
    with house_of(request).store.read() as connection:
        found = progress(connection, studies.get(connection, study_id))
    return render(
        request,
        "lead/export.html",
        status,
        title=f"Export: {found.title}",
        study_title=found.title,
        progress=found,
        decisions=list(DECISIONS.items()),
        error=error,
    )


@router.post("/export")
def export(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """The memo in every format as one archive."""
    house = house_of(request)
    try:
        archive = reporting.export_zip(house.store, house.world, visitor.name, study_id, one(form, "decision"))
    except InvalidInput as error:
        return _export_page(request, study_id, 422, error.problems[0].message)
    except Refused as error:
        return _export_page(request, study_id, 409, str(error))
    named = f'attachment; filename="memo-{study_id}.zip"'
    return Response(archive, media_type="application/zip", headers={"Content-Disposition": named})
