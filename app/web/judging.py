"""The judges' pages, the same for reviewers and the adjudicator; each has a router of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from app.actions import adjudicating, reviewing
from app.actions.reviewing import Judge
from app.domain import codebook
from app.domain.difference import difference
from app.domain.errors import InvalidInput, NotFound, Refused, StaleVersion
from app.domain.judgement import Judgement, chosen
from app.domain.text import only_invisible, runs
from app.security import token_hash
from app.store import judging
from app.web import guessing
from app.web.auth import FORM_CHECKED, Signed, SignedForm, Visitor, house_of, see_other, study_with_role
from app.web.forms import Form
from app.web.pages import render

TITLES: Final = codebook.titles()


@dataclass(frozen=True)
class Seat:
    """Where a judging role's pages stand."""

    base: str
    role: str

    @property
    def adjudication(self) -> bool:
        """Whether these are the third judge's pages."""
        return self.role == "adjudicator"


REVIEWER: Final = Seat("/review", "reviewer")
ADJUDICATOR: Final = Seat("/adjudicate", "adjudicator")


@dataclass(frozen=True)
class Filled:
    """What the judging form shows as chosen: an answer, a draft, or what was just sent."""

    label: str | None = None
    panel: str | None = None
    also: str | None = None
    reasons: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    severity: str | None = None
    note: str = ""
    decision: str | None = None
    unresolved_reason: str | None = None


@dataclass(frozen=True)
class Conflict:
    """What is stored meanwhile, beside the form's own input."""

    title_stored: str
    lines: list[str] = field(default_factory=list)


def judge_of(request: Request, visitor: Visitor, seat: Seat) -> Judge:
    """Return the visitor as judge of the chosen study.

    Raises StudyNeeded where one must be chosen first, NotFound for anybody without the role.
    """
    with house_of(request).store.read() as connection:
        found = study_with_role(visitor, judging.studies_of(connection, visitor.account_id), seat.role)
    return Judge(visitor.account_id, visitor.name, found, adjudication=seat.adjudication)


def index(request: Request, visitor: Visitor, seat: Seat, error: str | None = None, status: int = 200) -> Response:
    """Answer with a judge's own progress, list and sign-off."""
    judge = judge_of(request, visitor, seat)
    _look(request, judge)
    with house_of(request).store.read() as connection:
        desk = _desk(judging.desk(connection, judge.study_id, judge.account_id))
        entries = judging.entries(connection, judge.study_id, judge.account_id) if desk.open else []
        receipts = judging.sign_offs(connection, judge.study_id, judge.account_id)
    return render(
        request,
        "judge/index.html",
        status,
        title="Your reviews" if seat is REVIEWER else "Your adjudications",
        study_title=desk.title,
        desk=desk,
        base=seat.base,
        entries=entries,
        labels=TITLES,
        receipts=receipts,
        error=error,
    )


def _desk(found: judging.Desk | None) -> judging.Desk:
    if found is None:
        message = "There is nothing here for you."
        raise NotFound(message)
    return found


def _look(request: Request, judge: Judge) -> None:
    """Note the adjudicator's first look at the queue."""
    if judge.adjudication:
        house = house_of(request)
        adjudicating.open_queue(house.store, house.world, judge)


def next_item(request: Request, visitor: Visitor, seat: Seat) -> Response:
    """Answer with the way to the next open item, or to the index where none is open."""
    judge = judge_of(request, visitor, seat)
    _look(request, judge)
    token = _next_token(request, judge)
    return see_other(f"{seat.base}/{token}" if token else seat.base)


def _next_token(request: Request, judge: Judge) -> str | None:
    with house_of(request).store.read() as connection:
        desk = judging.desk(connection, judge.study_id, judge.account_id)
        if desk is None or not desk.open or desk.signed_at or desk.closed:
            return None
        return judging.next_token(connection, judge.study_id, judge.account_id)


def item_page(request: Request, visitor: Visitor, seat: Seat, token: str) -> Response:
    """Answer with one pair, as stored or as drafted."""
    judge = judge_of(request, visitor, seat)
    return _page(request, visitor, judge, seat, token)


def _page(
    request: Request,
    visitor: Visitor,
    judge: Judge,
    seat: Seat,
    token: str,
    *,
    sent: Form | None = None,
    error: InvalidInput | StaleVersion | None = None,
) -> HTMLResponse:
    """Render an item's page, or only its inner part for htmx.

    `sent` and `error`: a form that was not taken, and why; its input is kept.
    """
    with house_of(request).store.read() as connection:
        desk = _desk(judging.desk(connection, judge.study_id, judge.account_id))
        item = judging.blind_item(connection, judge.study_id, judge.account_id, token) if desk.open else None
        gone = item is None and desk.open and judging.withdrawn(connection, judge.study_id, judge.account_id, token)
    if gone:
        raise Refused("withdrawn", reviewing.WITHDRAWN)
    if item is None:
        message = "This item is not in your list."
        raise NotFound(message)
    if not item.opened and desk.open_to_change:
        reviewing.open_item(house_of(request).store, house_of(request).world, judge, token)
    fragment = request.headers.get("hx-request") == "true"
    return render(
        request,
        "judge/_item.html" if fragment else "judge/item.html",
        200 if error is None else 422 if isinstance(error, InvalidInput) else 409,
        title=f"Item {item.number} of {item.total}",
        study_title=desk.title,
        item=item,
        desk=desk,
        base=seat.base,
        form=_filled(sent) if sent is not None else _start(item, drafting=desk.open_to_change),
        errors=_by_field(error) if isinstance(error, InvalidInput) else {},
        conflict=_conflict(item) if isinstance(error, StaleVersion) else None,
        # The same page gives the same key, so a repeated request is known as one.
        key=token_hash(f"{visitor.csrf}:{token}:{item.version}")[:32],
        codebook=codebook,
        difference=difference(item.text_a, item.text_b) if item.text_a != item.text_b else None,
        runs=runs,
        saved_at=item.drafted_at,
        badge=only_invisible(item.text_a, item.text_b),
    )


def _by_field(error: InvalidInput) -> dict[str, str]:
    """Return the first problem of each field."""
    return {problem.field or "label": problem.message for problem in reversed(error.problems)}


def _start(item: judging.BlindItem, *, drafting: bool) -> Filled:
    """Return what the form first shows: the draft while it can still be sent, else the stored answer, else nothing."""
    if item.draft is not None and drafting:
        return _filled(item.draft)
    if item.answer is None:
        return Filled()
    given = item.answer
    return Filled(
        label=given.label,
        panel=given.panel,
        also=given.also,
        reasons=frozenset(given.reasons),
        groups=frozenset(given.groups),
        severity=given.severity,
        note=given.note,
        decision=item.decision,
        unresolved_reason=item.unresolved_reason,
    )


def _filled(form: Form) -> Filled:
    return Filled(
        label=chosen(form, "label"),
        panel=chosen(form, "panel"),
        also=chosen(form, "also"),
        reasons=frozenset(form.get("reason", [])),
        groups=frozenset(form.get("group", [])),
        severity=chosen(form, "severity"),
        note=chosen(form, "note") or "",
        decision=chosen(form, "decision"),
        unresolved_reason=chosen(form, "unresolved_reason"),
    )


def _conflict(item: judging.BlindItem) -> Conflict:
    stored = item.answer
    if stored is None:
        return Conflict("Nothing is stored yet")
    return Conflict(TITLES[stored.label], _lines(stored, item.decision))


def _lines(stored: Judgement, decision: str | None) -> list[str]:
    parts = {
        "Decision": decision,
        "Text": stored.panel,
        "Other damage": TITLES[stored.also] if stored.also else None,
        "Reasons": ", ".join(TITLES[code] for code in stored.reasons),
        "Groups": ", ".join(TITLES[code] for code in stored.groups),
        "Severity": TITLES[stored.severity] if stored.severity else None,
        "Note": stored.note,
    }
    return [f"{name}: {value}" for name, value in parts.items() if value]


def submit(request: Request, visitor: Visitor, seat: Seat, token: str, form: Form) -> Response:
    """Store an answer and go on: 303 to the next item, or the next item itself for htmx."""
    judge = judge_of(request, visitor, seat)
    house = house_of(request)
    store_answer = adjudicating.submit if seat.adjudication else reviewing.submit
    try:
        store_answer(house.store, house.world, judge, token, form)
    except (InvalidInput, StaleVersion) as error:
        return _page(request, visitor, judge, seat, token, sent=form, error=error)
    except Refused as error:
        if error.code == "withdrawn" and request.headers.get("hx-request") == "true":
            return Response(status_code=409, headers={"HX-Redirect": f"{seat.base}/{token}"})  # which says so
        raise
    if request.headers.get("hx-request") != "true":
        return see_other(f"{seat.base}/next")
    following = _next_token(request, judge)
    if following is None:
        return Response(status_code=200, headers={"HX-Redirect": seat.base})
    return _page(request, visitor, judge, seat, following)


def save_draft(request: Request, visitor: Visitor, seat: Seat, token: str, form: Form) -> Response:
    """Keep a draft: 204 for the page's script, 303 back to the item for a plain form."""
    judge = judge_of(request, visitor, seat)
    house = house_of(request)
    scripted = request.headers.get("hx-request") == "true"
    try:
        reviewing.save_draft(house.store, house.world, judge, token, form)
    except (InvalidInput, StaleVersion) as error:
        return _page(request, visitor, judge, seat, token, sent=form, error=error)
    return Response(status_code=204) if scripted else see_other(f"{seat.base}/{token}")


def sign_off(request: Request, visitor: Visitor, seat: Seat) -> Response:
    """Sign a judge's set off, or say what is missing."""
    judge = judge_of(request, visitor, seat)
    house = house_of(request)
    try:
        reviewing.sign_off(house.store, house.world, judge)
    except Refused as error:
        return index(request, visitor, seat, str(error), 409)
    return see_other(seat.base)


def judge_router(seat: Seat) -> APIRouter:
    """Return the router of a judging role."""
    router = APIRouter(prefix=seat.base)

    @router.get("")
    def get_index(request: Request, visitor: Signed) -> Response:
        return index(request, visitor, seat)

    @router.get("/next")
    def get_next(request: Request, visitor: Signed) -> Response:
        return next_item(request, visitor, seat)

    @router.post("/sign-off", dependencies=[FORM_CHECKED])
    def post_sign_off(request: Request, visitor: Signed) -> Response:
        return sign_off(request, visitor, seat)

    @router.get("/guess")
    def get_next_question(request: Request, visitor: Signed) -> Response:
        return guessing.next_question(request, judge_of(request, visitor, seat), seat.base)

    @router.get("/guess/{token}")
    def get_question(request: Request, visitor: Signed, token: str) -> Response:
        return guessing.page(request, judge_of(request, visitor, seat), seat.base, token)

    @router.post("/guess/{token}")
    def post_guess(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
        return guessing.submit(request, judge_of(request, visitor, seat), seat.base, token, form)

    @router.get("/{token}")
    def get_item(request: Request, visitor: Signed, token: str) -> Response:
        return item_page(request, visitor, seat, token)

    @router.post("/{token}")
    def post_item(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
        return submit(request, visitor, seat, token, form)

    @router.post("/{token}/draft")
    def post_draft(request: Request, visitor: Signed, token: str, form: SignedForm) -> Response:
        return save_draft(request, visitor, seat, token, form)

    return router
