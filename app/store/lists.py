"""Each judge's own list: numbered and counted when it changes, which is rare, and not when it is read.

A page of 20,000 items then costs what a page of 160 does. Path not taken: counting with an index; at 20,000 items
that takes longer than all else that a page does.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Select, and_, func, select, update

from app.store.tables import member, slot


def in_list(study_id: str, account_id: int) -> ColumnElement[bool]:
    """Select a judge's own list: all of a reviewer's slots, the routed ones of an adjudicator's; none withdrawn."""
    return and_(slot.c.study_id == study_id, slot.c.account_id == account_id, slot.c.number.is_not(None))


def ever_in_list(study_id: str, account_id: int) -> ColumnElement[bool]:
    """Select the same, and those too whose items were withdrawn."""
    return and_(slot.c.study_id == study_id, slot.c.account_id == account_id, _listed())


def _listed() -> ColumnElement[bool]:
    return slot.c.adjudication.is_(False) | slot.c.routed


def length(connection: Connection, study_id: str, account_id: int) -> int:
    """Return how many items a judge's own list has."""
    longest = select(func.max(slot.c.number)).where(slot.c.study_id == study_id, slot.c.account_id == account_id)
    return connection.execute(longest).scalar() or 0


def renumber(connection: Connection, study_id: str) -> None:
    """Number every list of a study by the drawn order, and count what is done in each.

    Whatever puts an item into a list or takes one out calls it, in the same transaction.
    """
    connection.execute(update(slot).where(slot.c.study_id == study_id, slot.c.number.is_not(None)).values(number=None))
    wanted = _numbered(study_id).subquery()
    connection.execute(update(slot).where(slot.c.id == wanted.c.id).values(number=wanted.c.number))
    connection.execute(update(member).where(member.c.study_id == study_id).values(done=_done()))


def agree(connection: Connection, study_id: str) -> bool:
    """Tell whether numbers and counts are those that the lists have."""
    wanted = _numbered(study_id).subquery()
    unlike = select(slot.c.id).outerjoin(wanted, wanted.c.id == slot.c.id)
    unlike = unlike.where(slot.c.study_id == study_id, slot.c.number.is_distinct_from(wanted.c.number))
    miscounted = select(member.c.account_id).where(member.c.study_id == study_id, member.c.done != _done())
    return connection.execute(unlike).first() is None and connection.execute(miscounted).first() is None


def _numbered(study_id: str) -> Select[tuple[int, int]]:
    number = func.row_number().over(partition_by=slot.c.account_id, order_by=slot.c.position).label("number")
    return select(slot.c.id, number).where(slot.c.study_id == study_id, slot.c.withdrawn.is_(False), _listed())


def _done() -> ColumnElement[int]:
    mine = (slot.c.study_id == member.c.study_id, slot.c.account_id == member.c.account_id)
    counted = select(func.count()).where(*mine, slot.c.number.is_not(None), slot.c.done)
    return counted.correlate(member).scalar_subquery()
