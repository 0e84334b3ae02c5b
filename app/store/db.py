"""The store: one folder with one SQLite database, opened with settings that are read back.

Every read sees one snapshot; every write holds the process's write lock and BEGIN
IMMEDIATE, and is committed before `write()` returns, so before anything is rendered.
Path not taken: BEGIN IMMEDIATE with a busy time-out alone; under 50 writing threads it
gives "database is locked".
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from app.domain.errors import StoreUnavailable

__all__ = ["Connection", "Row", "Store", "driver", "prepare_folder"]  # actions name the first two in their signatures

try:
    from pysqlite3 import dbapi2 as driver  # type: ignore[import-untyped]
except ImportError:  # no wheel for this platform: the system's SQLite, with the safer journal
    driver = sqlite3

DATABASE: Final = "evenhand.sqlite3"
# SQLite 3.7.0 to 3.51.2 can corrupt a database when a WAL is reset in a race.
WAL_IS_SAFE: Final = driver.sqlite_version_info >= (3, 51, 3)
PRAGMAS: Final = {
    "journal_mode": "wal" if WAL_IS_SAFE else "truncate",
    "synchronous": 2,
    "foreign_keys": 1,
    "busy_timeout": 5000,
    "secure_delete": 1,
    "temp_store": 2,
    "trusted_schema": 0,
}
CONNECTIONS: Final = 48


class Store:
    """An open store. `folder` is private to its owner; `read` and `write` give connections."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / DATABASE
        self.engine = _engine(self.path)
        self._writing = RLock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection on which every query sees the same snapshot."""
        with _translated(), self.engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            try:
                yield connection
            finally:
                connection.rollback()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give the one writing connection; commit on leaving, roll back on any error."""
        with _translated(), self._writing, self.engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def prepare_folder(folder: Path) -> None:
    """Create the store's folder for its owner alone, or check that it is so.

    Raises StoreUnavailable where others can read it, or it cannot be written.
    """
    os.umask(0o077)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        told = f"The store {folder} cannot be created: {error.strerror}. Choose another folder with --store."
        raise StoreUnavailable(told) from None
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        told = f"The store {folder} cannot be written. Choose another folder with --store, or change its permissions."
        raise StoreUnavailable(told)
    if not any(folder.iterdir()):
        folder.chmod(0o700)  # made by hand, and nothing is in it yet
    for path in (folder, *folder.glob(f"{DATABASE}*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            told = f"{path} can be read by other users (mode {mode:o}). Make it private: chmod go-rwx {path}"
            raise StoreUnavailable(told)


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        module=driver,
        connect_args={"isolation_level": None, "check_same_thread": False},
        hide_parameters=True,
        poolclass=QueuePool,
        pool_size=CONNECTIONS,
        max_overflow=0,
    )
    event.listen(engine, "connect", _configure)
    return engine


def _configure(connection: Any, _record: object) -> None:
    """Set every pragma on a new connection, and read each one back."""
    for name, value in PRAGMAS.items():
        connection.execute(f"PRAGMA {name} = {value}")
        (found,) = connection.execute(f"PRAGMA {name}").fetchone()
        if found != value:
            told = f"SQLite did not take PRAGMA {name} = {value} (it says {found}). Is the store on a network disk?"
            raise StoreUnavailable(told)


@contextmanager
def _translated() -> Iterator[None]:
    """Turn a driver's error into one that says what to do; its text may hold SQL, so it is dropped."""
    try:
        yield
    except DBAPIError as error:
        if isinstance(error.orig, driver.DatabaseError) and not isinstance(
            error.orig, driver.IntegrityError | driver.ProgrammingError
        ):
            told = f"The store could not be read or written ({_cause(error.orig)}). Nothing was changed."
            raise StoreUnavailable(told) from None
        raise


def _cause(error: BaseException) -> str:
    text = str(error)
    known = {
        "full": "the disk is full: free some space, then try again",
        "locked": "it is in use by another program: try again in a moment",
        "readonly": "it is read-only: check who owns its folder and how the disk is mounted",
        "I/O": "the disk reported an error: look at the disk before anything else",
    }
    return next((told for sign, told in known.items() if sign in text), "SQLite reported an error: run evenhand verify")
