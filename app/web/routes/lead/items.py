"""The items of a study: counts of what is there, and the import. No text of any item is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import preparing
from app.domain.errors import InvalidInput, Problem, Refused
from app.domain.item import FIELDS, NOT_BUILT
from app.store import studies
from app.web.auth import Signed, SignedUpload, house_of, see_other
from app.web.forms import one
from app.web.leading import Led, answer_to, chosen, shown, study_page

router: Final = APIRouter(prefix="/lead/studies/{study_id}/items")


@router.get("")
def items(request: Request, study_id: Led) -> Response:
    """See how many items of each stratum there are; a draft takes more."""
    return _page(request, study_id)


def _page(request: Request, study_id: str, status: int = 200, problems: Sequence[Problem] = ()) -> Response:
    with house_of(request).store.read() as connection:
        study = shown(connection, study_id)
        rules = studies.protocol_of(study.row)
        strata = {row.stratum: row for row in studies.strata(connection, study_id)}
        sources = studies.sources(connection, study_id)
        made = preparing.made_by(connection, study.row, [item for _, item in studies.items(connection, study_id)])
    return study_page(
        request,
        study,
        "items",
        status,
        planned=rules.strata,
        controls=rules.controls,
        cluster_unit=rules["selection.cluster_unit"],
        strata=strata,
        sources=sources,
        unlicensed=study.standing.report.of_part("rights") if study.standing.report and sources else [],
        made=made,
        fields=[field for field in FIELDS if field.key not in NOT_BUILT],
        problems=problems,
    )


@router.post("")
def import_items(request: Request, visitor: Signed, study_id: Led, upload: SignedUpload) -> Response:
    """Take every item of a file, or report every problem and store nothing."""
    house, replace = house_of(request), one(upload.form, "replace") == "yes"
    try:
        data, name = chosen(upload)
        preparing.import_items(house.store, house.world, visitor.name, study_id, data, name, replace=replace)
    except (InvalidInput, Refused) as error:
        return _page(request, study_id, *answer_to(error))
    return see_other(f"/lead/studies/{study_id}/items?saved=yes")
