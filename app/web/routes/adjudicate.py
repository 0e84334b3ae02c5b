"""The adjudicator's pages."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.web import judging
from app.web.auth import FORM_CHECKED, Signed, SignedForm
from app.web.judging import ADJUDICATOR

router: Final = APIRouter(prefix=ADJUDICATOR.base)


@router.get("")
def index(request: Request, visitor: Signed) -> Response:
    """Own progress, own list, sign-off."""
    return judging.index(request, visitor, ADJUDICATOR)


@router.get("/next")
def next_item(request: Request, visitor: Signed) -> Response:
    """To the next open item."""
    return judging.next_item(request, visitor, ADJUDICATOR)


@router.post("/sign-off", dependencies=[FORM_CHECKED])
def sign_off(request: Request, visitor: Signed) -> Response:
    """Declare the set finished."""
    return judging.sign_off(request, visitor, ADJUDICATOR)


@router.get("/{token}")
def item(request: Request, visitor: Signed, token: str) -> Response:
    """One pair."""
    return judging.item_page(request, visitor, ADJUDICATOR, token)


@router.post("/{token}")
def submit(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
    """An answer to it."""
    return judging.submit(request, visitor, ADJUDICATOR, token, form)


@router.post("/{token}/draft")
def draft(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
    """What was typed and not sent."""
    return judging.save_draft(request, visitor, ADJUDICATOR, token, form)
