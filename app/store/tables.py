"""Every table. Text keys, never Enum columns; times are ISO 8601 text in UTC.

SQLModel table classes validate nothing: values are parsed at the edges. No
`from __future__ import annotations` here: SQLModel reads the annotations.
"""

from typing import Any, Final

from sqlalchemy import CheckConstraint, Index, Table, UniqueConstraint, text
from sqlmodel import Field, SQLModel


class Setting(SQLModel, table=True):
    """Facts of the store itself, e.g. the server's host name."""

    key: str = Field(primary_key=True)
    value: str


class Account(SQLModel, table=True):
    """A person who can sign in. `lead`: may create studies. `shortcuts`: single keys act on pages that have some."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    lead: bool
    disabled: bool = False
    password_hash: str | None = None  # null until the one-time code was used
    code_hash: str | None = None  # null when no code is open
    code_expires: str | None = None
    created_at: str
    theme: str = "system"
    text_size: str = "normal"
    shortcuts: bool = True


class Session(SQLModel, table=True):
    """A signed-in browser. The token itself is never stored."""

    token_hash: str = Field(primary_key=True)
    reference: str = ""  # by what its owner names it in a form; opens nothing
    account_id: int = Field(foreign_key="account.id", index=True)
    csrf: str
    created_at: str
    seen_at: str
    study_id: str | None = Field(default=None, foreign_key="study.id")


class EarlierSession(SQLModel, table=True):
    """A session from before its account became a lead of a study: that study opens with the next sign-in."""

    __tablename__ = "earlier_session"

    study_id: str = Field(foreign_key="study.id", primary_key=True)
    token_hash: str = Field(foreign_key="session.token_hash", primary_key=True, ondelete="CASCADE")


class Throttle(SQLModel, table=True):
    """Wrong passwords and codes, counted; nothing of what was entered."""

    place: str = Field(primary_key=True)
    failures: int
    last_at: str


class Study(SQLModel, table=True):
    """A study from draft to close. JSON columns hold canonical JSON."""

    id: str = Field(primary_key=True)
    title: str
    protocol: str
    protocol_sha256: str
    created_at: str
    frozen_at: str | None = None
    manifest_sha256: str | None = None
    guidelines: str | None = None  # the guidelines as frozen
    equal_one_panel: int | None = None  # items whose shown references equal exactly one panel, at the freeze
    adjudication_opened_at: str | None = None  # set when the adjudicator first looks; ends reopening
    closed_at: str | None = None
    close_reason: str | None = None  # null unless closed early
    closed_head: str | None = None  # head of the audit chain at the close


class Manifest(SQLModel, table=True):
    """A frozen study's manifest: apart from its row, which every page reads, for it grows with the items."""

    study_id: str = Field(foreign_key="study.id", primary_key=True)
    content: str


class Rights(SQLModel, table=True):
    """One source's entry in a study's ledger."""

    study_id: str = Field(foreign_key="study.id", primary_key=True)
    source: str = Field(primary_key=True)
    entry: str


class FormerRights(SQLModel, table=True):
    """An entry that the ledger had before: what it said, who put another in its place, when and why."""

    __tablename__ = "former_rights"

    id: int | None = Field(default=None, primary_key=True)
    study_id: str = Field(foreign_key="study.id", index=True)
    source: str
    entry: str
    replaced_at: str
    actor: str
    reason: str | None = None  # null before the freeze, where none is asked for
    after_close: bool = False  # the memo of a closed study still reads this entry


class Withdrawal(SQLModel, table=True):
    """One withdrawal from a frozen study. What was withdrawn is known by the items that name it, and by no id."""

    __table_args__ = (CheckConstraint("kind in ('item', 'cluster', 'source')"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: str = Field(foreign_key="study.id", index=True)
    at: str
    actor: str
    kind: str
    source: str | None = None  # null but for a source, whose name is not private
    items: int
    telling: int  # of these, items whose shown references equal exactly one panel
    reason: str
    after_close: bool  # content is erased, and no count of the closed study moves


class Member(SQLModel, table=True):
    """One account's one role in a study. `seat`: order of assignment within the role.

    What a judge's own pages say is kept as it happens, so that none of them counts: `done`, how many items of the
    own list are; `worked`, seconds at work; `work_began` and `work_ended`, since the last pause (domain/pace.Work);
    `newest`, the slot that was answered last.
    """

    __table_args__ = (CheckConstraint("role in ('reviewer', 'adjudicator', 'lead')"),)

    study_id: str = Field(foreign_key="study.id", primary_key=True)
    account_id: int = Field(foreign_key="account.id", primary_key=True)
    role: str
    seat: int
    attested: str | None = None  # the judge's qualification, in the lead's words
    practised_at: str | None = None  # when a judge first finished the practice round
    left_at: str | None = None  # when a reviewer left a running study; what was answered is signed
    done: int = 0
    worked: int = 0
    work_began: str | None = None  # null until the first moment of work, as is the next
    work_ended: str | None = None
    newest: int | None = Field(default=None, foreign_key="slot.id")  # null until the first answer


class Pairing(SQLModel, table=True):
    """One run of the filter under test over a file of raw texts: what `domain/pairing.Pairing` says, and when."""

    id: int | None = Field(default=None, primary_key=True)
    filter: str
    version: str
    config: str  # canonical JSON
    raw_sha256: str
    sha256: str = Field(index=True)  # of the file written; two filters may give the same bytes
    texts_sha256: str
    items: int
    made_at: str


class Item(SQLModel, table=True):
    """One utterance. `equivalent`: equal under the comparator; `digest` and `salt` from the freeze.

    `pairing`: the run that wrote the file from which the item was imported, or null.
    `unit`: the cluster as a number, the smallest id among its items: what statistics group by,
    so that they need no cluster's name. Of an item that was withdrawn all that is content is
    null, and `kept` holds the facts that the counts of a closed study go on needing.
    """

    __table_args__ = (UniqueConstraint("study_id", "item_id"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: str = Field(foreign_key="study.id")
    item_id: str | None = None
    stratum: str
    cluster: str | None = None
    source: str
    role: str = "study"  # or sentinel or practice: of these no count of the study knows
    content: str | None = None  # the whole item as canonical JSON
    changed: bool
    equivalent: bool | None = None
    auto_coded: bool | None = None
    salt: str | None = None
    digest: str | None = None
    pairing: int | None = Field(default=None, foreign_key="pairing.id")
    unit: int | None = None  # null until the freeze
    withdrawal: int | None = Field(default=None, foreign_key="withdrawal.id")
    kept: str | None = None  # null unless withdrawn after the close


class Recording(SQLModel, table=True):
    """An item's own recording; two items with the same bytes have two, so that erasing one leaves the other."""

    item: int = Field(foreign_key="item.id", primary_key=True)
    type: str  # media type, as the bytes say
    size: int
    sha256: str


class RecordingPiece(SQLModel, table=True):
    """A recording's bytes, in pieces, so that a part of it is read without the rest."""

    __tablename__ = "recording_piece"

    item: int = Field(foreign_key="recording.item", primary_key=True)
    number: int = Field(primary_key=True)
    data: bytes


class Slot(SQLModel, table=True):
    """One item in one judge's list, with the side drawn for it. `token` is what addresses show.

    `position`: where it was drawn. `number`: its place in the list as that is now, from 1 without gaps; null while
    it is in nobody's list (see store/lists.py). `version`: the newest judgement's, 0 for none. `done`: nothing is
    left to do on it.
    `routed`: an adjudicator's slot on which the two reviews differ, or which audits them.
    `withdrawn`: its item was; the slot is in nobody's list any more. `repeat`: the item stands
    in the list a second time. `rank`: drawn at the freeze, for audits and the blinding check.
    `flagged`: the judge wants to come back to it; nobody else sees that.
    """

    __table_args__ = (
        CheckConstraint("on_panel in ('A', 'B')"),
        UniqueConstraint("account_id", "item", "repeat"),
        Index("slot_list", "study_id", "account_id", "number"),
        Index("slot_flagged", "study_id", "account_id", "number", sqlite_where=text("flagged")),
        Index("slot_open", "study_id", "account_id", "done", "number"),
    )

    id: int | None = Field(default=None, primary_key=True)
    token: str = Field(unique=True)
    study_id: str = Field(foreign_key="study.id")
    account_id: int = Field(foreign_key="account.id")
    item: int = Field(foreign_key="item.id", index=True)
    adjudication: bool
    on_panel: str
    position: int
    number: int | None = None
    routed: bool = False
    version: int = 0
    done: bool = False
    withdrawn: bool = False
    repeat: bool = False
    rank: int | None = None  # null unless the protocol asks for audits or the check, and on sentinels and repeats
    opened_at: str | None = None  # when its judge first saw it; null until then
    opened: int | None = None  # the newest judgement's id then, 0 for none
    flagged: bool = False


class Judgement(SQLModel, table=True):
    """One stored version of one judge's answer; rows are added, never changed, but for a note that is erased.

    `step`: review, own (before the reviews are seen) or final. `label` is null only where
    the adjudicator could not settle.
    """

    __table_args__ = (
        CheckConstraint("step in ('review', 'own', 'final')"),
        UniqueConstraint("slot_id", "version"),
        UniqueConstraint("slot_id", "key"),
    )

    id: int | None = Field(default=None, primary_key=True)
    slot_id: int = Field(foreign_key="slot.id")
    version: int
    step: str
    label: str | None = None
    panel: str | None = None
    also: str | None = None
    reasons: str = "[]"
    groups: str = "[]"
    severity: str | None = None
    note: str = ""
    decision: str | None = None
    unresolved_reason: str | None = None
    manifest_sha256: str  # of the frozen study that the answer was given to
    key: str
    fingerprint: str  # digest of the submitted form, to tell a repeated request from another
    stored_at: str
    salt: str | None = None  # in the row's digest, so that nobody can guess a note from it; null in rows of schema 0001
    erased_by: int | None = Field(default=None, foreign_key="withdrawal.id")  # null while the note is as it was stored


class Draft(SQLModel, table=True):
    """What a judge has typed and not sent. Gone when it is sent."""

    slot_id: int = Field(foreign_key="slot.id", primary_key=True)
    fields: str
    saved_at: str


class SignOff(SQLModel, table=True):
    """A judge declared the set finished. `upto`: the newest judgement's id then."""

    __tablename__ = "sign_off"

    id: int | None = Field(default=None, primary_key=True)
    study_id: str = Field(foreign_key="study.id", index=True)
    account_id: int = Field(foreign_key="account.id")
    signed_at: str
    upto: int
    count: int
    digest: str
    reopened_at: str | None = None  # null while it stands
    reopen_reason: str | None = None


class Practice(SQLModel, table=True):
    """One practice item in one judge's round, with the side drawn for it. A new round replaces the former."""

    __table_args__ = (CheckConstraint("on_panel in ('A', 'B')"), UniqueConstraint("account_id", "item"))

    id: int | None = Field(default=None, primary_key=True)
    token: str = Field(unique=True)
    study_id: str = Field(foreign_key="study.id", index=True)
    account_id: int = Field(foreign_key="account.id")
    item: int = Field(foreign_key="item.id")
    on_panel: str
    position: int
    answer: str | None = None  # canonical JSON; null until it is given, and then it stands
    right: bool | None = None  # whether label and arms are the expected ones; null until then


class Guess(SQLModel, table=True):
    """A judge's answer of the blinding check: which text was filtered. Given once, after the sign-off."""

    __table_args__ = (CheckConstraint("guess in ('A', 'B', 'cannot_tell')"),)

    slot_id: int = Field(foreign_key="slot.id", primary_key=True)
    guess: str
    stored_at: str


class Deviation(SQLModel, table=True):
    """A departure from the protocol, logged as it happened."""

    id: int | None = Field(default=None, primary_key=True)
    study_id: str = Field(foreign_key="study.id", index=True)
    at: str
    text: str


class AuditEvent(SQLModel, table=True):
    """One link of the audit chain; never holds private text."""

    __tablename__ = "audit_event"
    __table_args__ = (Index("audit_event_kind", "event", "study_id"),)

    seq: int | None = Field(default=None, primary_key=True)
    at: str
    actor: str
    study_id: str | None = None
    event: str
    detail: str
    previous: str
    hash: str


def table(model: type[SQLModel]) -> Table:
    """Return the Core table of a model: queries are written with Core."""
    core: Any = model.__table__  # type: ignore[attr-defined]
    assert isinstance(core, Table)  # noqa: S101 - narrows the type for mypy
    return core


setting: Final = table(Setting)
account: Final = table(Account)
session: Final = table(Session)
earlier_session: Final = table(EarlierSession)
throttle: Final = table(Throttle)
study: Final = table(Study)
manifest: Final = table(Manifest)
rights: Final = table(Rights)
former_rights: Final = table(FormerRights)
withdrawal: Final = table(Withdrawal)
member: Final = table(Member)
pairing: Final = table(Pairing)
item: Final = table(Item)
recording: Final = table(Recording)
recording_piece: Final = table(RecordingPiece)
slot: Final = table(Slot)
judgement: Final = table(Judgement)
draft: Final = table(Draft)
sign_off: Final = table(SignOff)
practice: Final = table(Practice)
guess: Final = table(Guess)
deviation: Final = table(Deviation)
audit_event: Final = table(AuditEvent)
