"""What measures the judging itself, once a study is closed: repeats, sentinels, guesses of the arm, sides, time."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, or_, select

from app.domain import blinding
from app.domain.expected import Expected
from app.domain.item import SENTINEL
from app.domain.judgement import Coding
from app.domain.measured import JUDGES, Measured
from app.domain.statistics.quality import Answered, Guess
from app.store import judgements
from app.store.studies import decode_item
from app.store.tables import guess, item, judgement, sign_off, slot, withdrawal


def measured(connection: Connection, study_id: str) -> Measured:
    """Return what was measured of the judging: of sets that are signed, and of items that counted at the close."""
    return Measured(
        repeats=tuple(_repeats(connection, study_id)),
        sentinels=tuple(_sentinels(connection, study_id)),
        guesses=tuple(_guesses(connection, study_id)),
        panels=tuple(_panels(connection, study_id)),
        moments={role: _moments(connection, study_id, adjudication=role == JUDGES[1]) for role in JUDGES},
    )


def _counted(study_id: str) -> ColumnElement[bool]:
    return (slot.c.study_id == study_id) & withdrawal.c.after_close.is_not(False)


_WHOLE: Final = (judgement, slot.c.item, slot.c.account_id, slot.c.on_panel, slot.c.opened)


def _signed(
    connection: Connection, study_id: str, *which: ColumnElement[bool], columns: tuple[Any, ...] = _WHOLE
) -> dict[int, list[Row[Any]]]:
    """Return the versions of each slot up to its judge's standing sign-off, oldest first."""
    rows = connection.execute(
        select(*columns)
        .join(slot, slot.c.id == judgement.c.slot_id)
        .join(item, item.c.id == slot.c.item)
        .outerjoin(withdrawal, withdrawal.c.id == item.c.withdrawal)
        .join(sign_off, (sign_off.c.study_id == slot.c.study_id) & (sign_off.c.account_id == slot.c.account_id))
        .where(_counted(study_id), sign_off.c.reopened_at.is_(None), judgement.c.id <= sign_off.c.upto, *which)
        .order_by(judgement.c.id)
    ).all()
    versions: defaultdict[int, list[Row[Any]]] = defaultdict(list)
    for row in rows:
        versions[row.slot_id].append(row)
    return versions


def _coding(row: Row[Any]) -> Coding:
    return blinding.reveal(judgements.decode(row), row.on_panel)


def _repeats(connection: Connection, study_id: str) -> Iterator[Answered]:
    """Yield each original, as it was stored when the repeat opened, with the repeat's answer."""
    again = select(slot.c.item).where(slot.c.study_id == study_id, slot.c.repeat)
    originals = {
        (rows[0].item, rows[0].account_id): rows
        for rows in _signed(connection, study_id, slot.c.repeat.is_(False), slot.c.item.in_(again)).values()
    }
    for rows in _signed(connection, study_id, slot.c.repeat).values():
        newest = rows[-1]
        opened = newest.opened or 0
        before = [row for row in originals.get((newest.item, newest.account_id), []) if row.id <= opened]
        if before:
            yield Answered(newest.account_id, _coding(before[-1]), _coding(newest))


def _sentinels(connection: Connection, study_id: str) -> Iterator[Answered]:
    """Yield each known answer with each review of it, as last signed."""
    sentinels = select(item).where(item.c.study_id == study_id, item.c.role == SENTINEL)
    left = or_(item.c.content.is_not(None), item.c.kept.is_not(None))  # one withdrawn before the close has neither
    known = {row.id: _known(row) for row in connection.execute(sentinels.where(left))}
    for rows in _signed(connection, study_id, item.c.role == SENTINEL).values():
        yield Answered(rows[-1].account_id, known[rows[-1].item], _coding(rows[-1]))


def _known(row: Row[Any]) -> Coding:
    """Return the known answer of a sentinel; of one withdrawn after the close it is what was kept."""
    stated = decode_item(row.content).expected if row.content else Expected(**json.loads(row.kept)["expected"])
    assert stated is not None  # noqa: S101 - no sentinel is imported without
    return stated.coding


def _guesses(connection: Connection, study_id: str) -> Iterator[Guess]:
    """Yield each guess of the arm."""
    rows = connection.execute(
        select(guess.c.guess, slot.c.account_id, slot.c.adjudication, slot.c.on_panel)
        .join(slot, slot.c.id == guess.c.slot_id)
        .join(item, item.c.id == slot.c.item)
        .outerjoin(withdrawal, withdrawal.c.id == item.c.withdrawal)
        .join(sign_off, (sign_off.c.study_id == slot.c.study_id) & (sign_off.c.account_id == slot.c.account_id))
        .where(_counted(study_id), sign_off.c.reopened_at.is_(None))
        .order_by(slot.c.id)
    )
    for row in rows:
        right = None if row.guess == blinding.CANNOT_TELL else row.guess == row.on_panel
        yield Guess(row.account_id, JUDGES[row.adjudication], right)


def _panels(connection: Connection, study_id: str) -> Iterator[str | None]:
    """Yield the text that each signed review of a study item names."""
    reviews = (slot.c.adjudication.is_(False), judgements.has_an_outcome())
    for rows in _signed(connection, study_id, *reviews, columns=(judgement.c.slot_id, judgement.c.panel)).values():
        yield rows[-1].panel


def _moments(connection: Connection, study_id: str, *, adjudication: bool) -> tuple[tuple[float, ...], ...]:
    """Return, for each judge of a role, the seconds at which an item was first opened or an answer stored."""
    mine = (slot.c.study_id == study_id, slot.c.adjudication.is_(adjudication))
    opened = select(slot.c.account_id, slot.c.opened_at.label("at")).where(*mine, slot.c.opened_at.is_not(None))
    stored = select(slot.c.account_id, judgement.c.stored_at).join(slot, slot.c.id == judgement.c.slot_id).where(*mine)
    found: defaultdict[int, list[float]] = defaultdict(list)
    for row in connection.execute(opened.union_all(stored)).all():
        found[row.account_id].append(datetime.fromisoformat(row.at).timestamp())
    return tuple(tuple(moments) for moments in found.values())
