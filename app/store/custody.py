"""What the record says of who led a study, imported its items, and gave an account its codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from app.domain import custody
from app.store import audit, studies
from app.store.tables import study


def informed(connection: Connection, study_id: str, until: str | None = None) -> frozenset[str]:
    """Return who ever led a study or imported its items, or those of a study that it follows.

    A former study counts where the two have had a lead in common: a parent is a name that any draft may give, and
    must not tell who leads another's study. `until`: the last event that counts, by its hash.
    """
    own = led(connection, study_id, until)
    found, seen = own | _imported(connection, study_id, until), {study_id}
    parent = _parent(connection, study_id)
    while parent is not None and parent not in seen and (theirs := led(connection, parent, until)) & own:
        found |= theirs | _imported(connection, parent, until)
        seen.add(parent)
        parent = _parent(connection, parent)
    return found


def led(connection: Connection, study_id: str, until: str | None = None) -> frozenset[str]:
    """Return who ever led a study."""
    found = audit.events(connection, "people.assigned", study_id=study_id, until=until)
    return custody.led(event.detail for event in found)


def _imported(connection: Connection, study_id: str, until: str | None) -> frozenset[str]:
    found = audit.events(connection, "items.imported", study_id=study_id, until=until)
    return frozenset(event.actor for event in found)


def _parent(connection: Connection, study_id: str) -> str | None:
    row = connection.execute(select(study).where(study.c.id == study_id)).first()
    parent = None if row is None else studies.protocol_of(row)["study.parent"]
    return None if parent is None else str(parent)


def givers(connection: Connection, until: str | None = None) -> Mapping[str, Sequence[str]]:
    """Return by account who gave it its codes, oldest first: the first of them made it."""
    found: dict[str, list[str]] = {}
    for event in audit.events(connection, "account.added", "account.reset", until=until):
        found.setdefault(str(event.detail.get("name")), []).append(event.actor)
    return found


def seen_by(
    connection: Connection, row: Row[Any], actor_id: int | None, given: Mapping[str, Sequence[str]]
) -> custody.Account:
    """Return an account as a lead finds it. `actor_id`: None for who has no account; `given`: what `givers` returns."""
    roles = studies.roles_of(connection, row.id)
    frozen = [each for each in roles if studies.get(connection, each).frozen_at is not None]
    return custody.Account(
        name=row.name,
        may_lead=row.lead,
        leads="lead" in roles.values(),
        under_way=bool(frozen),
        elsewhere=any(actor_id is None or studies.role_of(connection, each, actor_id) != "lead" for each in frozen),
        maker=next(iter(given.get(row.name, ())), None),
    )
