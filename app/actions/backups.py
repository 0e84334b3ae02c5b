"""A backup of the whole store in one file, and a store restored from one."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.actions import files
from app.domain.errors import Refused, StoreUnavailable
from app.report.bundle import refuse_existing, writable
from app.store import accounts, audit, throttle
from app.store.db import DATABASE, Store, read_copy
from app.store.holdings import Holdings, holdings
from app.store.lock import port_served
from app.store.migrate import HEAD, open_store, refuse_newer, schema_of
from app.store.verify import findings, integrity
from app.world import World

PIECE: Final = 1 << 20  # bytes read at once
MAGIC: Final = b"SQLite format 3\0"
MOST_NAMED: Final = 5  # findings that a refusal repeats


@dataclass(frozen=True)
class Copied:
    """A backup and what is in it. `schema`: of the database in the file."""

    sha256: str
    size: int
    schema: str
    holds: Holdings


def back_up(store: Store, world: World, actor: str, file: Path) -> Copied:
    """Write all that the store holds at this moment to a new file, while others go on working.

    Two events: the first is in the copy too and says where its chain was left; the second
    binds the digest of the finished file. Raises Refused, and leaves no file, where the file
    exists or lies in the store, and where the copy is not as it was recorded.
    """
    _refuse_inside(store.folder, file)
    with files.beside(file) as (partial, place):
        with store.write() as connection:
            audit.record(connection, world, actor, "backup.begun", schema=HEAD)
        store.copy_to(partial)
        with writable(file):
            files.sync(partial)
        copied = _checked(partial)
        with store.write() as connection:
            audit.record(connection, world, actor, "backup.made", sha256=copied.sha256, size=copied.size)
            place()
    return copied


def _refuse_inside(folder: Path, file: Path) -> None:
    refuse_existing(file)
    if folder.resolve() in file.absolute().resolve().parents:
        message = f"“{file}” lies in the store itself. A backup belongs elsewhere, best on another disk."
        raise Refused("inside", message)


def _checked(file: Path) -> Copied:
    """Read a finished copy back and verify it. Raises Refused."""
    with read_copy(file) as connection:
        found = findings(connection)
        holds = holdings(connection)
    if found:
        message = "The store differs from what was recorded, so no backup was made of it: " + _some(found)
        raise Refused("unlike", f"{message}\nRun evenhand verify. To keep the store as it is, copy its whole folder.")
    return Copied(_digest(file), file.stat().st_size, HEAD, holds)


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _some(found: list[str]) -> str:
    more = f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return "; ".join(found[:MOST_NAMED]) + more


def restore(folder: Path, world: World, actor: str, file: Path) -> Copied:
    """Make a store of a backup: in a folder that is missing or empty, whole or not at all.

    An older schema is upgraded. Nobody is signed in afterwards. Raises Refused where something
    is in the folder, or the file is no whole backup; StoreUnavailable for a newer one.
    """
    _refuse_occupied(folder)
    _refuse_foreign(file)
    with _staging(folder) as staged:
        with writable(folder):
            sha256 = _take(file, staged / DATABASE)
        with _named(file):
            schema = _refuse_damaged(staged / DATABASE, file)
            holds = _made_ready(staged, world, actor, file, sha256)
        _put(staged, folder)
    return Copied(sha256, file.stat().st_size, schema, holds)


def _refuse_occupied(folder: Path) -> None:
    if folder.is_dir() and (port := port_served(folder)):
        message = f"A server runs on the store {folder}, at port {port}. Restore into a folder of its own with --store."
        raise Refused("served", message)
    if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
        message = f"“{folder}” is not empty and was not touched. A backup is restored over nothing: choose a new folder"
        raise Refused("occupied", f"{message} with --store, or move the old store away first.")


def _refuse_foreign(file: Path) -> None:
    """Refuse what is no file of a database, or one whose newest content stands in a journal beside it."""
    if not file.is_file():
        message = f"There is no file “{file}”."
        raise Refused("no_file", message)
    for journal in ("-wal", "-journal"):
        beside = file.with_name(file.name + journal)
        if beside.exists() and beside.stat().st_size:
            message = f"“{file}” is in use, or was copied without its journal: {beside.name} stands beside it."
            raise Refused("in_use", f"{message} Make a backup of its store with evenhand backup.")


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """Give a private folder beside a store's place; whatever is still in it at the end is removed."""
    place = folder.resolve()
    with writable(folder):
        place.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _take(file: Path, copy: Path) -> str:
    """Copy a file for its owner alone and return the digest of what was copied."""
    hashed = hashlib.sha256()
    number = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with file.open("rb") as source, os.fdopen(number, "wb") as target:
        while piece := source.read(PIECE):
            hashed.update(piece)
            target.write(piece)
    return hashed.hexdigest()


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Say of which file it is that its content cannot be read."""
    try:
        yield
    except StoreUnavailable as error:
        message = f"“{file}” cannot be restored, and nothing was put in place. {error}"
        raise Refused("unreadable", message) from None


def _refuse_damaged(copy: Path, file: Path) -> str:
    """Look at a copied backup before anything is changed in it; return its schema."""
    with copy.open("rb") as opened:
        magic = opened.read(len(MAGIC))
    if magic != MAGIC:
        message = f"“{file}” is no backup of Evenhand: it is no SQLite database."
        raise Refused("foreign", message)
    with read_copy(copy) as connection:
        _refuse(integrity(connection), file)
        schema = schema_of(connection)
    if schema is None:
        message = f"“{file}” is no backup of Evenhand: it is another program's database."
        raise Refused("foreign", message)
    refuse_newer(schema, "It")
    return schema


def _refuse(found: list[str], file: Path) -> None:
    if found:
        message = f"“{file}” is damaged or was changed, and nothing was put in place: {_some(found)}"
        raise Refused("damaged", message)


def _made_ready(staged: Path, world: World, actor: str, file: Path, sha256: str) -> Holdings:
    """Upgrade the store to be, verify it, end its sessions, renew its key and record where it comes from."""
    store = open_store(staged, keep_former=False)  # the backup itself is the former one
    try:
        with store.read() as connection:
            _refuse(findings(connection), file)
            held = holdings(connection)
        with store.write() as connection:
            ended = accounts.end_all_sessions(connection)
            throttle.renew(connection, world)  # whoever has the backup has the former key
            audit.record(connection, world, actor, "store.restored", sha256=sha256, sessions_ended=ended)
    finally:
        store.close()
    return held


def _put(staged: Path, folder: Path) -> None:
    """Give the finished store its name, which nothing may have but an empty folder."""
    for path in (*staged.iterdir(), staged):
        files.sync(path)
    _refuse_occupied(folder)
    place = folder.resolve()
    with writable(folder):
        staged.rename(place)
        files.sync(place.parent)
