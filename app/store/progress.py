"""How far a study is, without a word on outcomes: what the lead may see before the close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from app.domain.stage import stage
from app.store import judgements, lists, studies


@dataclass(frozen=True)
class ReviewerProgress:
    """One reviewer's own done and total, and whether the set is signed."""

    name: str
    done: int
    total: int
    signed: bool


@dataclass(frozen=True)
class Progress:
    """A study's stage. Of adjudication only: none, not_started, working or finished.

    `items`: as imported; `withdrawn`: those of them whose content is erased, before the
    close or after it.
    """

    study_id: str
    title: str
    stage: str
    reviewers: tuple[ReviewerProgress, ...]
    adjudication: str
    adjudicator: str | None
    items: int
    withdrawn: int
    frozen_at: str | None
    closed_at: str | None
    reopenable: bool

    @property
    def ready_to_close(self) -> bool:
        """Every set is signed."""
        return self.stage == "ready to close"


def progress(connection: Connection, row: Row[Any], *, ready: bool = False) -> Progress:
    """Return the progress of a study's row. `ready`: the check of a draft finds no error."""
    people = studies.members(connection, row.id)
    reviewers = tuple(_reviewer(connection, row.id, each) for each in people if each.role == "reviewer")
    adjudicator = next((each for each in people if each.role == "adjudicator"), None)
    adjudication = _adjudication(connection, row, adjudicator)
    imported, withdrawn = studies.item_count(connection, row.id)
    return Progress(
        study_id=row.id,
        title=row.title,
        stage=stage(
            ready=ready,
            frozen=row.frozen_at is not None,
            reviews_signed=all(reviewer.signed for reviewer in reviewers),
            adjudicated=adjudication in {"none", "finished"},
            closed=row.closed_at is not None,
        ),
        reviewers=reviewers,
        adjudication=adjudication,
        adjudicator=adjudicator.name if adjudicator else None,
        items=imported,
        withdrawn=withdrawn,
        frozen_at=row.frozen_at,
        closed_at=row.closed_at,
        reopenable=row.frozen_at is not None and row.closed_at is None and row.adjudication_opened_at is None,
    )


def _reviewer(connection: Connection, study_id: str, person: Row[Any]) -> ReviewerProgress:
    signed = judgements.standing_sign_off(connection, study_id, person.account_id) is not None
    return ReviewerProgress(person.name, person.done, lists.length(connection, study_id, person.account_id), signed)


def _adjudication(connection: Connection, row: Row[Any], adjudicator: Row[Any] | None) -> str:
    if adjudicator is None:
        return "none"
    if judgements.standing_sign_off(connection, row.id, adjudicator.account_id) is not None:
        return "finished"
    return "not_started" if row.adjudication_opened_at is None else "working"
