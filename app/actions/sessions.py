"""Signing in and out: who proves to be whom, and what sessions are open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from app import security
from app.actions import throttling
from app.actions.throttling import Attempt
from app.domain.errors import InvalidInput, Problem, TooSoon
from app.domain.throttle import PACES, Paces
from app.store import accounts, audit, judging
from app.store.db import Connection, Row, Store
from app.world import World

WRONG: Final = "Name and password do not fit. Passwords are case-sensitive."
WRONG_CURRENT: Final = "This is not your current password."
_CODE_REFUSED: Final = (audit.NOBODY, "code.refused")
OTHERS: Final = "others"  # all sessions of an account but the one that asks
WRONG_CODE: Final = "Name and code do not fit, or the code was used or is too old. Ask for a new one."


@dataclass(frozen=True)
class SignedIn:
    """A fresh session: its token goes into the cookie and is never stored.

    `known`: by what the browser shows the next time that this account has signed in there.
    """

    token: str
    name: str
    known: str = ""


def await_turn(store: Store, world: World, name: str, *, brought: str = "", paces: Paces = PACES) -> None:
    """Refuse a sign-in that comes too soon, before it takes a place in the queue. Raises TooSoon."""
    with store.read() as connection:
        throttling.refuse_haste(connection, world, _attempt(connection, throttling.NAME, name, brought, paces)[1])


def sign_in(
    store: Store,
    world: World,
    passwords: security.Passwords,
    name: str,
    password: str,
    *,
    brought: str = "",
    paces: Paces = PACES,
) -> SignedIn:
    """Check a password and open a session. `brought`: what the browser was given at an earlier sign-in.

    Raises TooSoon after too many wrong ones, and InvalidInput with one message for every other
    cause. A refused attempt is audited without the name: it may be a password typed in the wrong field.
    """
    if not name or not password:
        raise InvalidInput.of(WRONG, field="password")  # there is nothing to check, so nothing to count
    with store.read() as connection:
        row, attempt = _attempt(connection, throttling.NAME, name, brought, paces)
        throttling.refuse_haste(connection, world, attempt)
    usable = row is not None and not row.disabled
    fits = passwords.matches(password, row.password_hash if row is not None and usable else None)
    if row is None or not fits:
        with store.write() as connection:
            delay = throttling.failed(connection, world, attempt)
            audit.record(connection, world, audit.NOBODY, "sign_in.refused", next_in=delay)
        raise InvalidInput.of(WRONG, field="password")
    return _open(store, world, row, attempt, InvalidInput.of(WRONG, field="password"))


def _attempt(
    connection: Connection, kind: str, name: str, brought: str, paces: Paces
) -> tuple[Row[Any] | None, Attempt]:
    row = accounts.by_name(connection, name)
    return row, Attempt(kind, name, row.id if row is not None else 0, brought, paces)


def _open(
    store: Store, world: World, account: Row[Any], attempt: Attempt, refused: InvalidInput, **change: str | None
) -> SignedIn:
    """Open a session. Raises `refused` where the account moved on since it was read.

    Checking a password takes long enough for a reset, a disabling, or a second use of the
    same one-time code to come between.
    """
    token = world.token(32)
    with store.write() as connection:
        if accounts.by_name(connection, account.name) != account:
            raise refused
        if change:
            accounts.change(connection, account.id, **change)
            accounts.end_sessions_of(connection, account.id)
        accounts.open_session(
            connection,
            token_hash=security.token_hash(token),
            reference=world.token(12),
            account_id=account.id,
            csrf=world.token(16),
            created_at=world.stamp(),
            seen_at=world.stamp(),
        )
        known = throttling.succeeded(connection, world, attempt)
        audit.record(connection, world, account.name, "password.set" if change else "session.opened")
    return SignedIn(token, account.name, known)


def use_code(
    store: Store,
    world: World,
    passwords: security.Passwords,
    name: str,
    code: str,
    password: str,
    *,
    brought: str = "",
    paces: Paces = PACES,
) -> SignedIn:
    """Take a one-time code, set the password, open a session. Raises InvalidInput, TooSoon.

    Wrong codes are slowed down, and the right one is always taken: nobody guesses 128 random bits,
    and so whoever is kept from a password by a stranger's attempts has a way in.
    """
    with store.read() as connection:
        row, attempt = _attempt(connection, throttling.CODE, name, brought, paces)
        seconds = throttling.wait(connection, world, attempt)
        names = _study_names(connection, attempt.account_id)
    expected = row.code_hash if row is not None and not row.disabled else None
    current = (
        row is not None and row.code_expires is not None and datetime.fromisoformat(row.code_expires) > world.now()
    )
    wrong = InvalidInput.of(WRONG_CODE, field="code")
    if not security.same(security.token_hash(code.strip()), expected or "") or not current or row is None:
        _count_failure(store, world, attempt, seconds, _CODE_REFUSED, counts=bool(name and code.strip()))
        raise wrong
    security.check_new_password(password, name, *names)
    secret = {"password_hash": passwords.hash(password), "code_hash": None, "code_expires": None}
    return _open(store, world, row, attempt, wrong, **secret)


def _study_names(connection: Connection, account_id: int) -> list[str]:
    """Return what an account's studies are called: a password made of it would be guessed first."""
    found = judging.studies_of(connection, account_id)
    return [name for study in found for name in (study.id, study.title)]


def _count_failure(
    store: Store, world: World, attempt: Attempt, seconds: int, told: tuple[str, str], *, counts: bool
) -> None:
    """Count and record (`told`: by whom, as what) what did not fit. Raises TooSoon where there is a wait.

    Where nothing was entered there is nothing to count.
    """
    if seconds:
        raise TooSoon(seconds)
    if counts:
        with store.write() as connection:
            delay = throttling.failed(connection, world, attempt)
            audit.record(connection, world, *told, next_in=delay)


def change_password(
    store: Store,
    world: World,
    passwords: security.Passwords,
    name: str,
    current: str,
    password: str,
    *,
    brought: str = "",
    paces: Paces = PACES,
) -> SignedIn:
    """Set a new password; every session of the account ends and a new one opens. Raises InvalidInput, TooSoon."""
    wrong = InvalidInput.of(WRONG_CURRENT, field="current")
    row, attempt = _confirmed(store, world, passwords, name, current, wrong, brought, paces)
    with store.read() as connection:
        names = _study_names(connection, row.id)
    security.check_new_password(password, name, *names)
    return _open(store, world, row, attempt, wrong, password_hash=passwords.hash(password))


def _confirmed(
    store: Store,
    world: World,
    passwords: security.Passwords,
    name: str,
    current: str,
    wrong: InvalidInput,
    brought: str,
    paces: Paces,
) -> tuple[Row[Any], Attempt]:
    """Have somebody who is signed in give the password again. Raises `wrong`, TooSoon.

    Wrong ones are counted by the account alone: who has a session of it is no stranger.
    """
    with store.read() as connection:
        row, attempt = _attempt(connection, throttling.CURRENT, name, brought, paces)
        seconds = throttling.wait(connection, world, attempt)
    if row is None or seconds or not current or not passwords.matches(current, row.password_hash):
        _count_failure(store, world, attempt, seconds, (name, "password.refused"), counts=bool(current))
        raise wrong
    return row, attempt


def end_sessions(
    store: Store,
    world: World,
    passwords: security.Passwords,
    name: str,
    password: str,
    token: str,
    which: str,
    *,
    paces: Paces = PACES,
) -> list[str]:
    """End another session of an account by its reference, or all OTHERS; return the digests of their tokens.

    The password is asked for: who sits down at a browser that was left open does not end its owner's others.
    `token`: of the session that asks, which goes on. Raises InvalidInput, TooSoon.
    """
    _refuse_blank(which, password)
    wrong = InvalidInput.of(WRONG_CURRENT, field="own_password")
    row, attempt = _confirmed(store, world, passwords, name, password, wrong, "", paces)
    with store.write() as connection:
        if accounts.by_name(connection, name) != row:
            raise wrong
        reference = None if which == OTHERS else which
        ended = accounts.end_other_sessions(connection, row.id, security.token_hash(token), reference)
        if not ended:
            raise InvalidInput.of("It has ended already. This is how it stands now.", field="which")
        throttling.succeeded(connection, world, attempt)
        audit.record(connection, world, name, "sessions.ended", number=len(ended))
    return ended


def _refuse_blank(which: str, password: str) -> None:
    asked = [("which", which, "Choose what to end."), ("own_password", password, "Enter your password.")]
    problems = [Problem(told, field=field) for field, given, told in asked if not given]
    if problems:
        raise InvalidInput(problems)


def sign_out(store: Store, world: World, token: str, name: str) -> None:
    """End a session."""
    with store.write() as connection:
        accounts.end_session(connection, security.token_hash(token))
        audit.record(connection, world, name, "session.ended")


def choose_study(store: Store, token: str, study_id: str) -> None:
    """Keep which study the session works on (a session touch: not audited)."""
    with store.write() as connection:
        accounts.choose_study(connection, security.token_hash(token), study_id)


def touch(store: Store, world: World, token: str) -> None:
    """Note that a session is in use (not audited)."""
    with store.write() as connection:
        accounts.touch_session(connection, security.token_hash(token), world.stamp())


def forget(store: Store, token: str) -> None:
    """Delete a session that was idle for too long or is too old, so that no clock revives it (not audited)."""
    with store.write() as connection:
        accounts.end_session(connection, security.token_hash(token))


def start_server(store: Store, world: World) -> str:
    """End every session of before, and return the server's unguessable host name."""
    with store.write() as connection:
        ended = accounts.end_all_sessions(connection)
        name = host_name(connection, world)
        audit.record(connection, world, audit.LOCAL, "server.started", sessions_ended=ended)
    return name


def host_name(connection: Connection, world: World) -> str:
    """Return the store's host name under `.localhost`, drawn once for each store."""
    name = accounts.read_setting(connection, "host_name")
    if name is None:
        name = f"{world.token(12).lower().replace('_', 'x').replace('-', 'y')}.localhost"
        accounts.write_setting(connection, "host_name", name)
    return name
