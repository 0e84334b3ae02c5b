"""The judges' pages, the same for reviewers and the adjudicator; each has a router of its own."""

from __future__ import annotations

import contextlib
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import adjudicating, reviewing, sessions
from app.actions.reviewing import Judge
from app.domain import pace
from app.domain.errors import InvalidInput, NotFound, Refused, StaleVersion, StoreUnavailable
from app.store import judging
from app.web import audio, guessing, listing, practising, showing
from app.web.auth import Signed, SignedForm, Visitor, house_of, see_other
from app.web.forms import Form
from app.web.seat import ADJUDICATOR, Seat, judge_of, meant, seated
from app.web.turns import ANSWERING, in_turn


def next_item(request: Request, visitor: Visitor, seat: Seat) -> Response:
    """Answer with the way to what is next: practice that comes first, the next open item, or the index."""
    judge = judge_of(request, visitor, seat)
    listing.look(request, judge)
    place = _next_place(request, judge)
    return see_other(f"{seat.base}/{place}" if place else seat.base)


def _next_place(request: Request, judge: Judge) -> str | None:
    """Return where it goes on, below the index."""
    with house_of(request).store.read() as connection:
        desk = judging.desk(connection, judge.study_id, judge.account_id)
        if desk is not None and desk.practice_due:
            following = judging.next_exercise(connection, judge.study_id, judge.account_id)
            return f"practice/{following}" if following else "practice"  # which says that it is to be done again
        if desk is None or not desk.open_to_change:
            return None
        return judging.next_token(connection, judge.study_id, judge.account_id)


def item_page(request: Request, visitor: Visitor, seat: Seat, token: str) -> Response:
    """Answer with one pair, as stored or as drafted."""
    judge = judge_of(request, visitor, seat)
    return _page(request, judge, seat, token)


def _page(
    request: Request,
    judge: Judge,
    seat: Seat,
    token: str,
    refusal: showing.Refusal | None = None,
) -> Response:
    """Render an item's page, or only its inner part for htmx."""
    with house_of(request).store.read() as connection:
        desk = seated(judging.desk(connection, judge.study_id, judge.account_id))
        item = judging.blind_item(connection, judge.study_id, judge.account_id, token) if desk.open else None
        gone = item is None and desk.open and judging.withdrawn(connection, judge.study_id, judge.account_id, token)
    if gone:
        raise Refused("withdrawn", reviewing.WITHDRAWN)
    if item is None:
        message = "This item is not in your list."
        raise NotFound(message)
    if desk.practice_due:  # not even what was wrong with a form shows a pair before it
        return see_other(f"{seat.base}/next")
    unstored = refusal is not None and isinstance(refusal.error, StoreUnavailable)
    if not item.opened and desk.open_to_change and not unstored:
        reviewing.open_item(house_of(request).store, house_of(request).world, judge, token)
    return showing.item_page(
        request,
        item,
        title=f"Item {item.number} of {item.total}" + (", second step" if item.own else ""),
        study_title=desk.title,
        desk=desk,
        base=seat.base,
        home=seat.base,
        done=desk.done,
        total=desk.total,
        refusal=refusal,
        rest=pace.break_due(desk.work, house_of(request).world.now().timestamp()) if desk.open_to_change else None,
    )


def recording(request: Request, visitor: Visitor, seat: Seat, token: str) -> Response:
    """Answer with the recording of one pair, or a range of it, while the study runs."""
    judge = judge_of(request, visitor, seat)
    with house_of(request).store.read() as connection:
        desk = seated(judging.desk(connection, judge.study_id, judge.account_id))
        there = desk.open and not desk.practice_due
        found = judging.recording_of(connection, judge.study_id, judge.account_id, token) if there else None
    return audio.heard(request, found, closed=desk.closed)


def submit(request: Request, visitor: Visitor, seat: Seat, token: str, form: Form) -> Response:
    """Store an answer and go on: 303 to the next item, or the next item itself for htmx."""
    judge = judge_of(request, visitor, seat)
    house = house_of(request)
    store_answer = adjudicating.submit if seat.adjudication else reviewing.submit
    try:
        following = store_answer(house.store, house.world, judge, token, form)
    except (InvalidInput, StaleVersion, StoreUnavailable) as error:
        return _page(request, judge, seat, token, showing.Refusal(form, error))
    except Refused as error:
        if error.code == "withdrawn" and request.headers.get("hx-request") == "true":
            return Response(status_code=409, headers={"HX-Redirect": f"{seat.base}/{token}"})  # which says so
        raise
    if request.headers.get("hx-request") != "true":
        return see_other(f"{seat.base}/{following or 'next'}")
    if following is None:
        return Response(status_code=200, headers={"HX-Redirect": seat.base})
    return _page(request, judge, seat, following)


def save_draft(request: Request, visitor: Visitor, seat: Seat, token: str, form: Form) -> Response:
    """Keep a draft: 204 for the page's script, 303 back to the item for a plain form."""
    judge = judge_of(request, visitor, seat)
    house = house_of(request)
    scripted = request.headers.get("hx-request") == "true"
    try:
        reviewing.save_draft(house.store, house.world, judge, token, form)
    except (InvalidInput, StaleVersion, StoreUnavailable) as error:
        return _page(request, judge, seat, token, showing.Refusal(form, error))
    return Response(status_code=204) if scripted else see_other(f"{seat.base}/{token}")


def flag(request: Request, visitor: Visitor, seat: Seat, token: str, form: Form, *, flagged: bool) -> Response:
    """Flag an item, or take its flag away; what a plain form brings along is kept as a draft."""
    judge, store = judge_of(request, visitor, seat), house_of(request).store
    if request.headers.get("hx-request") == "true":
        reviewing.set_flag(store, judge, token, flagged=flagged)
        return Response(status_code=204)
    reviewing.set_flag(store, judge, token, flagged=flagged)
    with store.read() as connection:
        item = judging.blind_item(connection, judge.study_id, judge.account_id, token)
    if item is not None and showing.filled(form) != showing.start(item, drafting=True):
        return save_draft(request, visitor, seat, token, form)
    return see_other(f"{seat.base}/{token}")


def keep_unsent(request: Request, visitor: Visitor, path: str, form: Form) -> None:
    """Keep as a draft what could not be sent because its session had ended, if the item is the visitor's."""
    base, _, token = path.rpartition("/")
    house = house_of(request)
    with house.store.read() as connection:
        study_id = judging.study_of(connection, visitor.account_id, token)
    if study_id is None:
        return
    sessions.choose_study(house.store, visitor.token, study_id)
    judge = Judge(visitor.account_id, visitor.name, study_id, adjudication=base == ADJUDICATOR.base)
    with contextlib.suppress(InvalidInput, NotFound, Refused, StaleVersion):
        reviewing.save_draft(house.store, house.world, judge, token, form)


def sign_off(request: Request, visitor: Visitor, seat: Seat, form: Form) -> Response:
    """Sign a judge's set off, or say what is missing."""
    judge = judge_of(request, visitor, seat)
    meant(form, judge)
    house = house_of(request)
    try:
        reviewing.sign_off(house.store, house.world, judge)
    except Refused as error:
        return listing.index(request, judge, seat, refused=error)
    return see_other(seat.base)


def judge_router(seat: Seat) -> APIRouter:
    """Return the router of a judging role."""
    router = listing.router(seat)
    router.include_router(guessing.router(seat))  # before what takes any word for a token
    router.include_router(practising.router(seat))

    @router.get("/next")
    def get_next(request: Request, visitor: Signed) -> Response:
        return next_item(request, visitor, seat)

    @router.post("/sign-off")
    def post_sign_off(request: Request, visitor: Signed, form: SignedForm) -> Response:
        return sign_off(request, visitor, seat, form)

    @router.get("/{token}")
    def get_item(request: Request, visitor: Signed, token: str) -> Response:
        return item_page(request, visitor, seat, token)

    @router.get("/{token}/audio")
    def get_audio(request: Request, visitor: Signed, token: str) -> Response:
        return recording(request, visitor, seat, token)

    @router.post("/{token}")
    async def post_item(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
        return await in_turn(ANSWERING, partial(submit, request, visitor, seat, token, form))

    @router.post("/{token}/draft")
    async def post_draft(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
        return await in_turn(ANSWERING, partial(save_draft, request, visitor, seat, token, form))

    @router.post("/{token}/flag")
    def post_flag(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
        return flag(request, visitor, seat, token, form, flagged=True)

    @router.post("/{token}/unflag")
    def post_unflag(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
        return flag(request, visitor, seat, token, form, flagged=False)

    return router
