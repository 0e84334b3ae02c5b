"""Who is asking: the session cookie, the form's csrf token, and roles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from python_multipart.multipart import parse_options_header
from starlette.responses import RedirectResponse, Response

from app import security
from app.actions import accounts as act
from app.config import Settings
from app.domain.errors import EvenhandError, InvalidInput, NotFound
from app.store import accounts
from app.store.db import Store
from app.world import World

COOKIE: Final = "evenhand_session"
TOUCH_AFTER: Final = timedelta(minutes=1)


@dataclass(frozen=True)
class House:
    """What every request works with."""

    store: Store
    world: World
    passwords: security.Passwords
    settings: Settings


@dataclass(frozen=True)
class Visitor:
    """The signed-in person of a request."""

    account_id: int
    name: str
    lead: bool
    csrf: str
    token: str
    study_id: str | None


class SignInNeeded(EvenhandError):
    """Nobody is signed in; answered with the way to the sign-in page."""


class StudyNeeded(EvenhandError):
    """The visitor works in several studies; answered with the way to the page that asks which."""


class ForeignForm(EvenhandError):
    """A form without this session's csrf token."""


def house_of(request: Request) -> House:
    """Return what the application was built with."""
    found: House = request.app.state.house
    return found


def find_visitor(request: Request) -> Visitor | None:
    """Return the request's visitor; a session too long idle counts as none."""
    house, token = house_of(request), request.cookies.get(COOKIE)
    if not token:
        return None
    with house.store.read() as connection:
        row = accounts.signed_in(connection, security.token_hash(token))
    if row is None:
        return None
    idle = house.world.now() - datetime.fromisoformat(row.seen_at)
    if idle > timedelta(minutes=house.settings.idle_minutes):
        act.forget(house.store, token)
        return None
    if idle > TOUCH_AFTER:
        act.touch(house.store, house.world, token)
    visitor = Visitor(row.account_id, row.name, row.lead, row.csrf, token, row.study_id)
    request.state.visitor = visitor
    return visitor


def require_visitor(request: Request) -> Visitor:
    """Return the request's visitor. Raises SignInNeeded."""
    visitor = find_visitor(request)
    if visitor is None:
        message = "Please sign in."
        raise SignInNeeded(message)
    return visitor


Form = dict[str, list[str]]


async def read_form(request: Request) -> Form:
    """Return a posted form as lists of text by control. Raises InvalidInput for an upload, or what is not UTF-8."""
    _, options = parse_options_header(request.headers.get("content-type"))
    if options.get(b"charset", b"utf-8").lower() not in {b"utf-8", b"utf8"}:
        raise InvalidInput.of("forms are read as UTF-8 only")
    form = await request.form(max_files=0, max_fields=200)
    fields: Form = {}
    for name, value in form.multi_items():
        if not isinstance(value, str):
            raise InvalidInput.of("no file is expected here", field=name)
        if not (_is_text(name) and _is_text(value)):
            raise InvalidInput.of("this is not text that can be stored")
        fields.setdefault(name, []).append(value)
    return fields


def _is_text(value: str) -> bool:
    """Tell whether text has a form in UTF-8: half a surrogate pair has none."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


Signed = Annotated[Visitor, Depends(require_visitor)]
Posted = Annotated[Form, Depends(read_form)]


def signed_form(visitor: Signed, form: Posted) -> Form:
    """Return a posted form that carries this session's csrf token. Raises ForeignForm."""
    if not security.same(one(form, "csrf"), visitor.csrf):
        message = "The form does not belong to this session. Reload the page and send it again."
        raise ForeignForm(message)
    return form


SignedForm = Annotated[Form, Depends(signed_form)]
FORM_CHECKED: Final = Depends(signed_form)
SIGNED_IN: Final = Depends(require_visitor)


def one(form: Form, name: str) -> str:
    """Return the last value of a control, or "" where there is none."""
    return form.get(name, [""])[-1]


def set_cookie(response: Response, token: str) -> None:
    """Put a session's token into the browser. Neither Secure nor __Host-: plain http clients drop those."""
    response.set_cookie(COOKIE, token, httponly=True, samesite="strict", path="/")


def clear_cookie(response: Response) -> None:
    """Take the token out of the browser. Starlette's own way would add a date by another clock than ours."""
    response.set_cookie(COOKIE, "", max_age=0, httponly=True, samesite="strict", path="/")


def see_other(path: str) -> RedirectResponse:
    """Answer a POST with the way to a page."""
    return RedirectResponse(path, 303)


def study_with_role(visitor: Visitor, studies: list[Any], role: str) -> str:
    """Return the study a visitor works on in a role: the chosen one, else the only one that is open.

    Raises StudyNeeded where there are several, or none is frozen yet, and NotFound for
    anybody who has the role nowhere.
    """
    mine = [study for study in studies if study.role == role]
    if not mine:
        message = "There is nothing here for you."
        raise NotFound(message)
    ready = [study.id for study in mine if study.frozen_at is not None]
    if visitor.study_id is not None and visitor.study_id in ready:
        return visitor.study_id
    running = [study.id for study in mine if study.id in ready and study.closed_at is None]
    candidates = running or ready
    if len(candidates) != 1:
        message = "Choose a study first."
        raise StudyNeeded(message)
    return str(candidates[0])
