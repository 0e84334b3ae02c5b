"""A new file, put in its place whole or not at all, for its owner alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.domain.errors import Refused


@contextmanager
def staged(out: Path, content: bytes) -> Iterator[Callable[[], None]]:
    """Write a file beside its place; calling the result puts it there, over nothing.

    Where the block fails nothing of it stays. Raises Refused where the file exists already
    (`exists`) or cannot be made (`unwritable`).
    """
    placed = False
    with _writable(out):
        number, partial = tempfile.mkstemp(prefix=f".{out.name}-", dir=out.absolute().parent)
    try:
        with _writable(out), os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

        def place() -> None:
            nonlocal placed
            with _writable(out):
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


def refuse_existing(out: Path) -> None:
    """Refuse a name that is taken. Raises Refused."""
    if os.path.lexists(out):
        message = f"“{out}” exists already and was not touched; choose a new name."
        raise Refused("exists", message)


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


@contextmanager
def _writable(out: Path) -> Iterator[None]:
    """Turn a failure of the file system into Refused, which names the file."""
    try:
        yield
    except OSError as error:
        refuse_existing(out)
        message = f"“{out}” cannot be written: {error.strerror}. Nothing was written; choose another place."
        raise Refused("unwritable", message) from None
