"""Make a small store of each former schema, by the program that had it: tests open them with today's.

    python -m scripts.make_old_stores [SCHEMA ...]

The programs are taken out of git's history into a temporary folder; the checkout is left as it
is. Each store holds a study in the middle of its review, and a draft. The texts are invented.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Final

from app.store.db import DATABASE

ROOT: Final = Path(__file__).resolve().parents[1]
STORES: Final = ROOT / "tests" / "fixtures" / "stores"
# The last commit of each schema. 0006 and 0007 never were a program's: those stores are of
# 0005, brought as far by the migrations of 0008.
MADE_BY: Final = {
    "0001": "a03e373",
    "0002": "dbc3b95",
    "0003": "d68e14a",
    "0004": "efe68c6",
    "0005": "edf0e51",
    "0006": "cce6b12",
    "0007": "cce6b12",
    "0008": "c6f7e27",
    "0009": "159fdaf",
    "0010": "d6024de",
    "0011": "10cf10a",
    "0012": "5bd5e1e",
    "0013": "4f790cd",
}
BETWEEN: Final = {"0006": "0005", "0007": "0005"}
LIFE: Final = """
import sys
from pathlib import Path

from app.actions import closing
from app.store.migrate import open_store
from tests.actions.bench import FINE, HARM, SAME, Bench
from tests.house import PROTOCOL, add_people, draft_study, fixed_world, frozen_study

store, world = open_store(Path(sys.argv[1])), fixed_world()
add_people(store, world)
bench = Bench(store, world, frozen_study(store, world))
bench.answer("rosa", "P-001", SAME, note="a first thought")
bench.answer("rosa", "P-001", FINE, note="a second thought")
bench.answer("rosa", "P-002", HARM)
bench.draft("rosa", "P-003", note="half a thought")
bench.review("ravi", P1=FINE, P3=HARM)
closing.log_deviation(store, world, "lena", "pilot", "A lamp failed.")
draft_study(store, world, protocol=PROTOCOL.replace('"pilot"', '"second"'))
try:
    from app.actions.withdrawing import withdraw
except ImportError:
    pass  # nothing could be withdrawn yet
else:
    withdraw(store, world, "lena", "pilot", "item", "P-006", "they asked")
store.close()
"""
UPGRADE: Final = """
import sys
from pathlib import Path

from app.store import migrate

migrate.HEAD = sys.argv[2]
migrate.open_store(Path(sys.argv[1])).close()
"""


def main(schemas: list[str]) -> None:
    """Write the stores of these schemas, or of all."""
    for schema in schemas or MADE_BY:
        with tempfile.TemporaryDirectory() as folder:
            target = STORES / f"{schema}.sql"
            target.write_text(_dumped(_made(schema, Path(folder)), schema), encoding="utf-8")
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes, by {MADE_BY[schema]}")


def _made(schema: str, folder: Path) -> Path:
    """Make the store and return its database."""
    store = folder / "store"
    first = BETWEEN.get(schema, schema)
    _run(_program(MADE_BY[first], folder / first), LIFE, store)
    if first != schema:
        _run(_program(MADE_BY[schema], folder / schema), UPGRADE, store, schema)
    return store / DATABASE


def _program(commit: str, folder: Path) -> Path:
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as opened:
        opened.extractall(folder, filter="data")
    return folder


def _run(program: Path, script: str, *arguments: Path | str) -> None:
    environment = {"PYTHONPATH": str(program), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-c", script, *map(str, arguments)], cwd=program, env=environment, check=True)


def _dumped(database: Path, schema: str) -> str:
    connection = sqlite3.connect(database)  # the only one that can dump; nobody else writes here
    (found,) = connection.execute("select version_num from alembic_version").fetchone()
    if found != schema:
        sys.exit(f"{MADE_BY[schema]} writes schema {found}, not {schema}.")
    dumped = "".join(f"{line}\n" for line in connection.iterdump())
    connection.close()
    return dumped


if __name__ == "__main__":
    main(sys.argv[1:])
