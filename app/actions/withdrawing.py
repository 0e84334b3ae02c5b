"""Withdrawing items, or revoking the rights of a source: content is erased for good, and counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.actions.privacy import private_in
from app.domain import withdrawal
from app.domain.entered import entered_text
from app.domain.errors import InvalidInput, Problem, Refused
from app.domain.item import STUDY
from app.domain.manifest import bytes_digest
from app.domain.readiness import shows_the_arm
from app.domain.rights import revoked
from app.store import audit, ledger, studies, withdrawals
from app.store.db import Connection, Row, Store, owe_erasure
from app.store.studies import decode_item
from app.world import World

KEPT: Final = "the reason stays when the content is erased"


@dataclass(frozen=True)
class Meant:
    """What a name means: how many items have it, of how many, and what a withdrawal of them would do now."""

    effect: str
    items: int
    of: int
    elsewhere: tuple[str, ...]


@dataclass(frozen=True)
class Withdrawn:
    """What a withdrawal did.

    `finished`: the files are free of the content; else somebody still reads what was there
    before, and the next write or start goes on. `copies`: files of before in the store's
    folder. `elsewhere`: other studies of this store that have the same name.
    """

    effect: str
    items: int
    finished: bool
    copies: tuple[str, ...]
    elsewhere: tuple[str, ...]


def meant(store: Store, study_id: str, kind: str, value: str, reason: str) -> Meant:
    """Say what a withdrawal would do, and do nothing. Raises InvalidInput, NotFound, Refused."""
    with store.read() as connection:
        row = studies.get(connection, study_id)
        _refuse_faulty(connection, row, kind, value, reason)
        there = _there(connection, row, kind, value)
        imported, gone = studies.item_count(connection, study_id)
        elsewhere = withdrawals.elsewhere(connection, study_id, kind, value)
    return Meant(_effect(row), len(there), imported - gone, tuple(elsewhere))


def withdraw(
    store: Store,
    world: World,
    actor: str,
    study_id: str,
    kind: str,
    value: str,
    reason: str,
    *,
    expected: int | None = None,
) -> Withdrawn:
    """Withdraw an item, a cluster or a source: erase its content, and of a source revoke the rights.

    `expected`: how many items whoever decided was shown. Raises InvalidInput, NotFound, Refused.
    """
    with store.read() as connection:
        why = _refuse_faulty(connection, studies.get(connection, study_id), kind, value, reason)
    with store.write() as connection:
        row = studies.get(connection, study_id)
        there = _there(connection, row, kind, value)
        if expected is not None and expected != len(there):
            message = f"Nothing was withdrawn: it would be {len(there)} items now, not {expected}. Look again."
            raise Refused("changed", message)
        if row.frozen_at is None:
            gone = withdrawals.remove(connection, study_id, kind, value)
            told = {"kind": kind, "items": len(there), "pairings": gone, "sha256": bytes_digest(why.encode())}
            audit.record(connection, world, actor, "items.removed", study_id, **told)
        else:
            _erase(connection, world, actor, row, kind, value, why, there)
        owe_erasure(connection)
        elsewhere = withdrawals.elsewhere(connection, study_id, kind, value)
    return Withdrawn(
        effect=_effect(row),
        items=len(there),
        finished=store.finish_erasure(),
        copies=tuple(path.name for path in store.older_copies()),
        elsewhere=tuple(elsewhere),
    )


def _effect(row: Row[Any]) -> str:
    return withdrawal.effect(frozen=row.frozen_at is not None, closed=row.closed_at is not None)


def _refuse_faulty(connection: Connection, row: Row[Any], kind: str, value: str, reason: str) -> str:
    """Return the reason as it is kept. Raises InvalidInput with every faulty field, Refused.

    It reads every text of the study, for the reason stays when they go: not for inside a write.
    """
    problems: list[Problem] = []
    why = ""
    try:
        _there(connection, row, kind, value)
    except InvalidInput as error:
        problems += error.problems
    try:
        why = entered_text(reason, "reason")
        problems += private_in(connection, row, {"reason": why}, KEPT)
    except InvalidInput as error:
        problems += error.problems
    if problems:
        raise InvalidInput(problems)
    return why


def _there(connection: Connection, row: Row[Any], kind: str, value: str) -> list[Row[Any]]:
    """Return the items that a name means. Raises InvalidInput, Refused."""
    there = withdrawals.there(connection, row.id, kind, value)
    revoked_before = {each.source for each in withdrawals.listing(connection, row.id)}
    ever = withdrawals.ever_of_source(connection, row.id, value)
    withdrawal.check(kind, there=len(there), ever=ever, revoked=value in revoked_before)
    return there


def _erase(
    connection: Connection,
    world: World,
    actor: str,
    row: Row[Any],
    kind: str,
    value: str,
    reason: str,
    there: Sequence[Row[Any]],
) -> None:
    """Erase what is there. The event holds digests and a count, and no id, for ids are erased too."""
    at, after_close = world.stamp(), row.closed_at is not None
    rules = studies.protocol_of(row)
    number = withdrawals.erase(
        connection,
        kind,
        value,
        study_id=row.id,
        at=at,
        actor=actor,
        source=value if kind == "source" else None,
        items=len(there),
        telling=sum(each.role == STUDY and shows_the_arm(rules, decode_item(each.content)) for each in there),
        reason=reason,
        after_close=after_close,
    )
    former: list[str] = []
    if kind == "source":
        entries = [
            revoked(entry, actor, at) if entry.source == value else entry
            for entry in studies.ledger(connection, row.id)
        ]
        former = ledger.replace(connection, row.id, entries, at=at, actor=actor, reason=reason, after_close=after_close)
    stored = next(each for each in withdrawals.listing(connection, row.id) if each.id == number)
    audit.record(
        connection,
        world,
        actor,
        "items.withdrawn",
        row.id,
        kind=kind,
        items=len(there),
        sha256=withdrawals.digest_of(connection, stored),
        former=former,
    )
