"""Who takes part in a study, and the accounts that people sign in with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import accounts as act
from app.actions import preparing, replacing
from app.domain.custody import unchangeable
from app.domain.errors import InvalidInput, NotFound, Problem, Refused
from app.domain.readiness import ROLES
from app.store import accounts, custody, studies
from app.web.auth import Signed, SignedForm, Visitor, house_of, see_other
from app.web.forms import Form, one
from app.web.leading import LEADS_ONLY, Led, answer_to, shown, study_page
from app.web.pages import render
from app.web.refusals import NOT_THEIRS

router: Final = APIRouter(prefix="/lead")


@router.get("/studies/{study_id}/people")
def people(request: Request, study_id: Led) -> Response:
    """See who takes part; in a draft, choose."""
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
        members = studies.members(connection, study_id)
        known = [row.name for row in accounts.listing(connection) if not row.disabled]
        informed = frozenset() if study.draft else custody.informed(connection, study_id)
    roles = {row.name: row.role for row in members}
    attested = next((row.attested for row in members if row.attested), "")
    names = sorted({*known, *roles}) if study.draft else [row.name for row in members]
    if entered is not None and study.draft:
        roles, attested = {name: one(entered, f"role.{name}") for name in names}, one(entered, "attest")
    return study_page(
        request,
        study,
        "people",
        status,
        names=names,
        roles=roles,
        attested=attested,
        role_names={role: role.capitalize() for role in ROLES},
        staying=[row.name for row in members if row.role == "reviewer" and row.left_at is None],
        disabled=[row.name for row in members if row.disabled],
        left=[row.name for row in members if row.left_at is not None],
        outside=sorted(set(known) - {row.name for row in members} - informed),
        entered={name: one(entered or {}, name) for name in ("name", "newcomer", "reason", "attest")},
        problems=problems,
    )


@router.post("/studies/{study_id}/people")
def assign(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Set who takes part, in place of the former."""
    house = house_of(request)
    chosen = {control.removeprefix("role."): one(form, control) for control in form if control.startswith("role.")}
    roles = [(role, name) for name, role in chosen.items() if role]
    try:
        preparing.assign(house.store, house.world, visitor.name, study_id, roles, one(form, "attest"))
    except (InvalidInput, Refused) as error:
        return _page(request, study_id, *answer_to(error), entered=form)
    still_leads = ("lead", visitor.name) in roles
    return see_other(f"/lead/studies/{study_id}/people?saved=yes" if still_leads else "/")


@router.post("/studies/{study_id}/replace")
def replace(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Let a reviewer leave a running study."""
    house = house_of(request)
    given = (one(form, name) for name in ("name", "newcomer", "reason", "attest"))
    try:
        replacing.replace(house.store, house.world, visitor.name, study_id, *given)
    except (InvalidInput, NotFound, Refused) as error:
        return _page(request, study_id, *answer_to(error), entered=form)
    return see_other(f"/lead/studies/{study_id}/people?saved=yes")


@router.get("/accounts", dependencies=[LEADS_ONLY])
def accounts_page(request: Request, visitor: Signed) -> Response:
    """Every account, and a form for a new one."""
    return _accounts(request, visitor)


def _accounts(
    request: Request,
    visitor: Visitor,
    status: int = 200,
    problems: Sequence[Problem] = (),
    *,
    entered: str = "",
    fresh: tuple[str, str] | None = None,
) -> Response:
    """Render the page; `fresh`: a name and its new one-time code, which is shown this once."""
    with house_of(request).store.read() as connection:
        rows, given = accounts.listing(connection), custody.givers(connection)
        seen = [custody.seen_by(connection, row, visitor.account_id, given) for row in rows]
    return render(
        request,
        "lead/accounts.html",
        status,
        title="Accounts",
        accounts=rows,
        changeable=[each.name for each in seen if unchangeable(each, visitor.name) is None],
        problems=problems,
        errors={each.field: each.message for each in problems if each.field},
        entered=entered,
        fresh=fresh,
        days=act.CODE_DAYS,
        address=f"http://{request.headers['host']}/code",
        port=house_of(request).settings.port,
    )


@router.post("/accounts", dependencies=[LEADS_ONLY])
def add(request: Request, visitor: Signed, form: SignedForm) -> Response:
    """Add a judge's account; its one-time code is shown once."""
    house, name = house_of(request), one(form, "name").strip()
    try:
        code = act.add(house.store, house.world, house.passwords, name, lead=False, actor=visitor.name)
    except (InvalidInput, Refused) as error:
        return _accounts(request, visitor, *answer_to(error), entered=name)
    return _accounts(request, visitor, fresh=(name, str(code)))


@router.post("/accounts/reset", dependencies=[LEADS_ONLY])
def reset(request: Request, visitor: Signed, form: SignedForm) -> Response:
    """Give an account a new one-time code, shown once; its password and sessions end."""
    house, name = house_of(request), one(form, "name")
    try:
        code = act.reset(house.store, house.world, name, actor=visitor.name)
    except (NotFound, Refused) as error:
        return _unchanged(request, visitor, error)
    return _accounts(request, visitor, fresh=(name, code))


@router.post("/accounts/disable", dependencies=[LEADS_ONLY])
def disable(request: Request, visitor: Signed, form: SignedForm) -> Response:
    """Shut an account out; what it stored stays."""
    house = house_of(request)
    try:
        act.disable(house.store, house.world, one(form, "name"), actor=visitor.name)
    except (NotFound, Refused) as error:
        return _unchanged(request, visitor, error)
    return see_other("/lead/accounts")


def _unchanged(request: Request, visitor: Visitor, error: NotFound | Refused) -> Response:
    if isinstance(error, Refused):
        request.state.refused = NOT_THEIRS
    return _accounts(request, visitor, 409, [Problem(str(error))])
