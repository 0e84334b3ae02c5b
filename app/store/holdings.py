"""How much a store holds: what is told of a backup, and written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, func, select

from app.store import audit
from app.store.tables import item, judgement, study

# Not what adjudicators answered, nor how many events there are: both would tell how many conflicts there were.
COUNTED: Final = (
    select(func.count()).select_from(study),
    select(func.count()).select_from(item),
    select(func.count()).select_from(judgement).where(judgement.c.step == "review"),
)


@dataclass(frozen=True)
class Holdings:
    """Counts of rows, and the head of the audit chain."""

    studies: int
    items: int
    reviews: int
    audit_head: str


def holdings(connection: Connection) -> Holdings:
    """Count what a store holds."""
    studies, items, reviews = (connection.execute(each).scalar_one() for each in COUNTED)
    return Holdings(studies, items, reviews, audit.head(connection))
