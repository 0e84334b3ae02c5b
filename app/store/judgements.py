"""Judgements, drafts and sign-offs as stored, for the actions that write them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, delete, func, insert, select, update

from app.domain.blinding import checked
from app.domain.item import STUDY
from app.domain.judgement import Judgement
from app.domain.manifest import canonical, digest
from app.domain.pace import Work
from app.store import practising
from app.store.lists import ever_in_list, in_list, renumber
from app.store.tables import draft, guess, item, judgement, member, sign_off, slot, study

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
    return connection.execute(_SLOT, {"token": token, "account": account_id}).first()


# The statements that every answer runs are built once: building one takes longer than running it.
_SLOT: Final = (
    select(slot, item.c.equivalent)
    .join(item, item.c.id == slot.c.item)
    .where(slot.c.token == bindparam("token"), slot.c.account_id == bindparam("account"))
)


def by_key(connection: Connection, slot_id: int, key: str) -> Row[Any] | None:
    """Return the judgement that was stored under an idempotency key."""
    return connection.execute(_BY_KEY, {"slot": slot_id, "key": key}).first()


_BY_KEY: Final = select(judgement).where(judgement.c.slot_id == bindparam("slot"), judgement.c.key == bindparam("key"))


def at_version(connection: Connection, slot_id: int, version: int) -> Row[Any]:
    """Return one version of a slot's judgement."""
    found = select(judgement).where(judgement.c.slot_id == slot_id, judgement.c.version == version)
    return connection.execute(found).one()


def newest(connection: Connection, slot_id: int, step: str) -> Row[Any] | None:
    """Return the newest judgement of one step on a slot."""
    found = select(judgement).where(judgement.c.slot_id == slot_id, judgement.c.step == step)
    return connection.execute(found.order_by(judgement.c.version.desc())).first()


def add(connection: Connection, of: Row[Any], work: Work, *, done: bool, **values: Any) -> str:
    """Store the next version of a slot and move the slot to it; return the row's digest.

    What its judge had typed is dropped, and the judge's own count is kept. `work`: the judge's, with this answer.
    """
    version = of.version + 1
    stored = connection.execute(_ADD, {"slot_id": of.id, "version": version, **values}).one()
    connection.execute(_MOVE, {"slot": of.id, "to": version, "finished": done})
    connection.execute(_DROP_DRAFT, {"slot": of.id})
    connection.execute(_COUNT, _kept(of.study_id, of.account_id, work) | {"slot": of.id, "more": done - of.done})
    return row_digest(stored)


def note_work(connection: Connection, study_id: str, account_id: int, work: Work) -> None:
    """Keep a judge's work with a moment at which no answer was stored."""
    connection.execute(_NOTE, _kept(study_id, account_id, work))


def work_of(row: Row[Any]) -> Work | None:
    """Return the work that a member's row tells of; None before the first moment of it."""
    if row.work_began is None:
        return None
    began, ended = (datetime.fromisoformat(each).timestamp() for each in (row.work_began, row.work_ended))
    return Work(row.worked, began, ended)


def _kept(study_id: str, account_id: int, work: Work) -> dict[str, Any]:
    moments = {"began": work.began, "ended": work.ended}
    told = {name: datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") for name, at in moments.items()}
    return {"study": study_id, "account": account_id, "spent": int(work.spent), **told}


_ADD: Final = insert(judgement).returning(judgement)
_MOVE: Final = (
    update(slot).where(slot.c.id == bindparam("slot")).values(version=bindparam("to"), done=bindparam("finished"))
)
_DROP_DRAFT: Final = delete(draft).where(draft.c.slot_id == bindparam("slot"))
_NOTE: Final = (
    update(member)
    .where(member.c.study_id == bindparam("study"), member.c.account_id == bindparam("account"))
    .values(worked=bindparam("spent"), work_began=bindparam("began"), work_ended=bindparam("ended"))
)
_COUNT: Final = _NOTE.values(newest=bindparam("slot"), done=member.c.done + bindparam("more"))


def save_draft(connection: Connection, slot_id: int, fields: dict[str, list[str]], saved_at: str) -> None:
    """Store what has been typed, in place of the former draft."""
    content = canonical(fields).decode()
    connection.execute(_SAVE_DRAFT, {"slot_id": slot_id, "fields": content, "saved_at": saved_at})


_SAVE_DRAFT: Final = insert(draft).prefix_with("OR REPLACE")


def set_flag(connection: Connection, slot_id: int, *, flagged: bool) -> None:
    """Note whether a judge wants to come back to a slot."""
    connection.execute(update(slot).where(slot.c.id == slot_id).values(flagged=flagged))


def standing(connection: Connection, study_id: str, account_id: int) -> Row[Any]:
    """Return what decides on whether a member may answer: closed_at, signed_at, in_round; and what answers note."""
    return connection.execute(_MAY, {"study": study_id, "account": account_id}).one()


SIGNED: Final = (
    select(sign_off.c.signed_at)
    .where(sign_off.c.study_id == member.c.study_id, sign_off.c.account_id == member.c.account_id)
    .where(sign_off.c.reopened_at.is_(None))
    .correlate(member)
    .scalar_subquery()
)
_MAY: Final = (
    select(study.c.closed_at, study.c.manifest_sha256, member.c.worked, member.c.work_began, member.c.work_ended)
    .add_columns(SIGNED.label("signed_at"), practising.IN_ROUND.label("in_round"))
    .join(member, member.c.study_id == study.c.id)
    .where(study.c.id == bindparam("study"), member.c.account_id == bindparam("account"))
)


def standing_sign_off(connection: Connection, study_id: str, account_id: int) -> Row[Any] | None:
    """Return a judge's sign-off that stands, or None."""
    return connection.execute(_STANDING, {"study": study_id, "account": account_id}).first()


_STANDING: Final = select(sign_off).where(
    sign_off.c.study_id == bindparam("study"),
    sign_off.c.account_id == bindparam("account"),
    sign_off.c.reopened_at.is_(None),
)


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


def blinding_sample(connection: Connection, study_id: str, account_id: int, share: float) -> list[Row[Any]]:
    """Return the slots of a signed set that the blinding check asks about, in the order of the list: id, token, guess.

    None where the set is not signed. What is withdrawn later leaves the sample, and nothing takes its place.
    """
    if not share or standing_sign_off(connection, study_id, account_id) is None:
        return []
    found = select(slot.c.id, slot.c.token, slot.c.position, slot.c.rank, slot.c.withdrawn, guess.c.guess)
    answered = (ever_in_list(study_id, account_id), slot.c.done, slot.c.rank.is_not(None))
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


def next_open(connection: Connection, study_id: str, account_id: int, after: int = 0) -> Row[Any] | None:
    """Return a judge's next open item in the drawn order: id, token, opened.

    `after`: the number of the item that one comes from. What was passed over before it comes last.
    """
    mine = {"study": study_id, "account": account_id}
    found = connection.execute(_NEXT, mine | {"after": after}).first()
    return found if found is not None or not after else connection.execute(_NEXT, mine | {"after": 0}).first()


_NEXT: Final[Select[Any]] = (
    select(slot.c.id, slot.c.token, slot.c.opened)
    .where(slot.c.study_id == bindparam("study"), slot.c.account_id == bindparam("account"))
    .where(slot.c.done.is_(False), slot.c.number > bindparam("after"))
    .order_by(slot.c.number)
    .limit(1)
)


def open_slot(connection: Connection, slot_id: int, at: str) -> None:
    """Note when a judge first saw an item, and the newest judgement at that moment."""
    connection.execute(_OPEN, {"slot": slot_id, "at": at})


_OPEN: Final = (
    update(slot)
    .where(slot.c.id == bindparam("slot"), slot.c.opened.is_(None))
    .values(opened_at=bindparam("at"), opened=select(func.coalesce(func.max(judgement.c.id), 0)).scalar_subquery())
)


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
    """Return the items of the adjudicator's list in the order drawn for audits; none where none was drawn.

    Without pairs that count as the same: reviews hardly ever differ on them, and the page says that they are, so
    that an adjudicator who meets one would know it for an audit.
    """
    found = select(slot.c.item).join(item, item.c.id == slot.c.item).where(item.c.equivalent.is_(False))
    found = found.where(slot.c.study_id == study_id, slot.c.adjudication, slot.c.rank.is_not(None))
    return list(connection.execute(found.where(slot.c.withdrawn.is_(False)).order_by(slot.c.rank)).scalars())


def set_routed(connection: Connection, study_id: str, items: Iterable[int]) -> None:
    """Route exactly these items to the adjudicator."""
    queue = update(slot).where(slot.c.study_id == study_id, slot.c.adjudication)
    connection.execute(queue.values(routed=False))
    for some in _batches(list(items)):
        connection.execute(queue.where(slot.c.item.in_(some)).values(routed=True))
    renumber(connection, study_id)


def _batches(values: Sequence[int], size: int = 500) -> Iterable[Sequence[int]]:
    return (values[start : start + size] for start in range(0, len(values), size))
