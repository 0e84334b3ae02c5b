"""Small stores of every schema there was, as the programs of the time left them."""

import sqlite3
from pathlib import Path

from app.store.db import DATABASE

FOLDER = Path(__file__).parents[1] / "fixtures" / "stores"
SCHEMAS = sorted(path.stem for path in FOLDER.glob("*.sql"))


def old_store(schema, folder):
    """Make the store of a former schema anew and return its folder."""
    folder.mkdir(mode=0o700)
    database = folder / DATABASE
    database.touch(mode=0o600)
    connection = sqlite3.connect(database)
    connection.executescript((FOLDER / f"{schema}.sql").read_text(encoding="utf-8"))
    connection.close()
    return folder


def counted(database):
    """Return how many rows each table has, without opening the store."""
    connection = sqlite3.connect(database)
    names = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
    counts = {name: connection.execute(f'select count(*) from "{name}"').fetchone()[0] for name in names}  # noqa: S608
    connection.close()
    return counts


def whole_schema(database):
    """Return the version of a database as the next opening will find it; it must be whole."""
    connection = sqlite3.connect(database)
    (found,) = connection.execute("select version_num from alembic_version").fetchone()
    told = connection.execute("pragma integrity_check").fetchall()
    connection.close()
    assert told == [("ok",)]
    return found
