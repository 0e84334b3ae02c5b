"""The power is cut under `evenhand serve`: of what was not synced chance keeps what it likes."""

import random
from pathlib import Path

import pytest

from tests.faults.conftest import SOAK
from tests.faults.judges import NAMES, Judge
from tests.faults.power import losses, recorded, synced_before_answer
from tests.server import Evenhand

pytestmark = pytest.mark.faults
WEAKER = str(Path(__file__).parent / "weaker.py")
CUTS = 1_000 if SOAK else 60


def run(folder, each, **more):
    """Record a run of four judges who send so many answers each in each life of the server."""
    with pytest.MonkeyPatch.context() as patch:
        evenhand = Evenhand(folder / "store", patch)
        try:
            return recorded(evenhand, [Judge(name, random.Random(name)) for name in NAMES], folder, each, **more)
        finally:
            evenhand.stop()


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory):
    """Return a recorded run of the ordinary program, which is stopped once in between."""
    return run(tmp_path_factory.mktemp("ordinary"), 125 if SOAK else 12, lives=2)


def test_a_cut_of_the_power_loses_nothing_acknowledged_and_breaks_no_store(ordinary, tmp_path, chance, capsys):
    found = losses(ordinary, CUTS, chance, tmp_path)
    with capsys.disabled():
        print(f"\nsynchronous=FULL: {found}")
    assert (found.lost, found.corrupt) == (0, 0), found.told[:5]
    assert found.promised > 0


@pytest.mark.parametrize("level", ["NORMAL", "OFF"])
def test_the_same_cuts_find_a_loss_where_less_is_synced(level, tmp_path, chance, capsys):
    found = losses(run(tmp_path, 250 if SOAK else 8, program=(WEAKER, level)), CUTS, chance, tmp_path)
    with capsys.disabled():
        print(f"\nsynchronous={level}: {found}")
    assert found.lost > 0


def test_before_each_answer_its_rows_were_synced(ordinary, capsys):
    answers, late = synced_before_answer(ordinary)
    with capsys.disabled():
        print(f"\n{answers} answers, {len(late)} of them before their rows were synced")
    assert answers > 0
    assert late == []
