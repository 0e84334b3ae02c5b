"""Measure the server under load, in a process of its own, over HTTP with real forms: `python -m scripts.bench_load`.

Prints ratios before figures, and writes all of it as JSON. `--compare FILE` (by default the stored result) divides
by what an earlier run found, each figure first by what this machine did with a fixed piece of work in the same run:
so that two runs on different machines, or on a busy one, can be held side by side.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from app import world
from app.actions import accounts, freezing, preparing
from app.security import Passwords
from app.store.db import Store
from app.store.migrate import open_store
from scripts import bench
from scripts.judges import Judge, Server, Tally, serving, together

SIZES: Final = (160, 2_000, 20_000)
CROWDS: Final = (1, 8, 32, 50)
THINK: Final = 2.0  # seconds between an item and its answer
KINDS: Final = ("page", "submit", "index", "draft")
RESULT: Final = Path(__file__).parents[1] / "docs" / "performance.json"
# What others store with 32 judges on a 2-core machine, at best; and milliseconds of the processor for each.
PEERS: Final = {"Label Studio": (7, 85), "potato": (19, 57), "doccano": (45, 41)}

Figures = dict[str, float]


def drafted(folder: Path, n: int, names: list[str]) -> tuple[Store, world.World]:
    """Make a store with the people, protocol and ledger of a study of n items, which are still to come."""
    outside, store = world.real(), open_store(folder)
    cheap = Passwords(memory_kib=8, passes=1)
    for each in (*names, "lena"):
        accounts.add(store, outside, cheap, each, lead=False, password=bench.PASSWORD)
    protocol = bench.PROTOCOL % (n - n // 4, n // 4)
    preparing.create(store, outside, "local", protocol.encode(), "protocol.toml")
    preparing.set_rights(store, outside, "local", "bench", bench.RIGHTS.encode(), "rights.toml")
    return store, outside


def study(folder: Path, n: int, judges: int) -> None:
    """Make a store with a frozen study of n items and a pool of judges."""
    names = [name(number) for number in range(judges)]
    store, outside = drafted(folder, n, names)
    preparing.import_items(store, outside, "local", "bench", bench.items(n), "items.jsonl")
    people = [*(("reviewer", each) for each in names), ("lead", "lena")]
    preparing.assign(store, outside, "local", "bench", people, "benchmark")
    freezing.freeze(store, outside, "local", "bench")
    store.close()


def name(number: int) -> str:
    """Return the name of one judge."""
    return f"judge{number:02}"


def yardstick() -> float:
    """Return the seconds that this machine needs just now for a fixed piece of work: Python, hashing, SQLite, syncs."""
    start = time.perf_counter()
    words: dict[str, int] = {}
    for number in range(200_000):
        words[hashlib.sha256(str(number % 5_000).encode()).hexdigest()] = number
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "yard", isolation_level=None)
        connection.execute("create table t (a text)")
        for number in range(100):
            connection.execute("insert into t values (?)", (str(number),))
        connection.close()
    return time.perf_counter() - start


def sized(folder: Path, n: int, seconds: float) -> Figures:
    """Return how long one judge of two waits, in a study of n items."""
    study(folder, n, judges=2)
    with serving(folder) as server:
        tally = alone(server, name(0), seconds)
        stored = _stored(folder) - 1  # the first answer warms the server, and is not told
        return waits([tally]) | {"lost": tally.acknowledged - stored, "started": server.started}


def alone(server: Server, who: str, seconds: float) -> Tally:
    """Let one judge open items, keep a draft of each, answer, and look at the list, for so long."""
    judge = Judge(server.port, who, bench.PASSWORD)
    judge.open_next()
    judge.answer()
    judge.tally = Tally()
    until = time.monotonic() + seconds
    while time.monotonic() < until and judge.open_next() and judge.answer(drafts=1):
        judge.ask("index", "/review")
    return judge.tally


def crowded(frozen: Path, folder: Path, crowd: int, seconds: float, *, think: float = 0) -> Figures:
    """Return what a crowd of judges gets done together, and how long each of them waits."""
    shutil.copytree(frozen, folder)
    with serving(folder) as server:
        judges = [Judge(server.port, name(number), bench.PASSWORD) for number in range(crowd)]
        together(judges, time.monotonic() + 2 + think)  # warm
        draft = None if think else _drafts(server, judges[0])
        for judge in judges:
            judge.tally = Tally()
        before, processor, memory = _stored(folder), server.processor(), server.memory()
        took = together(judges, time.monotonic() + seconds, think=think)
        processor = server.processor() - processor
        done = sum(judge.tally.acknowledged for judge in judges)
        found = waits([judge.tally for judge in judges])
        found |= {"reviews per second": done / took, "processor ms per review": processor / done * 1000}
        found |= {"errors": sum(judge.tally.errors for judge in judges), "lost": done - (_stored(folder) - before)}
        found |= {"memory MiB": server.memory(), "drift %": (server.memory() / memory - 1) * 100}
        return found if draft is None else found | {"processor ms per draft": draft}


def _drafts(server: Server, judge: Judge) -> float:
    """Return the milliseconds of the processor that one draft takes."""
    judge.open_next()
    processor, many = server.processor(), 200
    judge.draft(many)
    return (server.processor() - processor) / many * 1000


def waits(tallies: list[Tally]) -> Figures:
    """Return the milliseconds that judges waited, by kind of request."""
    found: Figures = {}
    for kind in KINDS:
        took = [each * 1000 for tally in tallies for each in tally.took[kind]]
        if len(took) > 1:
            hundredths = statistics.quantiles(took, n=100)
            found |= {f"{kind} p50": hundredths[49], f"{kind} p95": hundredths[94], f"{kind} p99": hundredths[98]}
    return found


def _stored(folder: Path) -> int:
    """Count the reviews in a store that is being served, by SQLite of a process of its own."""
    # The process that serves has its own SQLite; this one only reads, and WAL lets it.
    connection = sqlite3.connect(f"file:{folder / 'evenhand.sqlite3'}?mode=ro", uri=True)
    try:
        return int(connection.execute("select count(*) from judgement").fetchone()[0])
    finally:
        connection.close()


def measured(seconds: float, crowd_of: int) -> dict[str, Any]:
    """Measure every size and every crowd."""
    yard = yardstick()
    found: dict[str, Any] = {"yardstick s": yard, "sizes": {}, "crowds": {}}
    with tempfile.TemporaryDirectory() as folder:
        for n in SIZES:
            found["sizes"][str(n)] = sized(Path(folder) / str(n), n, seconds)
        frozen = Path(folder) / "frozen"
        study(frozen, SIZES[-1], max(CROWDS))
        for crowd in CROWDS:
            found["crowds"][str(crowd)] = crowded(frozen, Path(folder) / f"crowd{crowd}", crowd, seconds)
        long = crowded(frozen, Path(folder) / "thinking", crowd_of, seconds * 2, think=THINK)
        found["crowds"][f"{crowd_of}, thinking {THINK:g} s"] = long
    found["yardstick s"] = (yard + yardstick()) / 2
    return found


def table(found: dict[str, Any]) -> str:
    """Return the figures as text, ratios first."""
    sizes, crowds = found["sizes"], found["crowds"]
    small, large = sizes[str(SIZES[0])], sizes[str(SIZES[-1])]
    lines = [f"{SIZES[-1]:,} items beside {SIZES[0]:,}, 95th percentile (aim: 1.5 at most):"]
    lines += [f"  {kind:<8} {large[f'{kind} p95'] / small[f'{kind} p95']:5.2f}" for kind in KINDS]
    best = crowds["32"]
    lines += ["", "32 judges beside the best that others reach (aim: 10 times):"]
    lines += [
        f"  {peer:<14} {best['reviews per second'] / most:6.1f} times the reviews, "
        f"{cost / best['processor ms per review']:5.1f} times less of the processor for each"
        for peer, (most, cost) in PEERS.items()
    ]
    for title, group in (("one judge, by items", sizes), ("judges, 20,000 items", crowds)):
        names = list(dict.fromkeys(key for figures in group.values() for key in figures))
        lines += ["", f"{title:<26}" + "".join(f"{key[:12]:>14}" for key in group)]
        lines += [
            f"  {each:<24}" + "".join(f"{figures.get(each, float('nan')):>14.2f}" for figures in group.values())
            for each in names
        ]
    return "\n".join(lines)


def compared(now: dict[str, Any], former: dict[str, Any]) -> str:
    """Return how the times of this run stand to those of an earlier one, each in units of its own machine."""
    pace = now["yardstick s"] / former["yardstick s"]
    lines = [f"\nBeside the stored result (this machine needs {pace:.2f} times as long for the fixed work):"]
    for group in ("sizes", "crowds"):
        for key, figures in now[group].items():
            before = former[group].get(key, {})
            told = [
                f"{each} {figures[each] / before[each] / pace:.2f}"
                for each in ("page p95", "submit p95", "processor ms per review")
                if each in figures and before.get(each)
            ]
            lines += [f"  {key:<22} " + ", ".join(told)] if told else []
    return "\n".join(lines)


def main() -> None:
    """Measure, print, compare, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="of each measurement")
    parser.add_argument("--thinking", type=int, default=max(CROWDS), help="judges who think between answers")
    parser.add_argument("--store", action="store_true", help=f"keep the result as {RESULT.name}")
    given = parser.parse_args()
    found = measured(given.seconds, given.thinking)
    sys.stdout.write(table(found) + "\n")
    if RESULT.exists():
        sys.stdout.write(compared(found, json.loads(RESULT.read_text(encoding="utf-8"))) + "\n")
    if given.store:
        RESULT.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
