"""A new file, put in its place whole or not at all, for its owner alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.report.bundle import refuse_existing, writable


@contextmanager
def staged(out: Path, content: bytes) -> Iterator[Callable[[], None]]:
    """Write a file beside its place; calling the result puts it there, over nothing.

    Where the block fails nothing of it stays. Raises Refused where the file exists already
    (`exists`) or cannot be made (`unwritable`).
    """
    with beside(out) as (partial, place):
        with writable(out):
            partial.write_bytes(content)
            sync(partial)
        yield place


@contextmanager
def beside(out: Path) -> Iterator[tuple[Path, Callable[[], None]]]:
    """Give an empty file beside a place, and what puts it there once it is written and synced; else as `staged`."""
    placed = False
    refuse_existing(out)
    with writable(out):
        number, name = tempfile.mkstemp(prefix=f".{out.name}-", dir=out.absolute().parent)
    os.close(number)
    partial = Path(name)
    try:

        def place() -> None:
            nonlocal placed
            with writable(out):
                _put(partial, out)
                placed = True
                sync(out.absolute().parent)

        yield partial, place
    except BaseException:
        if placed:
            out.unlink(missing_ok=True)
        raise
    finally:
        partial.unlink(missing_ok=True)


def _put(partial: Path, out: Path) -> None:
    try:
        os.link(partial, out)  # unlike a rename it never overwrites
    except FileExistsError:
        raise
    except OSError:  # a disk without hard links
        refuse_existing(out)
        partial.rename(out)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
