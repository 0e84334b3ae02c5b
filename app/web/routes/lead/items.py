"""The items of a study: counts of what is there, and the import. No text of any item is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import prefilling, preparing, recordings
from app.domain import mapping
from app.domain.errors import InvalidInput, Problem, Refused
from app.domain.item import FIELDS, PRACTICE
from app.formats.table import foreign
from app.report.problems import problems_csv
from app.store import studies
from app.store.recordings import recorded
from app.web.auth import Signed, SignedParcel, Visitor, house_of, see_other
from app.web.forms import one, whole
from app.web.leading import Led, answer_to, chosen, shown, study_page
from app.web.tray import Kept

router: Final = APIRouter(prefix="/lead/studies/{study_id}/items")


@router.get("")
def items(request: Request, study_id: Led) -> Response:
    """See how many items of each stratum there are; a draft takes more."""
    return items_page(request, study_id)


def items_page(
    request: Request,
    study_id: str,
    status: int = 200,
    problems: Sequence[Problem] = (),
    *,
    reported: bool = False,
    adding: bool = False,
) -> Response:
    """Render the counts, and for a draft the import. `adding`: the problems are of recordings alone."""
    with house_of(request).store.read() as connection:
        study = shown(connection, study_id)
        rules = studies.protocol_of(study.row)
        strata = {row.stratum: row for row in studies.strata(connection, study_id)}
        roles = studies.roles(connection, study_id)
        sources = studies.sources(connection, study_id)
        found = [item for _, item in studies.items(connection, study_id)]
        made = preparing.made_by(connection, study.row, found)
        entered = {entry.source for entry in studies.ledger(connection, study_id)}
        heard = recorded(connection, study_id)
    return study_page(
        request,
        study,
        "items",
        status,
        planned=rules.strata,
        controls=rules.controls,
        cluster_unit=rules["selection.cluster_unit"],
        strata=strata,
        roles=roles,
        sources=sources,
        unlicensed=study.standing.report.of_part("rights") if study.standing.report and sources else [],
        made=made,
        census=mapping.census(found),
        offered=mapping.plan_of(mapping.census(found), rules) if study.draft else None,
        unentered=[each.source for each in sources if each.source not in entered] if study.draft else [],
        practising=rules["review.practice"],
        exercises=sum(item.role == PRACTICE for item in found),
        practice_source=prefilling.PRACTICE_SOURCE,
        fields=FIELDS,
        problems=problems,
        reported=reported,
        adding=adding,
        recorded=len(heard),
        unheard=[item.audio for item in found if item.audio is not None and item.item_id not in heard],
        aside=whole({"aside": [request.query_params.get("aside", "")]}, "aside"),
    )


@router.post("")
def import_items(request: Request, visitor: Signed, study_id: Led, parcel: SignedParcel) -> Response:
    """Take every item of a file with its recordings, or report every problem and store nothing."""
    house, replace = house_of(request), one(parcel.form, "replace") == "yes"
    try:
        data, name = chosen(parcel.upload)
        table = foreign(data, name)
        if isinstance(table, Problem):
            raise InvalidInput([table])  # noqa: TRY301, told as every other problem of a file
        if table is not None:
            return _to_columns(request, visitor, study_id, data, name, replace=replace)
        given = recordings.chosen(parcel.audio)
        taken = preparing.import_items(
            house.store, house.world, visitor.name, study_id, data, name, replace=replace, given=given
        )
    except (InvalidInput, Refused) as error:
        status, problems = answer_to(error)
        keep_problems(request, visitor, study_id, problems)
        return items_page(request, study_id, status, problems, reported=any(each.where for each in problems))
    return _saved(study_id, len(taken.aside))


@router.post("/audio")
def add_recordings(request: Request, visitor: Signed, study_id: Led, parcel: SignedParcel) -> Response:
    """Take the recordings that a draft's items ask for."""
    house = house_of(request)
    try:
        if not parcel.audio:
            raise InvalidInput.of("choose recordings first", field="audio")
        added = recordings.add(house.store, house.world, visitor.name, study_id, recordings.chosen(parcel.audio))
    except (InvalidInput, Refused) as error:
        return items_page(request, study_id, *answer_to(error), adding=True)
    return _saved(study_id, len(added.aside))


def _saved(study_id: str, aside: int) -> Response:
    more = f"&aside={aside}" if aside else ""
    return see_other(f"/lead/studies/{study_id}/items?saved=yes{more}")


def _to_columns(
    request: Request, visitor: Visitor, study_id: str, data: bytes, name: str, *, replace: bool
) -> Response:
    """Keep a table while its lead says which column is what."""
    house = house_of(request)
    with house.store.read() as connection:
        preparing.draft_of(connection, study_id)
    kept = Kept(house.world.token(16), study_id, name, data, replace, house.world.now())
    house.tray.put(visitor.session, kept)
    return see_other(f"/lead/studies/{study_id}/items/columns")


def keep_problems(request: Request, visitor: Visitor, study_id: str, problems: Sequence[Problem]) -> None:
    """Keep the problems of a file for who wants them as a file."""
    house = house_of(request)
    kept = Kept("", study_id, "problems.csv", problems_csv(problems), replace=False, at=house.world.now())
    house.problems.put(visitor.session, kept)
