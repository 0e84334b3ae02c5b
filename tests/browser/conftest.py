"""Signed-in people in a real browser, at a real server."""

import shutil
from pathlib import Path

import pytest

from tests.house import PROTOCOL, RIGHTS, item_rows, password_of
from tests.server import Evenhand
from tests.walk.test_whole_way import freeze, prepare

LONG = (
    "well we thought um that the delivery from the garden centre would arrive on Thursday morning but the driver "
    "telephoned twice to say the the bridge was closed and nobody could tell him whether it would open again before "
    "the weekend started"
)
PAIRS = [
    ("word_repetition", "ep-one", LONG, LONG.replace("um ", "").replace("the the", "the")),
    ("word_repetition", "ep-two", "it is sort of stable today", "it is stable today"),
    ("fluent", "ep-one", "she had had enough already", "she had enough already"),
]
SIZE = {"width": 1280, "height": 800}


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


class Tab:
    """A page of one signed-in person; notes every request to elsewhere and every policy violation."""

    def __init__(self, browser, origin, name, **options):
        self.context = browser.new_context(base_url=origin, **options)
        self.context.set_default_timeout(10_000)
        self.page = self.context.new_page()
        self.elsewhere, self.faults = [], []
        self.page.on("request", lambda r: self.elsewhere.append(r.url) if not r.url.startswith(origin) else None)
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda e: self.faults.append(str(e)))
        if name is None:  # not signed in
            return
        self.page.goto("/")
        self.page.get_by_label("Name", exact=True).fill(name)
        self.page.get_by_label("Password", exact=True).fill(password_of(name))
        self.page.get_by_role("button", name="Sign in").click()


@pytest.fixture
def tab(browser, evenhand):
    """Open a tab for a person by name at the `evenhand` server."""
    opened = []

    def open_for(name, **options):
        found = Tab(browser, evenhand.origin, name, **options)
        opened.append(found)
        return found

    yield open_for
    for each in opened:
        each.context.close()
    # Whatever a test is about: no page of any role asks for anything elsewhere, or for what the policy forbids.
    assert [url for each in opened for url in each.elsewhere] == []
    assert [told for each in opened for told in each.faults if "Content Security Policy" in told] == []


@pytest.fixture(scope="session")
def frozen(tmp_path_factory):
    """Return the folder of a store with a frozen study of three pairs: copying it is faster than making it."""
    folder = tmp_path_factory.mktemp("frozen")
    with pytest.MonkeyPatch.context() as patch:
        house = Evenhand(folder / "store", patch)
        freeze(house, prepare(house, folder, item_rows(PAIRS), PROTOCOL, RIGHTS))
    return house.folder


@pytest.fixture
def reviewing(evenhand, frozen):
    """Return a server at a store of its own with three pairs to review."""
    shutil.copytree(frozen, evenhand.folder)
    evenhand.serve()
    return evenhand


@pytest.fixture
def rosa(reviewing, tab):
    """Return a reviewer's tab at the first item."""
    found = tab("rosa", viewport=SIZE)
    found.page.get_by_role("link", name="Start").click()
    arrive(found.page, 1)
    return found


def arrive(page, number):
    """Wait until an item is there, and takes keys."""
    there = "start => document.title.startsWith(start) && document.readyState === 'complete'"
    page.wait_for_function(there, arg=f"Item {number} of 3")
    page.wait_for_timeout(300)
