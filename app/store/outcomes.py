"""The joined rows of a closed study: the one place where stored judgements meet the arms."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, Row, select

from app.domain import blinding
from app.domain.judgement import Adjudication, Coding, JudgedItem
from app.domain.protocol import Protocol
from app.store import judgements
from app.store.tables import account, draft, item, judgement, member, rights, sign_off, slot

ReviewsByItem = dict[int, list[tuple[int, Coding]]]


def judged_items(connection: Connection, study_id: str, protocol: Protocol) -> list[JudgedItem]:
    """Return every item of a study as results need it, in order of import."""
    first = _reviews(connection, study_id, first=True)
    last = _reviews(connection, study_id, first=False)
    standing = _signed_now(connection, study_id)
    adjudications = _adjudications(connection, study_id)
    columns = (item.c.id, item.c.stratum, item.c.cluster, item.c.changed, item.c.auto_coded)
    return [
        JudgedItem(
            stratum=row.stratum,
            cluster=row.cluster,
            control=row.stratum in protocol.controls,
            changed=row.changed,
            auto_coded=bool(row.auto_coded),
            first_signed=tuple(coding for _, coding in first[row.id]),
            signed=tuple(coding for judge, coding in last[row.id] if judge in standing),
            recorded=tuple(coding for _, coding in last[row.id]),
            adjudication=adjudications.get(row.id),
        )
        for row in connection.execute(select(*columns).where(item.c.study_id == study_id).order_by(item.c.id))
    ]


def _signed_now(connection: Connection, study_id: str) -> set[int]:
    standing = (sign_off.c.study_id == study_id, sign_off.c.reopened_at.is_(None))
    return set(connection.execute(select(sign_off.c.account_id).where(*standing)).scalars())


def _signed_upto(connection: Connection, study_id: str, *, first: bool) -> dict[int, int]:
    """Return, for each judge who ever signed, the newest judgement's id at the first or last sign-off."""
    found = select(sign_off).where(sign_off.c.study_id == study_id).order_by(sign_off.c.id)
    upto: dict[int, int] = {}
    for row in connection.execute(found):
        if not (first and row.account_id in upto):
            upto[row.account_id] = row.upto
    return upto


def _reviews(connection: Connection, study_id: str, *, first: bool) -> ReviewsByItem:
    """Return each item's signed reviews (judge, coding), by order of assignment.

    `first`: the version that stood at the judge's first sign-off; else at the last.
    """
    upto = _signed_upto(connection, study_id, first=first)
    rows = connection.execute(
        select(judgement, slot.c.item, slot.c.on_panel, slot.c.account_id)
        .join(slot, slot.c.id == judgement.c.slot_id)
        .join(member, (member.c.study_id == slot.c.study_id) & (member.c.account_id == slot.c.account_id))
        .where(slot.c.study_id == study_id, slot.c.adjudication.is_(False))
        .order_by(member.c.seat, judgement.c.id)
    )
    newest: dict[tuple[int, int], Row[Any]] = {}
    for row in rows:
        if row.id <= upto.get(row.account_id, 0):
            newest[row.item, row.account_id] = row
    reviews: ReviewsByItem = defaultdict(list)
    for (item_id, judge), row in newest.items():
        reviews[item_id].append((judge, blinding.reveal(judgements.decode(row), row.on_panel)))
    return reviews


def _adjudications(connection: Connection, study_id: str) -> dict[int, Adjudication]:
    """Return the adjudicator's steps by item; the newest final step stands."""
    rows = connection.execute(
        select(judgement, slot.c.item, slot.c.on_panel)
        .join(slot, slot.c.id == judgement.c.slot_id)
        .where(slot.c.study_id == study_id, slot.c.adjudication)
        .order_by(judgement.c.id)
    )
    steps: dict[int, Adjudication] = {}
    for row in rows:
        coding = blinding.reveal(judgements.decode(row), row.on_panel) if row.label else None
        former = steps.get(row.item)
        if row.step == "own":
            steps[row.item] = Adjudication(first=coding)
        else:
            steps[row.item] = Adjudication(
                former.first if former else None, row.decision, coding, row.unresolved_reason
            )
    return steps


def private_values(connection: Connection, study_id: str) -> dict[str, set[str]]:
    """Return everything private in the store, for the egress guard.

    `content` and `elsewhere`: items of this study and of others. `told`: notes (of drafts
    too), attestations and who decided on rights, of every study. Ids, clusters and digests
    are of this one: those of another study say nothing here.
    """
    mine = select(item.c.item_id, item.c.cluster, item.c.digest, item.c.salt).where(item.c.study_id == study_id)
    rows = connection.execute(mine).all()
    entries = connection.execute(select(rights.c.entry)).scalars()
    told = set(connection.execute(select(judgement.c.note)).scalars())
    told |= {
        note for fields in connection.execute(select(draft.c.fields)).scalars() for note in json.loads(fields)["note"]
    }
    told |= {text for text in connection.execute(select(member.c.attested)).scalars() if text}
    return {
        "content": set(connection.execute(select(item.c.content).where(item.c.study_id == study_id)).scalars()),
        "elsewhere": set(connection.execute(select(item.c.content).where(item.c.study_id != study_id)).scalars()),
        "told": {text for text in told if text.strip()} | {json.loads(entry)["decided_by"] for entry in entries},
        "ids": {row.item_id for row in rows} | {row.cluster for row in rows},
        "names": set(connection.execute(select(account.c.name)).scalars()),
        "digests": {value for row in rows for value in (row.digest, row.salt) if value},
    }
