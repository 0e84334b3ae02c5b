"""Power cut, or the program killed, at any write of an upgrade, those of the copy before it too (acceptance D6)."""

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.store import verify
from app.store.db import DATABASE
from app.store.migrate import HEAD, open_store
from tests.faults import shim
from tests.faults.conftest import SOAK
from tests.faults.disk import Disk
from tests.faults.figures import say
from tests.store.old_stores import SCHEMAS, counted, old_store, whole_schema

pytestmark = pytest.mark.faults
ROOT = Path(__file__).resolve().parents[2]
FORMER = [each for each in SCHEMAS if each != HEAD]
OPEN = "import sys; from pathlib import Path; from app.store.migrate import open_store; open_store(Path(sys.argv[1]))"
CUTS = 200 if SOAK else 24


class Kept(random.Random):
    """Chance as a killed program meets it: the system keeps all that was written."""

    def choice(self, _):
        return "whole"

    def random(self):
        return 0.0


@pytest.fixture(params=[FORMER[0], FORMER[-1]], ids=lambda schema: f"from {schema}")
def upgrade(request, tmp_path):
    """Return (former schema, folder, the folder before, notes) of an upgrade that ran to its end."""
    folder = old_store(request.param, tmp_path / "store")
    shutil.copytree(folder, tmp_path / "before")
    environment = {"PYTHONPATH": str(ROOT)} | shim.under(folder, tmp_path / "log")
    subprocess.run([sys.executable, "-c", OPEN, str(folder)], cwd=ROOT, env=environment, check=True)
    return request.param, folder, tmp_path / "before", list(shim.notes(tmp_path / "log"))


@pytest.mark.parametrize("luck", ["killed", "power lost"])
def test_wherever_an_upgrade_ends_the_store_is_the_old_one_or_the_new_and_opens(upgrade, luck, tmp_path, chance):
    former, folder, before, notes = upgrade
    old, new = counted(before / DATABASE), counted(folder / DATABASE)
    copy = f"before-upgrade-from-{former}.sqlite3"
    ends = sorted({0, len(notes), *chance.sample(range(len(notes)), min(CUTS, len(notes)))})
    disk, found, copied = Disk(folder, before), [], 0
    for number in range(len(notes) + 1):
        if number in ends:
            left = tmp_path / "left"
            disk.cut(Kept() if luck == "killed" else chance, left)
            found.append(whole_schema(left / DATABASE))
            assert counted(left / DATABASE) == {former: old, HEAD: new}[found[-1]]
            if found[-1] == HEAD:
                copied += 1
                assert (whole_schema(left / copy), counted(left / copy)) == (former, old)
            opens(left, new)
            shutil.rmtree(left)
        if number < len(notes):
            disk.take(notes[number])
    say(f"from {former}, {luck}: {len(ends)} ends among {len(notes)} writes and syncs, {copied} with the new version")
    assert {former, HEAD} == set(found)


def opens(folder, rows):
    store = open_store(folder)
    with store.read() as connection:
        assert verify.findings(connection) == []
    store.close()
    assert counted(folder / DATABASE) == rows
