"""Sign-offs held against what is stored: whether the answers still give the digest of the set that was signed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select

from app.domain.manifest import digest
from app.store import audit, withdrawals
from app.store.judgements import row_digest
from app.store.tables import item, judgement, sign_off, slot


@dataclass(frozen=True)
class Checked:
    """One sign-off, and whether count and digest are still those of the stored answers."""

    signed: Row[Any]
    holds: bool


def checked(connection: Connection, study_id: str, account_id: int | None = None) -> list[Checked]:
    """Return a study's sign-offs, or those of one account, oldest first, each held against the stored answers."""
    gone = _withdrawn_before(connection, study_id)
    rows = connection.execute(select(sign_off).where(sign_off.c.study_id == study_id).order_by(sign_off.c.id)).all()
    return [
        Checked(row, number < len(gone) and _holds(connection, row, gone[number]))
        for number, row in enumerate(rows)
        if account_id in {None, row.account_id}
    ]


def _withdrawn_before(connection: Connection, study_id: str) -> list[list[int]]:
    """Return, for each sign-off in turn, the withdrawals before it: these items were in no list any more."""
    made = [each.id for each in withdrawals.listing(connection, study_id)]
    found, count = [], 0
    for event in audit.events(connection, "set.signed", "items.withdrawn", study_id=study_id):
        if "upto" in event.detail:
            found.append(made[:count])
        else:
            count += 1
    return found


def _holds(connection: Connection, signed: Row[Any], gone: Collection[int]) -> bool:
    """Tell whether the set as it was at its sign-off still has the size and the digest of then."""
    newest = (
        select(func.max(judgement.c.id))
        .join(slot, slot.c.id == judgement.c.slot_id)
        .join(item, item.c.id == slot.c.item)
        .where(slot.c.study_id == signed.study_id, slot.c.account_id == signed.account_id)
        .where(judgement.c.id <= signed.upto, item.c.withdrawal.is_(None) | item.c.withdrawal.not_in(gone))
        .group_by(slot.c.id)
    )
    rows = connection.execute(select(judgement).where(judgement.c.id.in_(newest)).order_by(judgement.c.slot_id)).all()
    # Of a row whose note was erased since, the record has the digest that it had.
    recorded = audit.judgement_digests(connection) if any(row.erased_by is not None for row in rows) else {}
    digests = [row_digest(row) if row.erased_by is None else recorded.get((row.slot_id, row.version)) for row in rows]
    size: Any = signed.count  # the column; its type says the method of a tuple
    return bool(size == len(rows) and signed.digest == digest(digests))
