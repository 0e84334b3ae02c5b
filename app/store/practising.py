"""The practice round of each judge: what is drawn, what was answered. No count of a study reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Float, Row, and_, delete, func, insert, or_, select, update

from app.domain.blinding import Slot
from app.domain.item import PRACTICE
from app.domain.judgement import Judgement
from app.domain.manifest import canonical
from app.store.tables import item, member, practice, recording, study


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


def _due() -> ColumnElement[bool]:
    """Select, of a member of a study, whether the practice round is still to be gone through: it comes first.

    Or gone through again, where fewer answers were as expected than the study asks for.
    """
    mine = (practice.c.study_id == member.c.study_id, practice.c.account_id == member.c.account_id)
    there = item.c.withdrawal.is_(None)
    unanswered = select(practice.c.id).join(item, item.c.id == practice.c.item).where(*mine, there)
    unanswered = unanswered.where(practice.c.answer.is_(None)).correlate(member)
    right = select(func.avg(practice.c.right, type_=Float)).join(item, item.c.id == practice.c.item)
    reached = func.coalesce(right.where(*mine, there).correlate(member).scalar_subquery(), 1.0)
    asked = func.coalesce(func.json_extract(study.c.protocol, "$.review.practice_pass", type_=Float), 0.0)
    first = (member.c.left_at.is_(None), member.c.practised_at.is_(None))
    return and_(*first, or_(unanswered.exists(), reached < asked))


DUE: Final = _due()


def _round(study_id: str, account_id: int) -> ColumnElement[bool]:
    return (practice.c.study_id == study_id) & (practice.c.account_id == account_id)
