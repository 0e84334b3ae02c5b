"""Accounts, their one-time codes, and how their pages look."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from app import security
from app.actions import throttling
from app.actions.privacy import refuse_unfindable
from app.domain.account import EXPECTED_NAME, NAME, called
from app.domain.custody import unchangeable
from app.domain.errors import InvalidInput, NotFound, Problem, Refused
from app.domain.look_alikes import mixes_scripts, shapes_of_name
from app.domain.text import without_invisibles
from app.store import accounts, audit, custody
from app.store.db import Connection, Store
from app.world import World

RESERVED: Final = (audit.LOCAL, audit.NOBODY)  # actors of the record that are no accounts
CODE_DAYS: Final = 7
THEMES: Final = ("system", "light", "dark")
TEXT_SIZES: Final = ("normal", "large", "largest")


def add(
    store: Store,
    world: World,
    passwords: security.Passwords,
    name: str,
    *,
    lead: bool,
    password: str | None = None,
    actor: str = audit.LOCAL,
) -> str | None:
    """Add an account. Returns a one-time code, or None where a password was given.

    Raises InvalidInput for a bad name or password, Refused where the name is taken.
    """
    if not NAME.fullmatch(name):
        raise InvalidInput.of(f"expected {EXPECTED_NAME}", field="name")
    if without_invisibles(name, "NFKC") != name or mixes_scripts(name):
        told = "this name has characters that look like others, or cannot be seen; use plain letters of one script"
        raise InvalidInput.of(told, field="name")
    if name.casefold() in RESERVED:
        raise InvalidInput.of(f"“{name}” stands for something else in the record; choose another name", field="name")
    refuse_unfindable(name)
    code = None
    secret: dict[str, str | None] = {}
    if password is None:
        code, secret = _new_code(world)
    else:
        security.check_new_password(password, name)
        secret = {"password_hash": passwords.hash(password)}
    with store.write() as connection:
        names = [row.name for row in accounts.listing(connection)]
        taken = next((each for each in names if each.casefold() == name.casefold()), None)
        alike = next((each for each in names if shapes_of_name(each) & shapes_of_name(name)), None)
        if taken is not None:
            message = f"There is an account “{taken}” already. It can be given a new one-time code."
            raise Refused("taken", message)
        if alike is not None:
            message = f"There is an account “{alike}” already, which looks the same. Choose a name that differs more."
            raise Refused("looks_alike", message)
        accounts.add(connection, name=name, lead=lead, created_at=world.stamp(), **secret)
        throttling.prepare(connection, world)
        audit.record(connection, world, actor, "account.added", name=name, lead=lead)
    return code


def _new_code(world: World) -> tuple[str, dict[str, str | None]]:
    code = world.token(16)
    expires = (world.now() + timedelta(days=CODE_DAYS)).isoformat(timespec="seconds")
    return code, {"code_hash": security.token_hash(code), "code_expires": expires}


def reset(store: Store, world: World, name: str, *, actor: str = audit.LOCAL) -> str:
    """Give an account a new one-time code; its password and sessions end. Raises NotFound, Refused."""
    code, secret = _new_code(world)
    with store.write() as connection:
        account = _changeable(connection, name, actor)
        accounts.change(connection, account, password_hash=None, disabled=False, **secret)
        accounts.end_sessions_of(connection, account)
        audit.record(connection, world, actor, "account.reset", name=name)
    return code


def disable(store: Store, world: World, name: str, *, actor: str = audit.LOCAL) -> None:
    """Shut an account out; what it stored stays. Raises NotFound, Refused."""
    with store.write() as connection:
        account = _changeable(connection, name, actor)
        accounts.change(connection, account, disabled=True, code_hash=None)
        accounts.end_sessions_of(connection, account)
        audit.record(connection, world, actor, "account.disabled", name=name)


def _changeable(connection: Connection, name: str, actor: str) -> int:
    """Return the id of an account that the actor may reset or disable. Raises NotFound, Refused.

    Whoever holds the store changes any; a lead, what the rules of custody leave them.
    """
    row = accounts.by_name(connection, name)
    if row is None:
        message = f"There is no account {called(name)}."
        raise NotFound(message)
    if actor == audit.LOCAL:
        return int(row.id)
    own = accounts.by_name(connection, actor)
    found = custody.seen_by(connection, row, own.id if own is not None else None, custody.givers(connection))
    if refusal := unchangeable(found, actor):
        raise Refused(*refusal)
    return int(row.id)


def set_look(
    store: Store, world: World, account_id: int, name: str, *, theme: str, text_size: str, shortcuts: bool
) -> None:
    """Keep how an account's pages look, and whether single keys act there. Raises InvalidInput."""
    problems = [
        Problem(f"Choose one of: {', '.join(allowed)}.", field=field)
        for field, given, allowed in (("theme", theme, THEMES), ("text_size", text_size, TEXT_SIZES))
        if given not in allowed
    ]
    if problems:
        raise InvalidInput(problems)
    with store.write() as connection:
        accounts.change(connection, account_id, theme=theme, text_size=text_size, shortcuts=shortcuts)
        audit.record(connection, world, name, "account.look", theme=theme, text_size=text_size, shortcuts=shortcuts)
