"""Judgements, drafts and sign-offs as stored, for the actions that write them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, insert, select, update

from app.domain.blinding import checked
from app.domain.item import STUDY
from app.domain.judgement import Judgement
from app.domain.manifest import canonical, digest
from app.store.tables import draft, guess, item, judgement, member, sign_off, slot

FIELDS = ("step", "label", "panel", "also", "reasons", "groups", "severity", "note", "decision", "unresolved_reason")


def decode(row: Any) -> Judgement:
    """Return the judgement of a stored row that has a label."""
    return Judgement(
        label=row.label,
        panel=row.panel,
        also=row.also,
        reasons=tuple(json.loads(row.reasons)),
        groups=tuple(json.loads(row.groups)),
        severity=row.severity,
        note=row.note,
    )


def encode(given: Judgement | None) -> dict[str, Any]:
    """Return the columns of a judgement; None where the adjudicator could not settle."""
    if given is None:
        return {"label": None}
    return {
        "label": given.label,
        "panel": given.panel,
        "also": given.also,
        "reasons": json.dumps(given.reasons),
        "groups": json.dumps(given.groups),
        "severity": given.severity,
        "note": given.note,
    }


def row_digest(row: Any) -> str:
    """Return the digest that the audit chain keeps of a stored judgement.

    The salt is in it where there is one: rows of schema 0001 have none, and of an erased note
    it is erased too.
    """
    salted = () if row.salt is None else ("salt",)
    names = (*FIELDS, "slot_id", "version", "manifest_sha256", "stored_at", *salted)
    return digest({name: getattr(row, name) for name in names})


def slot_of(connection: Connection, account_id: int, token: str) -> Row[Any] | None:
    """Return the slot of a token with its item's `equivalent`, if it is this account's."""
    found = (
        select(slot, item.c.equivalent)
        .join(item, item.c.id == slot.c.item)
        .where(slot.c.token == token, slot.c.account_id == account_id)
    )
    return connection.execute(found).first()


def by_key(connection: Connection, slot_id: int, key: str) -> Row[Any] | None:
    """Return the judgement that was stored under an idempotency key."""
    found = select(judgement).where(judgement.c.slot_id == slot_id, judgement.c.key == key)
    return connection.execute(found).first()


def at_version(connection: Connection, slot_id: int, version: int) -> Row[Any]:
    """Return one version of a slot's judgement."""
    found = select(judgement).where(judgement.c.slot_id == slot_id, judgement.c.version == version)
    return connection.execute(found).one()


def newest(connection: Connection, slot_id: int, step: str) -> Row[Any] | None:
    """Return the newest judgement of one step on a slot."""
    found = select(judgement).where(judgement.c.slot_id == slot_id, judgement.c.step == step)
    return connection.execute(found.order_by(judgement.c.version.desc())).first()


def add(connection: Connection, slot_id: int, version: int, *, done: bool, **values: Any) -> str:
    """Store a version, move the slot to it, drop its draft; return the row's digest."""
    connection.execute(insert(judgement).values(slot_id=slot_id, version=version, **values))
    connection.execute(update(slot).where(slot.c.id == slot_id).values(version=version, done=done))
    connection.execute(delete(draft).where(draft.c.slot_id == slot_id))
    return row_digest(at_version(connection, slot_id, version))


def save_draft(connection: Connection, slot_id: int, fields: dict[str, list[str]], saved_at: str) -> None:
    """Store what has been typed, in place of the former draft."""
    connection.execute(delete(draft).where(draft.c.slot_id == slot_id))
    content = canonical(fields).decode()
    connection.execute(insert(draft).values(slot_id=slot_id, fields=content, saved_at=saved_at))


def set_flag(connection: Connection, slot_id: int, *, flagged: bool) -> None:
    """Note whether a judge wants to come back to a slot."""
    connection.execute(update(slot).where(slot.c.id == slot_id).values(flagged=flagged))


def standing_sign_off(connection: Connection, study_id: str, account_id: int) -> Row[Any] | None:
    """Return a judge's sign-off that stands, or None."""
    found = select(sign_off).where(
        sign_off.c.study_id == study_id, sign_off.c.account_id == account_id, sign_off.c.reopened_at.is_(None)
    )
    return connection.execute(found).first()


def add_sign_off(connection: Connection, **values: Any) -> None:
    """Store a sign-off."""
    connection.execute(insert(sign_off).values(**values))


def reopen_sign_off(connection: Connection, sign_off_id: int, at: str, reason: str) -> None:
    """Take a sign-off back; the row stays."""
    connection.execute(
        update(sign_off).where(sign_off.c.id == sign_off_id).values(reopened_at=at, reopen_reason=reason)
    )


def unfinished(connection: Connection, study_id: str, account_id: int) -> int:
    """Count the items a judge has still to answer (of an adjudicator: the routed ones)."""
    open_ones = (in_list(study_id, account_id), slot.c.done.is_(False))
    return connection.execute(select(func.count()).select_from(slot).where(*open_ones)).scalar_one()


def unanswered(connection: Connection, study_id: str, account_id: int) -> list[Row[Any]]:
    """Return a reviewer's slots without an answer, each with its item's `stratum`."""
    found = select(slot, item.c.stratum).join(item, item.c.id == slot.c.item)
    mine = (in_list(study_id, account_id), slot.c.version == 0, slot.c.repeat.is_(False))
    return list(connection.execute(found.where(*mine).order_by(slot.c.id)))


def drop_repeats(connection: Connection, study_id: str, account_id: int) -> None:
    """Delete the repeats that a reviewer has not answered: of another's answers they would repeat nothing."""
    mine = (in_list(study_id, account_id), slot.c.version == 0, slot.c.repeat)
    gone = select(slot.c.id).where(*mine)
    connection.execute(delete(draft).where(draft.c.slot_id.in_(gone)))
    connection.execute(delete(slot).where(*mine))


def set_of(connection: Connection, study_id: str, account_id: int) -> tuple[int, int, str]:
    """Return a judge's answered set: its size, the newest judgement's id, and the set's digest."""
    found = (
        select(judgement)
        .join(slot, (slot.c.id == judgement.c.slot_id) & (slot.c.version == judgement.c.version))
        .where(in_list(study_id, account_id))
        .order_by(slot.c.id)
    )
    rows = connection.execute(found).all()
    return len(rows), max((row.id for row in rows), default=0), digest([row_digest(row) for row in rows])


def in_list(study_id: str, account_id: int, *, withdrawn: bool = False) -> ColumnElement[bool]:
    """Select a judge's own list: all of a reviewer's slots, the routed ones of an adjudicator's.

    `withdrawn`: those too whose items were withdrawn.
    """
    mine = and_(slot.c.study_id == study_id, slot.c.account_id == account_id)
    there = mine if withdrawn else and_(mine, slot.c.withdrawn.is_(False))
    return and_(there, slot.c.adjudication.is_(False) | slot.c.routed)


def blinding_sample(connection: Connection, study_id: str, account_id: int, share: float) -> list[Row[Any]]:
    """Return the slots of a signed set that the blinding check asks about, in the order of the list: id, token, guess.

    None where the set is not signed. What is withdrawn later leaves the sample, and nothing takes its place.
    """
    if not share or standing_sign_off(connection, study_id, account_id) is None:
        return []
    found = select(slot.c.id, slot.c.token, slot.c.position, slot.c.rank, slot.c.withdrawn, guess.c.guess)
    answered = (in_list(study_id, account_id, withdrawn=True), slot.c.done, slot.c.rank.is_not(None))
    found = found.outerjoin(guess, guess.c.slot_id == slot.c.id).where(*answered).order_by(slot.c.position)
    rows: list[Row[Any]] = list(connection.execute(found))
    asked = checked([row.rank for row in rows], share)
    return [row for row in rows if row.rank in asked and not row.withdrawn]


def add_guess(connection: Connection, slot_id: int, given: str, at: str) -> str:
    """Store an answer of the blinding check; return its digest."""
    connection.execute(insert(guess).values(slot_id=slot_id, guess=given, stored_at=at))
    return _guess_digest(slot_id, given, at)


def guess_digests(connection: Connection, study_id: str) -> list[str]:
    """Return the digest of every answer of a study's blinding check, as the audit chain has it."""
    found = select(guess).join(slot, slot.c.id == guess.c.slot_id).where(slot.c.study_id == study_id)
    return [_guess_digest(row.slot_id, row.guess, row.stored_at) for row in connection.execute(found)]


def _guess_digest(slot_id: int, given: str, at: str) -> str:
    return digest({"slot": slot_id, "guess": given, "at": at})


def open_slot(connection: Connection, study_id: str, account_id: int, token: str, at: str) -> None:
    """Note when a judge first saw an item of the own list, and the newest judgement at that moment."""
    newest_id = select(func.coalesce(func.max(judgement.c.id), 0)).scalar_subquery()
    unseen = (in_list(study_id, account_id), slot.c.token == token, slot.c.opened.is_(None))
    connection.execute(update(slot).where(*unseen).values(opened_at=at, opened=newest_id))


def reviews_signed(connection: Connection, study_id: str) -> bool:
    """Tell whether every reviewer's set is signed: the adjudicator's queue is open then."""
    standing = select(sign_off.c.account_id).where(sign_off.c.study_id == study_id, sign_off.c.reopened_at.is_(None))
    found = select(member.c.account_id).where(
        member.c.study_id == study_id, member.c.role == "reviewer", member.c.account_id.not_in(standing)
    )
    return connection.execute(found).first() is None


def newest_reviews(connection: Connection, study_id: str, item_id: int | None = None) -> list[Row[Any]]:
    """Return every newest review with its slot's `item` and `on_panel`, by item and seat; none of what was withdrawn.

    Reviews of study items alone, and no repeats: these have an outcome. `item_id`: only those of one item.
    """
    found = (
        select(judgement, slot.c.item, slot.c.on_panel)
        .join(slot, (slot.c.id == judgement.c.slot_id) & (slot.c.version == judgement.c.version))
        .join(member, (member.c.study_id == slot.c.study_id) & (member.c.account_id == slot.c.account_id))
        .where(slot.c.study_id == study_id, slot.c.adjudication.is_(False), slot.c.withdrawn.is_(False))
        .where(has_an_outcome())
        .order_by(slot.c.item, member.c.seat)
    )
    if item_id is not None:
        found = found.where(slot.c.item == item_id)
    return list(connection.execute(found))


def has_an_outcome() -> ColumnElement[bool]:
    """Select the slots whose answers decide on an item: no repeats, no sentinels."""
    study_items = select(item.c.id).where(item.c.id == slot.c.item, item.c.role == STUDY).correlate(slot).exists()
    return and_(slot.c.repeat.is_(False), study_items)


def audit_order(connection: Connection, study_id: str) -> list[int]:
    """Return the items of the adjudicator's list in the order drawn for audits; none where none was drawn."""
    found = select(slot.c.item).where(slot.c.study_id == study_id, slot.c.adjudication, slot.c.rank.is_not(None))
    return list(connection.execute(found.where(slot.c.withdrawn.is_(False)).order_by(slot.c.rank)).scalars())


def set_routed(connection: Connection, study_id: str, items: Iterable[int]) -> None:
    """Route exactly these items to the adjudicator."""
    queue = update(slot).where(slot.c.study_id == study_id, slot.c.adjudication)
    connection.execute(queue.values(routed=False))
    for some in _batches(list(items)):
        connection.execute(queue.where(slot.c.item.in_(some)).values(routed=True))


def _batches(values: Sequence[int], size: int = 500) -> Iterable[Sequence[int]]:
    return (values[start : start + size] for start in range(0, len(values), size))
