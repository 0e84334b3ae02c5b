"""The blinding check: after the sign-off a judge says which text they think was filtered."""

from __future__ import annotations

from app.actions.reviewing import Form, Judge, own_slot
from app.domain.blinding import GUESSES
from app.domain.errors import InvalidInput, NotFound, Refused
from app.domain.judgement import chosen
from app.store import audit, judgements, studies
from app.store.db import Store
from app.world import World


def guess(store: Store, world: World, judge: Judge, token: str, form: Form) -> None:
    """Store a judge's guess for one item of the sample. The same guess sent again changes nothing.

    Raises InvalidInput, NotFound, Refused.
    """
    given = chosen(form, "guess")
    with store.write() as connection:
        slot = own_slot(connection, judge, token)
        row = studies.get(connection, judge.study_id)
        share = studies.protocol_of(row)["review.blinding_check"]
        sample = judgements.blinding_sample(connection, judge.study_id, judge.account_id, share)
        if all(asked.id != slot.id for asked in sample):
            message = "You are not asked about this item."
            raise NotFound(message)
        if row.closed_at is not None:
            message = "The study is closed: nothing in it can be changed any more."
            raise Refused("closed", message)
        if given not in GUESSES:
            raise InvalidInput.of("Choose Text A, Text B, or that you cannot tell.", field="guess")
        former = next(asked.guess for asked in sample if asked.id == slot.id)
        if former == given:
            return
        if former is not None:
            message = "You have answered this before; the first answer stands."
            raise Refused("answered", message)
        told = judgements.add_guess(connection, slot.id, given, world.stamp())
        audit.record(connection, world, judge.name, "guess.stored", judge.study_id, slot=slot.id, sha256=told)
