"""One server per store: a lock on a side file, held for as long as the server runs."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from app.config import LOOPBACK
from app.domain.errors import StoreUnavailable

LOCK: Final = "serve.lock"


@contextmanager
def served(folder: Path, port: int | None = None) -> Iterator[None]:
    """Hold the store's server lock. Raises StoreUnavailable where another server has it.

    `port`: where the holder answers; it stands in the locked file meanwhile. The database
    file itself is never opened here: closing it would drop SQLite's locks.
    """
    # Opened without truncating: what the present holder wrote must stay.
    with (folder / LOCK).open("ab+", buffering=0) as handle:
        if not _take(handle):
            at = _port(folder)
            where = f": http://{LOOPBACK}:{at}/\nOpen that address" if at else ". Use its address"
            told = f"Another server already runs on the store {folder}{where}, or stop it first."
            raise StoreUnavailable(told)
        handle.truncate(0)
        with suppress(OSError):  # on a full disk the lock holds all the same
            handle.write(str(port or "").encode())
        try:
            yield
        finally:
            handle.truncate(0)


def port_served(folder: Path) -> int | None:
    """Return the port at which a server answers for the store; None where none does."""
    port = _port(folder)
    if port is None:
        return None
    # A killed server leaves its port behind, but no lock.
    with (folder / LOCK).open("ab") as handle:
        return None if _take(handle) else port


def _port(folder: Path) -> int | None:
    path = folder / LOCK
    told = path.read_bytes() if path.exists() else b""
    return int(told) if told.isdigit() else None


def _take(handle: IO[bytes]) -> bool:
    """Take the lock for as long as the file is open; tell whether it was free."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
