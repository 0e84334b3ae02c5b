"""One pair on a page: what the judging form shows, and what was wrong with a form that was not taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from fastapi import Request
from markupsafe import Markup
from starlette.responses import HTMLResponse

from app.domain import codebook
from app.domain.difference import difference
from app.domain.errors import InvalidInput, StaleVersion, StoreUnavailable
from app.domain.guidelines import Guidelines
from app.domain.judgement import Judgement, chosen
from app.domain.look_alikes import look_alikes
from app.domain.text import only_invisible, only_lines, runs
from app.security import token_hash
from app.store import judging
from app.web.forms import Form
from app.web.guidance import beside_the_form
from app.web.pages import part, render

TITLES: Final = codebook.titles()


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


@dataclass(frozen=True)
class Refusal:
    """A form that was not taken, whose input is kept, and why."""

    sent: Form
    error: InvalidInput | StaleVersion | StoreUnavailable

    @property
    def status(self) -> int:
        """The status of the answer that shows it."""
        return {InvalidInput: 422, StaleVersion: 409, StoreUnavailable: 503}[type(self.error)]


def item_page(
    request: Request,
    item: judging.BlindItem,
    *,
    desk: judging.Desk,
    refusal: Refusal | None,
    exercise: judging.Exercise | None = None,
    rest: int | None = None,
    **more: Any,
) -> HTMLResponse:
    """Render one pair, or only the page's inner part for htmx.

    `exercise`: a practice item, which keeps no draft and is answered once. `rest`: minutes after which a break is
    suggested. `more`: title, study_title, base (the
    address of the items), home (the judge's list), done and total.
    """
    fragment = request.headers.get("hx-request") == "true"
    error = None if refusal is None else refusal.error
    form = filled(refusal.sent) if refusal is not None else start(item, drafting=desk.open_to_change)
    errors = by_field(error) if isinstance(error, InvalidInput) else {}
    guide, texts = beside_the_form(request, desk.study_id), pair(item)
    given = (guide, request.state.visitor.shortcuts, _question(item, marked=texts["shown"] is not None))
    return render(
        request,
        "judge/_item.html" if fragment else "judge/item.html",
        200 if refusal is None else refusal.status,
        item=item,
        desk=desk,
        exercise=exercise,
        rest=rest,
        form=form,
        errors=errors,
        answers=_answers(*given, form, errors) if errors or form != Filled() else _no_answers(*given),
        conflict=_conflict(item) if isinstance(error, StaleVersion) else None,
        unstored=str(error) if isinstance(error, StoreUnavailable) else None,
        # The same page gives the same key, so a repeated request is known as one.
        key=token_hash(f"{request.state.visitor.csrf}:{item.token}:{item.version}")[:32],
        codebook=codebook,
        guide=guide,
        saved_at=item.drafted_at,
        **texts,
        **more,
    )


def _question(item: judging.BlindItem, *, marked: bool) -> str:
    if item.identical:
        return "Do the two texts still say what was meant?"
    return "Does each text still say what was meant?" + (" What differs is marked." if marked else "")


def _answers(guide: Guidelines, shortcuts: bool, question: str, form: Filled, errors: dict[str, str]) -> Markup:
    """Render what can be answered."""
    given = {"guide": guide, "shortcuts": shortcuts, "question": question, "form": form, "errors": errors}
    return part("judge/_answers.html", codebook=codebook, **given)


@lru_cache(maxsize=64)
def _no_answers(guide: Guidelines, shortcuts: bool, question: str) -> Markup:
    """Render it as nobody has filled it yet: most of an item's page, and the same for all items."""
    return _answers(guide, shortcuts, question, Filled(), {})


def pair(item: judging.BlindItem) -> dict[str, Any]:
    """Return what `judge/_pair.html` needs beside the item."""
    found = difference(item.text_a, item.text_b) if item.text_a != item.text_b and item.highlight else None
    return {"shown": found, "runs": runs} | badges(item.text_a, item.text_b)


def badges(a: str, b: str) -> dict[str, Any]:
    """Tell whether two texts differ only in what cannot be seen, in line breaks, or in characters that look alike."""
    return {"badge": only_invisible(a, b), "lines": only_lines(a, b), "alike": look_alikes(a, b)}


def by_field(error: InvalidInput) -> dict[str, str]:
    """Return the first problem of each field."""
    return {problem.field or "label": problem.message for problem in reversed(error.problems)}


def start(item: judging.BlindItem, *, drafting: bool) -> Filled:
    """Return what the form first shows: the draft while it can still be sent, else the stored answer, else nothing."""
    if item.draft is not None and drafting:
        return filled(item.draft)
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


def filled(form: Form) -> Filled:
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
