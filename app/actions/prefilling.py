"""What is taken over into a draft: numbers and sources that its items have, and the packaged practice items."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.actions.ledger import cases, put_entry
from app.actions.preparing import Sheet, draft_of, read_sheet, take
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
NOTHING_NEW: Final = {  # of what may be asked for
    "strata": "The protocol's strata have these numbers already, or there are no items yet.",
    "sources": "The ledger has an entry for each source of the items already.",
    "practice": "The packaged practice items are in this study already.",
}


@dataclass(frozen=True)
class Prefilled:
    """What was taken over: numbers by stratum, names of sources, how many practice items; empty where nothing was."""

    strata: Mapping[str, int] = field(default_factory=dict)
    sources: Sequence[str] = ()
    practice: int = 0

    @property
    def nothing(self) -> bool:
        """Whether all that was asked for was there already."""
        return not (self.strata or self.sources or self.practice)


def found_in(connection: Connection, study_id: str) -> Census:
    """Count what is in a study's items."""
    return mapping.census(item for _, item in studies.items(connection, study_id))


def prefill(store: Store, world: World, actor: str, study_id: str, asked: Collection[str]) -> Prefilled:
    """Take over into a draft what is asked for and not there yet, all of it or nothing.

    `asked`: keys of NOTHING_NEW. Raises NotFound, Refused where nothing of it is new, InvalidInput where items are
    there that are called as packaged ones.
    """
    packaged = read_sheet(content(f"starter/{PRACTICE}").read_bytes(), PRACTICE) if "practice" in asked else None
    with store.write() as connection:
        draft_of(connection, study_id)
        done = Prefilled(
            strata=_plan(connection, world, actor, study_id) if "strata" in asked else {},
            sources=_sources(connection, world, actor, study_id) if "sources" in asked else (),
            practice=_practice(connection, world, actor, study_id, packaged) if packaged else 0,
        )
        if done.nothing:
            raise Refused("nothing_new", " ".join(NOTHING_NEW[each] for each in NOTHING_NEW if each in asked))
    return done


def _plan(connection: Connection, world: World, actor: str, study_id: str) -> Mapping[str, int]:
    """Make the numbers of items that are there the planned ones, in place of the former."""
    rules = studies.protocol_of(draft_of(connection, study_id))
    offered = mapping.plan_of(found_in(connection, study_id), rules)
    if offered is None:
        return {}
    content = manifest.canonical(_with_strata(rules, offered).as_data())
    digest = manifest.bytes_digest(content)
    studies.change(connection, study_id, protocol=content.decode(), protocol_sha256=digest)
    audit.record(connection, world, actor, "protocol.set", study_id, protocol_sha256=digest, prefilled="strata")
    return offered


def _with_strata(rules: Protocol, strata: dict[str, int]) -> Protocol:
    data = rules.as_data()
    return protocol.parse(data | {"selection": data["selection"] | {"strata": strata}})


def _sources(connection: Connection, world: World, actor: str, study_id: str) -> Sequence[str]:
    """Add an entry that decides nothing to the ledger for each source that it lacks."""
    rules = studies.protocol_of(draft_of(connection, study_id))
    entries = studies.ledger(connection, study_id)
    known = {entry.source for entry in entries}
    new = [name for name in found_in(connection, study_id).sources if name not in known]
    if not new:
        return ()
    kind = rules["study.scope"] or "corpus"
    added = [_undecided(name, kind, actor, world.stamp()[:10]) for name in new]
    former = ledger.replace(connection, study_id, [*entries, *added], at=world.stamp(), actor=actor)
    digest = manifest.digest([entry.as_data() for entry in added])
    audit.record(connection, world, actor, "rights.prefilled", study_id, sources=len(new), sha256=digest, former=former)
    return new


def _undecided(source: str, kind: str, actor: str, at: str) -> rights.Source:
    """Return an entry in which nothing is known but the name; unknown means no."""
    texts = dict.fromkeys(rights.FIELDS.keys() - {"permitted_operations", "retain_until"}, rights.NOT_KNOWN)
    begun = next(each.entry for each in cases() if each.key == "unknown")
    decided = {"source": source, "kind": kind, "decision": "unknown", "decided_by": actor, "decided_at": at}
    return rights.entry({**texts, **begun, **decided})


def _practice(connection: Connection, world: World, actor: str, study_id: str, packaged: Sheet) -> int:
    """Add the packaged practice items, and unless the ledger has it their entry, approved by the actor."""
    if PRACTICE_SOURCE in found_in(connection, study_id).sources:
        return 0
    added = take(connection, world, actor, study_id, packaged)
    if PRACTICE_SOURCE not in {entry.source for entry in studies.ledger(connection, study_id)}:
        begun = next(each.entry for each in cases() if each.key == "practice")
        decided = {"decision": "approved", "decided_by": actor, "decided_at": world.stamp()[:10]}
        entry = rights.entry({"source": PRACTICE_SOURCE, **begun, **decided})
        put_entry(connection, world, actor, study_id, entry, former="")
    return added.items
