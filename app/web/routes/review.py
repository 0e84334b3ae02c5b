"""The reviewer's pages."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.web import judging
from app.web.auth import FORM_CHECKED, Signed, SignedForm
from app.web.judging import REVIEWER

router: Final = APIRouter(prefix=REVIEWER.base)


@router.get("")
def index(request: Request, visitor: Signed) -> Response:
    """Own progress, own list, sign-off."""
    return judging.index(request, visitor, REVIEWER)


@router.get("/next")
def next_item(request: Request, visitor: Signed) -> Response:
    """To the next open item."""
    return judging.next_item(request, visitor, REVIEWER)


@router.post("/sign-off", dependencies=[FORM_CHECKED])
def sign_off(request: Request, visitor: Signed) -> Response:
    """Declare the set finished."""
    return judging.sign_off(request, visitor, REVIEWER)


@router.get("/{token}")
def item(request: Request, visitor: Signed, token: str) -> Response:
    """One pair."""
    return judging.item_page(request, visitor, REVIEWER, token)


@router.post("/{token}")
def submit(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
    """An answer to it."""
    return judging.submit(request, visitor, REVIEWER, token, form)


@router.post("/{token}/draft")
def draft(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
    """What was typed and not sent."""
    return judging.save_draft(request, visitor, REVIEWER, token, form)
