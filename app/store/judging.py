"""What a judge may see, and nothing else. The only store module that judge routes import.

No value that leaves this module has a field from which an arm, another judge's answer
before its time, a stratum, a source or an item's id follows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, ScalarSelect, Select, bindparam, func, select

from app.domain import blinding, codebook
from app.domain.item import Item
from app.domain.judgement import Judgement
from app.domain.own_list import Listing, Tally, View
from app.domain.pace import Work
from app.domain.protocol import Protocol
from app.store import judgements, own_list, practising, receipts, recordings
from app.store.lists import in_list
from app.store.studies import decode_item, protocol_of
from app.store.tables import draft, item, judgement, member, practice, recording, sign_off, slot, study

HERE: Final = "here"
MISSING: Final = "missing"


@dataclass(frozen=True)
class Desk:
    """A judge's own place in a study.

    `open`: there may be work now (an adjudicator's queue opens when all reviews are
    signed). `done` and `total`: of the judge's own list. `asked` and `guessed`: of the
    blinding check, which begins with the sign-off. `practice`: the study has a practice
    round, of which so large a share must be as expected (`practice_pass`); `practice_due`: it comes before
    everything else. `work`: the judge's own, once there is some.
    """

    study_id: str
    title: str
    role: str
    open: bool
    closed: bool
    done: int
    total: int
    signed_at: str | None = None
    asked: int = 0
    guessed: int = 0
    practice: bool = False
    practice_pass: float = 0.0
    practice_due: bool = False
    work: Work | None = None

    @property
    def open_to_change(self) -> bool:
        """Answers may still be sent."""
        return self.open and not self.closed and self.signed_at is None


@dataclass(frozen=True)
class BlindItem:
    """One pair as a judge sees it.

    `text_a`, `text_b`: the panels. `version`: of the stored answer, 0 for none. `step`:
    review, own or final: what is to be answered. `answer`: the stored judgement.
    `reviews`: the two reviews in this judge's panels, codebook order, without names or
    notes; only in the final step. `before` and `after`: the neighbours in the judge's own list.
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
    flagged: bool = False
    before: str | None = None
    after: str | None = None
    audio: str | None = None  # HERE, MISSING where the item names a recording that is not there, or None
    unreferred: bool = False  # the study shows references, and of this item there is none


@dataclass(frozen=True)
class Question:
    """One item of the blinding check: the panels as they were judged, and where it stands among those asked about."""

    token: str
    number: int
    total: int
    item: BlindItem


@dataclass(frozen=True)
class Feedback:
    """What is known of a practice item once it was answered, in the judge's own panels."""

    right: bool
    expected: Judgement
    explanation: str


@dataclass(frozen=True)
class Exercise:
    """One item of a judge's practice round. `feedback`: None until it was answered."""

    token: str
    item: BlindItem
    feedback: Feedback | None


@dataclass(frozen=True)
class Recording:
    """The recording of one pair: the same whichever text is filtered. `key` never leaves the program."""

    key: int
    type: str
    size: int


def desk(connection: Connection, study_id: str, account_id: int) -> Desk | None:
    """Return a judge's place in a frozen study; None for anybody else."""
    found = connection.execute(_DESK, {"study": study_id, "account": account_id}).first()
    if found is None:
        return None
    is_open = found.role == "reviewer" or found.adjudication_opened_at is not None
    rules = protocol_of(found)
    sample = judgements.blinding_sample(connection, study_id, account_id, rules["review.blinding_check"])
    return Desk(
        study_id=study_id,
        title=found.title,
        role=found.role,
        open=is_open,
        closed=found.closed_at is not None,
        done=found.done if is_open else 0,
        total=found.total or 0 if is_open else 0,
        signed_at=found.signed_at,
        asked=len(sample),
        guessed=sum(each.guess is not None for each in sample),
        practice=rules["review.practice"],
        practice_pass=rules["review.practice_pass"],
        practice_due=found.closed_at is None
        and found.signed_at is None
        and found.in_round
        and practising.due(connection, study_id, account_id),
        work=judgements.work_of(found),
    )


# The statements that every page runs are built once: building one takes longer than running it.
_TOTAL: Final = (
    select(func.max(slot.c.number))
    .where(slot.c.study_id == member.c.study_id, slot.c.account_id == member.c.account_id)
    .correlate(member)
    .scalar_subquery()
)
_DESK: Final = (
    select(study.c.title, study.c.protocol, study.c.closed_at, study.c.adjudication_opened_at)
    .add_columns(member.c.role, member.c.done, member.c.worked, member.c.work_began, member.c.work_ended)
    .add_columns(_TOTAL.label("total"), judgements.SIGNED.label("signed_at"), practising.IN_ROUND.label("in_round"))
    .join(member, member.c.study_id == study.c.id)
    .where(study.c.id == bindparam("study"), member.c.account_id == bindparam("account"))
    .where(study.c.frozen_at.is_not(None), member.c.role != "lead")
)


def next_token(connection: Connection, study_id: str, account_id: int) -> str | None:
    """Return the token of a judge's next open item, in the drawn order."""
    found = judgements.next_open(connection, study_id, account_id)
    return None if found is None else str(found.token)


def tally(connection: Connection, study_id: str, account_id: int) -> Tally:
    """Count a judge's own list by state."""
    return own_list.tally(connection, study_id, account_id)


def listed(connection: Connection, study_id: str, account_id: int, view: View, tally: Tally) -> Listing:
    """Return one page of a judge's own list, in the drawn order. `tally`: of the same list."""
    references = tuple(protocol(connection, study_id)["references.shown"]) if view.words else ()
    return own_list.listed(connection, study_id, account_id, view, tally, references)


def newest(connection: Connection, study_id: str, account_id: int) -> Row[Any] | None:
    """Return where a judge's newest answer stands: token, number, stored_at; None where that left the list."""
    found: Select[Any] = (
        select(slot.c.token, slot.c.number, judgement.c.stored_at)
        .join(member, member.c.newest == slot.c.id)
        .join(judgement, (judgement.c.slot_id == slot.c.id) & (judgement.c.version == slot.c.version))
        .where(member.c.study_id == study_id, member.c.account_id == account_id, in_list(study_id, account_id))
    )
    return connection.execute(found).first()


def blind_item(connection: Connection, study_id: str, account_id: int, token: str) -> BlindItem | None:
    """Return one pair of a judge's own list; None where the token is not in it."""
    row = connection.execute(_ITEM, {"token": token, "study": study_id, "account": account_id}).first()
    if row is None:
        return None
    protocol = protocol_of(row)
    content = decode_item(row.content)
    return BlindItem(
        token=token,
        number=row.number,
        total=row.total,
        identical=row.equivalent,
        version=row.version,
        draft=json.loads(row.fields) if row.fields else None,
        drafted_at=row.saved_at,
        opened=row.opened is not None,
        audio=_heard(content, recorded=row.heard is not None),
        **_shown(content, protocol, row.on_panel),
        flagged=row.flagged,
        before=row.before,
        after=row.after,
        **_answer(connection, row, own_first=protocol["adjudication.own_judgement_first"]),
    )


def _beside(step: int) -> ScalarSelect[str]:
    """Return the token of the neighbour of a slot in its judge's list."""
    other = slot.alias()
    mine = (other.c.study_id == slot.c.study_id, other.c.account_id == slot.c.account_id)
    return select(other.c.token).where(*mine, other.c.number == slot.c.number + step).scalar_subquery()


# Of a sentinel the known answer is left where it is: to read it would take time, which other items do not.
_SEEN: Final = func.json_remove(item.c.content, "$.role", "$.expected").label("content")
_ITEM: Final = (
    select(slot, _SEEN, item.c.equivalent, study.c.protocol, draft.c.fields, draft.c.saved_at)
    .add_columns(recording.c.size.label("heard"), _TOTAL.label("total"))
    .add_columns(_beside(-1).label("before"), _beside(1).label("after"))
    .join(item, item.c.id == slot.c.item)
    .join(study, study.c.id == slot.c.study_id)
    .join(member, (member.c.study_id == slot.c.study_id) & (member.c.account_id == slot.c.account_id))
    .outerjoin(draft, draft.c.slot_id == slot.c.id)
    .outerjoin(recording, recording.c.item == slot.c.item)
    .where(slot.c.token == bindparam("token"), slot.c.study_id == bindparam("study"))
    .where(slot.c.account_id == bindparam("account"), slot.c.number.is_not(None))
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


def practice_round(connection: Connection, study_id: str, account_id: int) -> list[Exercise]:
    """Return a judge's practice round in the drawn order."""
    rules = protocol(connection, study_id)
    rows = practising.entries(connection, study_id, account_id)
    return [_exercise(row, rules, number, len(rows)) for number, row in enumerate(rows, start=1)]


def next_exercise(connection: Connection, study_id: str, account_id: int) -> str | None:
    """Return the token of the next unanswered item of a judge's practice round."""
    entries = practising.entries(connection, study_id, account_id)
    return next((each.token for each in entries if each.answer is None), None)


def _exercise(row: Row[Any], rules: Protocol, number: int, total: int) -> Exercise:
    content = decode_item(row.content)
    item = _shown(content, rules, row.on_panel) | {"identical": row.equivalent, "number": number, "total": total}
    item["audio"] = _heard(content, recorded=row.heard)
    answer = practising.answered(row)
    blind = BlindItem(token=row.token, version=0, step="review", answer=answer, **item)
    known = content.expected
    if answer is None or known is None:
        return Exercise(row.token, blind, None)
    return Exercise(
        row.token, blind, Feedback(bool(row.right), blinding.in_panels(known.coding, row.on_panel), known.explanation)
    )


def recording_of(connection: Connection, study_id: str, account_id: int, token: str) -> Recording | None:
    """Return the recording of one pair of a judge's own list; None where there is none, or the token is not in it."""
    found = select(recording).join(slot, slot.c.item == recording.c.item)
    row = connection.execute(found.where(slot.c.token == token, in_list(study_id, account_id))).first()
    return None if row is None else Recording(row.item, row.type, row.size)


def practice_recording(connection: Connection, study_id: str, account_id: int, token: str) -> Recording | None:
    """Return the recording of one item of a judge's practice round, if it has one."""
    found = select(recording).join(practice, practice.c.item == recording.c.item)
    mine = (practice.c.study_id == study_id, practice.c.account_id == account_id, practice.c.token == token)
    row = connection.execute(found.where(*mine)).first()
    return None if row is None else Recording(row.item, row.type, row.size)


PIECE: Final = recordings.PIECE


def piece(connection: Connection, found: Recording, number: int) -> bytes | None:
    """Return one piece of a recording; None where it was erased meanwhile."""
    return recordings.piece(connection, found.key, number)


def withdrawn(connection: Connection, study_id: str, account_id: int, token: str) -> bool:
    """Tell whether an item was in a judge's own list or practice round, and was withdrawn from the study."""
    if practising.withdrawn(connection, study_id, account_id, token):
        return True
    mine = (slot.c.study_id == study_id, slot.c.account_id == account_id, slot.c.token == token, slot.c.withdrawn)
    seen = slot.c.adjudication.is_(False) | slot.c.routed
    return connection.execute(select(slot.c.id).where(*mine, seen)).first() is not None


def _shown(content: Item, rules: Protocol, on_panel: str) -> dict[str, Any]:
    """Return what judges see of an item, with the side drawn."""
    text_a, text_b = blinding.panels(content.off, content.on, on_panel)
    shown = [(kind, content.reference(kind)) for kind in rules["references.shown"]]
    return {
        "text_a": text_a,
        "text_b": text_b,
        "highlight": rules["review.highlight"],
        "lang": content.lang,
        "references": tuple((kind, text) for kind, text in shown if text is not None),
        "unreferred": bool(shown) and all(text is None for _, text in shown),
    }


def _heard(content: Item, *, recorded: bool) -> str | None:
    if recorded:
        return HERE
    return MISSING if content.audio is not None else None


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
    return list(connection.execute(_STUDIES, {"account": account_id}))


_STUDIES: Final = (
    select(study.c.id, study.c.title, study.c.frozen_at, study.c.closed_at, member.c.role)
    .join(member, member.c.study_id == study.c.id)
    .where(member.c.account_id == bindparam("account"))
    .order_by(study.c.id)
)


def study_of(connection: Connection, account_id: int, token: str) -> str | None:
    """Return the study of a token in an account's own lists."""
    found = select(slot.c.study_id).where(slot.c.account_id == account_id, slot.c.token == token)
    return connection.execute(found).scalar()


def receipts_checked(connection: Connection, study_id: str, account_id: int) -> list[receipts.Checked]:
    """Return a judge's own sign-offs, each held against the answers as they are stored now."""
    return receipts.checked(connection, study_id, account_id)


def sign_offs(connection: Connection, study_id: str, account_id: int) -> list[Row[Any]]:
    """Return a judge's own sign-offs, oldest first: the receipts."""
    mine = (sign_off.c.study_id == study_id, sign_off.c.account_id == account_id)
    return list(connection.execute(select(sign_off).where(*mine).order_by(sign_off.c.id)))
