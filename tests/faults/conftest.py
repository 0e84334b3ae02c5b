"""How long the tests of faults take: seconds, or with EVENHAND_SOAK=1 (`make soak`) as long as the promise says."""

import os
import random

import pytest

from app.store.db import driver
from tests.faults.judges import NAMES, Judge

SOAK = os.environ.get("EVENHAND_SOAK") == "1"


@pytest.fixture
def long():
    return SOAK


@pytest.fixture
def chance(request):
    """Return chance of this run; its seed stands in the output, and EVENHAND_SEED brings it back."""
    seed = os.environ.get("EVENHAND_SEED") or str(random.SystemRandom().getrandbits(32))
    print(f"{request.node.name}: EVENHAND_SEED={seed}")
    return random.Random(seed)


@pytest.fixture
def judges(chance):
    return [Judge(name, random.Random(chance.random())) for name in NAMES]


@pytest.fixture
def rows():
    """Return what a store's database holds, by a connection of its own."""

    def ask(folder, sql):
        connection = driver.connect(str(folder / "evenhand.sqlite3"))
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    return ask
