"""The freeze: everything under one hash, sides and orders drawn once, nothing redrawn."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from app import __version__
from app.actions import practising, preparing
from app.config import content
from app.domain import blinding, codebook, manifest
from app.domain.blinding import Slot
from app.domain.errors import InvalidInput, Refused
from app.domain.item import SENTINEL, STUDY, Item, compared
from app.domain.protocol import Protocol
from app.domain.readiness import Readiness
from app.report.egress import own_words
from app.store import accounts, audit, lists, recordings, studies
from app.store.db import Connection, Row, Store
from app.world import World


def freeze(
    store: Store,
    world: World,
    actor: str,
    study_id: str,
    acknowledged: Collection[str] = (),
    *,
    seen: str | None = None,
) -> str:
    """Freeze a study and return its manifest's SHA-256.

    `seen`: the study's newest event when the check was read, where that was earlier: what
    nobody has read is not frozen. Raises InvalidInput with every error of the check, Refused where something is not
    acknowledged or the study is frozen already, NotFound.
    """
    own_words()  # takes half a second the first time: not inside the write
    guidelines = content("guidelines.toml").read_text(encoding="utf-8")
    with store.write() as connection:
        row = preparing.draft_of(connection, study_id)
        if seen is not None and seen != audit.newest(connection, study_id):
            message = "The study has changed since this page was opened. Read it once more, then freeze."
            raise Refused("moved", message)
        rows = list(studies.items(connection, study_id))
        items = [item for _, item in rows]
        report = preparing.assess(connection, row, items)
        _refuse_unready(report, acknowledged)
        rules = studies.protocol_of(row)
        units = _units(rows)
        heard = {key: sound.sha256 for key, sound in recordings.of_study(connection, study_id).items()}
        fixed = [
            _fixed(world, rules, stored.id, item, heard.get(stored.id)) | {"unit": units[item.cluster]}
            for stored, item in rows
        ]
        studies.freeze_items(connection, fixed)
        _draw(connection, world, study_id, rules, rows, fixed)
        lists.renumber(connection, study_id)
        if rules["review.practice"]:
            for person in studies.members(connection, study_id):
                if person.role != "lead":
                    practising.draw(connection, world, study_id, person.account_id)
        whole = manifest.manifest(
            protocol=json.loads(row.protocol),  # as it was stored: a draft of an earlier version lacks later keys
            codebook=codebook.as_data(),
            guidelines_sha256=manifest.bytes_digest(guidelines.encode()),
            ledger=[source.as_data() for source in studies.ledger(connection, study_id)],
            item_digests=[each["digest"] for each in fixed],
            pairing=preparing.origin_of(connection, study_id, items).as_data(),
            software=f"evenhand {__version__}",
        )
        _begin_roles(connection, study_id)
        hashed = manifest.digest(whole)
        studies.keep_manifest(connection, study_id, manifest.canonical(whole).decode())
        studies.change(
            connection,
            study_id,
            frozen_at=world.stamp(),
            manifest_sha256=hashed,
            guidelines=guidelines,
            equal_one_panel=report.equal_one_panel,
        )
        audit.record(
            connection,
            world,
            actor,
            "study.frozen",
            study_id,
            manifest_sha256=hashed,
            equal_one_panel=report.equal_one_panel,
            acknowledged=sorted(each.code for each in report.acknowledge),
            draw_sha256=studies.draw_digest(connection, study_id),
            units_sha256=studies.units_digest(connection, study_id),
            people_sha256=studies.people_digest(connection, study_id),
        )
    return hashed


def _begin_roles(connection: Connection, study_id: str) -> None:
    """Sign out whose role begins here: judges, and leads who have not signed in since they were given that role."""
    for person in studies.members(connection, study_id):
        if person.role != "lead":
            accounts.end_sessions_of(connection, person.account_id)
    accounts.end_barred_sessions(connection, study_id)


def _refuse_unready(report: Readiness, acknowledged: Collection[str]) -> None:
    if report.errors:
        raise InvalidInput(report.errors)
    lacking = [each for each in report.acknowledge if each.code not in acknowledged]
    if lacking:
        told = "\n".join(f"  {each.code}: {each.text} ({each.count})" for each in lacking)
        options = " ".join(f"--acknowledge {each.code}" for each in lacking)
        raise Refused(
            "acknowledge", f"Before the freeze these must be acknowledged:\n{told}\nIf they are right: {options}"
        )


def _units(rows: Sequence[tuple[Row[Any], Item]]) -> dict[str, int]:
    """Number each cluster by the smallest id among its items."""
    units: dict[str, int] = {}
    for stored, item in rows:
        units.setdefault(item.cluster, stored.id)
    return units


def _fixed(world: World, rules: Protocol, key: int, item: Item, recording: str | None) -> dict[str, Any]:
    equal, auto = compared(item, rules)
    salt = world.token(16)
    return {
        "key": key,
        "equivalent": equal,
        "auto_coded": auto,
        "salt": salt,
        "digest": manifest.item_digest(item, salt, recording),
    }


def _draw(
    connection: Connection,
    world: World,
    study_id: str,
    rules: Protocol,
    rows: Sequence[tuple[Row[Any], Item]],
    fixed: Sequence[dict[str, Any]],
) -> None:
    """Draw and store every judge's sides and order over the items that people see."""
    shown = {STUDY, SENTINEL} if rules["review.sentinels"] else {STUDY}
    people = studies.members(connection, study_id)
    for role, roles in (("reviewer", shown), ("adjudicator", {STUDY})):
        seen = [
            (stored.id, item)
            for (stored, item), each in zip(rows, fixed, strict=True)
            if item.role in roles and not each["auto_coded"]
        ]
        judges = [person.account_id for person in people if person.role == role]
        slots = _listed(world, rules, [item for _, item in seen], len(judges), adjudication=role == "adjudicator")
        keys = [key for key, _ in seen]
        tokens = _tokens(world)
        studies.add_slots(connection, study_id, slots, judges, keys, tokens, adjudication=role == "adjudicator")


def _listed(world: World, rules: Protocol, items: Sequence[Item], judges: int, *, adjudication: bool) -> list[Slot]:
    """Draw the lists of all judges of one role, repeats and ranks included."""
    # Sentinels are few: of two in a stratum, balanced, whoever knows the side of one knows that of the other.
    groups = [(item.stratum if item.role == STUDY else "", item.role) for item in items]
    study_items = {index for index, item in enumerate(items) if item.role == STUDY}
    if not judges:
        return []
    if adjudication:
        lists = [blinding.allocate_one(groups, world.below)]
    else:
        drawn = blinding.allocate(groups, judges, world.below)
        lists = [[slot for slot in drawn if slot.judge == judge] for judge in range(judges)]
        lists = [blinding.with_repeats(mine, study_items, rules["review.repeats"], world.below) for mine in lists]
    if rules["review.blinding_check"] or (adjudication and rules["review.audit_agreed"]):
        lists = [blinding.ranked(mine, study_items, world.below) for mine in lists]
    return [slot for mine in lists for slot in mine]


def _tokens(world: World) -> Iterator[str]:
    while True:
        yield world.token(16)
