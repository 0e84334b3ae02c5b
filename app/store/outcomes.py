"""The joined rows of a closed study: the one place where stored judgements meet the arms."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, Row, select

from app.domain import blinding
from app.domain.item import STUDY
from app.domain.judgement import Coding
from app.domain.outcome import Adjudication, JudgedItem
from app.domain.protocol import REVIEWERS_PER_ITEM, Protocol
from app.domain.withdrawal import kept
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

SignedReviews = defaultdict[int, dict[int, list[Coding]]]


def judged_items(connection: Connection, study_id: str, protocol: Protocol) -> list[JudgedItem]:
    """Return every item of a study as results need it, in order of import.

    What was withdrawn after the close is judged as it was at the close.
    """
    reviews = _signed_reviews(connection, study_id)
    standing = _signed_now(connection, study_id)
    adjudications, steps = _adjudications(connection, study_id)
    columns = (item.c.id, item.c.stratum, item.c.unit, item.c.changed, item.c.auto_coded, withdrawal.c.after_close)
    found = select(*columns).outerjoin(withdrawal, withdrawal.c.id == item.c.withdrawal)
    rows = connection.execute(found.where(item.c.study_id == study_id, item.c.role == STUDY).order_by(item.c.id))
    judged = []
    for row in rows:
        signed = tuple(each[-1] for judge, each in reviews[row.id].items() if judge in standing)
        audit = len(signed) == REVIEWERS_PER_ITEM and len(set(signed)) == 1
        judged.append(
            JudgedItem(
                stratum=row.stratum,
                cluster=str(row.unit),
                control=row.stratum in protocol.controls,
                changed=row.changed,
                auto_coded=bool(row.auto_coded),
                withdrawn=row.after_close is False,
                first_signed=tuple(each[0] for each in reviews[row.id].values()),
                signed=signed,
                recorded=(
                    *(coding for each in reviews[row.id].values() for coding in each),
                    *(() if audit else steps[row.id]),
                ),
                adjudication=None if audit else adjudications.get(row.id),
                audit=adjudications.get(row.id) if audit else None,
            )
        )
    return judged


def references(connection: Connection, study_id: str) -> set[str]:
    """Return the kinds of reference that the items of a study have; one withdrawn after the close counts as before."""
    found = select(item.c.content, item.c.kept).where(item.c.study_id == study_id, item.c.role == STUDY)
    kinds: set[str] = set()
    for row in connection.execute(found):
        facts = kept(decode_item(row.content)) if row.content else json.loads(row.kept or "{}")
        kinds |= set(facts.get("references", ()))
    return kinds


def _signed_now(connection: Connection, study_id: str) -> set[int]:
    standing = (sign_off.c.study_id == study_id, sign_off.c.reopened_at.is_(None))
    return set(connection.execute(select(sign_off.c.account_id).where(*standing)).scalars())


def _signed_reviews(connection: Connection, study_id: str) -> SignedReviews:
    """Return, by item and reviewer in order of assignment, the coding that stood at each sign-off."""
    signings: defaultdict[int, list[int]] = defaultdict(list)
    for row in connection.execute(select(sign_off).where(sign_off.c.study_id == study_id).order_by(sign_off.c.id)):
        signings[row.account_id].append(row.upto)
    rows = connection.execute(
        select(judgement, slot.c.item, slot.c.on_panel, slot.c.account_id)
        .join(slot, slot.c.id == judgement.c.slot_id)
        .join(member, (member.c.study_id == slot.c.study_id) & (member.c.account_id == slot.c.account_id))
        .where(slot.c.study_id == study_id, slot.c.adjudication.is_(False), judgements.has_an_outcome())
        .order_by(member.c.seat, judgement.c.id)
    )
    versions: defaultdict[tuple[int, int], list[Row[Any]]] = defaultdict(list)
    for row in rows:
        versions[row.item, row.account_id].append(row)
    reviews: SignedReviews = defaultdict(dict)
    for (item_id, judge), stored in versions.items():
        stood = [[row for row in stored if row.id <= upto][-1:] for upto in signings[judge]]
        signed = [blinding.reveal(judgements.decode(row), row.on_panel) for at in stood for row in at]
        if signed:
            reviews[item_id][judge] = signed
    return reviews


def _adjudications(connection: Connection, study_id: str) -> tuple[dict[int, Adjudication], dict[int, list[Coding]]]:
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
        coding = blinding.reveal(judgements.decode(row), row.on_panel) if row.label else None
        steps[row.item] += [coding] if coding is not None else []
        if row.step == "own":
            standing[row.item] = Adjudication(first=coding)
        else:
            first = standing[row.item].first if row.item in standing else None
            standing[row.item] = Adjudication(first, row.decision, coding, row.unresolved_reason)
    return standing, steps


def private_values(connection: Connection, study_id: str) -> dict[str, set[str]]:
    """Return everything private in the store, for the egress guard.

    `content` and `elsewhere`: items of this study and of others. `told`: notes (of drafts
    too), attestations and who decided on rights, of every study. Ids, clusters and digests
    are of this one: those of another study say nothing here.
    """
    mine = select(item.c.item_id, item.c.cluster, item.c.digest, item.c.salt).where(item.c.study_id == study_id)
    rows = connection.execute(mine).all()
    entries = connection.execute(select(rights.c.entry).union(select(former_rights.c.entry))).scalars()
    told = set(connection.execute(select(judgement.c.note)).scalars())
    told |= {
        note for fields in connection.execute(select(draft.c.fields)).scalars() for note in json.loads(fields)["note"]
    }
    told |= {text for text in connection.execute(select(member.c.attested)).scalars() if text}
    contents = select(item.c.content).where(item.c.content.is_not(None))
    return {
        "content": set(connection.execute(contents.where(item.c.study_id == study_id)).scalars()),
        "elsewhere": set(connection.execute(contents.where(item.c.study_id != study_id)).scalars()),
        "told": {text for text in told if text.strip()} | {json.loads(entry)["decided_by"] for entry in entries},
        "ids": {name for row in rows for name in (row.item_id, row.cluster) if name},
        "names": set(connection.execute(select(account.c.name)).scalars()),
        "digests": {value for row in rows for value in (row.digest, row.salt) if value},
    }
