"""Measure results and export of 20,000 items, and the numbers of 200,000: `python -m scripts.bench_results`.

The reviews are written straight into the store, two an item, for it is reading them that is measured. A pair of word
errors is a reference and a text: from both as written to the rates of both texts, their difference and every interval.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from app import world
from app.actions import closing, freezing, preparing, reporting, reviewing
from app.domain import results
from app.domain import word_errors as scoring
from app.domain.item import Item
from app.domain.judgement import Coding, Judgement
from app.domain.outcome import Adjudication, JudgedItem
from app.domain.pace import Work
from app.domain.reliability import adjudication, agreement
from app.memory import uncollected
from app.store import judgements, studies
from app.store.db import Connection, Store
from scripts import bench, bench_load

STORED: Final = 20_000
COUNTED: Final = 200_000
CLUSTERS: Final = (400, 4_000)
RESAMPLES: Final = 10_000
_CODINGS: Final = (
    *(Coding("safe-cleanup", "on"), Coding("benign-retention"), Coding("no-material-edit")),
    Coding("destructive-content", "on", reasons=("negation",)),
    Coding("destructive-structure", "off", reasons=("orphan_punctuation",)),
    Coding("unassessable-disputed", reasons=("source_ambiguous",)),
)
AT: Final = "2026-01-01T00:00:00Z"
_WEIGHTS: Final = (60, 15, 15, 2, 1, 1)
_ALIKE: Final = 0.85  # of so many items both reviews are the same


@contextmanager
def told(name: str) -> Iterator[None]:
    """Print how long a block took, by the clock and of the processor, without the collector as in `reporting`."""
    clock, processor = time.perf_counter(), time.process_time()
    with uncollected():
        yield
    print(f"{name:<48} {time.perf_counter() - clock:6.2f} s, processor {time.process_time() - processor:6.2f} s")


def closed_study(folder: Path, n: int) -> tuple[Store, world.World]:
    """Return a store with a closed study of n items, each with two signed reviews."""
    store, outside = bench_load.drafted(folder, n, ["rosa", "ravi"])
    preparing.import_items(store, outside, "local", "bench", bench.items(n), "items.jsonl")
    people = [("reviewer", "rosa"), ("reviewer", "ravi"), ("lead", "lena")]
    preparing.assign(store, outside, "local", "bench", people, "benchmark")
    freezing.freeze(store, outside, "local", "bench")
    with store.write() as connection:
        for person in studies.members(connection, "bench"):
            if person.role == "reviewer":
                judge = reviewing.Judge(person.account_id, person.name, "bench", adjudication=False)
                answer(connection, judge)
                reviewing.sign_set(connection, outside, person.name, judge)
    closing.close(store, outside, "local", "bench")
    return store, outside


def answer(connection: Connection, judge: reviewing.Judge) -> None:
    """Answer all that is unanswered in a reviewer's list, past the record: what is measured is reading it."""
    draw = random.Random(judge.account_id)  # noqa: S311 - made-up answers, the same each time
    hashed = studies.get(connection, "bench").manifest_sha256
    for slot in judgements.unanswered(connection, "bench", judge.account_id):
        given = draw.choices([Judgement("no-material-edit"), Judgement("benign-retention")], (9, 1))[0]
        key = {"key": slot.token, "fingerprint": "", "manifest_sha256": hashed, "stored_at": AT}
        judgements.add(connection, slot, Work(0, 0, 0), done=True, step="review", **judgements.encode(given), **key)


def judged_items(n: int, clusters: int) -> list[JudgedItem]:
    """Return n judged items; one in seven or so is disagreed on, and settled."""
    draw, made = random.Random(1), []  # noqa: S311 - likewise
    for number in range(n):
        one = draw.choices(_CODINGS, _WEIGHTS)[0]
        other = one if draw.random() < _ALIKE else draw.choices(_CODINGS, _WEIGHTS)[0]
        pair, step = (one, other), None if one == other else Adjudication(one, "keep", one)
        where = f"s{number % 5}", str(number % clusters), number % 5 == 0
        made.append(JudgedItem(*where, changed=True, first_signed=pair, signed=pair, recorded=pair, adjudication=step))
    return made


def all_numbers(items: list[JudgedItem]) -> None:
    """Compute all that a memo needs of judged items."""
    found = results.Results.of(items, resamples=RESAMPLES)
    results.gate_facts(found)
    results.sample(found, {}, "episode")
    parts: tuple[Callable[[results.Results], object], ...] = (
        *(results.primary, results.taxonomy, results.controls, results.cleanup),
        *(agreement, adjudication),
    )
    for part in parts:
        part(found)


def word_pairs(n: int) -> list[Item]:
    """Return n items with a verbatim reference of eleven words."""
    said = [f"um line {number} says what it says and then some more" for number in range(n)]
    return [
        Item(f"B-{k}", "s", f"ep-{k % 400}", "made-up", text, text, text.removeprefix("um "), verbatim_reference=text)
        for k, text in enumerate(said)
    ]


def main() -> None:
    """Measure and print."""
    for clusters in CLUSTERS:
        items = judged_items(COUNTED, clusters)
        with told(f"results, {COUNTED:,} items, {clusters:,} clusters"):
            all_numbers(items)
    pairs = word_pairs(COUNTED // 2)  # off and on of each: two pairs of texts
    with told(f"word errors, {COUNTED:,} pairs"):
        listen = scoring.listener()
        scoring.word_errors([listen(item, item.cluster) for item in pairs])
    with tempfile.TemporaryDirectory() as folder:
        store, outside = closed_study(Path(folder) / "store", STORED)
        with told(f"results, {STORED:,} items from the store"):
            reporting.memo_of(store, outside, "local", "bench")
        with told(f"export, {STORED:,} items"):
            reporting.export(store, outside, "local", "bench", Path(folder) / "memo")
        store.close()


if __name__ == "__main__":
    main()
