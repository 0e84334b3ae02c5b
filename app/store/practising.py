"""The practice round of each judge: what is drawn, what was answered. No count of a study reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, insert, select, update

from app.domain.blinding import Slot
from app.domain.expected import round_due
from app.domain.item import PRACTICE
from app.domain.judgement import Judgement
from app.domain.manifest import canonical
from app.store import studies
from app.store.studies import protocol_of
from app.store.tables import item, member, practice, recording


def items(connection: Connection, study_id: str) -> list[int]:
    """Return the practice items of a study that have their content."""
    there = (item.c.study_id == study_id, item.c.role == PRACTICE, item.c.withdrawal.is_(None))
    return list(connection.execute(select(item.c.id).where(*there).order_by(item.c.id)).scalars())


def redraw(
    connection: Connection,
    study_id: str,
    account_id: int,
    keys: Sequence[int],
    slots: Iterable[Slot],
    tokens: Iterator[str],
) -> None:
    """Store a judge's new round in place of the former. `keys`: item ids by the draw's indices."""
    connection.execute(delete(practice).where(_round(study_id, account_id)))
    rows = [
        {
            "token": next(tokens),
            "study_id": study_id,
            "account_id": account_id,
            "item": keys[slot.item],
            "on_panel": slot.on_panel,
            "position": slot.position,
        }
        for slot in slots
    ]
    if rows:
        connection.execute(insert(practice), rows)


def entries(connection: Connection, study_id: str, account_id: int) -> list[Row[Any]]:
    """Return a judge's round in the drawn order, with each item's content and `equivalent`."""
    heard = recording.c.item.is_not(None).label("heard")
    found = select(practice, item.c.content, item.c.equivalent, heard).join(item, item.c.id == practice.c.item)
    found = found.outerjoin(recording, recording.c.item == item.c.id)
    mine = (_round(study_id, account_id), item.c.withdrawal.is_(None))
    return list(connection.execute(found.where(*mine).order_by(practice.c.position)))


def withdrawn(connection: Connection, study_id: str, account_id: int, token: str) -> bool:
    """Tell whether an item was in a judge's round, and was withdrawn."""
    found = select(practice.c.id).join(item, item.c.id == practice.c.item)
    gone = (_round(study_id, account_id), practice.c.token == token, item.c.withdrawal.is_not(None))
    return connection.execute(found.where(*gone)).first() is not None


def answer(connection: Connection, practice_id: int, given: Judgement, *, right: bool) -> None:
    """Store the answer to a practice item."""
    said = {"label": given.label, "panel": given.panel, "also": given.also, "reasons": list(given.reasons)}
    values = {"answer": canonical(said).decode(), "right": right}
    connection.execute(update(practice).where(practice.c.id == practice_id).values(**values))


def answered(row: Any) -> Judgement | None:
    """Return the answer to a practice item, if there is one."""
    if row.answer is None:
        return None
    said = json.loads(row.answer)
    return Judgement(said["label"], said["panel"], said["also"], tuple(said["reasons"]))


def finished(connection: Connection, study_id: str, account_id: int, at: str) -> bool:
    """Note that a judge has been through a whole round as the study asks; tell whether it was the first."""
    first = (member.c.study_id == study_id, member.c.account_id == account_id, member.c.practised_at.is_(None))
    return connection.execute(update(member).where(*first).values(practised_at=at)).rowcount == 1


def _in_round() -> ColumnElement[bool]:
    """Select, of a member, whether they have a practice round and never came to its end as the study asks."""
    mine = (practice.c.study_id == member.c.study_id, practice.c.account_id == member.c.account_id)
    there = select(practice.c.id).join(item, item.c.id == practice.c.item).where(*mine, item.c.withdrawal.is_(None))
    return and_(member.c.left_at.is_(None), member.c.practised_at.is_(None), there.correlate(member).exists())


IN_ROUND: Final = _in_round()


def due(connection: Connection, study_id: str, account_id: int) -> bool:
    """Tell of somebody `IN_ROUND` whether the round is still to be gone through, or gone through again."""
    right = [None if row.answer is None else bool(row.right) for row in entries(connection, study_id, account_id)]
    return round_due(right, protocol_of(studies.get(connection, study_id))["review.practice_pass"])


def _round(study_id: str, account_id: int) -> ColumnElement[bool]:
    return (practice.c.study_id == study_id) & (practice.c.account_id == account_id)
