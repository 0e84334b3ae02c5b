"""The third judge's steps: open the queue, an own judgement first, then keep, change or leave unresolved."""

from __future__ import annotations

from typing import Any

from app.actions.reviewing import Form, Judge, add, admit, going_on, note_first_look, own_slot
from app.domain.errors import Refused
from app.domain.judgement import check, decide
from app.store import judgements, studies
from app.store.db import Connection, Row, Store
from app.world import World


def open_queue(store: Store, world: World, judge: Judge) -> None:
    """Note the adjudicator's first look at the queue. Before all reviews are signed there is none."""
    with store.read() as connection:
        opened = studies.get(connection, judge.study_id).adjudication_opened_at is not None
        if opened or not judgements.reviews_signed(connection, judge.study_id):
            return
    with store.write() as connection:
        if judgements.reviews_signed(connection, judge.study_id):
            note_first_look(connection, world, judge)


def submit(store: Store, world: World, judge: Judge, token: str, form: Form) -> str | None:
    """Store the step that is due: the own judgement, or the decision after the reviews were seen.

    Returns the token of what comes next: after an own judgement the second step of the same item. Raises
    InvalidInput, NotFound, StaleVersion, Refused.
    """
    with store.write() as connection:
        slot = own_slot(connection, judge, token)
        standing = admit(connection, judge, slot, form)
        done = slot.done if standing is None else _store(connection, world, judge, slot, standing, form)
        return going_on(connection, world, judge, slot, noted=standing is not None) if done else token


def _store(connection: Connection, world: World, judge: Judge, slot: Row[Any], standing: Row[Any], form: Form) -> bool:
    """Store the step; tell whether it was the last one."""
    if not judgements.reviews_signed(connection, judge.study_id):
        message = "The queue is not open: a review was reopened."
        raise Refused("not_open", message)
    note_first_look(connection, world, judge)
    rules = studies.protocol_of(studies.get(connection, judge.study_id))
    if rules["adjudication.own_judgement_first"] and slot.version == 0:
        given = check(form, identical=slot.equivalent)
        add(connection, world, judge, slot, standing, form, step="own", done=False, **judgements.encode(given))
        return False
    own = judgements.newest(connection, slot.id, "own")
    decided = decide(form, judgements.decode(own) if own else None, identical=slot.equivalent)
    values = judgements.encode(decided.judgement)
    values |= {"decision": decided.decision, "unresolved_reason": decided.unresolved_reason}
    add(connection, world, judge, slot, standing, form, step="final", done=True, **values)
    return True
