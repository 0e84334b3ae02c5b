"""A judge's own list as stored: page by page, with its counts, and when its judge was at work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from app.domain import blinding, own_list
from app.domain.own_list import Entry, Listing, Tally, View
from app.store.judgements import in_list
from app.store.tables import draft, item, judgement, slot


@dataclass(frozen=True)
class Worked:
    """When a judge was at work, in seconds; and where the newest answer was given: token, and when."""

    moments: tuple[float, ...] = ()
    token: str | None = None
    at: datetime | None = None


def tally(connection: Connection, study_id: str, account_id: int) -> Tally:
    """Count a judge's own list by state."""
    counted = select(
        func.count(),
        func.count().filter(slot.c.done),
        func.count(draft.c.slot_id),
        func.count().filter(slot.c.flagged),
    )
    of = counted.select_from(slot.outerjoin(draft, draft.c.slot_id == slot.c.id)).where(in_list(study_id, account_id))
    return Tally(*connection.execute(of).one())


def listed(
    connection: Connection, study_id: str, account_id: int, view: View, references: tuple[str, ...] = ()
) -> Listing:
    """Return one page of a judge's own list, in the drawn order. `references`: the kinds that its pages show."""
    kept = _kept(in_list(study_id, account_id), view)
    if view.words:
        found = _holding(connection, kept, view.words, references)
        page, pages = own_list.pages(len(found), view.page)
        some = found[_before(page) : _before(page) + own_list.PER_PAGE]
        return Listing(_entries(connection, study_id, account_id, some), len(found), page, pages)
    count = connection.execute(kept.with_only_columns(func.count())).scalar_one()
    page, pages = own_list.pages(count, view.page)
    ordered = kept.order_by(slot.c.position).limit(own_list.PER_PAGE).offset(_before(page))
    some = list(connection.execute(ordered).scalars())
    return Listing(_entries(connection, study_id, account_id, some), count, page, pages)


def _before(page: int) -> int:
    return (page - 1) * own_list.PER_PAGE


def _kept(mine: ColumnElement[bool], view: View) -> Select[Any]:
    """Select the slots that a view leaves of a list, its words aside."""
    found = select(slot.c.id).where(mine)
    states: dict[str, ColumnElement[bool]] = {
        "open": slot.c.done.is_(False),
        "answered": slot.c.done,
        "drafted": slot.c.id.in_(select(draft.c.slot_id)),
        "flagged": slot.c.flagged,
    }
    if view.show in states:
        found = found.where(states[view.show])
    if view.answer is not None:
        label = None if view.answer == own_list.UNSETTLED else view.answer
        newest = (judgement.c.slot_id == slot.c.id) & (judgement.c.version == slot.c.version)
        found = found.join(judgement, newest).where(judgement.c.label.is_not_distinct_from(label))
    return found


def _holding(connection: Connection, kept: Select[Any], words: str, references: tuple[str, ...]) -> list[int]:
    """Return the slots of which a text that the judge sees holds the words, in order.

    They are compared here and not in SQL, which knows no letters but ASCII's, and as panels, so
    that nothing goes by the arm.
    """
    names = ("off", "on", *(f"{kind}_reference" for kind in references))
    texts = (func.json_extract(item.c.content, f"$.{name}") for name in names)
    found = kept.join(item, item.c.id == slot.c.item).add_columns(slot.c.on_panel, *texts).order_by(slot.c.position)
    return [
        slot_id
        for slot_id, on_panel, off, on, *shown in connection.execute(found)
        if own_list.holds(words, (*blinding.panels(off, on, on_panel), *(text for text in shown if text is not None)))
    ]


def _entries(connection: Connection, study_id: str, account_id: int, some: list[int]) -> tuple[Entry, ...]:
    """Return the entries of some slots, at most one page of them, with the numbers that they have in the whole list."""
    number = func.row_number().over(order_by=slot.c.position).label("number")
    numbered = select(slot.c.id, number).where(in_list(study_id, account_id)).subquery()
    newest = (judgement.c.slot_id == slot.c.id) & (judgement.c.version == slot.c.version)
    found = (
        select(slot.c.token, slot.c.done, slot.c.flagged, numbered.c.number, judgement.c.label, draft.c.saved_at)
        .join(numbered, numbered.c.id == slot.c.id)
        .outerjoin(judgement, newest)
        .outerjoin(draft, draft.c.slot_id == slot.c.id)
        .where(numbered.c.id.in_(some))
        .order_by(numbered.c.number)
    )
    return tuple(
        Entry(row.token, row.number, row.label, row.done, row.saved_at is not None, row.flagged)
        for row in connection.execute(found)
    )


def worked(connection: Connection, study_id: str, account_id: int) -> Worked:
    """Return when a judge opened items of the own list and stored answers, and which answer is the newest."""
    mine = in_list(study_id, account_id)
    opened = select(func.unixepoch(slot.c.opened_at)).where(mine, slot.c.opened_at.is_not(None))
    answers = select(judgement.c.id).join(slot, slot.c.id == judgement.c.slot_id).where(mine)
    stored = answers.with_only_columns(func.unixepoch(judgement.c.stored_at))
    moments = (*connection.execute(opened).scalars(), *connection.execute(stored).scalars())
    newest = answers.with_only_columns(func.max(judgement.c.id)).scalar_subquery()
    last = connection.execute(
        select(slot.c.token, judgement.c.stored_at)
        .join(slot, slot.c.id == judgement.c.slot_id)
        .where(judgement.c.id == newest)
    ).first()
    return Worked(moments, last.token, datetime.fromisoformat(last.stored_at)) if last else Worked(moments)


def lately(connection: Connection, study_id: str, account_id: int, since: str) -> tuple[float, ...]:
    """Return when a judge stored answers since a moment: enough to know how long there was no pause."""
    # By the time of answers and not by the judge's list, which may be long: so no index of slots may serve.
    mine = (slot.c.account_id + 0 == account_id, slot.c.study_id.concat("") == study_id)
    stored = select(func.unixepoch(judgement.c.stored_at)).join(slot, slot.c.id == judgement.c.slot_id)
    return tuple(connection.execute(stored.where(judgement.c.stored_at >= since, *mine)).scalars())
