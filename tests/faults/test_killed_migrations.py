"""An upgrade killed at every one of its statements leaves the old version or the new one (acceptance D6)."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.store import verify
from app.store.db import DATABASE
from app.store.migrate import HEAD, open_store
from tests.faults.figures import say
from tests.store.old_stores import SCHEMAS, counted, old_store, whole_schema

pytestmark = pytest.mark.faults
ROOT = Path(__file__).resolve().parents[2]
# One process is warmed up, and forks for each statement: starting the program anew would take most of the time.
KILLED = """
import os, shutil, signal, sys
from pathlib import Path
from alembic import command
from sqlalchemy import Engine, event
from app.store import migrate
from app.store.migrate import open_store

def step(what):
    def at(*_):
        global steps
        steps += 1
        if steps == last:
            os.kill(os.getpid(), signal.SIGKILL)
    return at

def copied(number):
    folder = Path(sys.argv[1]).with_name(f"store{number}")
    shutil.copytree(sys.argv[1], folder)
    return folder

def upgrade(number, folder):
    global steps, last
    steps, last = 0, number
    open_store(folder).close()
    return steps

event.listen(Engine, "before_cursor_execute", step("statement"))
event.listen(Engine, "commit", step("commit"))
total = upgrade(0, copied(0))
for number in range(1, total + 1):
    folder = copied(number)
    if os.fork() == 0:
        upgrade(number, folder)
        os._exit(0)
    print(number, os.wait()[1], flush=True)
"""


FORMER = [each for each in SCHEMAS if each != HEAD]


@pytest.mark.parametrize("former", [FORMER[0], FORMER[-1]])
def test_an_upgrade_killed_at_any_statement_leaves_the_old_or_the_new_version_with_the_same_rows(former, tmp_path):
    old = old_store(former, tmp_path / "old")
    before = counted(old / DATABASE)
    told = subprocess.run(
        [sys.executable, "-c", KILLED, str(old)], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    ends = {int(number): int(status) for number, status in re.findall(r"(\d+) (\d+)", told)}
    assert set(ends.values()) == {signal.SIGKILL}
    after = counted(tmp_path / "store0" / DATABASE)
    found = {}
    for number in ends:
        folder = tmp_path / f"store{number}"
        found[number] = whole_schema(folder / DATABASE)
        assert counted(folder / DATABASE) == {former: before, HEAD: after}[found[number]]
    assert {name: after[name] for name in before} == before
    assert former in found.values()
    for number in (*range(1, len(ends), 9), len(ends)):  # whichever it was, it opens as if nothing had been
        store = open_store(tmp_path / f"store{number}")
        with store.read() as connection:
            assert verify.findings(connection) == []
        store.close()
        assert counted(tmp_path / f"store{number}" / DATABASE) == after
    new = sum(version == HEAD for version in found.values())
    say(f"from {former}: {len(ends)} kills, {len(ends) - new} left the old version, {new} the new one")
