"""What a judge may see, and nothing else. The only store module that judge routes import.

No value that leaves this module has a field from which an arm, another judge's answer
before its time, a stratum, a source or an item's id follows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select

from app.domain import blinding, codebook
from app.domain.judgement import Judgement
from app.domain.protocol import Protocol
from app.store import judgements
from app.store.judgements import in_list
from app.store.studies import decode_item, protocol_of
from app.store.tables import draft, item, judgement, member, sign_off, slot, study


@dataclass(frozen=True)
class Desk:
    """A judge's own place in a study.

    `open`: there may be work now (an adjudicator's queue opens when all reviews are
    signed). `done` and `total`: of the judge's own list. `asked` and `guessed`: of the
    blinding check, which begins with the sign-off.
    """

    study_id: str
    title: str
    role: str
    open: bool
    closed: bool
    done: int
    total: int
    own_judgement_first: bool
    signed_at: str | None = None
    receipt: str | None = None
    asked: int = 0
    guessed: int = 0

    @property
    def open_to_change(self) -> bool:
        """Answers may still be sent."""
        return self.open and not self.closed and self.signed_at is None


@dataclass(frozen=True)
class Entry:
    """One line of a judge's own list."""

    token: str
    number: int
    label: str | None
    done: bool
    drafted: bool


@dataclass(frozen=True)
class BlindItem:
    """One pair as a judge sees it.

    `text_a`, `text_b`: the panels. `version`: of the stored answer, 0 for none. `step`:
    review, own or final: what is to be answered. `answer`: the stored judgement.
    `reviews`: the two reviews in this judge's panels, codebook order, without names or
    notes; only in the final step.
    """

    token: str
    number: int
    total: int
    text_a: str
    text_b: str
    identical: bool
    highlight: bool
    lang: str | None
    references: tuple[tuple[str, str], ...]
    version: int
    step: str
    answer: Judgement | None = None
    decision: str | None = None
    unresolved_reason: str | None = None
    own: Judgement | None = None
    reviews: tuple[Judgement, ...] = ()
    draft: dict[str, list[str]] | None = None
    drafted_at: str | None = None
    opened: bool = False


@dataclass(frozen=True)
class Question:
    """One item of the blinding check: the panels as they were judged, and where it stands among those asked about."""

    token: str
    number: int
    total: int
    item: BlindItem


def desk(connection: Connection, study_id: str, account_id: int) -> Desk | None:
    """Return a judge's place in a frozen study; None for anybody else."""
    found = connection.execute(
        select(study, member.c.role)
        .join(member, member.c.study_id == study.c.id)
        .where(study.c.id == study_id, member.c.account_id == account_id, study.c.frozen_at.is_not(None))
    ).first()
    if found is None or found.role == "lead":
        return None
    is_open = found.role == "reviewer" or judgements.reviews_signed(connection, study_id)
    total, done = _progress(connection, study_id, account_id) if is_open else (0, 0)
    signed = judgements.standing_sign_off(connection, study_id, account_id)
    rules = protocol_of(found)
    sample = judgements.blinding_sample(connection, study_id, account_id, rules["review.blinding_check"])
    return Desk(
        study_id=study_id,
        title=found.title,
        role=found.role,
        open=is_open,
        closed=found.closed_at is not None,
        done=done,
        total=total,
        own_judgement_first=rules["adjudication.own_judgement_first"],
        signed_at=signed.signed_at if signed else None,
        receipt=signed.digest if signed else None,
        asked=len(sample),
        guessed=sum(each.guess is not None for each in sample),
    )


def _progress(connection: Connection, study_id: str, account_id: int) -> tuple[int, int]:
    counted = select(func.count(), func.count().filter(slot.c.done)).where(in_list(study_id, account_id))
    total, done = connection.execute(counted).one()
    return total, done


def next_token(connection: Connection, study_id: str, account_id: int) -> str | None:
    """Return the token of a judge's next open item, in the drawn order."""
    found = (
        select(slot.c.token)
        .where(in_list(study_id, account_id), slot.c.done.is_(False))
        .order_by(slot.c.position)
        .limit(1)
    )
    token = connection.execute(found).scalar()
    return None if token is None else str(token)


def entries(connection: Connection, study_id: str, account_id: int) -> list[Entry]:
    """Return a judge's own list in the drawn order."""
    rows = connection.execute(
        select(slot.c.token, slot.c.done, judgement.c.label, draft.c.saved_at)
        .outerjoin(judgement, (judgement.c.slot_id == slot.c.id) & (judgement.c.version == slot.c.version))
        .outerjoin(draft, draft.c.slot_id == slot.c.id)
        .where(in_list(study_id, account_id))
        .order_by(slot.c.position)
    )
    return [
        Entry(row.token, number, row.label, row.done, row.saved_at is not None)
        for number, row in enumerate(rows, start=1)
    ]


def blind_item(connection: Connection, study_id: str, account_id: int, token: str) -> BlindItem | None:
    """Return one pair of a judge's own list; None where the token is not in it."""
    row = connection.execute(
        select(slot, item.c.content, item.c.equivalent, study.c.protocol, draft.c.fields, draft.c.saved_at)
        .join(item, item.c.id == slot.c.item)
        .join(study, study.c.id == slot.c.study_id)
        .outerjoin(draft, draft.c.slot_id == slot.c.id)
        .where(slot.c.token == token, in_list(study_id, account_id))
    ).first()
    if row is None:
        return None
    protocol = protocol_of(row)
    content = decode_item(row.content)
    text_a, text_b = blinding.panels(content.off, content.on, row.on_panel)
    shown = [(kind, content.reference(kind)) for kind in protocol["references.shown"]]
    number, total = _place(connection, row)
    return BlindItem(
        token=token,
        number=number,
        total=total,
        text_a=text_a,
        text_b=text_b,
        identical=row.equivalent,
        highlight=protocol["review.highlight"],
        lang=content.lang,
        references=tuple((kind, text) for kind, text in shown if text is not None),
        version=row.version,
        draft=json.loads(row.fields) if row.fields else None,
        drafted_at=row.saved_at,
        opened=row.opened is not None,
        **_answer(connection, row, own_first=protocol["adjudication.own_judgement_first"]),
    )


def next_question(connection: Connection, study_id: str, account_id: int) -> str | None:
    """Return the token of the next item that the blinding check asks a judge about."""
    return next((each.token for each in _asked(connection, study_id, account_id) if each.guess is None), None)


def question(connection: Connection, study_id: str, account_id: int, token: str) -> Question | None:
    """Return an item that the blinding check asks a judge about; None for any other."""
    tokens = [each.token for each in _asked(connection, study_id, account_id)]
    item = blind_item(connection, study_id, account_id, token) if token in tokens else None
    return None if item is None else Question(token, tokens.index(token) + 1, len(tokens), item)


def _asked(connection: Connection, study_id: str, account_id: int) -> list[Row[Any]]:
    share = protocol(connection, study_id)["review.blinding_check"]
    return judgements.blinding_sample(connection, study_id, account_id, share)


def withdrawn(connection: Connection, study_id: str, account_id: int, token: str) -> bool:
    """Tell whether an item was in a judge's own list, and was withdrawn from the study."""
    mine = (slot.c.study_id == study_id, slot.c.account_id == account_id, slot.c.token == token, slot.c.withdrawn)
    seen = slot.c.adjudication.is_(False) | slot.c.routed
    return connection.execute(select(slot.c.id).where(*mine, seen)).first() is not None


def _place(connection: Connection, row: Row[Any]) -> tuple[int, int]:
    """Return an item's number in the judge's own list, and how long that is."""
    counted = select(func.count().filter(slot.c.position <= row.position), func.count())
    number, total = connection.execute(counted.where(in_list(row.study_id, row.account_id))).one()
    return number, total


def _answer(connection: Connection, row: Row[Any], *, own_first: bool) -> dict[str, Any]:
    """Return the step to answer and what is stored for it."""
    stored = judgements.at_version(connection, row.id, row.version) if row.version else None
    if not row.adjudication:
        return {"step": "review", "answer": judgements.decode(stored) if stored else None}
    if own_first and stored is None:
        return {"step": "own"}
    own = judgements.newest(connection, row.id, "own")
    answer: dict[str, Any] = {
        "step": "final",
        "own": judgements.decode(own) if own else None,
        "reviews": _reviews(connection, row),
    }
    if stored is not None and stored.step == "final":
        answer |= {"decision": stored.decision, "unresolved_reason": stored.unresolved_reason}
        answer["answer"] = judgements.decode(stored) if stored.label else answer["own"]
    else:
        answer["answer"] = answer["own"]
    return answer


def _reviews(connection: Connection, row: Row[Any]) -> tuple[Judgement, ...]:
    """Return the two reviews as this judge's panels show them, in an order that names nobody."""
    found = [
        blinding.seen_from(judgements.decode(review), review.on_panel, row.on_panel)
        for review in judgements.newest_reviews(connection, row.study_id, row.item)
    ]
    return tuple(sorted(found, key=_codebook_order))


def _codebook_order(given: Judgement) -> tuple[Any, ...]:
    place = codebook.LABEL_KEYS.index(given.label)
    return place, given.panel or "", given.also or "", given.reasons, given.groups, given.severity or ""


def guidelines(connection: Connection, study_id: str) -> str | None:
    """Return a study's guidelines as frozen."""
    return connection.execute(select(study.c.guidelines).where(study.c.id == study_id)).scalar()


def protocol(connection: Connection, study_id: str) -> Protocol:
    """Return a study's protocol."""
    return protocol_of(connection.execute(select(study).where(study.c.id == study_id)).one())


def studies_of(connection: Connection, account_id: int) -> list[Row[Any]]:
    """Return the studies in which an account has a role: id, title, role, frozen_at, closed_at."""
    found = (
        select(study.c.id, study.c.title, study.c.frozen_at, study.c.closed_at, member.c.role)
        .join(member, member.c.study_id == study.c.id)
        .where(member.c.account_id == account_id)
        .order_by(study.c.id)
    )
    return list(connection.execute(found))


def sign_offs(connection: Connection, study_id: str, account_id: int) -> list[Row[Any]]:
    """Return a judge's own sign-offs, oldest first: the receipts."""
    mine = (sign_off.c.study_id == study_id, sign_off.c.account_id == account_id)
    return list(connection.execute(select(sign_off).where(*mine).order_by(sign_off.c.id)))
