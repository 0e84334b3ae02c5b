"""The practice round: drawn for each judge, answered with feedback at once, and again at will."""

from __future__ import annotations

from collections.abc import Iterator

from app.actions.reviewing import Form, Judge
from app.domain import blinding
from app.domain.errors import NotFound, Refused
from app.domain.judgement import check
from app.store import audit, practising, studies
from app.store.db import Connection, Store
from app.store.studies import decode_item
from app.world import World


def draw(connection: Connection, world: World, study_id: str, account_id: int) -> int:
    """Draw a judge's round, within a transaction under way; return the number of its items."""
    keys = practising.items(connection, study_id)
    # Each item is a group of its own. Balanced over the round, its sides would add up to the same every time, and from
    # a dozen rounds a judge could reckon which text is which.
    slots = blinding.allocate_one([str(key) for key in keys], world.below)
    practising.redraw(connection, study_id, account_id, keys, slots, _tokens(world))
    return len(keys)


def submit(store: Store, world: World, judge: Judge, token: str, form: Form) -> None:
    """Store the answer to a practice item; the first one stands, for what follows is its explanation.

    Raises InvalidInput, NotFound, Refused.
    """
    with store.write() as connection:
        _refuse_closed(connection, judge)
        entries = practising.entries(connection, judge.study_id, judge.account_id)
        row = next((each for each in entries if each.token == token), None)
        if row is None:
            message = "This is no item of your practice round. A new round has new addresses."
            raise NotFound(message)
        if row.answer is not None:
            return
        given = check(form, identical=row.equivalent)
        known = decode_item(row.content).expected
        right = known is not None and blinding.reveal(given, row.on_panel) == known.coding
        practising.answer(connection, row.id, given, right=right)
        told = {"left": sum(each.answer is None for each in entries) - 1}
        audit.record(connection, world, judge.name, "practice.answered", judge.study_id, **told)
        if practising.due(connection, judge.study_id, judge.account_id):
            return
        if practising.finished(connection, judge.study_id, judge.account_id, world.stamp()):
            audit.record(connection, world, judge.name, "practice.finished", judge.study_id)


def again(store: Store, world: World, judge: Judge) -> None:
    """Draw a new round in place of the former. Raises Refused."""
    with store.write() as connection:
        _refuse_closed(connection, judge)
        if not studies.protocol_of(studies.get(connection, judge.study_id))["review.practice"]:
            message = "This study has no practice round."
            raise Refused("no_practice", message)
        count = draw(connection, world, judge.study_id, judge.account_id)
        audit.record(connection, world, judge.name, "practice.drawn", judge.study_id, items=count)


def _refuse_closed(connection: Connection, judge: Judge) -> None:
    if studies.get(connection, judge.study_id).closed_at is not None:
        message = "The study is closed: nothing in it can be changed any more."
        raise Refused("closed", message)


def _tokens(world: World) -> Iterator[str]:
    while True:
        yield world.token(16)
