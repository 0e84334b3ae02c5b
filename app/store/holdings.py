"""How much a store holds: what is told of a backup, and written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, func, select

from app.store import audit
from app.store.tables import audit_event, item, judgement, study

COUNTED: Final = (study, item, judgement, audit_event)


@dataclass(frozen=True)
class Holdings:
    """Counts of rows, and the head of the audit chain."""

    studies: int
    items: int
    judgements: int
    events: int
    audit_head: str


def holdings(connection: Connection) -> Holdings:
    """Count what a store holds."""
    studies, items, judgements, events = (
        connection.execute(select(func.count()).select_from(each)).scalar_one() for each in COUNTED
    )
    return Holdings(studies, items, judgements, events, audit.head(connection))
