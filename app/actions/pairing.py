"""Off and on from the same raw texts: the filter under test is called here, twice, and what it made is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from app.actions import files
from app.domain import item as items_of
from app.domain.errors import MOST_PROBLEMS, FilterFailed, InvalidInput, Problem, TextFailed
from app.domain.item import FIELDS, Item
from app.domain.manifest import bytes_digest
from app.domain.pairing import STATES, Filter, Pairing, texts_digest
from app.filters.running import Running, Start
from app.formats.items import read_items
from app.formats.rows import Row
from app.formats.values import faults
from app.report.bundle import refuse_existing
from app.store import audit, pairings
from app.store.db import Store
from app.world import World

Pair: TypeAlias = dict[str, str]
Tick: TypeAlias = Callable[[int], object]
Progress: TypeAlias = Callable[[int], AbstractContextManager[Tick]]
RUNS: Final = 2


def unwatched(_total: int) -> AbstractContextManager[Tick]:
    """Show nobody how far it is."""
    return nullcontext(lambda _done: None)


@dataclass(frozen=True)
class Paired:
    """What a pairing made: how many items, how many of them changed, by which filter, and the file's digest."""

    items: int
    changed: int
    filter: Filter
    sha256: str


def pair(
    store: Store,
    world: World,
    actor: str,
    data: bytes,
    name: str,
    start: Start,
    out: Path,
    *,
    progress: Progress = unwatched,
) -> Paired:
    """Pair every raw text of a file into a new file, and record who made it; or report why not, and write nothing.

    `start` starts the filter; `progress` is told how many steps there are, and then of each.
    Raises InvalidInput, FilterFailed, Refused.
    """
    refuse_existing(out)
    raws = _raws(data, name)
    with progress(RUNS * len(raws)) as tick:
        made_by, pairs = _asked_twice(start, raws, name, tick)
    items, rows = _finished(raws, pairs, name)
    written = b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
    _refuse_unimportable(written, out.name)
    made = Pairing(made_by, bytes_digest(data), bytes_digest(written), texts_digest(items), len(items))
    with files.staged(out, written) as place, store.write() as connection:
        pairings.add(connection, made, world.stamp())
        audit.record(
            connection, world, actor, "pairing.made", sha256=made.sha256, items=made.items, digest=made.digest()
        )
        place()  # what cannot be put in place is not recorded; what is not recorded is merely unverified
    return Paired(len(items), sum(item.changed for item in items), made_by, made.sha256)


def _raws(data: bytes, name: str) -> list[tuple[Row, Item]]:
    """Return every row of a file of raw texts, and the item that it will be. Raises InvalidInput."""
    found = read_items(data, name, without=items_of.MADE)
    problems = list(found.problems)
    raws: list[tuple[Row, Item]] = []
    for row in found.rows:
        if len(problems) > MOST_PROBLEMS:
            break
        parsed = items_of.parse_raw(row.value, name, row.line)
        if isinstance(parsed, Item):
            raws.append((row, parsed))
        else:
            problems += parsed
    problems += items_of.duplicates([(item, row.line) for row, item in raws], name)
    _refuse(problems)
    return raws


def _refuse(problems: Sequence[Problem]) -> None:
    if problems:
        raise InvalidInput(sorted(problems, key=lambda problem: problem.line or 0))


def _asked_twice(start: Start, raws: Sequence[tuple[Row, Item]], name: str, tick: Tick) -> tuple[Filter, list[Pair]]:
    """Give every text to the filter in two runs, each started anew. Raises InvalidInput where they differ.

    The second run goes backwards, on before off: a filter whose answer depends on what it
    was asked before differs too.
    """
    made_by, pairs = _run(start, raws, name, tick, range(len(raws)), STATES)
    again_by, again = _run(start, raws, name, tick, range(len(raws) - 1, -1, -1), STATES[::-1])
    if again_by != made_by:
        message = "Nothing was written: started twice, the filter gave two names, versions or configurations of itself."
        raise FilterFailed(message)
    differing = [
        (row.line, state)
        for (row, _), one, other in zip(raws, pairs, again, strict=True)
        for state in STATES
        if one[state] != other[state]
    ]
    if differing:
        (line, state), lines = differing[0], len({line for line, _ in differing})
        told = f"asked twice for the same text, the filter gave two answers (so on {lines:,} of {len(raws):,} lines)"
        raise InvalidInput([Problem(f"{told}; its pairs could not be made again", name, line, state)])
    return made_by, pairs


def _run(
    start: Start,
    raws: Sequence[tuple[Row, Item]],
    name: str,
    tick: Tick,
    order: Sequence[int],
    states: Sequence[str],
) -> tuple[Filter, list[Pair]]:
    """Start the filter, give it every text in both states, and end it. Raises InvalidInput, FilterFailed."""
    pairs: list[Pair] = [{} for _ in raws]
    problems: list[Problem] = []
    with _started(start) as running:
        for at in order:
            row, item = raws[at]
            for state in states:
                try:
                    pairs[at][state] = running.answer(item.raw_hypothesis, enabled=state == "on")
                except TextFailed as error:
                    problems.append(Problem(str(error), name, row.line, state))
                except FilterFailed as error:
                    raise InvalidInput([*problems, Problem(str(error), name, row.line, state)]) from None
            if len(problems) > MOST_PROBLEMS:
                break
            tick(1)
    _refuse(problems)
    return running.filter, pairs


@contextmanager
def _started(start: Start) -> Iterator[Running]:
    """Start a filter; that it cannot be started or ended is no fault of a line."""
    try:
        with start() as running:
            yield running
    except FilterFailed as error:
        message = f"Nothing was written: {error}"
        raise FilterFailed(message) from None


def _finished(
    raws: Sequence[tuple[Row, Item]], pairs: Sequence[Pair], name: str
) -> tuple[list[Item], list[dict[str, Any]]]:
    """Return the items with their pairs, and the rows that are written. Raises InvalidInput where one cannot be."""
    items: list[tuple[Item, int]] = []
    rows, problems = [], []
    for (row, raw), pair_ in zip(raws, pairs, strict=True):
        told = [Problem(f"in the filter's answer, {message}", name, row.line, key) for key, message in faults(pair_)]
        value = _ordered(row.value | pair_ | {"raw_sha256": bytes_digest(raw.raw_hypothesis.encode())})
        parsed = told or items_of.parse(value, name, row.line)
        if isinstance(parsed, Item):
            items.append((parsed, row.line))
            rows.append(value)
        else:
            problems += parsed
    _refuse([*problems, *items_of.duplicates(items, name)])
    return [item for item, _ in items], rows


def _ordered(row: Mapping[str, Any]) -> dict[str, Any]:
    return {field.key: row[field.key] for field in FIELDS if row.get(field.key) is not None}


def _refuse_unimportable(written: bytes, name: str) -> None:
    """With two texts more, a file that could be read may have become one that is too large to import."""
    _refuse(read_items(written, name).problems)
