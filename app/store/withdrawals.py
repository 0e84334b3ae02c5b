"""Withdrawal: which items a name means, the erasure of their content, and what is left to verify."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, func, insert, select, update

from app.domain.item import PRACTICE
from app.domain.manifest import canonical, digest
from app.domain.withdrawal import kept, key_of
from app.store import audit, judgements, lists, recordings
from app.store.studies import decode_item
from app.store.tables import draft, item, judgement, slot, withdrawal

ROW = ("study_id", "at", "actor", "kind", "source", "items", "telling", "reason", "after_close")
LEFT = ("id", "stratum", "source", "unit", "changed", "equivalent", "auto_coded", "kept", "digest")


def there(connection: Connection, study_id: str, kind: str, value: str) -> list[Row[Any]]:
    """Return the items of a name that have their content."""
    return list(connection.execute(select(item).where(_named(study_id, kind, value)).order_by(item.c.id)))


def _named(study_id: str, kind: str, value: str) -> ColumnElement[bool]:
    named: ColumnElement[bool] = item.c[key_of(kind)] == value
    return (item.c.study_id == study_id) & item.c.withdrawal.is_(None) & named


def ever_of_source(connection: Connection, study_id: str, source: str) -> int:
    """Count the items of a source, those withdrawn too."""
    found = select(func.count()).select_from(item).where(item.c.study_id == study_id, item.c.source == source)
    return connection.execute(found).scalar_one()


def elsewhere(connection: Connection, study_id: str, kind: str, value: str) -> list[str]:
    """Return the other studies of the store in which the same name has items."""
    named = (item.c[key_of(kind)] == value, item.c.withdrawal.is_(None), item.c.study_id != study_id)
    found = select(item.c.study_id).distinct().where(*named).order_by(item.c.study_id)
    return list(connection.execute(found).scalars())


def remove(connection: Connection, study_id: str, kind: str, value: str) -> dict[str, int]:
    """Delete items of a draft; return how many came of each pairing ("" for none).

    A file that is no longer whole is no pairing's any more: what else came of it loses its mark.
    """
    gone = (_named(study_id, kind, value),)
    counted = select(item.c.pairing, func.count().label("items")).where(*gone).group_by(item.c.pairing)
    found = {str(row.pairing or ""): row.items for row in connection.execute(counted)}
    recordings.forget(connection, select(item.c.id).where(*gone))
    connection.execute(delete(item).where(*gone))
    marks = [int(mark) for mark in found if mark]
    torn = update(item).where(item.c.study_id == study_id, item.c.pairing.in_(marks))
    connection.execute(torn.values(pairing=None))
    return found


def erase(connection: Connection, kind: str, value: str, **row: Any) -> int:
    """Record a withdrawal and erase the content of its items; return its id.

    `row`: the columns of the withdrawal. Judgements stay, for they quote nothing; their
    notes may, and go. Slots leave every list.
    """
    number = int(connection.execute(insert(withdrawal).values(kind=kind, **row)).inserted_primary_key[0])  # type: ignore[index]
    connection.execute(update(item).where(_named(row["study_id"], kind, value)).values(withdrawal=number))
    mine = item.c.withdrawal == number
    if row["after_close"]:
        _keep_facts(connection, mine)
    recordings.forget(connection, select(item.c.id).where(mine))
    connection.execute(update(item).where(mine).values(item_id=None, cluster=None, content=None, salt=None))
    connection.execute(update(slot).where(slot.c.item.in_(select(item.c.id).where(mine))).values(withdrawn=True))
    lists.renumber(connection, row["study_id"])
    slots = select(slot.c.id).join(item, item.c.id == slot.c.item).where(mine)
    connection.execute(delete(draft).where(draft.c.slot_id.in_(slots)))
    _erase_notes(connection, number, judgement.c.slot_id.in_(slots) & (judgement.c.note != ""))
    return number


def _keep_facts(connection: Connection, mine: ColumnElement[bool]) -> None:
    facts = [
        {"row": row.id, "facts": canonical(kept(decode_item(row.content))).decode()}
        for row in connection.execute(select(item.c.id, item.c.content).where(mine))
    ]
    if facts:
        keep = update(item).where(item.c.id == bindparam("row")).values(kept=bindparam("facts"))
        connection.execute(keep, facts)


def _erase_notes(connection: Connection, number: int, noted: ColumnElement[bool]) -> None:
    """Erase notes, the salts of their rows, and the digests of the forms that brought them.

    A row that differs from what the chain has of it already is not marked as erased, so
    that `verify` goes on naming it.
    """
    rows = connection.execute(select(judgement).where(noted)).all()
    if not rows:
        return
    recorded = audit.judgement_digests(connection)
    whole = [row.id for row in rows if recorded.get((row.slot_id, row.version)) == judgements.row_digest(row)]
    blank = {"note": "", "salt": None, "fingerprint": ""}
    connection.execute(update(judgement).where(noted).values(**blank))
    if whole:
        marked = update(judgement).where(judgement.c.id == bindparam("row")).values(erased_by=number)
        connection.execute(marked, [{"row": key} for key in whole])


def listing(connection: Connection, study_id: str) -> list[Row[Any]]:
    """Return a study's withdrawals, oldest first."""
    found = select(withdrawal).where(withdrawal.c.study_id == study_id).order_by(withdrawal.c.id)
    return list(connection.execute(found))


def digest_of(connection: Connection, row: Row[Any]) -> str:
    """Return the digest of a withdrawal, of what it left of each item, and of the judgements whose notes it erased."""
    left = select(*(item.c[name] for name in LEFT)).where(item.c.withdrawal == row.id).order_by(item.c.id)
    erased = select(judgement).where(judgement.c.erased_by == row.id).order_by(judgement.c.id)
    return digest(
        {
            "withdrawal": {name: getattr(row, name) for name in ROW},
            "items": [list(each) for each in connection.execute(left)],
            "judgements": [judgements.row_digest(each) for each in connection.execute(erased)],
        }
    )


def revoked_in_time(connection: Connection, study_id: str) -> int:
    """Count the sources whose rights were revoked between the freeze and the close; of practice items alone, none."""
    judged = (item.c.study_id == study_id, item.c.source == withdrawal.c.source, item.c.role != PRACTICE)
    in_use = select(item.c.id).where(*judged).correlate(withdrawal).exists()
    in_time = withdrawal.c.after_close.is_(False)
    found = (withdrawal.c.study_id == study_id, withdrawal.c.kind == "source", in_time, in_use)
    return connection.execute(select(func.count()).select_from(withdrawal).where(*found)).scalar_one()


def telling(connection: Connection, study_id: str) -> int:
    """Count the items with a telling reference that were withdrawn before the close."""
    found = (withdrawal.c.study_id == study_id, withdrawal.c.after_close.is_(False))
    return int(connection.execute(select(func.coalesce(func.sum(withdrawal.c.telling), 0)).where(*found)).scalar_one())


def lists_agree(connection: Connection, study_id: str) -> bool:
    """Tell whether exactly the slots of withdrawn items are out of the judges' lists."""
    unlike = slot.c.withdrawn != item.c.withdrawal.is_not(None)
    found = select(slot.c.id).join(item, item.c.id == slot.c.item).where(slot.c.study_id == study_id, unlike)
    return connection.execute(found).first() is None
