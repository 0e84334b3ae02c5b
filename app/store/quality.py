"""What measures the judging itself, once a study is closed: repeats, sentinels, and guesses of the arm."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from app.domain import blinding
from app.domain.expected import Expected
from app.domain.item import SENTINEL
from app.domain.judgement import Coding
from app.domain.measured import Guessed, Measured
from app.domain.withdrawal import kept
from app.store import judgements
from app.store.studies import decode_item
from app.store.tables import guess, item, judgement, sign_off, slot, withdrawal


def measured(connection: Connection, study_id: str) -> Measured:
    """Return what was measured of the judging: of sets that are signed, and of items that counted at the close."""
    return Measured(
        repeats=tuple(_repeats(connection, study_id)),
        sentinels=tuple(_sentinels(connection, study_id)),
        guesses=tuple(_guesses(connection, study_id)),
    )


def _counted(study_id: str) -> ColumnElement[bool]:
    return (slot.c.study_id == study_id) & withdrawal.c.after_close.is_not(False)


def _signed(connection: Connection, study_id: str, *which: ColumnElement[bool]) -> dict[int, list[Row[Any]]]:
    """Return the versions of each slot up to its judge's standing sign-off, oldest first."""
    rows = connection.execute(
        select(judgement, slot.c.item, slot.c.account_id, slot.c.on_panel, slot.c.opened)
        .join(slot, slot.c.id == judgement.c.slot_id)
        .join(item, item.c.id == slot.c.item)
        .outerjoin(withdrawal, withdrawal.c.id == item.c.withdrawal)
        .join(sign_off, (sign_off.c.study_id == slot.c.study_id) & (sign_off.c.account_id == slot.c.account_id))
        .where(_counted(study_id), sign_off.c.reopened_at.is_(None), judgement.c.id <= sign_off.c.upto, *which)
        .order_by(judgement.c.id)
    )
    versions: defaultdict[int, list[Row[Any]]] = defaultdict(list)
    for row in rows:
        versions[row.slot_id].append(row)
    return versions


def _coding(row: Row[Any]) -> Coding:
    return blinding.reveal(judgements.decode(row), row.on_panel)


def _repeats(connection: Connection, study_id: str) -> Iterator[tuple[Coding, Coding]]:
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
            yield _coding(before[-1]), _coding(newest)


def _sentinels(connection: Connection, study_id: str) -> Iterator[tuple[Expected, Coding]]:
    """Yield each known answer with each review of it, as last signed."""
    sentinels = select(item).where(item.c.study_id == study_id, item.c.role == SENTINEL)
    known = {row.id: _expected(row) for row in connection.execute(sentinels)}
    for rows in _signed(connection, study_id, item.c.role == SENTINEL).values():
        yield known[rows[-1].item], _coding(rows[-1])


def _expected(row: Row[Any]) -> Expected:
    facts = kept(decode_item(row.content)) if row.content else json.loads(row.kept)
    return Expected(facts["expected"]["label"], facts["expected"]["arm"])


def _guesses(connection: Connection, study_id: str) -> Iterator[Guessed]:
    """Yield each guess of the arm, by judges numbered in no order that names them."""
    rows = connection.execute(
        select(guess.c.guess, slot.c.account_id, slot.c.adjudication, slot.c.on_panel)
        .join(slot, slot.c.id == guess.c.slot_id)
        .join(item, item.c.id == slot.c.item)
        .outerjoin(withdrawal, withdrawal.c.id == item.c.withdrawal)
        .where(_counted(study_id))
        .order_by(slot.c.id)
    )
    for row in rows:
        role = "adjudicator" if row.adjudication else "reviewer"
        right = None if row.guess == blinding.CANNOT_TELL else row.guess == row.on_panel
        yield Guessed(role, row.account_id, right)
