"""The store: one folder with one SQLite database, opened with settings that are read back.

Every read sees one snapshot; every write holds the process's write lock and BEGIN
IMMEDIATE, and is committed before `write()` returns, so before anything is rendered.
Path not taken: BEGIN IMMEDIATE with a busy time-out alone; under 50 writing threads it
gives "database is locked".
"""

from __future__ import annotations

import logging
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
from sqlalchemy.pool import NullPool, QueuePool

from app.domain.errors import StoreUnavailable
from app.store.disk import network_type

__all__ = [
    "Connection",
    "Row",
    "Store",
    "commit",
    "driver",
    "prepare_folder",
    "read_copy",
]  # actions name the first two in their signatures

try:
    from pysqlite3 import dbapi2 as driver  # type: ignore[import-untyped]
except ImportError:  # no wheel for this platform: the system's SQLite, with the safer journal
    driver = sqlite3

DATABASE: Final = "evenhand.sqlite3"
# SQLite 3.7.0 to 3.51.2 can corrupt a database when a WAL is reset in a race.
WAL_IS_SAFE: Final = driver.sqlite_version_info >= (3, 51, 3)
PATIENCE: Final = 5000  # ms to wait for another process
PRAGMAS: Final = {
    "journal_mode": "wal" if WAL_IS_SAFE else "truncate",
    "synchronous": 2,
    "fullfsync": 1,  # on macOS fsync alone leaves a write in the drive's own cache; no other system has it
    "foreign_keys": 1,
    "busy_timeout": PATIENCE,
    "secure_delete": 1,
    "temp_store": 2,
    "trusted_schema": 0,
}
CONNECTIONS: Final = 48

# SQLAlchemy logs every row that it reads once somebody asks for the lowest level, whatever `hide_parameters` says.
# A level could be set anew by whoever asks; a filter stays.
logging.getLogger("sqlalchemy.engine.Engine").addFilter(lambda record: record.levelno >= logging.WARNING)

# What an erasure still owes is noted in the header of the database (`user_version`), so that the
# transaction that erases notes it, whoever finishes. The number grows with every step, for two
# processes at it must not take one erasure for another; its remainder by STEPS is what is owed.
STEPS: Final = 3
DONE: Final = 0
REWRITING: Final = 1  # the file may hold stale copies of what was erased
TRUNCATING: Final = 2  # it is rewritten; the journal may hold what it was before


class Store:
    """An open store. `folder` is private to its owner; `read` and `write` give connections."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / DATABASE
        self.engine = _engine(self.path)
        self._writing = RLock()
        self._in_vain = 0  # how often somebody has waited for another program in vain

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
        in_vain = self._in_vain
        with _translated(), self._writing, self.engine.connect() as connection:
            self._begin(connection, in_vain)
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            owing = _owed(connection) != DONE
            commit(connection)
            if owing:
                _finish_erasure(connection, 0)

    def _begin(self, connection: Connection, in_vain: int) -> None:
        """Begin to write, once another program lets go.

        Where somebody waited for that in vain while this thread waited behind them, it has waited
        long enough: else fifty people would be told so one after the other, for minutes.
        """
        waited = in_vain != self._in_vain
        try:
            if waited:
                connection.exec_driver_sql("PRAGMA busy_timeout = 0")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except DBAPIError:
            self._in_vain += 1
            raise
        finally:
            if waited:
                connection.exec_driver_sql(f"PRAGMA busy_timeout = {PATIENCE}")

    def finish_erasure(self) -> bool:
        """Free the files of what was erased; False where somebody still reads what was there before.

        Then every later write tries again, in this process or another, and so does the next
        start. Call it outside of any transaction.
        """
        with _translated(), self._writing, self.engine.connect() as connection:
            return _finish_erasure(connection, PATIENCE)

    def erasing(self) -> bool:
        """Tell whether the files may still hold what was erased."""
        with self.read() as connection:
            return _owed(connection) != DONE

    def copy_to(self, path: Path) -> None:
        """Write the database as it is at this moment to an empty file; others go on reading and writing.

        It is written anew, so nothing that was erased is in it. Path not taken: SQLite's online
        backup, which copies free pages too, and begins again when another process writes.
        """
        with _translated(), self.engine.connect() as connection:
            connection.exec_driver_sql("VACUUM INTO ?", (str(path),))

    def older_copies(self) -> list[Path]:
        """Return the copies in the store's folder that an upgrade made: nothing is erased in them."""
        return sorted(self.folder.glob("before-upgrade-from-*.sqlite3"))

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
    kind = network_type(folder)
    if kind is not None:
        told = f"The store {folder} is on a network share ({kind}), where what was acknowledged could be lost."
        told += " Keep it on a disk of this computer: choose another folder with --store."
        raise StoreUnavailable(told)
    if not any(folder.iterdir()):
        folder.chmod(0o700)  # made by hand, and nothing is in it yet
    for path in (folder, *folder.glob(f"{DATABASE}*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            told = f"{path} can be read by other users (mode {mode:o}). Make it private: chmod go-rwx {path}"
            raise StoreUnavailable(told)
    for path in (*folder.glob(f"{DATABASE}*"), *folder.glob("serve.lock")):
        if not os.access(path, os.R_OK | os.W_OK):
            told = f"{path} cannot be written. Give it back to the owner of the store: chmod u+rw {path}"
            raise StoreUnavailable(told)


def owe_erasure(connection: Connection) -> None:
    """Note, within the transaction that erases, that the files must be freed of what was there."""
    noted = _noted(connection)
    connection.exec_driver_sql(f"PRAGMA user_version = {noted - noted % STEPS + STEPS + REWRITING}")


def _noted(connection: Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def _owed(connection: Connection) -> int:
    return _noted(connection) % STEPS


def _finish_erasure(connection: Connection, patience: int) -> bool:
    """Rewrite the database and empty its journal, as far as other connections let it.

    `secure_delete` alone is not enough: where SQLite moved rows between pages, copies of
    keys can stay in the gaps, and the journal holds every page as it was. `patience`: ms to
    wait for others.
    """
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {patience}")
    try:
        if (noted := _noted(connection)) % STEPS == REWRITING:
            connection.exec_driver_sql("VACUUM")
            _note(connection, noted, noted + 1)
        if (noted := _noted(connection)) % STEPS == TRUNCATING:
            busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]
            if not busy:
                _note(connection, noted, noted + 1)
        return _owed(connection) == DONE
    except DBAPIError:
        return False  # somebody else reads or writes, or the disk is full: it stays noted, and what is stored stays
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {PATIENCE}")


def _note(connection: Connection, former: int, now: int) -> None:
    """Note a step, unless another process noted something else meanwhile."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    if _noted(connection) == former:
        connection.exec_driver_sql(f"PRAGMA user_version = {now}")
    commit(connection)


def commit(connection: Connection) -> None:
    """Commit, or roll back.

    After a commit that failed SQLAlchemy takes the transaction for over and emits no rollback. Where SQLite did
    not roll back by itself, the connection would go back to the pool with it still open, and with the lock.
    Path not taken: to close the connection. Where it was the last one, the journal goes with it, and on a full
    disk nothing could be read any more; and what was written and not synced would be taken for stored.
    """
    try:
        connection.commit()
    except BaseException:
        try:
            connection.dialect.do_rollback(connection.connection)
        except driver.Error:
            connection.invalidate()
        connection.rollback()
        raise


@contextmanager
def read_copy(path: Path) -> Iterator[Connection]:
    """Give a connection to a database that nobody has open; neither it nor its folder is touched.

    Raises StoreUnavailable where it cannot be read. Never for the file of a store in use: what
    its journal holds would be overlooked, and closing it would drop SQLite's locks.
    """
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    engine = create_engine(
        "sqlite://",
        module=driver,
        creator=lambda: driver.connect(address, uri=True, isolation_level=None),
        hide_parameters=True,
        poolclass=NullPool,
    )
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA trusted_schema = 0"))
    with _translated(), engine.connect() as connection:
        yield connection


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        module=driver,
        connect_args={"isolation_level": None, "check_same_thread": False},
        hide_parameters=True,
        poolclass=QueuePool,
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_reset_on_return=None,  # read() and write() end what they begin
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
    except UnicodeDecodeError:  # the driver's, of damaged bytes
        told = "The store could not be read or written (a text in it is damaged: run evenhand verify)."
        raise StoreUnavailable(told) from None


def _cause(error: BaseException) -> str:
    text = str(error)
    known = {
        "full": "the disk is full: free some space, then try again",
        "locked": "it is in use by another program: try again in a moment",
        "readonly": "it is read-only: check who owns its folder and how the disk is mounted",
        "I/O": "the disk reported an error: is it full, or are files limited in size? Else look at the disk itself",
    }
    return next(
        (told for sign, told in known.items() if sign in text), "the database reported an error: run evenhand verify"
    )
