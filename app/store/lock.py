"""One server per store: a lock on a side file, held for as long as the server runs."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.domain.errors import StoreUnavailable


@contextmanager
def served(folder: Path) -> Iterator[None]:
    """Hold the store's server lock. Raises StoreUnavailable where another server has it.

    The database file itself is never opened here: closing it would drop SQLite's locks.
    """
    with (folder / "serve.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            told = f"Another server already runs on the store {folder}. Use its address, or stop it first."
            raise StoreUnavailable(told) from None
        yield
