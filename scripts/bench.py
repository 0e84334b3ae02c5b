"""Measure a store and its server at two sizes, and print ratios: `make bench`.

Pairing by a command, import, freeze, next item, submit, status and results are timed on this machine in one run;
only the ratio between the sizes is worth comparing with another machine's. A draw needs no
store: it is timed by itself, from the bytes of a list of candidates to those of a selection.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from starlette.testclient import TestClient

from app import world
from app.actions import accounts, closing, freezing, pairing, preparing, reporting, selecting
from app.config import Settings
from app.filters import command
from app.security import Passwords
from app.store.db import Store
from app.store.migrate import open_store
from app.store.progress import progress
from app.store.studies import get
from app.web.app import create_app
from scripts import make_selection_pool as drawing

SIZES = (160, 2_000)
ANSWERS = 150
CANDIDATES = 30_000
ORIGIN = "http://127.0.0.1:8765"
PASSWORD = "a password for benchmarks"  # noqa: S105 - of a store that lives for a minute
PROTOCOL = """
[study]
id = "bench"
title = "A benchmark"
scope = "synthetic"
question = "How long does it take?"
[selection]
strata = { spoken = %d, fluent = %d }
controls = ["fluent"]
"""
RIGHTS = """
[[source]]
source = "made-up"
kind = "synthetic"
version = "1"
publisher = "none"
audio_owner = "none"
reference_owner = "none"
licence = "none"
permitted_operations = ["store", "derive", "publish_aggregate"]
consent = "none"
distribution = "none"
removal = "none"
decision = "approved"
decided_by = "none"
decided_at = 2026-01-01
"""

FILTER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    said = {"name": "bench", "version": "1", "config": {}}
    if "text" in asked:
        said = {"id": asked["id"], "text": asked["text"].replace("um ", "") if asked["enabled"] else asked["text"]}
    print(json.dumps(said), flush=True)
"""

Times = dict[str, float]


def items(n: int) -> bytes:
    """Return n items as JSON Lines; every fourth is a control."""
    rows = (
        {
            "item_id": f"B-{number:06}",
            "stratum": "fluent" if number % 4 == 0 else "spoken",
            "cluster": f"ep-{number % 40:03}",
            "source": "made-up",
            "raw_hypothesis": f"um line {number} says says what it says and then some more words follow",
            "off": f"um line {number} says says what it says and then some more words follow",
            "on": f"line {number} says what it says and then some more words follow",
        }
        for number in range(n)
    )
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@contextmanager
def timed(times: Times, name: str) -> Iterator[None]:
    """Add the milliseconds of a block under a name."""
    start = time.perf_counter()
    yield
    times[name] = (time.perf_counter() - start) * 1000


def measure(n: int, folder: Path) -> Times:
    """Take a study of n items from import to results; return milliseconds by step."""
    times: Times = {}
    outside, store = world.real(), open_store(folder)
    cheap = Passwords(memory_kib=8, passes=1)
    for name in ("rosa", "ravi", "lena"):
        accounts.add(store, outside, cheap, name, lead=False, password=PASSWORD)
    protocol = PROTOCOL % (n - n // 4, n // 4)
    preparing.create(store, outside, "local", protocol.encode(), "protocol.toml")
    preparing.set_rights(store, outside, "local", "bench", RIGHTS.encode(), "rights.toml")
    with timed(times, "pair"):
        pair(store, outside, n, folder / "paired.jsonl")
    with timed(times, "import"):
        preparing.import_items(store, outside, "local", "bench", items(n), "items.jsonl")
    preparing.assign(
        store, outside, "local", "bench", [("reviewer", "rosa"), ("reviewer", "ravi"), ("lead", "lena")], "benchmark"
    )
    with timed(times, "freeze"):
        freezing.freeze(store, outside, "local", "bench")
    app = create_app(store, outside, Settings(), cheap)
    with TestClient(app, base_url=ORIGIN, follow_redirects=False) as browser:
        times |= judge(browser)
    with timed(times, "status"):
        status(store)
    closing.close(store, outside, "local", "bench", "the benchmark ends here")
    with timed(times, "results"):
        reporting.memo_of(store, outside, "local", "bench")
    store.close()
    return times


def pair(store: Store, outside: world.World, n: int, out: Path) -> None:
    """Pair the raw texts of n items by a program that drops a word."""
    raws = (json.loads(line) for line in items(n).splitlines())
    data = "".join(json.dumps({key: raw[key] for key in raw if key not in {"off", "on"}}) + "\n" for raw in raws)
    start = partial(command.started, [sys.executable, "-c", FILTER], 60)
    pairing.pair(store, outside, "local", data.encode(), "raw.jsonl", start, out)


def status(store: Store) -> None:
    """Read a study's progress as the lead's pages do."""
    with store.read() as connection:
        progress(connection, get(connection, "bench"))


def judge(browser: TestClient) -> Times:
    """Answer items by plain forms; return the medians and 95th percentiles of reading and sending."""
    headers = {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}
    browser.post("/login", data={"username": "rosa", "password": PASSWORD}, headers=headers)
    took: dict[str, list[float]] = {"next": [], "submit": []}

    for _ in range(ANSWERS):
        where = browser.get("/review/next").headers["location"]
        start = time.perf_counter()
        page = browser.get(where).text
        took["next"].append((time.perf_counter() - start) * 1000)
        fields = {name: hidden(page, name) for name in ("csrf", "version", "key")} | {"label": "no-material-edit"}
        start = time.perf_counter()
        answer = browser.post(where, data=fields, headers=headers)
        took["submit"].append((time.perf_counter() - start) * 1000)
        if answer.status_code != 303:  # noqa: PLR2004 - see other
            message = f"an answer was refused with {answer.status_code}"
            raise RuntimeError(message)
    return {
        f"{name} {mark}": value
        for name, each in took.items()
        for mark, value in (("p50", statistics.median(each)), ("p95", statistics.quantiles(each, n=20)[-1]))
    }


def hidden(page: str, name: str) -> str:
    """Return a hidden field's value."""
    return page.rsplit(f'name="{name}" value="', 1)[1].split('"', 1)[0]


def draw() -> float:
    """Return the seconds that a draw from CANDIDATES takes."""
    candidates = drawing.pool(CANDIDATES, episodes=400)
    start = time.perf_counter()
    selecting.draw((candidates, "pool.csv"), (drawing.PROTOCOL.encode(), "protocol.toml")).files()
    return time.perf_counter() - start


def main() -> None:
    """Measure both sizes and print them side by side."""
    with tempfile.TemporaryDirectory() as folder:
        small, large = (measure(n, Path(folder) / str(n)) for n in SIZES)
    print(f"{'milliseconds':<12} {SIZES[0]:>9,} {SIZES[1]:>9,}   ratio")
    for name, value in small.items():
        print(f"{name:<12} {value:>9.2f} {large[name]:>9.2f} {large[name] / value:>7.2f}")
    print(f"\nA draw from {CANDIDATES:,} candidates: {draw():.2f} seconds")


if __name__ == "__main__":
    main()
