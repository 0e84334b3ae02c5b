"""Withdrawing an item, a cluster or a source by its name, in two deliberate steps. No text is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import withdrawing
from app.domain.errors import InvalidInput, Problem, Refused
from app.domain.withdrawal import KINDS
from app.store import withdrawals
from app.web.auth import Signed, SignedForm, house_of, see_other
from app.web.forms import Form, one, whole
from app.web.leading import Led, answer_to, leads, shown, study_page

router: Final = APIRouter(prefix="/lead/studies/{study_id}/withdraw")


@router.get("")
def withdraw_page(request: Request, visitor: Signed, study_id: Led) -> Response:
    """Name what is to be withdrawn; see what was."""
    return _page(request, visitor, study_id)


def _page(
    request: Request,
    visitor: Signed,
    study_id: str,
    status: int = 200,
    problems: Sequence[Problem] = (),
    *,
    entered: Form | None = None,
    meant: withdrawing.Meant | None = None,
) -> Response:
    """Render the page; `meant`: what the name that was entered means, to be confirmed."""
    house = house_of(request)
    with house.store.read() as connection:
        study = shown(connection, study_id)
        made = withdrawals.listing(connection, study_id)
        others = meant.elsewhere if meant else ()
        led = [each for each in others if leads(connection, visitor, each)]
    named = dict.fromkeys(KINDS, "value")
    return study_page(
        request,
        study,
        "withdraw",
        status,
        made=made,
        unfinished=house.store.erasing(),
        copies=[path.name for path in house.store.older_copies()] if made else [],
        entered={name: values[-1] for name, values in (entered or {}).items()},
        meant=meant,
        elsewhere=led,
        errors={named.get(each.field or "", each.field or ""): each.message for each in reversed(problems)},
    )


@router.post("")
def withdraw(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Say what a withdrawal would do; once that is confirmed, do it."""
    house = house_of(request)
    kind, value, reason = one(form, "kind"), one(form, "value").strip(), one(form, "reason")
    confirmed, expected = one(form, "confirm") == "yes", whole(form, "expected")
    try:
        if not confirmed or expected is None:
            meant = withdrawing.meant(house.store, study_id, kind, value, reason)
            return _page(request, visitor, study_id, entered=form, meant=meant)
        withdrawing.withdraw(house.store, house.world, visitor.name, study_id, kind, value, reason, expected=expected)
    except (InvalidInput, Refused) as error:
        return _page(request, visitor, study_id, *answer_to(error), entered=form)
    return see_other(f"/lead/studies/{study_id}/withdraw")
