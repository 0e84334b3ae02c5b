"""Where a judging role's pages stand, and who sits there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastapi import Request

from app.actions.reviewing import Judge
from app.domain.errors import NotFound, Refused
from app.store import judging
from app.web.auth import Visitor, house_of, study_with_role
from app.web.forms import Form


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


def judge_of(request: Request, visitor: Visitor, seat: Seat) -> Judge:
    """Return the visitor as judge of the chosen study.

    Raises StudyNeeded where one must be chosen first, NotFound for anybody without the role.
    """
    with house_of(request).store.read() as connection:
        found = study_with_role(visitor, judging.studies_of(connection, visitor.account_id), seat.role)
    return Judge(visitor.account_id, visitor.name, found, adjudication=seat.adjudication)


def meant(form: Form, judge: Judge) -> None:
    """Refuse a form that a page of another study made, before that one was left in another tab. Raises Refused."""
    if form.get("study", [judge.study_id])[-1] != judge.study_id:
        told = "This page is of another study than the one that you have chosen meanwhile, in another tab, say. "
        raise Refused(
            "another_study", told + "Nothing was stored. Choose the study on the first page, then look again."
        )


def seated(found: judging.Desk | None) -> judging.Desk:
    """Return a judge's desk. Raises NotFound where there is none."""
    if found is None:
        message = "There is nothing here for you."
        raise NotFound(message)
    return found
