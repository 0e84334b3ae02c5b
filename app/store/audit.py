"""The audit chain: every state change is one event, bound by its hash to all before it."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, insert, select

from app.domain.manifest import GENESIS, canonical, link
from app.store.tables import audit_event
from app.world import World

LOCAL = "local"


def record(
    connection: Connection,
    world: World,
    actor: str,
    event: str,
    study_id: str | None = None,
    **detail: Any,
) -> str:
    """Append an event and return its hash, the new head.

    `detail` holds counts, digests and keys, never private text. `actor` is an account
    name, or `local` for the command line.
    """
    content = {"at": world.stamp(), "actor": actor, "study_id": study_id, "event": event, "detail": detail}
    previous = head(connection)
    hashed = link(previous, content)
    row = content | {"detail": canonical(detail).decode(), "previous": previous, "hash": hashed}
    connection.execute(insert(audit_event).values(**row))
    return hashed


def head(connection: Connection) -> str:
    """Return the hash of the newest event."""
    newest = select(audit_event.c.hash).order_by(audit_event.c.seq.desc()).limit(1)
    return connection.execute(newest).scalar() or GENESIS


def broken_links(connection: Connection) -> list[int]:
    """Return the sequence numbers at which the chain does not hold; empty when it is whole.

    An edited event breaks at its own number, a removed or moved one at its successor.
    """
    previous = GENESIS
    expected = 1
    broken = []
    for row in connection.execute(select(audit_event).order_by(audit_event.c.seq)):
        if row.seq != expected or row.previous != previous or link(row.previous, _content(row)) != row.hash:
            broken.append(row.seq)
        previous, expected = row.hash, row.seq + 1
    return broken


def _content(row: Any) -> dict[str, Any]:
    kept = {key: getattr(row, key) for key in ("at", "actor", "study_id", "event")}
    return kept | {"detail": json.loads(row.detail)}


def holds(connection: Connection, hashed: str) -> bool:
    """Tell whether the chain contains an event of this hash."""
    return connection.execute(select(audit_event.c.seq).where(audit_event.c.hash == hashed)).first() is not None


def details(connection: Connection, event: str) -> list[dict[str, Any]]:
    """Return the details of every event of one kind, oldest first."""
    rows = connection.execute(
        select(audit_event.c.detail).where(audit_event.c.event == event).order_by(audit_event.c.seq)
    )
    return [json.loads(row.detail) for row in rows]
