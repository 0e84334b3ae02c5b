"""What a study costs the people, for the pages that show it."""

from __future__ import annotations

from typing import Any

from app.domain.cost import PACE, Cost, People, cost, pace_of
from app.domain.errors import InvalidInput
from app.domain.item import PRACTICE, SENTINEL
from app.domain.protocol import REVIEWERS_PER_ITEM, Protocol
from app.store import studies
from app.store.db import Connection, Row


def priced(connection: Connection, row: Row[Any], rules: Protocol, pace: int = PACE) -> Cost:
    """Return what a study costs by these rules, with the items and people that it has; while it has none, the usual."""
    roles = [each.role for each in studies.members(connection, row.id) if each.left_at is None]
    reviewers = roles.count("reviewer")
    there = studies.roles(connection, row.id)
    known = {role: there.get(role, 0) for role in (SENTINEL, PRACTICE)} if there else {}
    people = People(
        reviewers or REVIEWERS_PER_ITEM,
        "adjudicator" in roles or not reviewers,
        known.get(SENTINEL),
        known.get(PRACTICE),
    )
    groups = studies.groups(connection, row.id, auto=rules["review.identical_pairs"] == "auto")
    return cost(rules, groups, people, pace)


def paced(text: str) -> tuple[int, dict[str, str]]:
    """Return the pace that an address or a form asks for; where there is no such pace the usual one, and why."""
    try:
        return pace_of(text), {}
    except InvalidInput as error:
        return PACE, {"pace": error.problems[0].message}
