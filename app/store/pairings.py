"""Runs of the filter under test that were made here, and which of them a study's items are from."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from app.domain import pairing as rules
from app.domain.pairing import Filter, Pairing
from app.store import studies
from app.store.tables import item, pairing


def add(connection: Connection, made: Pairing, made_at: str) -> None:
    """Record a pairing."""
    values = vars(made) | {"filter": made.filter.name, "version": made.filter.version, "config": made.filter.config}
    connection.execute(insert(pairing).values(**values, made_at=made_at))


def of_file(connection: Connection, sha256: str) -> int | None:
    """Return the newest pairing that wrote a file of this digest."""
    found = select(pairing.c.id).where(pairing.c.sha256 == sha256).order_by(pairing.c.id.desc()).limit(1)
    return connection.execute(found).scalar()


def recorded(connection: Connection) -> dict[int, Pairing]:
    """Return every pairing by its id, oldest first."""
    return {row.id: _decode(row) for row in connection.execute(select(pairing).order_by(pairing.c.id))}


def _decode(row: Row[Any]) -> Pairing:
    made_by = Filter(row.filter, row.version, row.config)
    return Pairing(made_by, row.raw_sha256, row.sha256, row.texts_sha256, row.items)


def marks(connection: Connection, study_id: str) -> list[int | None]:
    """Return, for each item in order of import, the pairing whose file it is from."""
    found = select(item.c.pairing).where(item.c.study_id == study_id).order_by(item.c.id)
    return list(connection.execute(found).scalars())


def frozen_filter(connection: Connection, study_id: str) -> Filter | None:
    """Return the filter that the freeze of a study fixed as the maker of every pair; None where there is none."""
    kept = studies.manifest_of(connection, study_id)
    return None if kept is None else rules.frozen_filter(json.loads(kept))
