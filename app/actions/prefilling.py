"""What is taken over into a draft: numbers and sources that its items have, and the packaged practice items."""

from __future__ import annotations

from typing import Final

from app.actions.ledger import cases, set_entry
from app.actions.preparing import draft_of, import_items
from app.config import content
from app.domain import manifest, mapping, protocol, rights
from app.domain.errors import Refused
from app.domain.mapping import Census
from app.domain.protocol import Protocol
from app.store import audit, ledger, studies
from app.store.db import Connection, Store
from app.world import World

PRACTICE: Final = "practice.jsonl"
PRACTICE_SOURCE: Final = "evenhand-practice"


def found_in(connection: Connection, study_id: str) -> Census:
    """Count what is in a study's items."""
    return mapping.census(item for _, item in studies.items(connection, study_id))


def plan(store: Store, world: World, actor: str, study_id: str) -> dict[str, int]:
    """Make the numbers of items that are there a draft's planned ones, in place of the former; return them.

    Raises NotFound, Refused, InvalidInput.
    """
    with store.write() as connection:
        rules = studies.protocol_of(draft_of(connection, study_id))
        offered = mapping.plan_of(found_in(connection, study_id), rules)
        if offered is None:
            message = "The protocol's strata have these numbers already, or there are no items yet."
            raise Refused("nothing_new", message)
        content = manifest.canonical(_with_strata(rules, offered).as_data())
        digest = manifest.bytes_digest(content)
        studies.change(connection, study_id, protocol=content.decode(), protocol_sha256=digest)
        audit.record(connection, world, actor, "protocol.set", study_id, protocol_sha256=digest, prefilled="strata")
    return offered


def _with_strata(rules: Protocol, strata: dict[str, int]) -> Protocol:
    data = rules.as_data()
    return protocol.parse(data | {"selection": data["selection"] | {"strata": strata}})


def sources(store: Store, world: World, actor: str, study_id: str) -> list[str]:
    """Add an entry that decides nothing to a draft's ledger for each source that it lacks; return their names.

    Raises NotFound, Refused.
    """
    with store.write() as connection:
        rules = studies.protocol_of(draft_of(connection, study_id))
        entries = studies.ledger(connection, study_id)
        known = {entry.source for entry in entries}
        new = [name for name in found_in(connection, study_id).sources if name not in known]
        if not new:
            message = "The ledger has an entry for each source of the items already."
            raise Refused("nothing_new", message)
        kind = rules["study.scope"] or "corpus"
        added = [_undecided(name, kind, actor, world.stamp()[:10]) for name in new]
        former = ledger.replace(connection, study_id, [*entries, *added], at=world.stamp(), actor=actor)
        digest = manifest.digest([entry.as_data() for entry in added])
        audit.record(
            connection, world, actor, "rights.prefilled", study_id, sources=len(new), sha256=digest, former=former
        )
    return new


def _undecided(source: str, kind: str, actor: str, at: str) -> rights.Source:
    """Return an entry in which nothing is known but the name; unknown means no."""
    texts = dict.fromkeys(rights.FIELDS.keys() - {"permitted_operations", "retain_until"}, "not known yet")
    begun = next(each.entry for each in cases() if each.key == "unknown")
    decided = {"source": source, "kind": kind, "decision": "unknown", "decided_by": actor, "decided_at": at}
    return rights.entry({**texts, **begun, **decided})


def practice(store: Store, world: World, actor: str, study_id: str) -> int:
    """Add the packaged practice items to a draft, and unless the ledger has it their entry, approved by the actor.

    Two steps, each whole: without the entry the check asks for it. Raises NotFound, Refused, InvalidInput where
    items are there that are called the same.
    """
    with store.read() as connection:
        draft_of(connection, study_id)
        there = PRACTICE_SOURCE in found_in(connection, study_id).sources
        entered = PRACTICE_SOURCE in {entry.source for entry in studies.ledger(connection, study_id)}
    if there:
        message = "The packaged practice items are in this study already."
        raise Refused("nothing_new", message)
    data = content(f"starter/{PRACTICE}").read_bytes()
    added = import_items(store, world, actor, study_id, data, PRACTICE)
    if not entered:
        begun = next(each.entry for each in cases() if each.key == "practice")
        decided = {"decision": "approved", "decided_by": actor, "decided_at": world.stamp()[:10]}
        set_entry(store, world, actor, study_id, {"source": PRACTICE_SOURCE, **begun, **decided}, former="")
    return added.items
