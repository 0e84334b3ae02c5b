"""Sign-in, the home page, the guide: what everybody reaches."""

from __future__ import annotations

from functools import partial
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response

from app.actions import accounts as act
from app.actions import sessions
from app.domain import codebook
from app.domain.difference import difference
from app.domain.errors import InvalidInput, NotFound, TooSoon
from app.domain.protocol import BY_SECTION, FOR_JUDGES
from app.domain.text import runs
from app.store import accounts, judging
from app.store.db import Row
from app.web import guidance
from app.web.auth import (
    FORM_CHECKED,
    ITEM,
    KNOWN,
    SIGNED_IN,
    Signed,
    SignedForm,
    Visitor,
    clear_cookie,
    find_visitor,
    forget_pages,
    house_of,
    is_open,
    see_other,
    set_cookie,
    set_known,
    visitor_of,
)
from app.web.forms import Form, Posted, one
from app.web.judging import keep_unsent
from app.web.pages import render
from app.web.seat import ADJUDICATOR, REVIEWER
from app.web.turns import HASHING, in_turn

router: Final = APIRouter()
WORK: Final = {seat.role: seat.base for seat in (REVIEWER, ADJUDICATOR)}


@router.get("/healthz")
def healthz() -> Response:
    """Say that the server runs; no data."""
    return PlainTextResponse("ok")


@router.get("/login")
def login_page(request: Request, back: str = "") -> Response:
    """Show the sign-in page. `back`: the item to return to."""
    return _sign_in_page(request, back)


def _sign_in_page(
    request: Request, back: str, kept: str = "", *, status: int = 200, error: str | None = None, username: str = ""
) -> Response:
    """Show the sign-in page; `kept` is what an item's form held when its session had ended."""
    shown = {"error": error, "username": username, "back": _item(back), "kept": kept}
    return render(request, "entry/login.html", status, title="Sign in", **shown)


def _too_soon(answer: Response, error: TooSoon) -> Response:
    """Say in a header too when to try again."""
    answer.headers["Retry-After"] = str(error.seconds)
    return answer


def _item(back: str) -> str:
    """Return the address of an item, or "" for anything else: nobody is led elsewhere by a link."""
    found = ITEM.fullmatch(back)
    return found[1] if found else ""


@router.post("/login")
async def login(request: Request, form: Posted) -> Response:
    """Sign in; a former session of this browser ends."""
    name, back, kept = one(form, "username").strip(), one(form, "back"), one(form, "kept")
    if "username" not in form:  # an item's page hands over what it could not send, or a browser its form
        back = back or request.query_params.get("back", "")
        kept = kept or (_unsent(form) if _item(back) else "")
        if kept:
            return _sign_in_page(request, back, kept)
    try:
        await run_in_threadpool(_await_turn, request, name)
        return await in_turn(HASHING, partial(_sign_in, request, name, one(form, "password"), back, kept))
    except InvalidInput as error:
        return _sign_in_page(request, back, kept, status=422, error=error.problems[0].message, username=name)
    except TooSoon as error:
        again = _sign_in_page(request, back, kept, status=429, error=str(error), username=name)
        return _too_soon(again, error)


def _unsent(form: Form) -> str:
    """Return an item's form, which came here by itself, as it was sent; "" for any other."""
    return (
        urlencode({name: values for name, values in form.items() if name != "csrf"}, doseq=True)
        if "version" in form
        else ""
    )


def _await_turn(request: Request, name: str) -> None:
    house = house_of(request)
    sessions.await_turn(house.store, house.world, name, brought=request.cookies.get(KNOWN, ""), paces=house.paces)


def _sign_in(request: Request, name: str, password: str, back: str, kept: str) -> Response:
    house, brought = house_of(request), request.cookies.get(KNOWN, "")
    signed_in = sessions.sign_in(
        *(house.store, house.world, house.passwords, name, password), brought=brought, paces=house.paces
    )
    return _welcome(request, signed_in, _item(back), kept)


def _welcome(request: Request, signed_in: sessions.SignedIn, back: str = "", kept: str = "") -> Response:
    house, former = house_of(request), find_visitor(request)
    if former is not None:
        sessions.sign_out(house.store, house.world, former.token, former.name)
    visitor = visitor_of(request, signed_in.token) if back else None
    if visitor is not None:
        keep_unsent(request, visitor, back, parse_qs(kept))
    answer = see_other(back or "/")
    set_cookie(answer, signed_in.token)
    set_known(answer, signed_in.known)
    return answer


@router.get("/session")
def session(request: Request) -> Response:
    """Say whether a session is still there, and note that it is in use."""
    return Response(status_code=204 if find_visitor(request) else 401)


@router.get("/code")
def code_page(request: Request) -> Response:
    """Show the page for a one-time code."""
    return render(request, "entry/code.html", title="First sign-in", errors={}, username="")


@router.post("/code")
async def use_code(request: Request, form: Posted) -> Response:
    """Take a one-time code and set a password."""
    return await in_turn(HASHING, partial(_use_code, request, form))


def _use_code(request: Request, form: Form) -> Response:
    house, name = house_of(request), one(form, "username").strip()
    given = (name, one(form, "code"), one(form, "password"))
    shown = {"title": "First sign-in", "username": name}
    try:
        signed_in = sessions.use_code(house.store, house.world, house.passwords, *given, paces=house.paces)
    except InvalidInput as error:
        return render(request, "entry/code.html", 422, errors=_by_field(error), **shown)
    except TooSoon as error:
        return _too_soon(render(request, "entry/code.html", 429, errors={"code": str(error)}, **shown), error)
    return _welcome(request, signed_in)


def _by_field(error: InvalidInput) -> dict[str, str]:
    return {problem.field or "": problem.message for problem in error.problems}


@router.post("/logout", dependencies=[FORM_CHECKED])
def logout(request: Request, visitor: Signed) -> Response:
    """Sign out."""
    house = house_of(request)
    sessions.sign_out(house.store, house.world, visitor.token, visitor.name)
    house.tray.drop(visitor.session)
    house.problems.drop(visitor.session)
    answer = see_other("/login")
    clear_cookie(answer)
    forget_pages(answer)
    return answer


@router.get("/account", dependencies=[SIGNED_IN])
def account_page(request: Request, changed: str = "") -> Response:
    """Show the page for a new password. `back`, in the address: the item to return to."""
    return _account_page(request, done=changed)


def _account_page(
    request: Request,
    errors: dict[str, str] | None = None,
    done: str = "",
    *,
    which: str = "",
    status: int | None = None,
) -> Response:
    shown: dict[str, Any] = {"errors": errors or {}, "done": done, "themes": act.THEMES, "sizes": act.TEXT_SIZES}
    shown["back"] = _item(request.query_params.get("back", ""))
    shown |= {"sessions": _open_sessions(request), "others": sessions.OTHERS, "which": which}
    return render(request, "entry/account.html", status or (422 if errors else 200), title="Your account", **shown)


def _open_sessions(request: Request) -> list[tuple[bool, Row[Any]]]:
    """Return the visitor's sessions that can still be used, each with whether it is this one, which comes first."""
    house, visitor = house_of(request), request.state.visitor
    with house.store.read() as connection:
        rows = accounts.sessions_of(connection, visitor.account_id)
    now = house.world.now()
    found = [(row.token_hash == visitor.session, row) for row in rows if is_open(house.settings, row, now)]
    return sorted(found, key=lambda each: not each[0])


@router.post("/account/look")
def change_look(request: Request, visitor: Signed, form: SignedForm) -> Response:
    """Keep how pages look to this person, and whether single keys act."""
    house = house_of(request)
    theme, text_size, shortcuts = one(form, "theme"), one(form, "text_size"), one(form, "shortcuts") == "yes"
    try:
        act.set_look(
            *(house.store, house.world, visitor.account_id, visitor.name),
            theme=theme,
            text_size=text_size,
            shortcuts=shortcuts,
        )
    except InvalidInput as error:
        return _account_page(request, _by_field(error))
    back = _item(request.query_params.get("back", ""))
    return see_other("/account?changed=look" + (f"&back={back}" if back else ""))


@router.post("/account")
async def change_password(request: Request, visitor: Signed, form: SignedForm) -> Response:
    """Set a new password; every other session ends."""
    return await in_turn(HASHING, partial(_change_password, request, visitor, form))


def _change_password(request: Request, visitor: Visitor, form: Form) -> Response:
    house = house_of(request)
    given = (visitor.name, one(form, "current"), one(form, "password"))
    try:
        signed_in = sessions.change_password(house.store, house.world, house.passwords, *given, paces=house.paces)
    except InvalidInput as error:
        return _account_page(request, _by_field(error))
    except TooSoon as error:
        return _too_soon(_account_page(request, {"current": str(error)}, status=429), error)
    answer = see_other("/account?changed=yes")
    set_cookie(answer, signed_in.token)
    return answer


@router.post("/account/sessions")
async def end_sessions(request: Request, visitor: Signed, form: SignedForm) -> Response:
    """End one of the visitor's other sessions, or all of them."""
    return await in_turn(HASHING, partial(_end_sessions, request, visitor, form))


def _end_sessions(request: Request, visitor: Visitor, form: Form) -> Response:
    house = house_of(request)
    which = one(form, "which")
    given = (visitor.name, one(form, "own_password"), visitor.token, which)
    try:
        ended = sessions.end_sessions(house.store, house.world, house.passwords, *given, paces=house.paces)
    except InvalidInput as error:
        return _account_page(request, _by_field(error), which=which)
    except TooSoon as error:
        return _too_soon(_account_page(request, {"own_password": str(error)}, which=which, status=429), error)
    for each in ended:
        house.tray.drop(each)
        house.problems.drop(each)
    return see_other("/account?changed=sessions")


@router.get("/")
def home(request: Request) -> Response:
    """Go straight to the one open study, or ask which."""
    house, visitor = house_of(request), find_visitor(request)
    if visitor is None:
        with house.store.read() as connection:
            empty = not accounts.listing(connection)
        if not empty:
            return see_other("/login")
        return render(request, "entry/first.html", title="This store is empty", port=house.settings.port)
    with house.store.read() as connection:
        studies = judging.studies_of(connection, visitor.account_id)
        later = accounts.barred_from(connection, visitor.session)
    running = [study for study in studies if study.frozen_at is not None and study.closed_at is None]
    if len(running) == 1 == len([study for study in studies if study.closed_at is None]):
        if visitor.study_id != running[0].id:
            sessions.choose_study(house.store, visitor.token, running[0].id)
        return see_other(_place(running[0].role, running[0].id))
    if not studies and visitor.lead:
        return see_other("/lead")
    return render(request, "entry/home.html", title="Your studies", studies=studies, later=later)


def _place(role: str, study_id: str) -> str:
    return WORK.get(role, f"/lead/studies/{study_id}")


@router.post("/")
def choose(request: Request, visitor: Signed, form: SignedForm) -> Response:
    """Keep the chosen study in the session and go there."""
    house, chosen = house_of(request), one(form, "study")
    with house.store.read() as connection:
        found = {study.id: study.role for study in judging.studies_of(connection, visitor.account_id)}
    if chosen not in found:
        message = "There is no such study for you."
        raise NotFound(message)
    sessions.choose_study(house.store, visitor.token, chosen)
    return see_other(_place(found[chosen], chosen))


@router.get("/guide")
def guide(request: Request, visitor: Signed) -> Response:
    """Show the codebook's guidelines, as frozen with the study the visitor works on."""
    chosen = _frozen_study(request, visitor)
    return render(
        request,
        "judge/guide.html",
        title="Guide",
        guide=guidance.guidelines_of(request, chosen.id if chosen is not None else None),
        codebook=codebook,
        difference=difference,
        runs=runs,
        chosen=chosen,
    )


@router.get("/protocol")
def protocol(request: Request, visitor: Signed) -> Response:
    """Show the rules of the study that the visitor works on, as frozen; to judges all of them at the close."""
    chosen = _frozen_study(request, visitor)
    if chosen is None:
        message = "There is no study here whose rules are fixed."
        raise NotFound(message)
    with house_of(request).store.read() as connection:
        rules = judging.protocol(connection, chosen.id)
    whole = chosen.closed_at is not None or chosen.role == "lead"
    return render(
        request,
        "judge/protocol.html",
        title="The rules of this study",
        sections=BY_SECTION if whole else FOR_JUDGES,
        whole=whole,
        rules=rules,
    )


def _frozen_study(request: Request, visitor: Visitor) -> Row[Any] | None:
    """Return the frozen study that the visitor has chosen, or the only one there is."""
    with house_of(request).store.read() as connection:
        frozen = [study for study in judging.studies_of(connection, visitor.account_id) if study.frozen_at]
    chosen = [study for study in frozen if study.id == visitor.study_id] or frozen
    return chosen[0] if len(chosen) == 1 else None
