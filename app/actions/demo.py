"""The demo: a frozen study on invented items, with a fixed cast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.actions import accounts, freezing, preparing, recordings, sessions
from app.config import DEMO_MARK, content
from app.domain import manifest
from app.domain.errors import NotFound, Refused
from app.security import Passwords
from app.store import accounts as stored_accounts
from app.store import audit, studies
from app.store.db import Store
from app.world import World

STUDY: Final = "demo"
ITEMS: Final = "demo/items.jsonl"
PRACTICE: Final = "demo/practice.jsonl"
AUDIO: Final = "demo/audio"


@dataclass(frozen=True)
class Player:
    """One demo account. Its password is no secret: the texts are invented."""

    name: str
    role: str

    @property
    def password(self) -> str:
        """The demo password, the same in every demo store."""
        return f"{self.name}-likes-a-demo"


CAST: Final = (
    Player("rosa", "reviewer"),
    Player("ravi", "reviewer"),
    Player("ines", "adjudicator"),
    Player("lena", "lead"),
)


def prepare(store: Store, world: World, passwords: Passwords) -> str:
    """Make the demo study unless the store has it; return the store's host name.

    Raises Refused for a store with people of its own: the demo's passwords are no secret.
    """
    mark = store.folder / DEMO_MARK
    with store.read() as connection:
        known = {row.name for row in stored_accounts.listing(connection)}
    if not mark.exists() and (known or others(store)):
        message = f"The store {store.folder} is in use for other studies. Give the demo one of its own with --store."
        raise Refused("not_demo", message)
    mark.touch()
    for player in CAST:
        if player.name not in known:
            accounts.add(store, world, passwords, player.name, lead=player.role == "lead", password=player.password)
    if not _frozen(store):
        _make(store, world)
    with store.write() as connection:
        name = sessions.host_name(connection, world)
        audit.record(connection, world, audit.LOCAL, "demo.prepared")
    return name


def items_of_before(store: Store) -> int | None:
    """Return how many items the demo has if they are those of another version; else None.

    A frozen study never changes, so a newer program finds the demo as it was made.
    """
    with store.read() as connection:
        imported = audit.events(connection, "items.imported", study_id=STUDY)
        there, _ = studies.item_count(connection, STUDY)
    if not imported or imported[-1].detail.get("sha256") == manifest.bytes_digest(items_file()):
        return None
    return there


def others(store: Store) -> bool:
    """Tell whether a store holds any study but the demo."""
    with store.read() as connection:
        return any(row.id != STUDY for row in studies.listing(connection))


def _frozen(store: Store) -> bool:
    with store.read() as connection:
        try:
            return studies.get(connection, STUDY).frozen_at is not None
        except NotFound:
            return False


def items_file() -> bytes:
    """Return the demo's items and its practice items as one file."""
    return content(ITEMS).read_bytes() + content(PRACTICE).read_bytes()


def _make(store: Store, world: World) -> None:
    """Take the steps that a lead would take; what a stopped run left is taken up where it ended."""
    actor = audit.LOCAL
    with store.read() as connection:
        there = any(row.id == STUDY for row in studies.listing(connection))
    if not there:
        preparing.create(store, world, actor, content("demo/protocol.toml").read_bytes(), "protocol.toml")
    preparing.set_rights(store, world, actor, STUDY, content("demo/rights.toml").read_bytes(), "rights.toml")
    spoken = recordings.chosen([(file.read_bytes(), file.name) for file in content(AUDIO).iterdir()])
    preparing.import_items(store, world, actor, STUDY, items_file(), "items.jsonl", replace=True, given=spoken)
    roles = [(player.role, player.name) for player in CAST]
    preparing.assign(store, world, actor, STUDY, roles, "invented people of the demo")
    report = preparing.check(store, STUDY)
    freezing.freeze(store, world, actor, STUDY, [each.code for each in report.acknowledge])
