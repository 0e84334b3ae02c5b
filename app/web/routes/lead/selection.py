"""A draw from a list of candidates. Nothing of it is stored: the answer is the record, or all of it as an archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import selecting
from app.domain.errors import InvalidInput, Problem
from app.domain.selection import Selection
from app.web.auth import SignedUploads
from app.web.forms import FILES, Uploads, one
from app.web.leading import LEADS_ONLY
from app.web.pages import render

router: Final = APIRouter(prefix="/lead/select", dependencies=[LEADS_ONLY])
NAMES: Final = {"file": "Candidates", "protocol": "Protocol"}


@router.get("")
def choose(request: Request) -> Response:
    """Choose the candidates and the protocol."""
    return _page(request)


def _page(request: Request, status: int = 200, **context: Any) -> Response:
    nothing = {"problems": (), "faulty": (), "drawn": None}
    return render(request, "lead/select.html", status, title="Select from a corpus", **nothing | context)


@router.post("")
def draw(request: Request, uploads: SignedUploads) -> Response:
    """Draw, and show the record or hand out the archive."""
    try:
        drawn = _drawn(uploads)
    except InvalidInput as error:
        return _page(request, 422, problems=error.problems, faulty=list(_blamed(uploads, error.problems)))
    if one(uploads.form, "to") != "download":
        return _page(request, drawn=drawn)
    named = f'attachment; filename="selection-{drawn.record["study"]}.zip"'
    return Response(selecting.archive(drawn), media_type="application/zip", headers={"Content-Disposition": named})


def _blamed(uploads: Uploads, problems: Sequence[Problem]) -> Iterator[str]:
    """Yield the controls whose file has a problem, or that lack theirs."""
    for control in FILES:
        name = uploads.files.get(control, (b"", ""))[1]
        if any(each.where == name if each.where else each.field == NAMES.get(control) for each in problems):
            yield control


def _drawn(uploads: Uploads) -> Selection:
    absent = [Problem("choose a file first", field=name) for key, name in NAMES.items() if key not in uploads.files]
    if absent:
        raise InvalidInput(absent)
    return selecting.draw(uploads.files["file"], uploads.files["protocol"], uploads.files.get("columns"))
