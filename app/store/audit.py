"""The audit chain: every state change is one event, bound by its hash to all before it."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, insert, select

from app.domain.manifest import GENESIS, canonical, link
from app.store.tables import audit_event
from app.world import World

LOCAL = "local"
NOBODY = "nobody"
JUDGEMENTS = ("review.stored", "adjudication.own.stored", "adjudication.final.stored")


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
    name, `local` for the command line, or `nobody` for who could not sign in.
    """
    content = {"at": world.stamp(), "actor": actor, "study_id": study_id, "event": event, "detail": detail}
    previous = head(connection)
    hashed = link(previous, content)
    row = content | {"detail": canonical(detail).decode(), "previous": previous, "hash": hashed}
    connection.execute(_RECORD, row)
    return hashed


def head(connection: Connection) -> str:
    """Return the hash of the newest event."""
    return connection.execute(_HEAD).scalar() or GENESIS


_HEAD: Final = select(audit_event.c.hash).order_by(audit_event.c.seq.desc()).limit(1)
_RECORD: Final = insert(audit_event)


def newest(connection: Connection, study_id: str) -> str:
    """Return a mark of a study's newest event: it tells whether anything has changed since, and nothing else.

    Path not taken: its number. The chain is one for the whole store, so that from its numbers a lead could count what
    happens in every other study: of an adjudicator's steps, the disagreements.
    """
    found = select(audit_event.c.hash).where(audit_event.c.study_id == study_id)
    return connection.execute(found.order_by(audit_event.c.seq.desc()).limit(1)).scalar() or GENESIS


def broken_links(connection: Connection) -> list[int]:
    """Return the sequence numbers at which the chain does not hold; empty when it is whole.

    An edited event breaks at its own number, a removed or moved one at its successor.
    """
    previous = GENESIS
    expected = 1
    broken = []
    for row in connection.execute(select(audit_event).order_by(audit_event.c.seq)):
        if row.seq != expected or row.previous != previous or _hash(row) != row.hash:
            broken.append(row.seq)
        previous, expected = row.hash, row.seq + 1
    return broken


def _hash(row: Any) -> str | None:
    """Return the hash that an event's content gives; None where it cannot even be read."""
    content = {key: getattr(row, key) for key in ("at", "actor", "study_id", "event")}
    try:
        return link(row.previous, content | {"detail": json.loads(row.detail)})
    except ValueError:
        return None


def holds(connection: Connection, hashed: str) -> bool:
    """Tell whether the chain contains an event of this hash."""
    return connection.execute(select(audit_event.c.seq).where(audit_event.c.hash == hashed)).first() is not None


@dataclass(frozen=True)
class Event:
    """One event as recorded."""

    actor: str
    detail: dict[str, Any]
    hash: str


def judgement_digests(connection: Connection) -> dict[tuple[Any, Any], Any]:
    """Return the digest that the chain keeps of each stored judgement, by slot and version."""
    return {
        (event.detail.get("slot"), event.detail.get("version")): event.detail.get("sha256")
        for event in events(connection, *JUDGEMENTS)
    }


def events(connection: Connection, *kinds: str, study_id: str | None = None, until: str | None = None) -> list[Event]:
    """Return the events of some kinds, oldest first; of one study, or of all. An unreadable one is left out.

    `until`: the hash of the last event that counts, so that what is said of a closed study stays as it was.
    """
    found = select(audit_event).where(audit_event.c.event.in_(kinds)).order_by(audit_event.c.seq)
    if study_id is not None:
        found = found.where(audit_event.c.study_id == study_id)
    if until is not None:
        last = select(audit_event.c.seq).where(audit_event.c.hash == until).scalar_subquery()
        found = found.where(audit_event.c.seq <= last)
    readable = []
    for row in connection.execute(found):
        with suppress(ValueError):  # the chain does not hold there, and says so
            detail = json.loads(row.detail)
            readable += [Event(row.actor, detail, row.hash)] if isinstance(detail, dict) else []
    return readable
