"""The joined rows of a closed study: the one place where stored judgements meet the arms."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, or_, select

from app.domain import blinding
from app.domain.item import STUDY, Item
from app.domain.judgement import Coding
from app.domain.outcome import Adjudication, JudgedItem, agree
from app.domain.protocol import Protocol
from app.domain.word_errors import Spoken, listener
from app.store import judgements
from app.store.studies import decode_item
from app.store.tables import (
    account,
    draft,
    former_rights,
    item,
    judgement,
    member,
    rights,
    sign_off,
    slot,
    withdrawal,
)

_CODED: Final = tuple(
    judgement.c[name] for name in ("id", "label", "panel", "also", "reasons", "groups", "severity", "note")
)
SignedReviews = defaultdict[int, dict[int, list[Coding]]]


def judged_items(connection: Connection, study_id: str, protocol: Protocol) -> list[JudgedItem]:
    """Return every item of a study as results need it, in order of import.

    What was withdrawn after the close is judged as it was at the close.
    """
    return [judged for _, judged in numbered(connection, study_id, protocol)]


def numbered(connection: Connection, study_id: str, protocol: Protocol) -> list[tuple[int, JudgedItem]]:
    """Return the same, each beside the number that its content is found by."""
    one_of_each = _Codings()
    reviews = _signed_reviews(connection, study_id, one_of_each)
    standing = _signed_now(connection, study_id)
    adjudications, steps = _adjudications(connection, study_id, one_of_each)
    columns = (item.c.id, item.c.stratum, item.c.unit, item.c.changed, item.c.auto_coded, withdrawal.c.after_close)
    found = select(*columns).outerjoin(withdrawal, withdrawal.c.id == item.c.withdrawal)
    rows = connection.execute(found.where(item.c.study_id == study_id, item.c.role == STUDY).order_by(item.c.id))
    judged, controls = [], protocol.controls
    for row in rows.all():
        reviewed = reviews.get(row.id, {})
        signed = tuple([each[-1] for judge, each in reviewed.items() if judge in standing])
        audit = agree(signed)
        judged.append(
            (
                row.id,
                JudgedItem(
                    stratum=row.stratum,
                    cluster=str(row.unit),
                    control=row.stratum in controls,
                    changed=row.changed,
                    auto_coded=bool(row.auto_coded),
                    withdrawn=row.after_close is False,
                    first_signed=tuple([each[0] for each in reviewed.values()]),
                    signed=signed,
                    recorded=(
                        *[coding for each in reviewed.values() for coding in each],
                        *(() if audit else steps.get(row.id, ())),
                    ),
                    adjudication=None if audit else adjudications.get(row.id),
                    audit=adjudications.get(row.id) if audit else None,
                ),
            )
        )
    return judged


def contents(connection: Connection, numbers: Sequence[int]) -> dict[int, Item]:
    """Return items by number; not those whose content was erased."""
    found = select(item.c.id, item.c.content).where(item.c.id.in_(numbers), item.c.content.is_not(None))
    return {row.id: decode_item(row.content) for row in connection.execute(found)}


def spoken(connection: Connection, study_id: str) -> list[Spoken]:
    """Return the word errors of each study item that was not withdrawn before the close, counted from its texts.

    Of one withdrawn after the close they are what was kept.
    """
    columns = (item.c.stratum, item.c.unit, item.c.content, item.c.kept)
    found = select(*columns).outerjoin(withdrawal, withdrawal.c.id == item.c.withdrawal)
    left = (item.c.role == STUDY, or_(item.c.withdrawal.is_(None), withdrawal.c.after_close))
    listen = listener()
    return [
        listen(decode_item(row.content), str(row.unit))
        if row.content
        else Spoken.of_facts(row.stratum, str(row.unit), json.loads(row.kept or "{}"))
        for row in connection.execute(found.where(item.c.study_id == study_id, *left).order_by(item.c.id)).all()
    ]


def _signed_now(connection: Connection, study_id: str) -> set[int]:
    standing = (sign_off.c.study_id == study_id, sign_off.c.reopened_at.is_(None))
    return set(connection.execute(select(sign_off.c.account_id).where(*standing)).scalars())


class _Codings:
    """Gives equal codings as one object, so that results can tell at a glance which items are alike."""

    def __init__(self) -> None:
        self._stored: dict[tuple[Any, ...], Coding] = {}
        self._known: dict[tuple[Any, ...], Coding] = {}

    def of(self, row: Row[Any]) -> Coding:
        """Join a stored judgement to the arms; each way to store one is read once."""
        stored = (row.label, row.panel, row.also, row.reasons, row.groups, row.severity, row.on_panel)
        if stored not in self._stored:
            coding = blinding.reveal(judgements.decode(row), row.on_panel)
            whole = (coding, coding.reasons, coding.groups, coding.severity)
            self._stored[stored] = self._known.setdefault(whole, coding)
        return self._stored[stored]


def _signed_reviews(connection: Connection, study_id: str, codings: _Codings) -> SignedReviews:
    """Return, by item and reviewer in order of assignment, the coding that stood at each sign-off."""
    signings: defaultdict[int, list[int]] = defaultdict(list)
    for row in connection.execute(select(sign_off).where(sign_off.c.study_id == study_id).order_by(sign_off.c.id)):
        signings[row.account_id].append(row.upto)
    rows = connection.execute(
        select(*_CODED, slot.c.item, slot.c.on_panel, slot.c.account_id)
        .join(slot, slot.c.id == judgement.c.slot_id)
        .join(member, (member.c.study_id == slot.c.study_id) & (member.c.account_id == slot.c.account_id))
        .where(slot.c.study_id == study_id, slot.c.adjudication.is_(False), judgements.has_an_outcome())
        .order_by(member.c.seat, judgement.c.id)
    ).all()
    versions: defaultdict[tuple[int, int], list[Row[Any]]] = defaultdict(list)
    for row in rows:
        versions[row.item, row.account_id].append(row)
    reviews: SignedReviews = defaultdict(dict)
    for (item_id, judge), stored in versions.items():
        stood = ([row for row in stored if row.id <= upto] for upto in signings[judge])
        signed = [codings.of(each[-1]) for each in stood if each]
        if signed:
            reviews[item_id][judge] = signed
    return reviews


def _adjudications(
    connection: Connection, study_id: str, codings: _Codings
) -> tuple[dict[int, Adjudication], dict[int, list[Coding]]]:
    """Return the adjudicator's steps by item, the newest final step standing, and every coding of every step."""
    rows = connection.execute(
        select(judgement, slot.c.item, slot.c.on_panel)
        .join(slot, slot.c.id == judgement.c.slot_id)
        .where(slot.c.study_id == study_id, slot.c.adjudication)
        .order_by(judgement.c.id)
    )
    standing: dict[int, Adjudication] = {}
    steps: defaultdict[int, list[Coding]] = defaultdict(list)
    for row in rows:
        coding = codings.of(row) if row.label else None
        steps[row.item] += [coding] if coding is not None else []
        if row.step == "own":
            standing[row.item] = Adjudication(first=coding)
        else:
            first = standing[row.item].first if row.item in standing else None
            standing[row.item] = Adjudication(first, row.decision, coding, row.unresolved_reason)
    return standing, steps


def private_values(connection: Connection, study_id: str) -> dict[str, set[str]]:
    """Return what is private of a study's items: their content, ids and clusters, digests and salts.

    Ids, clusters and digests of another study say nothing here.
    """
    mine = select(item.c.item_id, item.c.cluster, item.c.digest, item.c.salt).where(item.c.study_id == study_id)
    rows = connection.execute(mine).all()
    contents = select(item.c.content).where(item.c.content.is_not(None), item.c.study_id == study_id)
    return {
        "content": set(connection.execute(contents).scalars()),
        "ids": {name for row in rows for name in (row.item_id, row.cluster) if name},
        "digests": {value for row in rows for value in (row.digest, row.salt) if value},
    }


def others_values(connection: Connection) -> dict[str, set[str]]:
    """Return what else is private in the store, of every study, for the egress guard.

    `told`: notes (of drafts too), attestations and who decided on rights; `content`: items; `names`: of accounts.
    """
    entries = connection.execute(select(rights.c.entry).union(select(former_rights.c.entry))).scalars()
    told = set(connection.execute(select(judgement.c.note).distinct()).scalars())
    told |= {
        note for fields in connection.execute(select(draft.c.fields)).scalars() for note in json.loads(fields)["note"]
    }
    told |= {text for text in connection.execute(select(member.c.attested)).scalars() if text}
    return {
        "told": {text for text in told if text.strip()} | {json.loads(entry)["decided_by"] for entry in entries},
        "content": set(connection.execute(select(item.c.content).where(item.c.content.is_not(None))).scalars()),
        "names": set(connection.execute(select(account.c.name)).scalars()),
    }
