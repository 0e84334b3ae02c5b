"""A judge's own index: progress, the list, the sign-off, and the receipts of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import adjudicating
from app.actions.reviewing import Judge
from app.domain import codebook, own_list, pace
from app.domain.errors import InvalidInput, Refused
from app.domain.own_list import Listing, Tally, View
from app.store import judging
from app.web.auth import Signed, SignedForm, house_of, see_other
from app.web.forms import Form, one
from app.web.pages import render
from app.web.seat import Seat, judge_of, seated
from app.web.showing import by_field

IN_ADDRESS: Final = ("show", "answer", "page")  # never the words
UNFINISHED: Final = ("open", "drafted", "flagged")  # what the sign-off lists


def index(
    request: Request,
    judge: Judge,
    seat: Seat,
    view: View | None = None,
    refused: Refused | InvalidInput | None = None,
    words: str = "",
) -> Response:
    """Answer with a judge's own progress, one page of the list, and the sign-off.

    `refused`: why the sign-off, or what was asked of the list, was not taken. `words`: what was entered then.
    """
    look(request, judge)
    view = view or View()
    with house_of(request).store.read() as connection:
        mine = (connection, judge.study_id, judge.account_id)
        desk = seated(judging.desk(*mine))
        # Before the practice no word of an item is shown, and none is looked for. There is then no form to ask
        # with either, so that nothing is said of what was asked.
        there = desk.open and not desk.practice_due
        refused = refused if there or isinstance(refused, Refused) else None
        tally = judging.tally(*mine) if there else Tally()
        listed = judging.listed(*mine, view, tally) if there else Listing()
        unfinished = {
            show: judging.listed(*mine, View(show), tally)
            for show in UNFINISHED
            if desk.open_to_change and tally.of(show)
        }
        receipts = judging.sign_offs(*mine)
    return render(
        request,
        "judge/index.html",
        200 if refused is None else 409 if isinstance(refused, Refused) else 422,
        title="Your adjudications" if judge.adjudication else "Your reviews",
        study_title=desk.title,
        desk=desk,
        base=seat.base,
        view=view,
        shows=own_list.SHOWS,
        tally=tally,
        listed=listed,
        unfinished=unfinished,
        codebook=codebook,
        receipts=receipts,
        error=str(refused) if isinstance(refused, Refused) else None,
        errors=by_field(refused) if isinstance(refused, InvalidInput) else {},
        words=words or view.words,
        **(_progress(request, judge, desk) if desk.open_to_change else {}),
    )


def search(request: Request, judge: Judge, seat: Seat, form: Form) -> Response:
    """Answer with what of the own list was asked for.

    Words stand in the form alone, so the answer is a page. Without any it has an address of its own: 303.
    """
    try:
        view = own_list.view(form)
    except InvalidInput as error:
        return index(request, judge, seat, refused=error, words=one(form, "words"))
    if view.words or request.method == "GET":
        return index(request, judge, seat, view)
    return see_other(f"{seat.base}?{urlencode(view.query)}" if view.query else seat.base)


def look(request: Request, judge: Judge) -> None:
    """Note the adjudicator's first look at the queue."""
    if judge.adjudication:
        house = house_of(request)
        adjudicating.open_queue(house.store, house.world, judge)


def _progress(request: Request, judge: Judge, desk: judging.Desk) -> dict[str, Any]:
    """Return pace, break and where work stopped, for the page."""
    house = house_of(request)
    now = house.world.now()
    with house.store.read() as connection:
        newest = judging.newest(connection, judge.study_id, judge.account_id)
    found = pace.pace(desk.work, desk.done, desk.total)
    earlier = newest is not None and pace.stopped_earlier(datetime.fromisoformat(newest.stored_at), now)
    return {
        "each": found and pace.seconds_told(found.each),
        "left_minutes": found and found.left and pace.minutes_told(found.left),
        "rest": pace.break_due(desk.work, now.timestamp()),
        "stopped": newest if earlier else None,
    }


def receipt(request: Request, judge: Judge, seat: Seat) -> Response:
    """Answer with a judge's receipts, each held against the answers as they are stored at this moment."""
    with house_of(request).store.read() as connection:
        desk = seated(judging.desk(connection, judge.study_id, judge.account_id))
        receipts = judging.receipts_checked(connection, judge.study_id, judge.account_id)
    return render(
        request,
        "judge/receipt.html",
        title="Receipts",
        study_title=desk.title,
        desk=desk,
        base=seat.base,
        receipts=receipts,
    )


def router(seat: Seat) -> APIRouter:
    """Return a judging role's router with the index and the receipts."""
    found = APIRouter(prefix=seat.base)

    @found.get("")
    def get_index(request: Request, visitor: Signed) -> Response:
        asked = {name: request.query_params.getlist(name) for name in IN_ADDRESS}
        return search(request, judge_of(request, visitor, seat), seat, asked)

    @found.post("")
    def post_index(request: Request, visitor: Signed, form: SignedForm) -> Response:
        return search(request, judge_of(request, visitor, seat), seat, form)

    @found.get("/receipt")
    def get_receipt(request: Request, visitor: Signed) -> Response:
        return receipt(request, judge_of(request, visitor, seat), seat)

    return found
