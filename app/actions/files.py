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
    placed = False
    with writable(out):
        number, partial = tempfile.mkstemp(prefix=f".{out.name}-", dir=out.absolute().parent)
    try:
        with writable(out), os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

        def place() -> None:
            nonlocal placed
            with writable(out):
                _put(partial, out)
                placed = True
                _sync(out.absolute().parent)

        yield place
    except BaseException:
        if placed:
            out.unlink(missing_ok=True)
        raise
    finally:
        Path(partial).unlink(missing_ok=True)


def _put(partial: str, out: Path) -> None:
    try:
        os.link(partial, out)  # unlike a rename it never overwrites
    except FileExistsError:
        raise
    except OSError:  # a disk without hard links
        refuse_existing(out)
        Path(partial).rename(out)


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
