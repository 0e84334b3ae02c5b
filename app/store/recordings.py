"""Recordings of items: their bytes in pieces, and what is known of them."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, delete, func, insert, select

from app.domain.recording import Sound
from app.store.tables import item, recording, recording_piece

PIECE: Final = 256 << 10  # bytes: what one read of a part brings into memory


def put(connection: Connection, key: int, sound: Sound, data: bytes) -> None:
    """Store an item's recording in place of the former."""
    forget(connection, select(item.c.id).where(item.c.id == key))
    connection.execute(insert(recording).values(item=key, **vars(sound)))
    pieces = [
        {"item": key, "number": number, "data": data[at : at + PIECE]}
        for number, at in enumerate(range(0, len(data), PIECE))
    ]
    connection.execute(insert(recording_piece), pieces)


def forget(connection: Connection, keys: Select[Any]) -> None:
    """Delete the recordings of items, given as a query of their keys."""
    connection.execute(delete(recording_piece).where(recording_piece.c.item.in_(keys)))
    connection.execute(delete(recording).where(recording.c.item.in_(keys)))


def of_study(connection: Connection, study_id: str) -> dict[int, Row[Any]]:
    """Return each recording of a study by its item's key, with the item's id."""
    found = select(recording, item.c.item_id).join(item, item.c.id == recording.c.item)
    return {row.item: row for row in connection.execute(found.where(item.c.study_id == study_id))}


def recorded(connection: Connection, study_id: str) -> frozenset[str]:
    """Return the ids of a study's items whose recordings are there."""
    return frozenset(row.item_id for row in of_study(connection, study_id).values())


def size_of_all(connection: Connection) -> int:
    """Return how many bytes the recordings of a store have."""
    return int(connection.execute(select(func.coalesce(func.sum(recording.c.size), 0))).scalar_one())


def piece(connection: Connection, key: int, number: int) -> bytes | None:
    """Return one piece of a recording; None where it is erased."""
    found = (recording_piece.c.item == key, recording_piece.c.number == number)
    return connection.execute(select(recording_piece.c.data).where(*found)).scalar()


def holds(connection: Connection, row: Row[Any]) -> bool:
    """Tell whether a recording's bytes are those that its row says."""
    hashed, size = hashlib.sha256(), 0
    mine = select(recording_piece).where(recording_piece.c.item == row.item).order_by(recording_piece.c.number)
    for number, each in enumerate(connection.execute(mine.execution_options(yield_per=8))):
        hashed.update(each.data)
        size += len(each.data)
        if each.number != number:
            return False
    return (hashed.hexdigest(), size) == (row.sha256, row.size)
