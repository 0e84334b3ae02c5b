"""One entry of a draft's rights ledger at a time, and the cases that an entry can begin with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from app.actions.preparing import STALE, draft_of
from app.config import content
from app.domain import manifest, rights
from app.domain.errors import Refused
from app.formats.toml import read_toml
from app.store import audit, ledger, studies
from app.store.db import Connection, Store
from app.world import World

CASES: Final = ("invented", "cc-by", "cc-by-nc-annotations", "data-use-agreement", "practice", "unknown")


@dataclass(frozen=True)
class Case:
    """A common case: what it typically permits, what must be checked, and what an entry begins with.

    It never decides: the decision is a person's.
    """

    key: str
    title: str
    about: str
    check: tuple[str, ...]
    entry: Mapping[str, Any]


@cache
def cases() -> tuple[Case, ...]:
    """Return the packaged cases."""
    return tuple(_case(key) for key in CASES)


def _case(key: str) -> Case:
    name = f"ledger/{key}.toml"
    told: Any = read_toml(content(name).read_bytes(), name)
    return Case(key, told["title"], told["about"], tuple(told["check"]), told["entry"])


def digest_of(entry: rights.Source | None) -> str:
    """Return the digest of a source's entry, or "" where it has none."""
    return manifest.digest(entry.as_data()) if entry else ""


def set_entry(
    store: Store, world: World, actor: str, study_id: str, values: Mapping[str, Any], *, former: str | None = None
) -> str:
    """Store one source's entry, in place of its former one; return the source's name.

    `former`: the digest of the entry that shall be replaced, "" for none; any, without it. Raises InvalidInput with
    every faulty field, NotFound, Refused, which is `stale` where another one is stored by now.
    """
    entry = rights.entry(values)
    with store.write() as connection:
        put_entry(connection, world, actor, study_id, entry, former=former)
    return entry.source


def put_entry(
    connection: Connection, world: World, actor: str, study_id: str, entry: rights.Source, *, former: str | None
) -> None:
    """Store one source's entry within a transaction. Raises NotFound, Refused."""
    draft_of(connection, study_id)
    entries = studies.ledger(connection, study_id)
    others = [each for each in entries if each.source != entry.source]
    if former not in {None, digest_of(next((each for each in entries if each not in others), None))}:
        message = f"The entry of “{entry.source}” was changed elsewhere since this page was opened."
        raise Refused(STALE, message)
    replaced = ledger.replace(connection, study_id, [*others, entry], at=world.stamp(), actor=actor)
    digest = manifest.digest(entry.as_data())
    audit.record(connection, world, actor, "rights.entry.set", study_id, sha256=digest, former=replaced)
