"""The lead's way in: the studies, a new one, and its protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import preparing
from app.config import another_port, content
from app.domain.cost import cost
from app.domain.errors import InvalidInput, NotFound, Problem, Refused
from app.domain.explanation import EXPLANATIONS
from app.domain.plan import PLANS, plan
from app.domain.protocol import BY_SECTION, parse, unreadable
from app.formats.toml import write_toml
from app.report.wording import percent
from app.store import studies
from app.web.auth import Signed, SignedForm, SignedUpload, house_of, see_other
from app.web.forms import Form, one
from app.web.leading import LEADS_ONLY, Led, answer_to, chosen, leads, shown, study_page
from app.web.pages import render

router: Final = APIRouter(prefix="/lead")
STARTERS: Final = {
    "protocol.toml": "application/toml",
    "rights.toml": "application/toml",
    "items.csv": "text/csv",
    "practice.jsonl": "application/jsonl",
}


@router.get("")
def index(request: Request, visitor: Signed) -> Response:
    """Every study that the visitor leads."""
    with house_of(request).store.read() as connection:
        rows = studies.listing(connection)
        led = [row for row in rows if leads(connection, visitor, row.id)]
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


def _new(
    request: Request,
    status: int = 200,
    problems: Sequence[Problem] = (),
    *,
    form: Form | None = None,
) -> Response:
    """Render the page; `form`: what was entered to begin with a plan, where that was not taken."""
    begun = form is not None
    return render(
        request,
        "lead/new.html",
        status,
        title="Create a study",
        problems=[] if begun else problems or [],
        errors={each.field or "": each.message for each in reversed(problems)} if begun else {},
        entered=form or {},
        scopes=EXPLANATIONS["study.scope"].choices,
        plans=[(each, cost(parse({"study": {"id": "x"}, "selection": each.values()}))) for each in PLANS],
        percent=percent,
    )


@router.post("/new", dependencies=[LEADS_ONLY])
def create(request: Request, visitor: Signed, upload: SignedUpload) -> Response:
    """Create a study from a protocol file; whoever creates it leads it."""
    house = house_of(request)
    try:
        study_id = preparing.create(house.store, house.world, visitor.name, *chosen(upload), lead=visitor.name)
    except (InvalidInput, Refused) as error:
        return _new(request, *answer_to(error))
    return see_other(f"/lead/studies/{study_id}")


@router.post("/new/plan", dependencies=[LEADS_ONLY])
def begin(request: Request, visitor: Signed, form: SignedForm) -> Response:
    """Create a study from a few words and a plan; whoever creates it leads it, and goes on in the editor."""
    house = house_of(request)
    try:
        data = write_toml(_begun(form)).encode()
        study_id = preparing.create(house.store, house.world, visitor.name, data, "the form", lead=visitor.name)
    except (InvalidInput, Refused) as error:
        return _new(request, *answer_to(error), form=form)
    return see_other(f"/lead/studies/{study_id}/protocol/edit")


def _begun(form: Form) -> dict[str, dict[str, Any]]:
    """Return the protocol that a form begins. Raises InvalidInput with every faulty control."""
    words = {key: one(form, key).strip() for key in ("id", "title", "scope", "question")}
    chosen = plan(one(form, "plan"))
    told = "enter it here; until the freeze it can be changed"
    problems = [Problem(told, field=key) for key in ("title", "scope", "question") if not words[key]]
    if chosen is None and one(form, "plan") != "none":
        problems.append(Problem("choose a plan, or none", field="plan"))
    data = {"study": words}
    try:
        found = unreadable(parse({"study": {key: text for key, text in words.items() if text or key == "id"}}))
    except InvalidInput as error:
        found = list(error.problems)
    problems += [Problem(each.message, field=(each.field or "").removeprefix("study.")) for each in found]
    if problems:
        raise InvalidInput(problems)
    return data | ({"selection": chosen.values()} if chosen else {})


@router.get("/starter/{name}", dependencies=[LEADS_ONLY])
def starter(name: str) -> Response:
    """Hand out a file to begin with."""
    if name not in STARTERS:
        message = "There is no such file."
        raise NotFound(message)
    named = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(
        content(f"starter/{name}").read_bytes(), media_type=f"{STARTERS[name]}; charset=utf-8", headers=named
    )


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
        sections=BY_SECTION,
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
