"""One entry of a draft's rights ledger at a time, and the cases that an entry can begin with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from app.actions.preparing import draft_of
from app.config import content
from app.domain import manifest, rights
from app.formats.toml import read_toml
from app.store import audit, ledger, studies
from app.store.db import Store
from app.world import World

CASES: Final = ("invented", "cc-by", "cc-by-nc-annotations", "data-use-agreement", "unknown")


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


def set_entry(store: Store, world: World, actor: str, study_id: str, values: Mapping[str, Any]) -> str:
    """Store one source's entry, in place of its former one; return the source's name.

    Raises InvalidInput with every faulty field, NotFound, Refused.
    """
    entry = rights.entry(values)
    with store.write() as connection:
        draft_of(connection, study_id)
        others = [each for each in studies.ledger(connection, study_id) if each.source != entry.source]
        former = ledger.replace(connection, study_id, [*others, entry], at=world.stamp(), actor=actor)
        digest = manifest.digest(entry.as_data())
        audit.record(connection, world, actor, "rights.entry.set", study_id, sha256=digest, former=former)
    return entry.source
