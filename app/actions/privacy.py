"""What of a study is private, and the refusal of lead's text that holds any of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain import readiness
from app.domain.errors import InvalidInput, Problem
from app.domain.privacy import Private, standing_in
from app.report.egress import own_words
from app.store import outcomes, studies
from app.store.db import Connection, Row
from app.store.studies import decode_item


def private_of(connection: Connection, row: Row[Any]) -> Private:
    """Return everything private in the store, less the words that every memo of this study has anyway.

    Those are the program's own, and what the frozen protocol says: it was read against all
    that was private then, so a note or an account of later tells nothing by repeating it,
    and must not bar the memo for good.
    """
    values = outcomes.private_values(connection, row.id)
    if row.frozen_at is not None:
        printed = readiness.printed(studies.protocol_of(row), studies.ledger(connection, row.id)).values()
        for kind in ("told", "names"):
            values[kind] -= standing_in(values[kind], printed)
    items = [decode_item(content) for content in values["content"]]
    texts = {
        text
        for item in items
        for text in (item.raw_hypothesis, item.off, item.on, item.verbatim_reference, item.semantic_reference)
        if text
    }
    private = Private.of(
        texts=texts | values["told"], ids=values["ids"], names=values["names"], digests=values["digests"]
    )
    return private.without(own_words())


def refuse_private(connection: Connection, row: Row[Any], entered: Mapping[str, str]) -> None:
    """Refuse text that would carry something private into the memo. Raises InvalidInput by field."""
    problems = private_in(connection, row, entered)
    if problems:
        raise InvalidInput(problems)


def private_in(connection: Connection, row: Row[Any], entered: Mapping[str, str]) -> list[Problem]:
    """List the fields whose text holds something private of a study; the memo would print it."""
    private = private_of(connection, row)
    told = "the memo prints this, and it holds something private of the study ({}): word it otherwise"
    return [
        Problem(told.format(found), field=field)
        for field, text in entered.items()
        if (found := private.find(text)) is not None
    ]
