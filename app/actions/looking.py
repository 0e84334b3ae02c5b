"""A look at single cases of a closed study: for its lead, on screen, and on record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.actions.reporting import refuse_early
from app.domain import cases
from app.domain.errors import NotFound
from app.domain.item import Item
from app.domain.outcome import JudgedItem, Outcome, settle
from app.store import audit, outcomes, studies
from app.store.db import Store
from app.world import World

ON_A_PAGE: Final = 20


@dataclass(frozen=True)
class Case:
    """One item with what became of it; `content` is None where it was erased after the close."""

    number: int
    kinds: tuple[str, ...]
    content: Item | None
    stratum: str
    outcome: Outcome
    told: tuple[cases.Told, ...]


@dataclass(frozen=True)
class Look:
    """One page of cases. `counts`: how many there are of each kind."""

    kind: str
    counts: dict[str, int]
    page: int
    pages: int
    shown: tuple[Case, ...]


def look(store: Store, world: World, actor: str, study_id: str, kind: str = "", page: int = 1) -> Look:
    """Return one page of the cases of a kind, or of all; each look is an audit event of its own.

    Raises Refused before the close, which is audited too, and NotFound for a kind or a page that there is not.
    """
    with store.read() as connection:
        row = studies.get(connection, study_id)
        rules = studies.protocol_of(row)
        roles = [person.role for person in studies.members(connection, study_id)]
        judged = outcomes.numbered(connection, study_id, rules) if row.closed_at is not None else None
    if judged is None:
        raise refuse_early(store, world, actor, study_id)
    settled = [(number, item, settle(item, adjudicated_study="adjudicator" in roles)) for number, item in judged]
    found = [(*each, cases.kinds(*each[1:])) for each in settled]
    counts = {name: sum(name in each[-1] for each in found) for name in cases.KINDS}
    chosen = [each for each in found if (kind in each[-1] if kind else each[-1])]
    pages = max(1, -(-len(chosen) // ON_A_PAGE))
    if (kind and kind not in cases.KINDS) or not 1 <= page <= pages:
        message = "There is no such page of cases."
        raise NotFound(message)
    some = chosen[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]
    with store.write() as connection:
        texts = outcomes.contents(connection, [number for number, *_ in some])
        audit.record(connection, world, actor, "cases.seen", study_id, kind=kind or "all", page=page, items=len(some))
    start = (page - 1) * ON_A_PAGE + 1
    shown = (_case(place, *each, texts.get(each[0])) for place, each in enumerate(some, start))
    return Look(kind, counts, page, pages, tuple(shown))


def _case(
    place: int, _number: int, item: JudgedItem, outcome: Outcome, kinds: tuple[str, ...], content: Item | None
) -> Case:
    return Case(place, kinds, content, item.stratum, outcome, cases.told(item))
