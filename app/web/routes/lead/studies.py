"""The lead's way in: the studies, a new one, and its protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import preparing
from app.config import another_port, content
from app.domain.errors import InvalidInput, NotFound, Problem, Refused
from app.domain.protocol import BUILT
from app.formats.toml import write_toml
from app.store import studies
from app.web.auth import Signed, SignedUpload, house_of, see_other
from app.web.leading import LEADS_ONLY, Led, answer_to, chosen, shown, study_page
from app.web.pages import render

router: Final = APIRouter(prefix="/lead")
STARTERS: Final = ("protocol.toml", "rights.toml", "items.csv")


@router.get("")
def index(request: Request, visitor: Signed) -> Response:
    """Every study that the visitor leads."""
    with house_of(request).store.read() as connection:
        rows = studies.listing(connection)
        led = [row for row in rows if studies.role_of(connection, row.id, visitor.account_id) == "lead"]
        if not led and not visitor.lead:
            message = "There is nothing here for you."
            raise NotFound(message)
        found = [preparing.standing(connection, row) for row in led]
    port = house_of(request).settings.port
    return render(
        request, "lead/index.html", title="Studies", studies=found, port=port, another_port=another_port(port)
    )


@router.get("/new", dependencies=[LEADS_ONLY])
def new(request: Request) -> Response:
    """Choose the protocol of a new study."""
    return _new(request)


def _new(request: Request, status: int = 200, problems: Sequence[Problem] = ()) -> Response:
    return render(request, "lead/new.html", status, title="Create a study", problems=problems or [])


@router.post("/new", dependencies=[LEADS_ONLY])
def create(request: Request, visitor: Signed, upload: SignedUpload) -> Response:
    """Create a study from a protocol file; whoever creates it leads it."""
    house = house_of(request)
    try:
        study_id = preparing.create(house.store, house.world, visitor.name, *chosen(upload), lead=visitor.name)
    except (InvalidInput, Refused) as error:
        return _new(request, *answer_to(error))
    return see_other(f"/lead/studies/{study_id}")


@router.get("/starter/{name}", dependencies=[LEADS_ONLY])
def starter(name: str) -> Response:
    """Hand out a file to begin with."""
    if name not in STARTERS:
        message = "There is no such file."
        raise NotFound(message)
    kind = "text/csv" if name.endswith(".csv") else "application/toml"
    named = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content(f"starter/{name}").read_bytes(), media_type=f"{kind}; charset=utf-8", headers=named)


@router.get("/studies/{study_id}/protocol")
def protocol(request: Request, study_id: Led) -> Response:
    """Read the protocol, every default spelt out; a draft's can be replaced."""
    return _protocol(request, study_id)


def _protocol(request: Request, study_id: str, status: int = 200, problems: Sequence[Problem] = ()) -> Response:
    with house_of(request).store.read() as connection:
        study = shown(connection, study_id)
        rules = studies.protocol_of(study.row)
    return study_page(
        request,
        study,
        "protocol",
        status,
        sections=BUILT,
        rules=rules,
        problems=problems,
    )


@router.get("/studies/{study_id}/protocol.toml")
def protocol_file(request: Request, study_id: Led) -> Response:
    """Hand out the protocol as a file, every default spelt out."""
    with house_of(request).store.read() as connection:
        rules = studies.protocol_of(studies.get(connection, study_id))
    named = {"Content-Disposition": f'attachment; filename="{study_id}.toml"'}
    return Response(write_toml(rules.as_data()), media_type="application/toml; charset=utf-8", headers=named)


@router.post("/studies/{study_id}/protocol")
def set_protocol(request: Request, visitor: Signed, study_id: Led, upload: SignedUpload) -> Response:
    """Replace a draft's protocol."""
    house = house_of(request)
    try:
        preparing.set_protocol(house.store, house.world, visitor.name, study_id, *chosen(upload))
    except (InvalidInput, Refused) as error:
        return _protocol(request, study_id, *answer_to(error))
    return see_other(f"/lead/studies/{study_id}/protocol?saved=yes")
