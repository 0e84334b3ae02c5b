"""The blinding check's pages, one question a page, the same for both judging roles."""

from __future__ import annotations

from typing import Final

from fastapi import Request
from starlette.responses import Response

from app.actions import guessing
from app.actions.reviewing import Judge
from app.domain.blinding import CANNOT_TELL
from app.domain.errors import InvalidInput, NotFound
from app.domain.text import runs
from app.store import judging
from app.web.auth import house_of, see_other
from app.web.forms import Form
from app.web.pages import render

CHOICES: Final = {"A": "Text A", "B": "Text B", CANNOT_TELL: "I cannot tell"}


def next_question(request: Request, judge: Judge, base: str) -> Response:
    """Answer with the way to the next question, or to the index where none is left."""
    with house_of(request).store.read() as connection:
        token = judging.next_question(connection, judge.study_id, judge.account_id)
    return see_other(f"{base}/guess/{token}" if token else base)


def page(request: Request, judge: Judge, base: str, token: str, error: InvalidInput | None = None) -> Response:
    """Answer with one question. `error`: what was wrong with the form that was sent."""
    with house_of(request).store.read() as connection:
        asked = judging.question(connection, judge.study_id, judge.account_id, token)
        desk = judging.desk(connection, judge.study_id, judge.account_id)
    if asked is None or desk is None:
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
        runs=runs,
    )


def submit(request: Request, judge: Judge, base: str, token: str, form: Form) -> Response:
    """Store a guess and go on."""
    house = house_of(request)
    try:
        guessing.guess(house.store, house.world, judge, token, form)
    except InvalidInput as error:
        return page(request, judge, base, token, error)
    return see_other(f"{base}/guess")
