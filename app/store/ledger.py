"""The rights ledger as it changes: what an entry said before is kept, with who put another in its place."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from app.domain.manifest import canonical, digest
from app.domain.rights import Source
from app.store.studies import decode_source, ledger
from app.store.tables import former_rights, rights

FORMER = ("study_id", "source", "entry", "replaced_at", "actor", "reason", "after_close")


def replace(connection: Connection, study_id: str, sources: Iterable[Source], **by: Any) -> list[str]:
    """Store a ledger in place of the former, and keep every entry that changed or went.

    `by`: at, actor, and for a revocation reason and after_close. Returns a digest of each
    kept entry, for the audit event.
    """
    given = {source.source: source for source in sources}
    former = [entry for entry in ledger(connection, study_id) if given.get(entry.source) != entry]
    kept = [_keep(connection, study_id, entry, **by) for entry in former]
    connection.execute(delete(rights).where(rights.c.study_id == study_id))
    for source in given.values():
        entry = canonical(source.as_data()).decode()
        connection.execute(insert(rights).values(study_id=study_id, source=source.source, entry=entry))
    return kept


def _keep(
    connection: Connection,
    study_id: str,
    entry: Source,
    *,
    at: str,
    actor: str,
    reason: str | None = None,
    after_close: bool = False,
) -> str:
    row = {
        "study_id": study_id,
        "source": entry.source,
        "entry": canonical(entry.as_data()).decode(),
        "replaced_at": at,
        "actor": actor,
        "reason": reason,
        "after_close": after_close,
    }
    connection.execute(insert(former_rights).values(**row))
    return digest(row)


def former(connection: Connection, study_id: str) -> list[Row[Any]]:
    """Return every entry that the ledger had before, the newest first."""
    found = select(former_rights).where(former_rights.c.study_id == study_id).order_by(former_rights.c.id.desc())
    return list(connection.execute(found))


def former_digests(connection: Connection, study_id: str) -> list[str]:
    """Return the digests of the kept entries as the chain has them, oldest first."""
    return [digest({name: getattr(row, name) for name in FORMER}) for row in reversed(former(connection, study_id))]


def at_close(connection: Connection, study_id: str) -> list[Source]:
    """Return the ledger as the memo reads it: what was revoked after the close stands as it was then."""
    entries = {source.source: source for source in ledger(connection, study_id)}
    for row in former(connection, study_id):
        if row.after_close:
            entries[row.source] = decode_source(json.loads(row.entry))
    return [entries[name] for name in sorted(entries)]
