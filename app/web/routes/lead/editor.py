"""The protocol editor: every field of a draft's protocol, explained, with what the choices cost beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import preparing
from app.domain import cost
from app.domain.errors import InvalidInput, Problem, Refused
from app.domain.explanation import SECTIONS
from app.domain.plan import PLANS, plan
from app.domain.protocol import BY_SECTION, FIELDS, Protocol
from app.formats.toml import write_toml
from app.report.wording import percent
from app.store import studies
from app.store.db import Row
from app.web import protocol_form
from app.web.auth import Signed, SignedForm, house_of, see_other
from app.web.costing import paced, priced
from app.web.forms import Form, one
from app.web.leading import Led, answer_to, shown, study_page

router: Final = APIRouter(prefix="/lead/studies/{study_id}/protocol/edit")
TITLES: Final = {field.name: field.about[:1].upper() + field.about[1:] for field in FIELDS}


@dataclass(frozen=True)
class Entry:
    """What a page shows: the form, the digest of what it would replace, and the rules whose cost stands beside it.

    `priced`: saved, entered or planned. `stale`: another protocol was stored since; `differs`: in these fields.
    """

    form: Form
    former: str
    rules: Protocol
    priced: str = "saved"
    stale: bool = False
    differs: frozenset[str] = frozenset()


@router.get("")
def edit(request: Request, study_id: Led, pace: str = "", plan: str = "") -> Response:
    """Edit a draft's protocol: as it stands, or with the strata of a plan."""
    row, stored = _stored(request, study_id)
    entry = _begun(Entry(protocol_form.controls(stored), row.protocol_sha256, stored), plan)
    seconds, wrong = paced(pace)
    return _page(request, study_id, entry, 422 if wrong else 200, pace=seconds, asked=pace, wrong=wrong)


def _stored(request: Request, study_id: str) -> tuple[Row[Any], Protocol]:
    with house_of(request).store.read() as connection:
        row = preparing.draft_of(connection, study_id)
        rules = studies.protocol_of(row)
    if len(rules.strata) > protocol_form.MOST_ROWS:
        message = f"This protocol has more than {protocol_form.MOST_ROWS} strata. Change its file, and replace it."
        raise Refused("too_long", message)
    return row, rules


def _begun(entry: Entry, key: str) -> Entry:
    """Return a page with a plan's strata in place of the stored ones; nothing is saved."""
    chosen = plan(key)
    if chosen is None:
        return entry
    form = protocol_form.with_plan(entry.form, chosen)
    return Entry(form, entry.former, protocol_form.read(form, entry.rules), "planned")


@router.post("")
def save(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Store what was entered in place of the draft's protocol, or show what it would cost."""
    house = house_of(request)
    row, stored = _stored(request, study_id)
    former, seconds = one(form, "former"), cost.PACE
    if told := _lacking(form):
        # What is stored, never this form again: its empty controls would be saved with the next press.
        return _page(
            request,
            study_id,
            Entry(protocol_form.controls(stored), row.protocol_sha256, stored),
            422,
            [Problem(told)],
        )
    try:
        rules, seconds = _entered(form, stored)
        if one(form, "to") == "preview":
            return _page(request, study_id, Entry(form, former, rules, "entered"), pace=seconds)
        data = write_toml(rules.as_data()).encode()
        preparing.set_protocol(house.store, house.world, visitor.name, study_id, data, "the form", former=former)
    except (InvalidInput, Refused) as error:
        status, problems = answer_to(error)
        entry = _refused(request, study_id, form, error)
        return _page(request, study_id, entry, status, problems, asked=one(form, "pace"))
    slower = f"&pace={seconds}" if seconds != cost.PACE else ""
    return see_other(f"/lead/studies/{study_id}/protocol/edit?saved=yes{slower}")


def _lacking(form: Form) -> str | None:
    """Say what a form lacks that the page always sends, or None where it is whole."""
    absent = protocol_form.absent(form)
    if one(form, "former") and not absent:
        return None
    lacking = f"{len(absent)} of its fields" if absent else "the protocol that it was opened on"
    return f"this form is not whole: it came without {lacking}. Below is what is stored; enter your changes again"


def _entered(form: Form, stored: Protocol) -> tuple[Protocol, int]:
    """Return the rules and the pace that a form asks for. Raises InvalidInput with every faulty control."""
    problems: list[Problem] = []
    seconds, wrong = paced(one(form, "pace"))
    try:
        rules = protocol_form.read(form, stored)
    except InvalidInput as error:
        problems += error.problems
    problems += [Problem(message, field=name) for name, message in wrong.items()]
    if problems:
        raise InvalidInput(problems)
    return rules, seconds


def _refused(request: Request, study_id: str, form: Form, error: InvalidInput | Refused) -> Entry:
    """Return the page again with what was entered; where it was stale, also with what is stored by now."""
    row, stored = _stored(request, study_id)
    if isinstance(error, Refused) and error.code == preparing.STALE:
        differs = frozenset(protocol_form.differing(form, stored))
        return Entry(form, row.protocol_sha256, stored, stale=True, differs=differs)
    return Entry(form, one(form, "former"), stored)


def _page(
    request: Request,
    study_id: str,
    entry: Entry,
    status: int = 200,
    problems: Sequence[Problem] = (),
    *,
    pace: int = cost.PACE,
    asked: str = "",
    wrong: dict[str, str] | None = None,
) -> Response:
    """Render the editor. `asked`: a pace as entered, where it may be none; `wrong`: what is wrong with it."""
    with house_of(request).store.read() as connection:
        study = shown(connection, study_id)
        found = priced(connection, study.row, entry.rules, pace)
    errors = _in_order({each.field or "": each.message for each in reversed(problems)} | (wrong or {}))
    return study_page(
        request,
        study,
        "protocol",
        status,
        template="editor",
        sections=BY_SECTION,
        introductions=SECTIONS,
        titles=TITLES,
        entered=entry.form,
        rows=protocol_form.rows_to_fill(entry.form),
        former=entry.former,
        rules=entry.rules,
        differs=entry.differs,
        stale=entry.stale,
        errors=errors,
        summary={name: _told(name, message) for name, message in errors.items()},
        linked=[*TITLES, "pace", *(name for name in errors if name.startswith("row."))],
        plans=PLANS,
        cost=found,
        priced=entry.priced,
        pace_entered=asked or str(pace),
        percent=percent,
        assumptions=cost,
        text_of=protocol_form.text_of,
    )


def _in_order(errors: dict[str, str]) -> dict[str, str]:
    """Return errors in the order of the page; those of the strata's rows stand with the strata."""
    places = {name: place for place, name in enumerate(("", "pace", *TITLES))}

    def place(name: str) -> tuple[int, int]:
        number = name.split(".")[1] if name.startswith("row.") else ""
        row = int(number) if number.isascii() and number.isdigit() else -1
        return places.get(protocol_form.STRATA if row >= 0 else name, len(places)), row

    return {name: errors[name] for name in sorted(errors, key=place)}


def _told(name: str, message: str) -> str:
    """Return an error as it stands above the form, with what its control is called."""
    if name.startswith("row."):
        return f"Row {int(name.split('.')[1]) + 1} of the strata: {message}"
    title = "Seconds for an item" if name == "pace" else TITLES.get(name, name)
    return f"{title}: {message}" if title else message
