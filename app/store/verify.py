"""Re-check a store: the database itself, the audit chain, each manifest, every stored judgement."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, Row, select

from app.domain import manifest
from app.store import audit, judgements, studies
from app.store.tables import judgement

STORED = ("review.stored", "adjudication.own.stored", "adjudication.final.stored")


def findings(connection: Connection) -> list[str]:
    """Return everything that differs from what was recorded; empty when all holds."""
    found = _database(connection)
    found += [f"audit chain: it does not hold at event {number}" for number in audit.broken_links(connection)]
    found += _judgements(connection)
    for row in studies.listing(connection):
        found += [f"study {row.id}: {told}" for told in _study(connection, row)]
    return found


def _database(connection: Connection) -> list[str]:
    rows = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    found = [f"database: {told}" for told in rows if told != "ok"]
    orphans = len(connection.exec_driver_sql("PRAGMA foreign_key_check").all())
    return found + ([f"database: {orphans} rows point at nothing"] if orphans else [])


def _judgements(connection: Connection) -> list[str]:
    """Compare every stored judgement with the digest that the chain keeps of it."""
    recorded = {
        (detail["slot"], detail["version"]): detail["sha256"]
        for event in STORED
        for detail in audit.details(connection, event)
    }
    found = [
        f"judgement {row.id}: it differs from what was audited"
        for row in connection.execute(select(judgement).order_by(judgement.c.id))
        if recorded.pop((row.slot_id, row.version), None) != judgements.row_digest(row)
    ]
    return found + [
        f"judgement: version {version} of list entry {slot} is missing" for slot, version in sorted(recorded)
    ]


def _study(connection: Connection, row: Row[Any]) -> list[str]:
    found = []
    if manifest.bytes_digest(row.protocol.encode()) != row.protocol_sha256:
        found.append("the protocol was changed")
    if row.frozen_at is not None:
        found += _frozen(connection, row)
    if row.closed_head is not None and not audit.holds(connection, row.closed_head):
        found.append("the audit chain no longer holds the head of the close")
    return found


def _frozen(connection: Connection, row: Row[Any]) -> list[str]:
    whole = json.loads(row.manifest)
    found = []
    if manifest.digest(whole) != row.manifest_sha256:
        found.append("the manifest was changed")
    if whole["protocol"] != json.loads(row.protocol):
        found.append("the protocol is not the one that was frozen")
    if manifest.bytes_digest(row.guidelines.encode()) != whole["guidelines_sha256"]:
        found.append("the guidelines were changed")
    ledger = [source.as_data() for source in studies.ledger(connection, row.id)]
    if manifest.canonical(ledger) != manifest.canonical(whole["ledger"]):
        found.append("the rights ledger was changed")
    digests = []
    for number, (stored, item) in enumerate(studies.items(connection, row.id), start=1):
        digests.append(stored.digest)
        if manifest.item_digest(item, stored.salt) != stored.digest:
            found.append(f"item {number} (in order of import) was changed")
    if sorted(digests) != whole["items"]:
        found.append("the set of items is not the one that was frozen")
    return found
