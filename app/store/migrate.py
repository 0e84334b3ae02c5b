"""Opening a store: create or bring it to this version's schema, whole or not at all."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from sqlalchemy import inspect, text

from app.config import resource
from app.domain.errors import StoreUnavailable
from app.store.db import Connection, Store, commit, driver, prepare_folder

HEAD: Final = "0014"


def open_store(folder: Path, *, keep_former: bool = True) -> Store:
    """Open the store in a folder, creating or upgrading it as needed.

    `keep_former`: an upgrade leaves a copy of the database as it was.

    Raises StoreUnavailable where it cannot be used, or is newer than the program.
    """
    prepare_folder(folder)
    store = Store(folder)
    with store.read() as connection:
        found = schema_of(connection)
    if found != HEAD:
        refuse_newer(found, f"The store {folder}")
        if found is not None and keep_former:
            _back_up(store, found)
        _upgrade(store)
    store.finish_erasure()  # what a stopped program left unfinished
    return store


def schema_of(connection: Connection) -> str | None:
    """Return the version of a database's schema; None where it is not a store's, or not yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("select version_num from alembic_version")).scalar()


def refuse_newer(found: str | None, what: str) -> None:
    """Raise StoreUnavailable for a schema that this program does not know; `what` has it."""
    if found is not None and found not in _known_versions():
        told = f"{what} was written by a newer Evenhand (schema {found}). Install that version or newer."
        raise StoreUnavailable(told)


def _known_versions() -> set[str]:
    return {path.name.split("_")[0] for path in (resource("migrations") / "versions").glob("[0-9]*.py")}


def _back_up(store: Store, version: str) -> None:
    """Copy the database beside itself, by SQLite's own means, before it is changed."""
    target = driver.connect(str(store.folder / f"before-upgrade-from-{version}.sqlite3"))
    with store.engine.connect() as connection:
        source = connection.connection.driver_connection
        assert source is not None  # noqa: S101 - a live connection has one
        source.backup(target)
    target.close()


def _upgrade(store: Store) -> None:
    """Run every missing migration in one transaction; foreign keys are checked before the commit."""
    # Alembic takes 0.2 s to import, and most starts need no upgrade.
    from alembic import command
    from alembic.config import Config

    logging.getLogger("alembic").setLevel(logging.WARNING)
    config = Config()
    config.set_main_option("script_location", str(resource("migrations")).replace("%", "%%"))
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.commit()
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            config.attributes["connection"] = connection
            command.upgrade(config, HEAD)
            _refuse_orphans(connection)
            commit(connection)
        except BaseException:
            connection.rollback()
            raise
        finally:
            connection.exec_driver_sql("PRAGMA foreign_keys = ON")
            connection.commit()


def _refuse_orphans(connection: Connection) -> None:
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if orphans:
        told = f"The store cannot be upgraded: {len(orphans)} rows point at nothing. It is unchanged."
        raise StoreUnavailable(told)
