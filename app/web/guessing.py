"""The blinding check's pages, one question a page, the same for both judging roles."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import guessing
from app.actions.reviewing import WITHDRAWN, Judge
from app.domain.blinding import CANNOT_TELL
from app.domain.errors import InvalidInput, NotFound, Refused
from app.store import judging
from app.web import showing
from app.web.auth import Signed, SignedForm, house_of, see_other
from app.web.forms import Form
from app.web.pages import render
from app.web.seat import Seat, judge_of, seated

CHOICES: Final = {"A": "Text A", "B": "Text B", CANNOT_TELL: "I cannot tell"}


def _next_question(request: Request, judge: Judge, base: str) -> Response:
    """Answer with the way to the next question, or to the index where none is left."""
    with house_of(request).store.read() as connection:
        token = judging.next_question(connection, judge.study_id, judge.account_id)
    return see_other(f"{base}/guess/{token}" if token else base)


def _page(request: Request, judge: Judge, base: str, token: str, error: InvalidInput | None = None) -> Response:
    """Answer with one question. `error`: what was wrong with the form that was sent."""
    with house_of(request).store.read() as connection:
        asked = judging.question(connection, judge.study_id, judge.account_id, token)
        desk = seated(judging.desk(connection, judge.study_id, judge.account_id))
        gone = asked is None and judging.withdrawn(connection, judge.study_id, judge.account_id, token)
    if gone:
        raise Refused("withdrawn", WITHDRAWN)
    if asked is None:
        message = "You are not asked about this item."
        raise NotFound(message)
    if desk.closed:
        return see_other(base)
    return render(
        request,
        "judge/guess.html",
        200 if error is None else 422,
        title=f"Question {asked.number} of {asked.total}",
        study_title=desk.title,
        desk=desk,
        base=base,
        asked=asked,
        item=asked.item,
        choices=CHOICES,
        errors={"guess": str(error.problems[0].message)} if error else {},
        **showing.pair(asked.item),
    )


def _submit(request: Request, judge: Judge, base: str, token: str, form: Form) -> Response:
    """Store a guess and go on."""
    house = house_of(request)
    try:
        guessing.guess(house.store, house.world, judge, token, form)
    except InvalidInput as error:
        return _page(request, judge, base, token, error)
    return see_other(f"{base}/guess")


def router(seat: Seat) -> APIRouter:
    """Return the router of the check, for a judging role."""
    found = APIRouter(prefix="/guess")

    @found.get("")
    def get_next(request: Request, visitor: Signed) -> Response:
        return _next_question(request, judge_of(request, visitor, seat), seat.base)

    @found.get("/{token}")
    def get_question(request: Request, visitor: Signed, token: str) -> Response:
        return _page(request, judge_of(request, visitor, seat), seat.base, token)

    @found.post("/{token}")
    def post_guess(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
        return _submit(request, judge_of(request, visitor, seat), seat.base, token, form)

    return found
