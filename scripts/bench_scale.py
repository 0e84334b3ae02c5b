"""Measure each step of a study at growing sizes, in the order of the work: `python -m scripts.bench_scale`.

Steps run in a process of their own for each size, so that its highest memory is that of the size.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from app.actions import closing, freezing, preparing, reporting, reviewing
from app.formats.rows import MOST_ROWS
from app.store import judgements, studies
from app.store.db import DATABASE
from app.store.migrate import open_store
from app.store.verify import findings
from scripts import bench, bench_load, bench_results
from scripts.judges import serving

SIZES: Final = (2_000, 20_000, 200_000)
SECONDS: Final = 8.0  # of answering by one judge


def steps(n: int, folder: Path) -> dict[str, float]:
    """Take a study of n items from import to export; return seconds by step, and what it takes of disk and memory."""
    took: dict[str, float] = {}

    def step(name: str, act: Callable[[], object]) -> None:
        start = time.perf_counter()
        act()
        took[name] = time.perf_counter() - start
        sys.stderr.write(f"{n:,} items: {name} took {took[name]:.1f} s\n")  # large sizes take minutes

    store, outside = bench_load.drafted(folder, n, ["rosa", "ravi"])
    data = bench.items(n)
    took["megabytes of the file"] = len(data) / 1e6
    lines = data.splitlines(keepends=True)
    files = [b"".join(lines[start : start + MOST_ROWS]) for start in range(0, n, MOST_ROWS)]
    step(
        "import", lambda: [preparing.import_items(store, outside, "local", "bench", each, "x.jsonl") for each in files]
    )
    people = [("reviewer", "rosa"), ("reviewer", "ravi"), ("lead", "lena")]
    preparing.assign(store, outside, "local", "bench", people, "benchmark")
    step("freeze", lambda: freezing.freeze(store, outside, "local", "bench"))
    store.close()
    took |= _served(folder)
    store = open_store(folder)
    with store.write() as connection:
        for person in studies.members(connection, "bench"):
            if person.role == "reviewer":
                judge = reviewing.Judge(person.account_id, person.name, "bench", adjudication=False)
                bench_results.answer(connection, judge)
                step(f"sign-off of {person.name}", partial(reviewing.sign_set, connection, outside, person.name, judge))
    closing.close(store, outside, "local", "bench")
    step("results", lambda: reporting.memo_of(store, outside, "local", "bench"))
    step("export", lambda: reporting.export(store, outside, "local", "bench", folder.parent / f"memo{n}"))
    with store.read() as connection:
        # Answers that were written past the record differ from it, and verify says so; the work is the same.
        step("verify", lambda: findings(connection))
        took["reviews"] = len(judgements.newest_reviews(connection, "bench"))
    store.close()
    took["megabytes of the store"] = (folder / DATABASE).stat().st_size / 1e6
    took["MiB of memory, highest"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return took


def _served(folder: Path) -> dict[str, float]:
    """Return what one judge waits for at a server of its own, in milliseconds, and what the server holds."""
    with serving(folder) as server:
        waits = bench_load.waits([bench_load.alone(server, "rosa", SECONDS)])
        found = {f"{name}, ms": value for name, value in waits.items() if name.endswith("p95")}
        return found | {"first page, s": server.started, "MiB of the server": server.memory()}


def _told(n: int, folder: str) -> str:
    return json.dumps(steps(n, Path(folder) / str(n)))


def main() -> None:
    """Measure each size and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    sizes = parser.parse_args().sizes
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                found[n] = json.loads(pool.apply(_told, (n, folder)))
    sys.stdout.write(f"{'':<26}" + "".join(f"{n:>12,}" for n in sizes) + "\n")
    for name in found[sizes[0]]:
        sys.stdout.write(f"{name:<26}" + "".join(f"{figures[name]:>12.2f}" for figures in found.values()) + "\n")


if __name__ == "__main__":
    main()
