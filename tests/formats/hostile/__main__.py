# ruff: noqa: T201, it speaks to the person who ran it
"""Import every hostile file, each in a process of its own, and print seconds and memory (Linux).

Run as `python -m tests.formats.hostile`.
"""

import multiprocessing
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from time import perf_counter, process_time

from app.actions import preparing
from app.domain.errors import InvalidInput
from app.store.migrate import open_store
from tests.formats.hostile.corpus import HOSTILE, KINDS
from tests.house import add_people, draft_study, fixed_world


def written(place, path):
    path.write_bytes(HOSTILE[place].build())


def measured(path):
    """Import a file into a study; return seconds, those of the processor, and the MiB it took above the file."""
    with tempfile.TemporaryDirectory() as folder:
        store, world = open_store(Path(folder) / "store"), fixed_world()
        add_people(store, world)
        study, data = draft_study(store, world), path.read_bytes()
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
        before, begun, spent = memory("VmRSS"), perf_counter(), process_time()
        with suppress(InvalidInput):
            preparing.import_items(store, world, "local", study, data, "items")
        found = perf_counter() - begun, process_time() - spent, memory("VmHWM") - before
        store.close()
        return found


def memory(name):
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(rf"{name}:\s+(\d+)", status)[1]) / 1024


def main():
    worst = (0.0, 0.0, 0.0)
    # A process that only reads the file: one that made it has freed memory, whose reuse would not show.
    with (
        multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as apart,
        tempfile.TemporaryDirectory() as folder,
    ):
        path = Path(folder) / "items"
        for place, case in enumerate(HOSTILE):
            apart.apply(written, (place, path))
            found = apart.apply(measured, (path,))
            worst = tuple(map(max, worst, found))
            print(line(*found), case.name, flush=True)
    print(f"{len(HOSTILE)} files of {len(KINDS)} kinds; at most:{line(*worst)}")


def line(seconds, spent, grown):
    return f"{seconds:6.2f} s {spent:6.2f} s of the processor {grown:6.1f} MiB "


if __name__ == "__main__":
    main()
