"""A reviewer leaves a running study: what is answered is signed, the rest goes to a newcomer."""

from __future__ import annotations

from typing import Any

from app.actions import practising
from app.actions.closing import record_deviation, running
from app.actions.privacy import refuse_private
from app.actions.reviewing import Judge, sign_set
from app.domain import blinding
from app.domain.account import called
from app.domain.custody import KNEW
from app.domain.entered import entered_if_any, entered_text
from app.domain.errors import InvalidInput, NotFound, Refused
from app.store import accounts, audit, custody, judgements, lists, studies
from app.store.db import Connection, Row, Store
from app.world import World


def replace(
    store: Store,
    world: World,
    actor: str,
    study_id: str,
    leaving: str,
    newcomer: str | None,
    reason: str,
    attested: str | None = None,
) -> int:
    """Sign what a reviewer has answered, hand the rest to a newcomer; return how many items that is.

    The newcomer has no part in the study yet, and gets sides and an order of their own.
    `newcomer` is None where nothing is left to hand over. The memo prints the reason, as a
    deviation. Raises InvalidInput, NotFound, Refused.
    """
    why, vouched = entered_text(reason, "reason"), entered_if_any(attested, "attest")
    with store.read() as connection:
        refuse_private(connection, running(connection, study_id), {"reason": why})
    with store.write() as connection:
        rules = studies.protocol_of(running(connection, study_id))
        leaver = _leaver(connection, study_id, leaving)
        left = judgements.unanswered(connection, study_id, leaver.account_id)
        if left:
            found = _newcomer(connection, study_id, newcomer)
            studies.add_member(connection, study_id, found.id, "reviewer", vouched)
            accounts.end_sessions_of(connection, found.id)
            _hand_over(connection, world, left, found.id)
            if rules["review.practice"]:
                practising.draw(connection, world, study_id, found.id)
        judgements.drop_repeats(connection, study_id, leaver.account_id)
        lists.renumber(connection, study_id)
        studies.leave(connection, study_id, leaver.account_id, world.stamp())
        sign_set(connection, world, actor, Judge(leaver.account_id, leaving, study_id))
        told = f"A reviewer was replaced, {len(left)} items were handed over: {why}"
        record_deviation(connection, world, actor, study_id, told)
        audit.record(
            connection,
            world,
            actor,
            "reviewer.replaced",
            study_id,
            name=leaving,
            newcomer=newcomer if left else None,
            items=len(left),
            draw_sha256=studies.draw_digest(connection, study_id),
            people_sha256=studies.people_digest(connection, study_id),
        )
    return len(left)


def _leaver(connection: Connection, study_id: str, name: str) -> Row[Any]:
    """Return a reviewer whose set is not signed. Raises NotFound, Refused."""
    people = studies.members(connection, study_id)
    person = next((each for each in people if (each.name, each.role) == (name, "reviewer")), None)
    if person is None:
        message = f"There is no reviewer {called(name)} in this study."
        raise NotFound(message)
    if judgements.standing_sign_off(connection, study_id, person.account_id) is not None:
        message = f"“{name}” has signed off: there is nothing to hand over."
        raise Refused("signed", message)
    return person


def _newcomer(connection: Connection, study_id: str, name: str | None) -> Row[Any]:
    """Return the account that takes over: nobody who has a part in the study may, and so nobody who is on an item.

    Nor anybody who may know its arms. At the freeze a lead can accept that, and the memo says so; what they
    accepted is then fixed.

    Raises InvalidInput.
    """
    if not name:
        raise InvalidInput.of("items are left to be judged: name who takes them over", field="newcomer")
    account = accounts.by_name(connection, name)
    if account is None or account.disabled:
        raise InvalidInput.of(f"there is no account {called(name)} that can sign in", field="newcomer")
    if studies.role_of(connection, study_id, account.id) is not None:
        raise InvalidInput.of(f"“{name}” has a part in this study already", field="newcomer")
    if name in custody.informed(connection, study_id):
        raise InvalidInput.of(f"“{name}” {KNEW}: choose somebody else", field="newcomer")
    return account


def _hand_over(connection: Connection, world: World, left: list[Row[Any]], account_id: int) -> None:
    """Draw sides and an order for the newcomer, and new addresses: nothing of the former list carries over."""
    for drawn in blinding.allocate_one([slot.stratum for slot in left], world.below):
        studies.hand_over(
            connection,
            left[drawn.item].id,
            account_id,
            token=world.token(16),
            on_panel=drawn.on_panel,
            position=drawn.position,
        )
