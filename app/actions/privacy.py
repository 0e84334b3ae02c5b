"""What of a study is private, and the refusal of lead's text that holds any of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.errors import InvalidInput, Problem
from app.domain.privacy import Private
from app.report.egress import own_words
from app.store import outcomes
from app.store.db import Connection, Row
from app.store.studies import decode_item


def private_of(connection: Connection, row: Row[Any]) -> Private:
    """Return everything private of a study, less the words that the program itself writes in every memo."""
    values = outcomes.private_values(connection, row.id)
    items = [decode_item(content) for content in values["content"]]
    texts = {
        text
        for item in items
        for text in (item.raw_hypothesis, item.off, item.on, item.verbatim_reference, item.semantic_reference)
        if text
    }
    private = Private.of(
        texts=texts | values["notes"], ids=values["ids"], names=values["names"], digests=values["digests"]
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
