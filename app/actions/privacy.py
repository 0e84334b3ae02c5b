"""What of a study is private, and the refusal of lead's text that holds any of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from app.domain import readiness
from app.domain.errors import InvalidInput, Problem
from app.domain.item import Item
from app.domain.known import Known
from app.domain.pairing import Filter
from app.domain.privacy import Private, hidden_among, numeric, parts, within
from app.report import egress
from app.report.pictures import shortened
from app.store import outcomes, pairings, studies
from app.store.db import Connection, Row
from app.store.studies import decode_item


def guard(connection: Connection, row: Row[Any], files: Mapping[str, bytes]) -> None:
    """Refuse a study's finished files if they hold anything private in the store. Raises Refused (`egress`).

    This study's items are always looked for. What others wrote, said or are called is looked for where a word
    stands that neither the program writes nor the lead entered nor the record has, and nowhere else: so nobody
    can bar a memo by foreseeing it, and no lead learns what stands in the store by entering guesses, plain
    or encoded. Path not taken: to forgive such values one by one; the search then reads more than what forgives.
    """
    values = outcomes.private_values(connection, row.id)
    egress.guard(files, _of_items(values))
    if not egress.accounted_for(files, _known(connection, row, _decoded(values["content"]))):
        egress.guard(files, _of_others(connection))


def _of_others(connection: Connection) -> Private:
    """Return what judges noted, what other studies' items say, who vouched or decided, and all accounts' names."""
    values = outcomes.others_values(connection)
    texts = values["told"] | _texts(_decoded(values["content"]))
    return Private.of(texts=texts, ids=[], names=values["names"], digests=[])


def _known(connection: Connection, row: Row[Any], items: Iterable[Item]) -> Known:
    """Return the words that a memo of this study may hold beside the program's: of the lead, the filter, the record.

    A draft's memo also counts strata that the protocol does not declare.
    """
    strata = {item.stratum for item in items} | set(studies.protocol_of(row).strata)
    return Known.of([*_entered(connection, row), *strata, *map(shortened, strata)])


def unfindable(items: Iterable[tuple[Item, int]], where: str) -> list[Problem]:
    """List the item and cluster ids of an import that nobody could find in a memo, as memos contain their words anyway.

    Numbers alone are let pass: corpora number their episodes, and memo.json is searched for them.
    """
    own = egress.own_words()
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
    if hidden_among(egress.own_words(), name):
        told = "memos contain such words or numbers anyway, so nobody could tell whether one names this person: "
        told += "choose another, with a surname's initial, say"
        raise InvalidInput.of(told, field="name")


def _of_items(values: Mapping[str, set[str]], names: Iterable[str] = (), leaves: Collection[str] = ()) -> Private:
    """Return what is private of a study's items, and of the people with these names.

    `leaves`: all that is going to be looked at, where that is known.
    """
    items = _decoded(values["content"])
    texts = within(_texts(items), leaves) if leaves else _texts(items)
    return Private.of(texts=texts, ids=values["ids"] | _files(items), names=names, digests=values["digests"])


def _read(connection: Connection, row: Row[Any], leaves: Collection[str], *, people: bool = True) -> Private:
    """Return what must not stand in what is entered: nothing that the lead cannot know, or others can bring about.

    So neither notes nor other studies' texts, and of accounts those of this study's people.
    """
    names = {person.name for person in studies.members(connection, row.id)} if people else ()
    private = _of_items(outcomes.private_values(connection, row.id), names, leaves)
    return private.without(egress.own_words(), spelt=egress.own_chances())


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
    private = _read(connection, row, entered.values())
    told = f"{use}, and it holds something private of the study ({{}}): word it otherwise"
    problems = [
        Problem(told.format(found[1]), field=field)
        for field, text in entered.items()
        if (found := private.find_in([(text, False)], egress.own_runs())) is not None
    ]
    if problems:
        return problems
    between = private.find_in([(text, False) for text in entered.values()], egress.own_runs())
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
    private = _read(connection, row, entered.values(), people=False)
    told = "the memo prints this, and it holds something private of the study ({}): rename that, and pair anew"
    return [
        Problem(told.format(found), field=field)
        for field, text in entered.items()
        if (found := private.find(text, rendered=True)) is not None
    ]
