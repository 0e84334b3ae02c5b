"""Who is asking: the session cookie, the form's csrf token, and roles."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from app import security
from app.actions import sessions
from app.config import Settings
from app.domain.errors import EvenhandError, NotFound, StoreUnavailable
from app.domain.guidelines import Guidelines
from app.domain.throttle import PACES, Paces
from app.store import accounts
from app.store.db import WAL_IS_SAFE, Row, Store
from app.web.forms import Form, Parcel, Posted, PostedFile, PostedFiles, PostedParcel, Upload, Uploads, one
from app.web.refusals import Refusals
from app.web.tray import Tray
from app.world import World

COOKIE: Final = "evenhand_session"
KNOWN: Final = "evenhand_known"  # by what a browser shows who has signed in there
KNOWN_FOR: Final = int(timedelta(days=180).total_seconds())
TOUCH_AFTER: Final = timedelta(minutes=1)
# SP 800-63B asks for 30 days at most (one factor). Below 20 hours WCAG 2.2.1 would ask for a way to lengthen it.
LONGEST: Final = timedelta(hours=24)
ITEM: Final = re.compile(r"(/(?:review|adjudicate)/([\w-]{1,128}))(?:/\w+)?", re.ASCII)
NO_TOKENS: Final = ("next", "sign-off", "receipt")


@dataclass(frozen=True)
class House:
    """What every request works with."""

    store: Store
    world: World
    passwords: security.Passwords
    settings: Settings
    tray: Tray = field(default_factory=Tray)
    problems: Tray = field(default_factory=Tray)
    guidelines: dict[str, Guidelines] = field(default_factory=dict)
    paces: Paces = PACES
    refusals: Refusals = field(default_factory=Refusals)


@dataclass(frozen=True)
class Visitor:
    """The signed-in person of a request."""

    account_id: int
    name: str
    lead: bool
    csrf: str
    token: str
    study_id: str | None
    theme: str = "system"
    text_size: str = "normal"
    shortcuts: bool = True

    @property
    def session(self) -> str:
        """The session's name in memory, from which nobody finds its token."""
        return security.token_hash(self.token)


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
    """Return the request's visitor; a session too long idle, or too old, counts as none."""
    token = request.cookies.get(COOKIE)
    return visitor_of(request, token) if token else None


def visitor_of(request: Request, token: str) -> Visitor | None:
    """Return whose session a token is, as the request's visitor."""
    house = house_of(request)
    row = _session(house, token)
    if row is None:
        return None
    now = house.world.now()
    if not is_open(house.settings, row, now):
        sessions.forget(house.store, token)
        return None
    if _unnoted(row, now):
        with suppress(StoreUnavailable):  # what is stored can be read on a full disk too
            sessions.touch(house.store, house.world, token)
    return _visitor(request, row, token, now)


def _session(house: House, token: str) -> Row[Any] | None:
    with house.store.read() as connection:
        return accounts.signed_in(connection, security.token_hash(token))


def _unnoted(row: Row[Any], now: datetime) -> bool:
    """Tell whether that a session is in use must be noted again."""
    # After a clock set back it is counted from there.
    return abs(now - datetime.fromisoformat(row.seen_at)) > TOUCH_AFTER


def _visitor(request: Request, row: Row[Any], token: str, now: datetime) -> Visitor:
    house = house_of(request)
    house.tray.clear(now)
    house.problems.clear(now)
    look = {"theme": row.theme, "text_size": row.text_size, "shortcuts": row.shortcuts}
    visitor = Visitor(row.account_id, row.name, row.lead, row.csrf, token, row.study_id, **look)
    request.state.visitor = visitor
    return visitor


def is_open(settings: Settings, session: Row[Any], now: datetime) -> bool:
    """Tell whether a session can still be used: neither idle for too long nor too old."""
    idle = now - datetime.fromisoformat(session.seen_at)
    age = now - datetime.fromisoformat(session.created_at)
    return idle <= timedelta(minutes=settings.idle_minutes) and age <= LONGEST


async def require_visitor(request: Request) -> Visitor:
    """Return the request's visitor. Raises SignInNeeded.

    Most often that is one row to read, which is done before another thread would have woken, and waits for nobody:
    so it is read here. Where anything must be written, or a reader could wait, a thread does it.
    """
    visitor = _at_once(request) or await run_in_threadpool(find_visitor, request)
    if visitor is None:
        message = "Please sign in."
        raise SignInNeeded(message)
    return visitor


def _at_once(request: Request) -> Visitor | None:
    token, house = request.cookies.get(COOKIE), house_of(request)
    row = _session(house, token) if token and WAL_IS_SAFE else None
    now = house.world.now()
    if token is None or row is None or not is_open(house.settings, row, now) or _unnoted(row, now):
        return None
    return _visitor(request, row, token, now)


Signed = Annotated[Visitor, Depends(require_visitor)]


async def signed_form(visitor: Signed, form: Posted) -> Form:
    """Return a posted form that carries this session's csrf token. Raises ForeignForm."""
    _refuse_foreign(visitor, form)
    return form


async def signed_upload(visitor: Signed, upload: PostedFile) -> Upload:
    """Return a posted form with a file that carries this session's csrf token. Raises ForeignForm."""
    _refuse_foreign(visitor, upload.form)
    return upload


async def signed_uploads(visitor: Signed, uploads: PostedFiles) -> Uploads:
    """Return a posted form with files that carries this session's csrf token. Raises ForeignForm."""
    _refuse_foreign(visitor, uploads.form)
    return uploads


async def signed_parcel(visitor: Signed, parcel: PostedParcel) -> Parcel:
    """Return a posted form with recordings that carries this session's csrf token. Raises ForeignForm."""
    _refuse_foreign(visitor, parcel.form)
    return parcel


def _refuse_foreign(visitor: Visitor, form: Form) -> None:
    if not security.same(one(form, "csrf"), visitor.csrf):
        message = "The form does not belong to this session. Reload the page and send it again."
        raise ForeignForm(message)


SignedForm = Annotated[Form, Depends(signed_form)]
SignedUpload = Annotated[Upload, Depends(signed_upload)]
SignedUploads = Annotated[Uploads, Depends(signed_uploads)]
SignedParcel = Annotated[Parcel, Depends(signed_parcel)]
FORM_CHECKED: Final = Depends(signed_form)
SIGNED_IN: Final = Depends(require_visitor)


def set_cookie(response: Response, token: str) -> None:
    """Put a session's token into the browser. Neither Secure nor __Host-: plain http clients drop those."""
    response.set_cookie(COOKIE, token, httponly=True, samesite="strict", path="/")


def set_known(response: Response, known: str) -> None:
    """Let the browser show the next time that somebody has signed in there; it gives no access to anything."""
    response.set_cookie(KNOWN, known, max_age=KNOWN_FOR, httponly=True, samesite="strict", path="/login")


def clear_cookie(response: Response) -> None:
    """Take the token out of the browser. Starlette's own way would add a date by another clock than ours."""
    response.set_cookie(COOKIE, "", max_age=0, httponly=True, samesite="strict", path="/")


def forget_pages(response: Response) -> None:
    """Have the browser drop every page it still holds, those behind its back button too, and what it stored for us.

    Not "cookies": by one of those the browser is known at the next sign-in.
    """
    response.headers["Clear-Site-Data"] = '"cache", "storage"'


def see_other(path: str) -> RedirectResponse:
    """Answer a POST with the way to a page."""
    return RedirectResponse(path, 303)


def sign_in_way(path: str) -> str:
    """Return the address of the sign-in page; from an item it leads back there.

    >>> sign_in_way("/review/tok-en/draft"), sign_in_way("/lead/studies/pilot")
    ('/login?back=/review/tok-en', '/login')
    """
    item = ITEM.fullmatch(path)
    return f"/login?back={item[1]}" if item and item[2] not in NO_TOKENS else "/login"


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
