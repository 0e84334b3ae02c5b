"""The rights ledger of a study: what may be done with each source, who decided it, and what was decided before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions import ledger as act
from app.actions import preparing
from app.actions.preparing import STALE
from app.domain.errors import InvalidInput, Problem, Refused
from app.domain.rights import DECISIONS, FIELDS, KINDS, NEEDED, OPERATIONS, Source
from app.store import ledger as stored
from app.store import studies, withdrawals
from app.web.auth import Signed, SignedForm, SignedUpload, house_of, see_other
from app.web.forms import Form, one
from app.web.leading import Led, answer_to, chosen, shown, study_page

router: Final = APIRouter(prefix="/lead/studies/{study_id}/rights")
LONG: Final = ("consent", "distribution", "removal")
ENTERED: Final = tuple(key for key in FIELDS if key != "permitted_operations")


@router.get("")
def rights(request: Request, study_id: Led) -> Response:
    """Read the ledger; a draft's can be entered, source by source or as a file."""
    return _page(request, study_id)


def _page(request: Request, study_id: str, status: int = 200, problems: Sequence[Problem] = ()) -> Response:
    with house_of(request).store.read() as connection:
        study = shown(connection, study_id)
        ledger = studies.ledger(connection, study_id)
        used = {row.source: row for row in studies.sources(connection, study_id)}
        former = stored.former(connection, study_id)
        revoked = {row.source for row in withdrawals.listing(connection, study_id) if row.source is not None}
    return study_page(
        request,
        study,
        "rights",
        status,
        ledger=ledger,
        used=used,
        absent=sorted(used.keys() - {entry.source for entry in ledger}),
        former=[(row, json.loads(row.entry)) for row in former],
        revoked=revoked,
        fields=FIELDS,
        operations=OPERATIONS,
        needed=NEEDED,
        problems=problems,
    )


@router.post("")
def set_rights(request: Request, visitor: Signed, study_id: Led, upload: SignedUpload) -> Response:
    """Replace the ledger by a file."""
    house = house_of(request)
    try:
        preparing.set_rights(house.store, house.world, visitor.name, study_id, *chosen(upload))
    except (InvalidInput, Refused) as error:
        return _page(request, study_id, *answer_to(error))
    return see_other(f"/lead/studies/{study_id}/rights?saved=yes")


@router.get("/entry")
def entry(request: Request, visitor: Signed, study_id: Led, source: str = "", case: str = "") -> Response:
    """Enter or edit one source: as it stands, or as a common case begins."""
    house = house_of(request)
    with house.store.read() as connection:
        row = preparing.draft_of(connection, study_id)
        ledger = {each.source: each for each in studies.ledger(connection, study_id)}
        scope = studies.protocol_of(row)["study.scope"]
    begun = next((dict(each.entry) for each in act.cases() if each.key == case), {})
    by = {"decided_by": visitor.name, "decided_at": house.world.stamp()[:10], "decision": "unknown"}
    fresh: dict[str, Any] = {"source": source, "kind": scope or "corpus", "permitted_operations": []} | by
    stored = ledger.get(source)
    values = (stored.as_data() if stored else fresh) | begun
    return _entry(request, study_id, values, case=case, opened=(source, act.digest_of(stored)))


def _entry(
    request: Request,
    study_id: str,
    values: Mapping[str, Any],
    status: int = 200,
    problems: Sequence[Problem] = (),
    *,
    case: str = "",
    opened: tuple[str, str] = ("", ""),
    now: Mapping[str, Any] | None = None,
) -> Response:
    """Render the form. `opened`: the source and digest it was filled in on; `now`: what is stored instead by now."""
    with house_of(request).store.read() as connection:
        study = shown(connection, study_id)
    return study_page(
        request,
        study,
        "rights",
        status,
        template="entry",
        values=values,
        fields=FIELDS,
        long=LONG,
        choices={"kind": KINDS, "decision": DECISIONS},
        operations=OPERATIONS,
        needed=NEEDED,
        cases=act.cases(),
        case=next((each for each in act.cases() if each.key == case), None),
        opened=opened,
        now=now,
        errors=(errors := {each.field or "": each.message for each in reversed(problems)}),
        summary={key: f"{_label(key)}: {message}" if key else message for key, message in errors.items()},
    )


@router.post("/entry")
def set_entry(request: Request, visitor: Signed, study_id: Led, form: SignedForm) -> Response:
    """Store one source's entry."""
    house, values = house_of(request), _values(form)
    opened = one(form, "opened"), one(form, "former")
    # Under another name it is another entry, which shall replace none.
    former = (opened[1] if values.get("source") == opened[0] else "") if "former" in form else None
    try:
        act.set_entry(house.store, house.world, visitor.name, study_id, values, former=former)
    except (InvalidInput, Refused) as error:
        status, problems = answer_to(error)
        now = None
        if isinstance(error, Refused) and error.code == STALE:
            found = _stored(request, study_id, values)
            opened, now = (values["source"], act.digest_of(found)), found.as_data() if found else None
        return _entry(request, study_id, values, status, problems, case=one(form, "case"), opened=opened, now=now)
    return see_other(f"/lead/studies/{study_id}/rights?saved=yes")


def _stored(request: Request, study_id: str, values: Mapping[str, Any]) -> Source | None:
    """Return the entry that a source has by now, or None."""
    with house_of(request).store.read() as connection:
        entries = studies.ledger(connection, study_id)
    return next((each for each in entries if each.source == values["source"]), None)


def _label(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _values(form: Form) -> dict[str, Any]:
    """Return an entry as its form gives it; an empty control is one that was left out."""
    texts = {key: one(form, key).strip() for key in ENTERED}
    operations = list(form.get("permitted_operations", ()))
    return {key: text for key, text in texts.items() if text} | {"permitted_operations": operations}
