"""The practice round's pages: item pages with feedback at once, and what came of the round."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import practising
from app.actions.reviewing import WITHDRAWN, Judge
from app.domain import codebook
from app.domain.errors import InvalidInput, NotFound, Refused, StoreUnavailable
from app.domain.expected import needed
from app.store import judging
from app.store.judging import Exercise
from app.web import audio, showing
from app.web.auth import Signed, SignedForm, house_of, see_other
from app.web.forms import Form
from app.web.pages import render
from app.web.seat import Seat, judge_of, meant, seated


def _round(request: Request, judge: Judge) -> tuple[judging.Desk, list[Exercise]]:
    """Return a judge's desk and practice round. Raises NotFound where the study has none."""
    with house_of(request).store.read() as connection:
        desk = seated(judging.desk(connection, judge.study_id, judge.account_id))
        exercises = judging.practice_round(connection, judge.study_id, judge.account_id)
    if not desk.practice:
        message = "This study has no practice round."
        raise NotFound(message)
    return desk, exercises


def _summary(request: Request, judge: Judge, seat: Seat) -> Response:
    desk, exercises = _round(request, judge)
    return render(
        request,
        "judge/practice.html",
        title="Practice",
        study_title=desk.title,
        desk=desk,
        base=f"{seat.base}/practice",
        home=seat.base,
        told=codebook.told,
        exercises=exercises,
        done=[each for each in exercises if each.feedback is not None],
        following=_following(exercises),
        needed=needed(len(exercises), desk.practice_pass),
    )


def _following(exercises: list[Exercise]) -> str | None:
    return next((each.token for each in exercises if each.feedback is None), None)


def _refuse_withdrawn(request: Request, judge: Judge, token: str) -> None:
    with house_of(request).store.read() as connection:
        gone = judging.withdrawn(connection, judge.study_id, judge.account_id, token)
    if gone:
        raise Refused("withdrawn", WITHDRAWN)


def _page(request: Request, judge: Judge, seat: Seat, token: str, error: showing.Refusal | None = None) -> Response:
    """Answer with one practice item; once it was answered, with what is right and why."""
    desk, exercises = _round(request, judge)
    exercise = next((each for each in exercises if each.token == token), None)
    if exercise is None:
        _refuse_withdrawn(request, judge, token)
        message = "This is no item of your practice round. A new round has new addresses."
        raise NotFound(message)
    return showing.item_page(
        request,
        exercise.item,
        title=f"Practice item {exercise.item.number} of {exercise.item.total}",
        study_title=desk.title,
        desk=desk,
        base=f"{seat.base}/practice",
        home=seat.base,
        done=sum(each.feedback is not None for each in exercises),
        total=len(exercises),
        refusal=error,
        exercise=exercise,
        following=_following(exercises),
    )


def _submit(request: Request, judge: Judge, seat: Seat, token: str, form: Form) -> Response:
    """Store an answer and show the feedback: as the page's inner part for htmx, else by 303."""
    house = house_of(request)
    try:
        practising.submit(house.store, house.world, judge, token, form)
    except (InvalidInput, StoreUnavailable) as error:
        return _page(request, judge, seat, token, showing.Refusal(form, error))
    if request.headers.get("hx-request") == "true":
        return _page(request, judge, seat, token)
    return see_other(f"{seat.base}/practice/{token}")


def _recording(request: Request, judge: Judge, token: str) -> Response:
    with house_of(request).store.read() as connection:
        desk = seated(judging.desk(connection, judge.study_id, judge.account_id))
        found = judging.practice_recording(connection, judge.study_id, judge.account_id, token)
    return audio.heard(request, found, closed=desk.closed)


def _again(request: Request, judge: Judge, seat: Seat, form: Form) -> Response:
    meant(form, judge)
    house = house_of(request)
    practising.again(house.store, house.world, judge)
    return see_other(f"{seat.base}/practice")


def router(seat: Seat) -> APIRouter:
    """Return the router of the practice round, for a judging role."""
    found = APIRouter(prefix="/practice")

    @found.get("")
    def get_summary(request: Request, visitor: Signed) -> Response:
        return _summary(request, judge_of(request, visitor, seat), seat)

    @found.post("")
    def post_again(request: Request, visitor: Signed, form: SignedForm) -> Response:
        return _again(request, judge_of(request, visitor, seat), seat, form)

    @found.get("/{token}")
    def get_item(request: Request, visitor: Signed, token: str) -> Response:
        return _page(request, judge_of(request, visitor, seat), seat, token)

    @found.get("/{token}/audio")
    def get_audio(request: Request, visitor: Signed, token: str) -> Response:
        return _recording(request, judge_of(request, visitor, seat), token)

    @found.post("/{token}")
    def post_item(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
        return _submit(request, judge_of(request, visitor, seat), seat, token, form)

    return found
