"""What of a study is private, and the refusal of lead's text that holds any of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from app.domain import readiness
from app.domain.errors import InvalidInput, Problem
from app.domain.item import Item
from app.domain.pairing import Filter
from app.domain.privacy import Private, hidden_among, made_within, numeric, parts, running_within, within, words_of
from app.report.egress import own_runs, own_words
from app.store import outcomes, pairings, studies
from app.store.db import Connection, Row
from app.store.studies import decode_item


def private_of(connection: Connection, row: Row[Any]) -> Private:
    """Return everything private in the store, less the words that every memo of this study has anyway.

    Those are the program's own, and what the lead entered: it was read when it was entered,
    so what others write, import or are called tells nothing by repeating it, in whatever order and
    mixture, and must not bar the memo for good. Path not taken: to forgive what stands word for word in one
    of the lead's texts; a memo sets them into sentences of its own, "FAIL: title", which anybody can foresee.
    """
    if row.frozen_at is None:
        # Nothing was judged, so no note can be in a draft's memo: to look for other people's words
        # here would only tell a lead, who can write and export drafts at will, what they are.
        return _of_items(connection, row)
    values = outcomes.private_values(connection, row.id)
    items = _decoded(values["content"])
    elsewhere = _texts(_decoded(values["elsewhere"]))
    own = own_words()
    printed = own | words_of(_entered(connection, row))
    others = {text for text in values["told"] | elsewhere if not made_within(printed, text)}
    private = Private.of(
        texts=_texts(items) | others,
        ids=values["ids"] | _files(items),
        names={name for name in values["names"] if not made_within(printed, name)},
        digests=values["digests"],
        entire=running_within(printed, others),
    )
    return private.without(own)


def unfindable(items: Iterable[tuple[Item, int]], where: str) -> list[Problem]:
    """List the item and cluster ids of an import that nobody could find in a memo, as memos contain their words anyway.

    Numbers alone are let pass: corpora number their episodes, and memo.json is searched for them.
    """
    own = own_words()
    told = "a memo may contain these words anyway, so nobody could tell whether it gives this away: put something of "
    told += "its own before it, such as “c_”"
    expected, found = "a name that is not made of the program's own words", "one that is"
    return [
        Problem(told, where, line, key, expected, found)
        for item, line in items
        for key, value in (("item_id", item.item_id), ("cluster", item.cluster))
        if hidden_among(own, value) and not numeric(value)
    ]


def refuse_unfindable(name: str) -> None:
    """Refuse an account's name that nobody could find in a memo. Raises InvalidInput."""
    if hidden_among(own_words(), name):
        told = "memos contain such words or numbers anyway, so nobody could tell whether one names this person: "
        told += "choose another, with a surname's initial, say"
        raise InvalidInput.of(told, field="name")


def _of_items(
    connection: Connection, row: Row[Any], leaves: Collection[str] | None = None, *, people: bool = True
) -> Private:
    """Return what is private of a study's items and people.

    `leaves`: all that is going to be looked at, where that is known. Judges' notes are not in
    it: a refusal would tell the lead what a judge has written.
    """
    values = outcomes.private_values(connection, row.id)
    items = _decoded(values["content"])
    texts = _texts(items)
    if leaves is not None:
        texts = within(texts, leaves)
    names = values["names"] if people else set()
    ids = values["ids"] | _files(items)
    private = Private.of(texts=texts, ids=ids, names=names, digests=values["digests"])
    return private.without(own_words())


def _decoded(contents: Iterable[str]) -> list[Item]:
    return [decode_item(content) for content in contents]


def _files(items: Iterable[Item]) -> set[str]:
    """Return the file names of recordings: people are often called in them."""
    return {item.audio for item in items if item.audio is not None}


def _texts(items: Iterable[Item]) -> set[str]:
    kinds = ("raw_hypothesis", "off", "on", "verbatim_reference", "semantic_reference")
    texts = {text for item in items for kind in kinds if (text := getattr(item, kind))}
    return texts | {item.expected.explanation for item in items if item.expected and item.expected.explanation}


def _entered(connection: Connection, row: Row[Any]) -> list[str]:
    """Return what the memo prints that was read when it was entered, or is the record's own.

    The lead's words, the filter's of itself; times and digests.
    """
    made = pairings.frozen_filter(connection, row.id)
    said = list(readiness.printed_of_filter(made).values()) if made else []
    # A configuration is JSON: its words are joined by marks, and the guard divides them as `parts` does.
    filters = [*said, *(" ".join(parts(text)) for text in said)]
    printed = readiness.printed(studies.protocol_of(row), studies.ledger(connection, row.id)).values()
    logged = [told for each in studies.deviations(connection, row.id) for told in (each.text, each.at)]
    early = None if row.close_reason is None else closed_early(row.close_reason)
    record = (early, row.frozen_at, row.closed_at, row.closed_head, row.manifest_sha256, row.protocol_sha256)
    return [*printed, *filters, *logged, *(each for each in record if each is not None)]


def closed_early(reason: str) -> str:
    """Return what the memo says of a close that came before every set was signed."""
    return f"Closed early: {reason}"


def refuse_private(connection: Connection, row: Row[Any], entered: Mapping[str, str]) -> None:
    """Refuse text that would carry something private into the memo. Raises InvalidInput by field.

    It reads every text of the study: not for inside a write.
    """
    problems = private_in(connection, row, entered)
    if problems:
        raise InvalidInput(problems)


def private_in(
    connection: Connection, row: Row[Any], entered: Mapping[str, str], use: str = "the memo prints this"
) -> list[Problem]:
    """List the fields whose text holds something private of a study. `use`: why that must not be."""
    private = _of_items(connection, row, entered.values())
    told = f"{use}, and it holds something private of the study ({{}}): word it otherwise"
    problems = [
        Problem(told.format(found[1]), field=field)
        for field, text in entered.items()
        if (found := private.find_in([(text, False)], own_runs())) is not None
    ]
    if problems:
        return problems
    between = private.find_in([(text, False) for text in entered.values()], own_runs())
    return (
        [Problem(told.format(between[1]), field=field) for field, text in entered.items() if between[0] == text]
        if between
        else []
    )


def private_in_filter(connection: Connection, row: Row[Any], made: Filter) -> list[Problem]:
    """List what the filter under test says of itself, and the memo prints, that holds something private of a study.

    Its configuration is full of numbers, which are no ids there, and of ordinary words: an
    account that is called like one of them is not named by it.
    """
    entered = readiness.printed_of_filter(made)
    private = _of_items(connection, row, entered.values(), people=False)
    told = "the memo prints this, and it holds something private of the study ({}): rename that, and pair anew"
    return [
        Problem(told.format(found), field=field)
        for field, text in entered.items()
        if (found := private.find(text, rendered=True)) is not None
    ]
