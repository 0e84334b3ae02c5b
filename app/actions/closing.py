"""The lead's acts after the freeze: reopen a set, log a deviation, close the study."""

from __future__ import annotations

from typing import Any

from app.actions.privacy import refuse_private
from app.domain.account import called
from app.domain.entered import entered_if_any, entered_text
from app.domain.errors import InvalidInput, NotFound, Refused
from app.domain.manifest import bytes_digest, digest
from app.store import audit, judgements, studies
from app.store.db import Connection, Row, Store
from app.store.progress import progress
from app.world import World


def running(connection: Connection, study_id: str) -> Row[Any]:
    """Return the row of a study that is frozen and not closed. Raises NotFound, Refused."""
    row = studies.get(connection, study_id)
    if row.frozen_at is None:
        message = f"“{study_id}” is not frozen yet."
        raise Refused("not_frozen", message)
    if row.closed_at is not None:
        message = f"“{study_id}” is closed: nothing in it can be changed any more."
        raise Refused("closed", message)
    return row


def reopen(store: Store, world: World, actor: str, study_id: str, name: str, reason: str) -> None:
    """Take a reviewer's sign-off back, until the adjudicator first opens the queue.

    Raises InvalidInput, NotFound, Refused.
    """
    why = entered_text(reason, "reason")
    with store.write() as connection:
        row = running(connection, study_id)
        person = next(
            (p for p in studies.members(connection, study_id) if p.name == name and p.role == "reviewer"), None
        )
        if person is None:
            message = f"There is no reviewer {called(name)} in this study."
            raise NotFound(message)
        if row.adjudication_opened_at is not None:
            message = "The adjudicator has opened the adjudication page: no set can be reopened any more."
            raise Refused("adjudication_opened", message)
        if person.left_at is not None:
            message = f"“{name}” has left the study; nobody would sign the set again."
            raise Refused("left", message)
        standing = judgements.standing_sign_off(connection, study_id, person.account_id)
        if standing is None:
            message = f"“{name}” has not signed off; there is nothing to reopen."
            raise Refused("not_signed", message)
        judgements.reopen_sign_off(connection, standing.id, world.stamp(), why)
        audit.record(connection, world, actor, "set.reopened", study_id, name=name, sha256=bytes_digest(why.encode()))


def log_deviation(store: Store, world: World, actor: str, study_id: str, text: str) -> None:
    """Log a departure from the protocol; the memo prints it. Raises InvalidInput, NotFound, Refused."""
    told = entered_text(text, "text")
    with store.read() as connection:
        refuse_private(connection, running(connection, study_id), {"text": told})
    with store.write() as connection:
        running(connection, study_id)
        record_deviation(connection, world, actor, study_id, told)


def record_deviation(connection: Connection, world: World, actor: str, study_id: str, text: str) -> None:
    """Store a deviation, within a transaction under way."""
    at = world.stamp()
    studies.add_deviation(connection, study_id, at, text)
    audit.record(connection, world, actor, "deviation.logged", study_id, sha256=digest({"at": at, "text": text}))


def close(store: Store, world: World, actor: str, study_id: str, reason: str | None = None) -> str:
    """End the study and reveal the arms; return the head of the audit chain, which the memo carries.

    While a set is unsigned a reason is needed: its reviews stay drafts and their items
    pending. Raises InvalidInput, NotFound, Refused.
    """
    given = entered_if_any(reason, "reason")
    if given is not None:
        with store.read() as connection:
            refuse_private(connection, running(connection, study_id), {"reason": given})
    with store.write() as connection:
        early = not progress(connection, running(connection, study_id)).ready_to_close
        if early and given is None:
            told = "not every set is signed: closing early needs a reason, and unsigned reviews then stay drafts"
            raise InvalidInput.of(told, field="reason")
        why = given if early else None
        at = world.stamp()
        told = digest({"at": at, "reason": why})
        audit.record(connection, world, actor, "study.closed", study_id, early=early, sha256=told)
        head = audit.record(connection, world, actor, "arms.revealed", study_id)
        studies.change(connection, study_id, closed_at=at, close_reason=why, closed_head=head)
    return head
