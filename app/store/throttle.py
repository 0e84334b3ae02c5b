"""How many wrong passwords there were. Counters alone: nothing of what was entered is kept.

They are no state of a study, and so not audited. Their number is bounded: a name is counted in one
of SHELVES places, by a digest that a key of the store goes into, so that a place tells nothing of
a name (somebody may have typed a password there).
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert

from app.domain.throttle import Count
from app.store.accounts import read_setting, write_setting
from app.store.tables import throttle
from app.world import World

SHELVES: Final = 4_096
KEY: Final = "throttle_key"


def key(connection: Connection, world: World) -> str:
    """Return the store's key for counting, drawn once. For a write."""
    found = read_setting(connection, KEY)
    if found is None:
        found = world.token(32)
        write_setting(connection, KEY, found)
    return found


def known_key(connection: Connection) -> str:
    """Return the store's key, or "" where nothing was ever counted."""
    return read_setting(connection, KEY) or ""


def renew(connection: Connection, world: World) -> None:
    """Draw another key and count anew: what was counted, and who is known, says nothing under it."""
    connection.execute(delete(throttle))
    write_setting(connection, KEY, world.token(32))


def mark(key: str, *parts: object) -> str:
    """Return a digest of some values that nobody finds without the key."""
    said = "\0".join(str(part) for part in parts)
    return hmac.new(key.encode(), said.encode(), hashlib.sha256).hexdigest()


def place(key: str, kind: str, name: str) -> str:
    """Return where a name's wrong passwords of a kind are counted."""
    return f"{kind}:{int(mark(key, kind, name)[:8], 16) % SHELVES}"


def count(connection: Connection, where: str) -> Count:
    """Return what is counted at a place."""
    row = connection.execute(select(throttle).where(throttle.c.place == where)).first()
    return Count(row.failures, datetime.fromisoformat(row.last_at)) if row is not None else Count()


def put(connection: Connection, where: str, counted: Count) -> None:
    """Store a count."""
    assert counted.last is not None  # noqa: S101 - of a count that is stored
    values = {"failures": counted.failures, "last_at": counted.last.isoformat(timespec="seconds")}
    row = insert(throttle).values(place=where, **values)
    connection.execute(row.on_conflict_do_update(index_elements=["place"], set_=values))


def clear(connection: Connection, where: str) -> None:
    """Count anew at a place."""
    connection.execute(delete(throttle).where(throttle.c.place == where))
