"""Fixtures: a fixed world, a fresh store, the application, people signed in."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings
from starlette.testclient import TestClient

from app.config import Settings
from app.store.migrate import open_store
from app.web.app import create_app
from tests.house import CHEAP, ORIGIN, PORT, Person, add_people, fixed_world, frozen_study
from tests.server import Evenhand

# The same examples in every run, and no clock: speed is measured in benchmarks.
settings.register_profile("house", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("house")


@pytest.fixture
def world():
    return fixed_world()


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory):
    """Return the folder of a store that was only just created: copying it is faster than migrating."""
    folder = tmp_path_factory.mktemp("empty") / "store"
    open_store(folder).close()
    return folder


@pytest.fixture
def store(tmp_path, empty_store):
    shutil.copytree(empty_store, tmp_path / "store")
    opened = open_store(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture
def people(store, world):
    add_people(store, world)


@pytest.fixture
def study(store, world, people):
    return frozen_study(store, world)


@pytest.fixture
def app(store, world):
    return create_app(store, world, Settings(port=PORT, host_name="quiet-name.localhost"), CHEAP)


@pytest.fixture
def visit(app):
    """Return a person by name at a browser of their own, signed in."""

    def arrive(name, *, signed_in=True):
        client = TestClient(app, base_url=ORIGIN, follow_redirects=False)
        person = Person(client, name)
        return person.sign_in() if signed_in else person

    return arrive


@pytest.fixture
def evenhand(tmp_path, monkeypatch):
    """Return a store with its command line and, once asked to serve, a real server process."""
    house = Evenhand(tmp_path / "store", monkeypatch)
    yield house
    house.stop()


FLAGS = [  # a script starts recordings here, where people press a key
    *("--no-sandbox", "--disable-background-networking"),
    "--autoplay-policy=no-user-gesture-required",
]
CHROMIUM = (os.environ.get("EVENHAND_CHROMIUM"), shutil.which("chromium"), shutil.which("google-chrome"))


def chromium():
    """Return the path of Chromium, or None where there is none."""
    return next((path for path in CHROMIUM if path and Path(path).exists()), None)


@pytest.fixture(scope="session")
def browser():
    """Return a real Chromium; skip, saying why, where there is none."""
    path = chromium()
    if path is None:
        told = "no Chromium here; install the package chromium, or name its path in EVENHAND_CHROMIUM"
        if os.environ.get("EVENHAND_REQUIRE_BROWSER") == "1":
            pytest.fail(told)
        pytest.skip(told)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def real_filter():
    """Ask for YazSes, the first filter under test; skip, saying why, where it is not installed."""
    if importlib.util.find_spec("yazses") is None:
        told = "YazSes is not here; nothing needs it but this: pip install --no-deps yazses==2.46.0"
        if os.environ.get("EVENHAND_REQUIRE_FILTER") == "1":
            pytest.fail(told)
        pytest.skip(told)
