"""Re-check a store: the database itself, the audit chain, and all that an outcome follows from.

The chain holds a digest of each; whatever was written beside the program's own actions
differs from it. A whole chain written anew is caught by the head that a memo carries.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Connection, Row, select
from sqlalchemy.exc import DatabaseError

from app.domain import manifest
from app.domain.anchor import Anchor
from app.domain.errors import EvenhandError
from app.domain.item import compared
from app.domain.pairing import frozen_filter, origin
from app.domain.protocol import Protocol
from app.domain.rights import revoked
from app.store import audit, judgements, ledger, lists, pairings, receipts, recordings, studies, withdrawals
from app.store.tables import account, judgement, sign_off, study

LEDGER: Final = ("rights.set", "rights.entry.set", "items.withdrawn")

Check = Callable[[Connection, Row[Any]], list[str]]


def findings(connection: Connection, anchor: Anchor | None = None) -> list[str]:
    """Return everything that differs from what was recorded, and from what a memo says; empty when all holds."""
    try:
        return _findings(connection) + (_against(connection, anchor) if anchor else [])
    except (DatabaseError, UnicodeDecodeError):  # their texts may hold SQL or bytes of the store
        return ["database: it is damaged, and cannot be read to its end"]


def _findings(connection: Connection) -> list[str]:
    found = integrity(connection)
    for what, check in WHOLE.items():
        found += _read(what, check, connection)
    for row in studies.listing(connection):
        for what, inspect in CHECKS.items():
            found += [f"study {row.id}: {told}" for told in _read(what, inspect, connection, row)]
    return found


def _read(what: str, check: Callable[..., list[str]], *given: Any) -> list[str]:
    """Run one check; what was damaged beyond reading is a finding too."""
    try:
        return check(*given)
    except (ValueError, TypeError, LookupError, AttributeError, EvenhandError):
        return [f"{what} cannot be read"]


def integrity(connection: Connection) -> list[str]:
    """Return what SQLite itself finds wrong with a database."""
    rows = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    found = [f"database: {told}" for told in rows if told != "ok"]
    orphans = len(connection.exec_driver_sql("PRAGMA foreign_key_check").all())
    return found + ([f"database: {orphans} rows point at nothing"] if orphans else [])


def _chain(connection: Connection) -> list[str]:
    return [f"audit chain: it does not hold at event {number}" for number in audit.broken_links(connection)]


def _judgements(connection: Connection) -> list[str]:
    """Compare every stored judgement with the digest that the chain keeps of it.

    One whose note was erased is compared with its withdrawal instead.
    """
    recorded = audit.judgement_digests(connection)
    found = [
        f"judgement {row.id}: it differs from what was audited"
        for row in connection.execute(select(judgement).order_by(judgement.c.id))
        if not _stands(row, recorded.pop((row.slot_id, row.version), None))
    ]
    return found + [
        f"judgement: version {version} of list entry {slot} is missing" for slot, version in sorted(recorded, key=str)
    ]


def _against(connection: Connection, anchor: Anchor) -> list[str]:
    """Compare a study with what its memo carries: it was written down elsewhere, so no change here can follow it."""
    row = connection.execute(select(study).where(study.c.id == anchor.study_id)).first()
    if row is None:
        return [f"memo: the store has no study {anchor.study_id}"]
    holds = {
        "the audit chain does not hold the head that the memo carries": audit.holds(connection, anchor.audit_head),
        "its close is not the one that the memo carries": row.closed_head == anchor.audit_head,
        "its protocol is not the one that the memo carries": row.protocol_sha256 == anchor.protocol_sha256,
        "its manifest is not the one that the memo carries": anchor.manifest_sha256 in (None, row.manifest_sha256),
    }
    return [f"study {row.id}: {told}" for told, held in holds.items() if not held]


def _pairings(connection: Connection) -> list[str]:
    """Compare every recorded pairing with the digest that the chain keeps of it."""
    stored = [made.digest() for made in pairings.recorded(connection).values()]
    recorded = [event.detail.get("digest") for event in audit.events(connection, "pairing.made")]
    return [] if stored == recorded else ["pairings: they are not those that were audited"]


def _stands(row: Row[Any], recorded: str | None) -> bool:
    if row.erased_by is not None:
        return recorded is not None
    try:
        return recorded == judgements.row_digest(row)
    except ValueError:  # damaged bytes
        return False


def _protocol(_connection: Connection, row: Row[Any]) -> list[str]:
    whole = manifest.bytes_digest(row.protocol.encode()) == row.protocol_sha256
    return [] if whole else ["the protocol was changed"]


def _frozen(connection: Connection, row: Row[Any]) -> list[str]:
    """Compare a frozen study with its manifest, and both with the event of the freeze."""
    events = audit.events(connection, "study.frozen", study_id=row.id)
    if len(events) != (row.frozen_at is not None):
        return ["its freeze is not the one that was audited"]
    if not events:
        return []
    recorded = events[0].detail
    drawn = [events[0], *audit.events(connection, "reviewer.replaced", study_id=row.id)][-1].detail
    kept = studies.manifest_of(connection, row.id) or ""
    if not manifest.bytes_digest(kept.encode()) == row.manifest_sha256 == recorded["manifest_sha256"]:
        return ["the manifest was changed"]
    whole = json.loads(kept)
    holds = {
        "the title is not the protocol's": row.title == studies.protocol_of(row).title,
        "the count of telling references was changed": row.equal_one_panel == recorded["equal_one_panel"],
        "the protocol is not the one that was frozen": manifest.canonical(whole["protocol"]).decode() == row.protocol,
        "the guidelines were changed": manifest.bytes_digest(row.guidelines.encode()) == whole["guidelines_sha256"],
        "the drawn sides and orders were changed": studies.draw_digest(connection, row.id) == drawn["draw_sha256"],
        "the people or their roles were changed": studies.people_digest(connection, row.id) == drawn["people_sha256"],
        "the clusters were changed": "units_sha256" not in recorded
        or studies.units_digest(connection, row.id) == recorded["units_sha256"],
    }
    return [told for told, held in holds.items() if not held]


def _manifest(connection: Connection, row: Row[Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(studies.manifest_of(connection, row.id) or "{}")
    return found


def _lists(connection: Connection, row: Row[Any]) -> list[str]:
    """Compare what is kept of the lists, so that pages need not count, with the lists."""
    return [] if lists.agree(connection, row.id) else ["the numbers or counts of the judges' lists were changed"]


def _ledger(connection: Connection, row: Row[Any]) -> list[str]:
    """Compare the ledger with what was frozen and revoked since, and its former entries with the chain."""
    events = audit.events(connection, *LEDGER, study_id=row.id)
    kept = [told for event in events for told in event.detail.get("former", ())]
    same = ledger.former_digests(connection, row.id) == kept
    found = [] if same else ["the former entries of the rights ledger were changed"]
    if row.frozen_at is None:
        return found
    entries = {each["source"]: studies.decode_source(each) for each in _manifest(connection, row)["ledger"]}
    for each in withdrawals.listing(connection, row.id):
        if each.source is not None:
            entries[each.source] = revoked(entries[each.source], each.actor, each.at)
    same = studies.ledger(connection, row.id) == [entries[name] for name in sorted(entries)]
    return found if same else [*found, "the rights ledger was changed"]


def _withdrawn(connection: Connection, row: Row[Any]) -> list[str]:
    """Compare every withdrawal, and what it left, with the chain; and the lists of judges with what was withdrawn."""
    made = withdrawals.listing(connection, row.id)
    stored = [(each.actor, withdrawals.digest_of(connection, each)) for each in made]
    events = audit.events(connection, "items.withdrawn", study_id=row.id)
    recorded = [(event.actor, event.detail["sha256"]) for event in events]
    same = stored == recorded and withdrawals.lists_agree(connection, row.id)
    return [] if same else ["the withdrawals, or what they left, are not as they were audited"]


def _items(connection: Connection, row: Row[Any]) -> list[str]:
    if row.frozen_at is None:
        return []
    rules = studies.protocol_of(row)
    stored = list(studies.item_rows(connection, row.id))
    heard = recordings.of_study(connection, row.id)
    found = [
        f"item {number} (in order of import) was changed"
        for number, each in enumerate(stored, start=1)
        if not _item_holds(each, rules, heard.get(each.id))
    ]
    found += [
        f"the recording of item {number} (in order of import) was changed"
        for number, each in enumerate(stored, start=1)
        if each.id in heard and not recordings.holds(connection, heard[each.id])
    ]
    if sorted(str(each.digest) for each in stored) != _manifest(connection, row)["items"]:
        found.append("the set of items is not the one that was frozen")
    return found


def _item_holds(stored: Row[Any], rules: Protocol, heard: Row[Any] | None) -> bool:
    """Tell whether an item's content gives its digest, and its columns say what the content says.

    One that was withdrawn has no content: what is left of it is compared with its withdrawal.
    `heard`: its recording.
    """
    if stored.withdrawal is not None:
        return (stored.item_id, stored.cluster, stored.content, stored.salt, heard) == (None, None, None, None, None)
    try:
        item = studies.decode_item(stored.content)
    except (ValueError, TypeError, KeyError):
        return False
    said = {name: getattr(item, name) for name in ("item_id", "stratum", "cluster", "source", "role", "changed")}
    said["equivalent"], said["auto_coded"] = compared(item, rules)
    if any(getattr(stored, name) != value for name, value in said.items()):
        return False
    return bool(manifest.item_digest(item, stored.salt, heard.sha256 if heard else None) == stored.digest)


def _pairing(connection: Connection, row: Row[Any]) -> list[str]:
    """Compare the items' pairings with what was imported, and a verified one with the texts or the frozen files."""
    marks = pairings.marks(connection, row.id)
    if Counter(marks) != _imported(connection, row.id):
        return ["the pairings of its items are not those of its imports"]
    made = pairings.recorded(connection)
    if row.frozen_at is None:
        items = [item for _, item in studies.items(connection, row.id)]
        unlike = origin(items, marks, made).imported != marks.count(None)
        return ["its texts are not those that were paired"] if unlike else []
    fixed = _manifest(connection, row).get("pairing")
    used = [made[mark] for mark in set(marks) if mark is not None]
    held = fixed is None or all(
        each.filter == frozen_filter({"pairing": fixed}) and each.sha256 in fixed["files"] for each in used
    )
    return [] if held else ["the pairing is not the one that was frozen"]


def _imported(connection: Connection, study_id: str) -> Counter[int | None]:
    """Return how many items of each pairing (None for none) the record leaves a study with."""
    found: Counter[int | None] = Counter()
    for event in audit.events(connection, "items.imported", "items.removed", study_id=study_id):
        for mark, gone in event.detail.get("pairings", {}).items():
            # What else came of a file of which something was removed lost its mark.
            left = found.pop(int(mark) if mark else None, 0) - gone
            found[None] += left
        if event.detail.get("removed"):
            found.clear()
        if "kind" not in event.detail:
            found[event.detail.get("pairing")] += event.detail["items"]
    return +found


def _signed(connection: Connection, row: Row[Any]) -> list[str]:
    stored = connection.execute(
        select(sign_off, account.c.name)
        .join(account, account.c.id == sign_off.c.account_id)
        .where(sign_off.c.study_id == row.id)
        .order_by(sign_off.c.id)
    ).all()
    recorded = audit.events(connection, "set.signed", study_id=row.id)
    reopened = audit.events(connection, "set.reopened", study_id=row.id)
    same = [(each.name, each.count, each.upto, each.digest) for each in stored] == [
        # Up to version 0.2.0 only judges signed, and the event named them as its actor.
        (event.detail.get("name", event.actor), *(event.detail[key] for key in ("count", "upto", "sha256")))
        for event in recorded
    ]
    taken_back = [
        (each.name, manifest.bytes_digest(each.reopen_reason.encode()))
        for each in stored
        if each.reopened_at is not None
    ]
    same = same and sorted(taken_back) == sorted((each.detail["name"], each.detail["sha256"]) for each in reopened)
    found = [] if same else ["the sign-offs are not those that were audited"]
    return found + [
        f"the stored answers of {stored[number].name} no longer give the digest of sign-off {number + 1}"
        for number, each in enumerate(receipts.checked(connection, row.id))
        if not each.holds
    ]


def _guesses(connection: Connection, row: Row[Any]) -> list[str]:
    stored = judgements.guess_digests(connection, row.id)
    recorded = [event.detail["sha256"] for event in audit.events(connection, "guess.stored", study_id=row.id)]
    return [] if sorted(stored) == sorted(recorded) else ["the guesses of the blinding check were changed"]


def _deviations(connection: Connection, row: Row[Any]) -> list[str]:
    logged = studies.deviations(connection, row.id)
    stored = [manifest.digest({"at": each.at, "text": each.text}) for each in logged]
    recorded = [event.detail["sha256"] for event in audit.events(connection, "deviation.logged", study_id=row.id)]
    return [] if stored == recorded else ["the deviations are not those that were audited"]


def _closed(connection: Connection, row: Row[Any]) -> list[str]:
    if row.closed_head is not None and not audit.holds(connection, row.closed_head):
        return ["the audit chain no longer holds the head of the close"]
    revealed = audit.events(connection, "arms.revealed", study_id=row.id)
    closed = audit.events(connection, "study.closed", study_id=row.id)
    stored = [(row.closed_head, manifest.digest({"at": row.closed_at, "reason": row.close_reason}))]
    recorded = [(one.hash, other.detail["sha256"]) for one, other in zip(revealed, closed, strict=True)]
    return [] if recorded == (stored if row.closed_at else []) else ["its close is not the one that was audited"]


WHOLE: Final = {
    "the audit chain": _chain,
    "the judgements": _judgements,
    "the pairings": _pairings,
}
CHECKS: Final[dict[str, Check]] = {
    "the protocol": _protocol,
    "what was frozen": _frozen,
    "the rights ledger": _ledger,
    "the items": _items,
    "the pairing": _pairing,
    "the withdrawals": _withdrawn,
    "the lists": _lists,
    "the sign-offs": _signed,
    "the blinding check": _guesses,
    "the deviations": _deviations,
    "the close": _closed,
}
