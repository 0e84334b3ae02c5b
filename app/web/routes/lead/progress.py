"""The lead's page of a study: progress, reopening, deviations, the close. No outcomes."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import closing
from app.domain import cost
from app.domain.errors import EvenhandError, InvalidInput, Refused
from app.domain.readiness import Readiness
from app.domain.stage import PREPARING
from app.report.wording import percent
from app.store import studies
from app.web.auth import Signed, SignedForm, house_of, see_other
from app.web.costing import paced, priced
from app.web.forms import Form, one
from app.web.leading import Led, shown, study_page

router: Final = APIRouter(prefix="/lead/studies/{study_id}")


@router.get("")
def study(request: Request, study_id: Led, pace: str = "") -> Response:
    """Stage, progress, one next action, and until the close what the study costs the people."""
    _, wrong = paced(pace)
    return _page(request, study_id, 422 if wrong else 200, pace=pace, errors=wrong)


def _page(
    request: Request,
    study_id: str,
    status: int = 200,
    *,
    pace: str = "",
    errors: dict[str, str] | None = None,
    refused: str = "",
    entered: Form | None = None,
) -> Response:
    """Render a study's page; `refused` names the form that was not taken, `entered` what it held."""
    with house_of(request).store.read() as connection:
        found = shown(connection, study_id)
        deviations = studies.deviations(connection, study_id)
        auto_coded = studies.auto_coded_count(connection, study_id)
        rules, (seconds, _) = studies.protocol_of(found.row), paced(pace)
        costs = priced(connection, found.row, rules, seconds)
    report = found.standing.report
    return study_page(
        request,
        found,
        "",
        status,
        deviations=deviations,
        auto_coded=auto_coded,
        errors=errors or {},
        refused=refused,
        entered={name: values[-1] for name, values in (entered or {}).items()},
        manifest_sha256=found.row.manifest_sha256,
        preparing=PREPARING,
        rules=rules,
        cost=costs,
        pace_entered=pace or str(seconds),
        percent=percent,
        assumptions=cost,
        incomplete=_incomplete(report) if report else {},
    )


def _incomplete(report: Readiness) -> dict[str, str]:
    """Return the parts of a draft that are not complete, each with what is to be done first."""
    told = {action.place: action.told for action in PREPARING}
    found = {part: report.of_part(part) for part in told if part in report.lacking}
    return {part: problems[0].message if len(problems) == 1 else told[part] for part, problems in found.items()}


def _told(request: Request, study_id: str, error: EvenhandError, refused: str, entered: Form) -> Response:
    """Show the page again with what was refused, and what was entered."""
    if isinstance(error, InvalidInput):
        # Two forms of the page ask for a reason.
        named = {"reason": f"{refused}-reason"}
        errors = {named.get(problem.field or "", problem.field or ""): problem.message for problem in error.problems}
        return _page(request, study_id, 422, errors=errors, refused=refused, entered=entered)
    return _page(request, study_id, 409, errors={"": str(error)}, refused=refused, entered=entered)


@router.post("/reopen")
def reopen(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Take a reviewer's sign-off back."""
    house = house_of(request)
    try:
        closing.reopen(house.store, house.world, visitor.name, study_id, one(form, "name"), one(form, "reason"))
    except (InvalidInput, Refused) as error:
        return _told(request, study_id, error, "reopen", form)
    return see_other(f"/lead/studies/{study_id}")


@router.post("/deviation")
def deviation(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Log a departure from the protocol."""
    house = house_of(request)
    try:
        closing.log_deviation(house.store, house.world, visitor.name, study_id, one(form, "text"))
    except (InvalidInput, Refused) as error:
        return _told(request, study_id, error, "deviation", form)
    return see_other(f"/lead/studies/{study_id}")


@router.post("/close")
def close(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """End the study and reveal the arms."""
    house = house_of(request)
    try:
        closing.close(house.store, house.world, visitor.name, study_id, one(form, "reason"))
    except (InvalidInput, Refused) as error:
        return _told(request, study_id, error, "close", form)
    return see_other(f"/lead/studies/{study_id}/results")
