"""What the lead's pages of one study share: who may see them, where the study stands, and how a refusal is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from starlette.responses import Response

from app.actions import preparing
from app.domain.errors import InvalidInput, NotFound, Problem, Refused
from app.domain.stage import STAGES
from app.store import accounts, studies
from app.store.db import Connection, Row
from app.web.auth import Signed, Visitor, house_of
from app.web.forms import Upload
from app.web.pages import render

# The pages of a study, by the last part of their address.
PAGES: Final = {
    "": "Overview",
    "protocol": "Protocol",
    "rights": "Rights",
    "items": "Items",
    "people": "People",
    "freeze": "Freeze",
    "withdraw": "Withdraw",
    "results": "Results",
    "cases": "Cases",
    "export": "Export",
}
AFTER_THE_CLOSE: Final = ("results", "cases", "export")


def led_study(request: Request, visitor: Signed, study_id: str) -> str:
    """Return the id of a study that the visitor leads. Raises NotFound for anybody else."""
    with house_of(request).store.read() as connection:
        if not leads(connection, visitor, study_id):
            message = "There is no such study for you."
            raise NotFound(message)
    return study_id


def leads(connection: Connection, visitor: Visitor, study_id: str) -> bool:
    """Tell whether the visitor leads a study: a session never gains that, the next sign-in does."""
    role = studies.role_of(connection, study_id, visitor.account_id)
    return role == "lead" and study_id not in accounts.barred_from(connection, visitor.session)


def may_lead(visitor: Signed) -> None:
    """Let through whoever may create studies and accounts. Raises NotFound for anybody else."""
    if not visitor.lead:
        message = "There is nothing here for you."
        raise NotFound(message)


Led = Annotated[str, Depends(led_study)]
LEADS_ONLY: Final = Depends(may_lead)


@dataclass(frozen=True)
class Shown:
    """A study as one snapshot has it: its row, and where it stands."""

    row: Row[Any]
    standing: preparing.Standing

    @property
    def draft(self) -> bool:
        """Whether it may still be prepared."""
        return self.row.frozen_at is None


def shown(connection: Connection, study_id: str) -> Shown:
    """Read a study for one of its pages."""
    row = studies.get(connection, study_id)
    return Shown(row, preparing.standing(connection, row))


def study_page(
    request: Request,
    study: Shown,
    page: str,
    status: int = 200,
    /,
    *,
    template: str = "",
    problems: Sequence[Problem] = (),
    **context: Any,
) -> Response:
    """Render one of PAGES, with the stage and the one next action that all of them have.

    `template`: the name of a page that stands below it.
    """
    progress, action, report = study.standing.progress, study.standing.next, study.standing.report
    return render(
        request,
        f"lead/{template or page or 'study'}.html",
        status,
        title=f"{PAGES[page]}: {progress.title}" if page else progress.title,
        study_title=progress.title,
        page=page,
        pages={key: name for key, name in PAGES.items() if progress.closed_at or key not in AFTER_THE_CLOSE},
        progress=progress,
        draft=study.draft,
        next=action,
        stages=STAGES,
        heading=PAGES[page] if page else progress.title,
        lacking=report.of_part(page) if report else [],
        problems=problems,
        saved=request.query_params.get("saved") == "yes",
        **context,
    )


def chosen(upload: Upload) -> tuple[bytes, str]:
    """Return the file of a form, and its name. Raises InvalidInput where none was chosen."""
    if not upload.name:
        raise InvalidInput.of("choose a file first", field="file")
    return upload.data, upload.name


def answer_to(error: InvalidInput | NotFound | Refused) -> tuple[int, list[Problem]]:
    """Return the status of a refusal, and what is to be said."""
    if isinstance(error, InvalidInput):
        return 422, list(error.problems)
    return 409, [Problem(str(error))]
