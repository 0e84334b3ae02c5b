"""The lead's pages of a running study: progress, reopening, deviations, the close. No outcomes."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app.actions import closing, preparing
from app.domain.errors import EvenhandError, InvalidInput, NotFound, Refused
from app.domain.stage import NEXT, STAGES
from app.store import studies
from app.web.auth import Form, Signed, SignedForm, house_of, one, see_other
from app.web.pages import render

router: Final = APIRouter(prefix="/lead")


def led_study(request: Request, visitor: Signed, study_id: str) -> str:
    """Return the id of a study that the visitor leads. Raises NotFound for anybody else."""
    with house_of(request).store.read() as connection:
        if studies.role_of(connection, study_id, visitor.account_id) != "lead":
            message = "There is no such study for you."
            raise NotFound(message)
    return study_id


Led = Annotated[str, Depends(led_study)]


@router.get("")
def index(request: Request, visitor: Signed) -> Response:
    """Every study that the visitor leads."""
    with house_of(request).store.read() as connection:
        rows = studies.listing(connection)
        led = [row for row in rows if studies.role_of(connection, row.id, visitor.account_id) == "lead"]
        if not led and not visitor.lead:
            message = "There is nothing here for you."
            raise NotFound(message)
        found = [preparing.standing(connection, row)[0] for row in led]
    return render(request, "lead/index.html", title="Studies you lead", studies=found)


@router.get("/studies/{study_id}")
def study(request: Request, study_id: Led) -> Response:
    """Stage, progress, and one next action."""
    return _page(request, study_id)


def _page(
    request: Request,
    study_id: str,
    status: int = 200,
    *,
    errors: dict[str, str] | None = None,
    refused: str = "",
    entered: Form | None = None,
) -> Response:
    """Render a study's page; `refused` names the form that was not taken, `entered` what it held."""
    with house_of(request).store.read() as connection:
        row = studies.get(connection, study_id)
        found, report = preparing.standing(connection, row)
        deviations = studies.deviations(connection, study_id)
    return render(
        request,
        "lead/study.html",
        status,
        title=found.title,
        study_title=found.title,
        progress=found,
        stages=STAGES,
        stage=found.stage,
        next_action=NEXT[found.stage],
        deviations=deviations,
        errors=errors or {},
        refused=refused,
        entered={name: values[-1] for name, values in (entered or {}).items()},
        manifest_sha256=row.manifest_sha256,
        report=report.as_data() if report is not None else None,
    )


def _told(request: Request, study_id: str, error: EvenhandError, refused: str, entered: Form) -> Response:
    """Show the page again with what was refused, and what was entered."""
    if isinstance(error, InvalidInput):
        # Two forms of the page ask for a reason.
        named = {"reason": f"{refused}-reason"}
        errors = {named.get(problem.field or "", problem.field or ""): problem.message for problem in error.problems}
        return _page(request, study_id, 422, errors=errors, refused=refused, entered=entered)
    return _page(request, study_id, 409, errors={"": str(error)}, refused=refused, entered=entered)


@router.post("/studies/{study_id}/reopen")
def reopen(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Take a reviewer's sign-off back."""
    house = house_of(request)
    try:
        closing.reopen(house.store, house.world, visitor.name, study_id, one(form, "name"), one(form, "reason"))
    except (InvalidInput, Refused) as error:
        return _told(request, study_id, error, "reopen", form)
    return see_other(f"/lead/studies/{study_id}")


@router.post("/studies/{study_id}/deviation")
def deviation(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Log a departure from the protocol."""
    house = house_of(request)
    try:
        closing.log_deviation(house.store, house.world, visitor.name, study_id, one(form, "text"))
    except (InvalidInput, Refused) as error:
        return _told(request, study_id, error, "deviation", form)
    return see_other(f"/lead/studies/{study_id}")


@router.post("/studies/{study_id}/close")
def close(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """End the study and reveal the arms."""
    house = house_of(request)
    try:
        closing.close(house.store, house.world, visitor.name, study_id, one(form, "reason"))
    except (InvalidInput, Refused) as error:
        return _told(request, study_id, error, "close", form)
    return see_other(f"/lead/studies/{study_id}/results")
