"""What a judge does: send an answer, leave a draft, sign off. `adjudicating` adds the third judge's steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from app.domain import blinding, pace
from app.domain.errors import InvalidInput, NotFound, Refused, StaleVersion
from app.domain.judgement import Coding, check, chosen, unshowable
from app.domain.manifest import digest
from app.domain.outcome import queue
from app.store import audit, judgements, practising, studies
from app.store.db import Connection, Row, Store
from app.world import World

Form = Mapping[str, Sequence[str]]
FIELDS: Final = ("label", "panel", "also", "reason", "group", "severity", "note", "decision", "unresolved_reason")
WITHDRAWN: Final = "This item is no longer part of the study. Nothing is wrong with your work: go on with the next."
MAX_KEY: Final = 128
MAX_DRAFT: Final = 20_000


@dataclass(frozen=True)
class Judge:
    """Who is judging, in which study; `adjudication` tells the third judge from a reviewer."""

    account_id: int
    name: str
    study_id: str
    adjudication: bool = False


def submit(store: Store, world: World, judge: Judge, token: str, form: Form) -> str | None:
    """Store a review as the item's newest version; return the token of the next open item.

    A repeated request (same key, same content) changes nothing. Raises InvalidInput,
    NotFound, StaleVersion, Refused.
    """
    with store.write() as connection:
        slot = own_slot(connection, judge, token)
        standing = admit(connection, judge, slot, form)
        if standing is not None:
            given = check(form, identical=slot.equivalent)
            answer = judgements.encode(given)
            add(connection, world, judge, slot, standing, form, step="review", done=True, **answer)
        return going_on(connection, world, judge, slot, noted=standing is not None)


def _refuse_before_practice(connection: Connection, judge: Judge, standing: Row[Any]) -> None:
    if standing.in_round and practising.due(connection, judge.study_id, judge.account_id):
        message = "The practice round comes first."
        raise Refused("practice", message)


def admit(connection: Connection, judge: Judge, slot: Row[Any], form: Form) -> Row[Any] | None:
    """Return how a judge whose form may be written stands in the study, or None where the same request was stored."""
    version, key = _version(form), _key(form)
    former = judgements.by_key(connection, slot.id, key) if slot.version else None
    if former is not None and former.version == slot.version and former.fingerprint == fingerprint(form):
        return None
    standing = refuse_finished(connection, judge)
    _refuse_before_practice(connection, judge, standing)
    if former is not None or version != slot.version:
        raise StaleVersion(slot.version, version)
    return standing


def going_on(connection: Connection, world: World, judge: Judge, answered: Row[Any], *, noted: bool) -> str | None:
    """Return the token of the open item after one, which the answer to this request shows; None where nothing is open.

    `noted`: that it is seen now is kept; not where a repeated request changes nothing.
    """
    following = judgements.next_open(connection, judge.study_id, judge.account_id, answered.number)
    if following is None:
        return None
    if noted and following.opened is None:
        judgements.open_slot(connection, following.id, world.stamp())
    return str(following.token)


def own_slot(connection: Connection, judge: Judge, token: str) -> Row[Any]:
    """Return a judge's own slot of this study. Raises NotFound for any other, Refused for one withdrawn."""
    slot = judgements.slot_of(connection, judge.account_id, token)
    mine = slot is not None and (slot.study_id, slot.adjudication) == (judge.study_id, judge.adjudication)
    if slot is None or not mine or (slot.adjudication and not slot.routed):
        message = "This item is not in your list."
        raise NotFound(message)
    if slot.withdrawn:
        raise Refused("withdrawn", WITHDRAWN)
    return slot


def refuse_finished(connection: Connection, judge: Judge) -> Row[Any]:
    """Refuse any change once the judge has signed off or the study is closed; else return how the judge stands."""
    standing = judgements.standing(connection, judge.study_id, judge.account_id)
    if standing.closed_at is not None:
        message = "The study is closed: nothing in it can be changed any more."
        raise Refused("closed", message)
    if standing.signed_at is not None:
        message = "You have signed off this set."
        if not judge.adjudication:
            message += " If something must be changed, ask the lead to reopen it."
        raise Refused("signed", message)
    return standing


def add(
    connection: Connection,
    world: World,
    judge: Judge,
    slot: Row[Any],
    standing: Row[Any],
    form: Form,
    *,
    step: str,
    done: bool,
    **values: Any,
) -> None:
    """Store the next version of a slot, audited with the row's digest."""
    at = world.stamp()
    stored = judgements.add(
        connection,
        slot,
        _carried_on(standing, at),
        done=done,
        step=step,
        manifest_sha256=standing.manifest_sha256,
        key=_key(form),
        fingerprint=fingerprint(form),
        stored_at=at,
        salt=world.token(16),
        **values,
    )
    event = "review.stored" if step == "review" else f"adjudication.{step}.stored"
    audit.record(
        connection, world, judge.name, event, judge.study_id, slot=slot.id, version=slot.version + 1, sha256=stored
    )


def _carried_on(standing: Row[Any], at: str) -> pace.Work:
    return pace.carried_on(judgements.work_of(standing), datetime.fromisoformat(at).timestamp())


def fingerprint(form: Form) -> str:
    """Return the digest of what a form answers, to tell a repeated request from another."""
    return digest({name: sorted(form.get(name, ())) for name in FIELDS})


def _version(form: Form) -> int:
    given = chosen(form, "version") or ""
    if not given.isascii() or not given.isdigit() or len(given) > 9:  # noqa: PLR2004 - far beyond any real version
        raise InvalidInput.of("The form lacks its version; reload the page.", field="version")
    return int(given)


def _key(form: Form) -> str:
    given = chosen(form, "key") or ""
    if not 0 < len(given) <= MAX_KEY:
        raise InvalidInput.of("The form lacks its key; reload the page.", field="key")
    return given


def save_draft(store: Store, world: World, judge: Judge, token: str, form: Form) -> None:
    """Keep what a judge has typed and not sent (not audited).

    Raises InvalidInput, NotFound, Refused, and StaleVersion for a draft of a version that
    has moved on: a late request must not bring back what was sent.
    """
    kept = {name: [value for value in form.get(name, ()) if value] for name in FIELDS}
    if sum(len(value) for values in kept.values() for value in values) > MAX_DRAFT:
        raise InvalidInput.of("This is too long to be kept.", field="note")
    if problems := unshowable(form):
        raise InvalidInput(problems)
    with store.write() as connection:
        slot = own_slot(connection, judge, token)
        _refuse_before_practice(connection, judge, refuse_finished(connection, judge))
        if _version(form) != slot.version:
            raise StaleVersion(slot.version, _version(form))
        judgements.save_draft(connection, slot.id, kept, world.stamp())


def open_item(store: Store, world: World, judge: Judge, token: str) -> None:
    """Note that a judge has seen an item for the first time (not audited).

    A repeat is compared with the answer of that moment, and active time begins there. It is
    noted of every item alike, so that none can be told by it.
    """
    with store.write() as connection:
        at = world.stamp()
        judgements.open_slot(connection, own_slot(connection, judge, token).id, at)
        standing = judgements.standing(connection, judge.study_id, judge.account_id)
        judgements.note_work(connection, judge.study_id, judge.account_id, _carried_on(standing, at))


def set_flag(store: Store, judge: Judge, token: str, *, flagged: bool) -> None:
    """Keep whether a judge wants to come back to an item (not audited: nobody else ever sees it).

    Raises NotFound, Refused.
    """
    with store.write() as connection:
        slot = own_slot(connection, judge, token)
        _refuse_before_practice(connection, judge, refuse_finished(connection, judge))
        judgements.set_flag(connection, slot.id, flagged=flagged)


def sign_off(store: Store, world: World, judge: Judge) -> None:
    """Declare a judge's set finished. With the last reviewer's the adjudicator's queue may be opened.

    Signing twice changes nothing. Raises Refused where items are unanswered, the queue is
    not open, or the study is closed.
    """
    with store.write() as connection:
        if judgements.standing_sign_off(connection, judge.study_id, judge.account_id) is not None:
            return
        refuse_finished(connection, judge)
        if judge.adjudication:
            if not judgements.reviews_signed(connection, judge.study_id):
                message = "The queue is not open yet: it opens when all reviews are signed."
                raise Refused("not_open", message)
            note_first_look(connection, world, judge)
        unfinished = judgements.unfinished(connection, judge.study_id, judge.account_id)
        if unfinished:
            message = f"{unfinished} of your items have no answer yet. Answer them first, then sign off."
            raise Refused("unfinished", message)
        sign_set(connection, world, judge.name, judge)


def sign_set(connection: Connection, world: World, actor: str, judge: Judge) -> None:
    """Store a sign-off of what a judge has answered.

    It is the same work whoever else has signed: its time would tell them.
    """
    count, upto, hashed = judgements.set_of(connection, judge.study_id, judge.account_id)
    judgements.add_sign_off(
        connection,
        study_id=judge.study_id,
        account_id=judge.account_id,
        signed_at=world.stamp(),
        upto=upto,
        count=count,
        digest=hashed,
    )
    signed = {"name": judge.name, "count": count, "upto": upto, "sha256": hashed}
    audit.record(connection, world, actor, "set.signed", judge.study_id, **signed)


def note_first_look(connection: Connection, world: World, judge: Judge) -> None:
    """Make the adjudicator's queue when it is first looked at, with or without anything in it: that ends reopening.

    Before all reviews are signed, and after the close, nothing is noted.
    """
    row = studies.get(connection, judge.study_id)
    if row.closed_at is None and row.adjudication_opened_at is None:
        studies.change(connection, judge.study_id, adjudication_opened_at=world.stamp())
        judgements.set_routed(connection, judge.study_id, _queue(connection, judge.study_id))
        audit.record(connection, world, judge.name, "adjudication.opened", judge.study_id)


def _queue(connection: Connection, study_id: str) -> list[int]:
    """Return the items that go to the adjudicator once all reviews are signed."""
    codings: dict[int, list[Coding]] = {}
    for row in judgements.newest_reviews(connection, study_id):
        codings.setdefault(row.item, []).append(blinding.reveal(judgements.decode(row), row.on_panel))
    rules = studies.protocol_of(studies.get(connection, study_id))
    return queue(codings, judgements.audit_order(connection, study_id), rules["review.audit_agreed"])
