"""A judge's own list as stored: page by page, with its counts, and when its judge was at work."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from app.domain import blinding, own_list
from app.domain.own_list import Entry, Listing, Tally, View
from app.store.lists import in_list, length
from app.store.tables import draft, item, judgement, member, slot


def tally(connection: Connection, study_id: str, account_id: int) -> Tally:
    """Count a judge's own list by state."""
    mine = in_list(study_id, account_id)
    done = select(member.c.done).where(member.c.study_id == study_id, member.c.account_id == account_id)
    # By what is drafted, which is little, and not by the list: hence a question to each draft, and no join.
    listed = select(slot.c.id).where(slot.c.id == draft.c.slot_id, mine).correlate(draft).exists()
    drafted = select(func.count()).select_from(draft).where(listed)
    return Tally(
        total=length(connection, study_id, account_id),
        done=connection.execute(done).scalar() or 0,
        drafted=connection.execute(drafted).scalar_one(),
        flagged=connection.execute(select(func.count()).select_from(slot).where(mine, slot.c.flagged)).scalar_one(),
    )


def listed(
    connection: Connection, study_id: str, account_id: int, view: View, tally: Tally, references: tuple[str, ...] = ()
) -> Listing:
    """Return one page of a judge's own list, in the drawn order. `references`: the kinds that its pages show."""
    kept = _kept(in_list(study_id, account_id), view)
    if view.words:
        found = _holding(connection, kept, view.words, references)
        page, pages = own_list.pages(len(found), view.page)
        some = found[_before(page) : _before(page) + own_list.PER_PAGE]
        return Listing(_entries(connection, some), len(found), page, pages)
    count = tally.of(view.show)
    if view.answer is not None:
        count = connection.execute(kept.with_only_columns(func.count())).scalar_one()
    page, pages = own_list.pages(count, view.page)
    ordered = kept.order_by(slot.c.number).limit(own_list.PER_PAGE).offset(_before(page))
    some = list(connection.execute(ordered).scalars())
    return Listing(_entries(connection, some), count, page, pages)


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
    found = kept.join(item, item.c.id == slot.c.item).add_columns(slot.c.on_panel, *texts).order_by(slot.c.number)
    return [
        slot_id
        for slot_id, on_panel, off, on, *shown in connection.execute(found)
        if own_list.holds(words, (*blinding.panels(off, on, on_panel), *(text for text in shown if text is not None)))
    ]


def _entries(connection: Connection, some: list[int]) -> tuple[Entry, ...]:
    """Return the entries of some slots, at most one page of them, with the numbers that they have in the whole list."""
    newest = (judgement.c.slot_id == slot.c.id) & (judgement.c.version == slot.c.version)
    found = (
        select(slot.c.token, slot.c.done, slot.c.flagged, slot.c.number, draft.c.saved_at)
        .add_columns(judgement.c.label, judgement.c.panel)
        .outerjoin(judgement, newest)
        .outerjoin(draft, draft.c.slot_id == slot.c.id)
        .where(slot.c.id.in_(some))
        .order_by(slot.c.number)
    )
    return tuple(
        Entry(row.token, row.number, row.label, row.panel, row.done, row.saved_at is not None, row.flagged)
        for row in connection.execute(found)
    )
