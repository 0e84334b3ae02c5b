"""The second step of an import: which column of a table is what. And what may follow: prefilling, and the problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import prefilling, preparing
from app.domain import mapping
from app.domain.errors import InvalidInput, NotFound, Problem, Refused
from app.domain.mapping import CONSTANTS, MAPPED, ItemColumns
from app.formats.encoding import ENCODINGS
from app.formats.records import BETWEEN
from app.formats.table import Look, look
from app.web.auth import Signed, SignedForm, house_of, see_other
from app.web.forms import Form, one, whole
from app.web.leading import Led, answer_to, shown, study_page
from app.web.routes.lead.items import items_page, keep_problems
from app.web.tray import Kept

router: Final = APIRouter(prefix="/lead/studies/{study_id}/items")
GONE: Final = Problem(
    "the file is no longer kept: it stays in memory for half an hour, until you sign out, the server ends or you "
    "choose another. Choose it again",
    field="file",
)


@router.get("/columns")
def columns(request: Request, visitor: Signed, study_id: Led) -> Response:
    """Say which column of the table just chosen is what."""
    house = house_of(request)
    kept = house.tray.get(visitor.session, study_id, house.world.now())
    if kept is None:
        return see_other(f"/lead/studies/{study_id}/items")
    found = _looked(kept)
    guessed = mapping.guess([name for name in found.columns if name])
    values = {f"column.{key}": str(found.columns.index(name)) for key, name in guessed.items()}
    return _page(request, study_id, kept, values | ({"replace": "yes"} if kept.replace else {}), guessed=guessed)


def _looked(kept: Kept) -> Look:
    found = look(kept.data, kept.name)
    if isinstance(found, Problem):
        raise InvalidInput([found])
    return found


def _page(
    request: Request,
    study_id: str,
    kept: Kept,
    values: Mapping[str, str],
    status: int = 200,
    *,
    guessed: Mapping[str, str] | None = None,
    **context: Any,
) -> Response:
    with house_of(request).store.read() as connection:
        study = shown(connection, study_id)
    found = _looked(kept)
    return study_page(
        request,
        study,
        "items",
        status,
        template="columns",
        kept=kept,
        found=found,
        encoding=ENCODINGS[found.encoding],
        between=BETWEEN[found.delimiter],
        fields=MAPPED,
        constants=CONSTANTS,
        values=values,
        guessed=guessed or {},
        **{"errors": {}, "summary": {}, "problems": (), "faulty": ()} | context,
    )


@router.post("/columns")
def import_table(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Take every item of the table, or report every problem and store nothing."""
    house, place = house_of(request), f"/lead/studies/{study_id}/items"
    kept = house.tray.get(visitor.session, study_id, house.world.now())
    try:
        with house.store.read() as connection:
            preparing.draft_of(connection, study_id)
    except Refused as error:
        return items_page(request, study_id, *answer_to(error))
    if kept is None or kept.key != one(form, "key"):
        return items_page(request, study_id, 409, [GONE])
    if one(form, "act") == "discard":
        house.tray.drop(visitor.session)
        return see_other(place)
    found, values = _looked(kept), {name: one(form, name) for name in form}
    given, wrong = _given(form, found)
    if wrong:
        errors = {each.field or "": each.message for each in reversed(wrong)}
        summary = {key: f"{key.replace('_', ' ').capitalize()}: {message}" for key, message in errors.items()}
        return _page(request, study_id, kept, values, 422, errors=errors, summary=summary)
    replace = one(form, "replace") == "yes"
    try:
        preparing.import_items(
            house.store, house.world, visitor.name, study_id, kept.data, kept.name, replace=replace, columns=given
        )
    except (InvalidInput, Refused) as error:
        status, problems = answer_to(error)
        keep_problems(request, visitor, study_id, problems)
        blamed = {each.field for each in problems}
        faulty = [key for key in given.columns if given.spelt(key) in blamed]
        return _page(request, study_id, kept, values, status, problems=problems, faulty=faulty)
    house.tray.drop(visitor.session)
    return see_other(f"{place}?saved=yes")


def _given(form: Form, found: Look) -> tuple[ItemColumns, Sequence[Problem]]:
    """Return what the form says of the columns, and every problem with it by key."""
    names: dict[str, tuple[str, ...]] = {}
    constants: dict[str, str] = {}
    problems = []
    for key in (field.key for field in MAPPED):
        chosen, same = one(form, f"column.{key}"), one(form, f"constant.{key}").strip() if key in CONSTANTS else ""
        at = whole(form, f"column.{key}")
        if chosen and same:
            problems.append(Problem("a column, or the same for all items: not both", field=key))
        if chosen and (at is None or at >= len(found.columns) or not found.columns[at]):
            problems.append(Problem("the file has no such column", field=key))
        elif at is not None:
            names[key] = (found.columns[at],)
        elif same:
            constants[key] = same
    looked = one(form, "encoding")
    if found.doubtful and looked != "cp1252":
        problems.append(
            Problem("look at the letters first, and say whether they read as they should", field="encoding")
        )
    elif looked and not found.doubtful:
        problems.append(Problem("the file itself says its encoding", field="encoding"))
    given = ItemColumns(names, constants, looked or None)
    told = {each.field for each in problems}
    return given, [*problems, *(each for each in mapping.lacking(given) if each.field not in told)]


@router.post("/prefill")
def prefill(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Take over into the draft what its items say, planned numbers or sources; or add the packaged practice items."""
    house, what = house_of(request), one(form, "what")
    try:
        if what not in prefilling.NOTHING_NEW:
            raise InvalidInput.of("expected one of: " + ", ".join(prefilling.NOTHING_NEW), field="what")
        prefilling.prefill(house.store, house.world, visitor.name, study_id, [what])
    except (InvalidInput, Refused) as error:
        return items_page(request, study_id, *answer_to(error))
    return see_other(f"/lead/studies/{study_id}/items?saved=yes")


@router.get("/problems.csv")
def problems_file(request: Request, visitor: Signed, study_id: Led) -> Response:
    """Hand out the problems of the last import that was not taken."""
    house = house_of(request)
    kept = house.problems.get(visitor.session, study_id, house.world.now())
    if kept is None:
        message = "There is no import with problems."
        raise NotFound(message)
    named = {"Content-Disposition": 'attachment; filename="problems.csv"'}
    return Response(kept.data, media_type="text/csv; charset=utf-8", headers=named)
