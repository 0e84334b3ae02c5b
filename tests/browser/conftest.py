"""A real Chromium against a real server. Skips, saying why, where there is no Chromium."""

import os
import shutil
from pathlib import Path

import pytest

from tests.house import password_of

CANDIDATES = (
    os.environ.get("EVENHAND_CHROMIUM"),
    "/usr/bin/chromium",
    shutil.which("chromium"),
    shutil.which("google-chrome"),
)


def chromium():
    return next((path for path in CANDIDATES if path and Path(path).exists()), None)


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser():
    path = chromium()
    if path is None:
        told = "no Chromium here; install the package chromium, or name its path in EVENHAND_CHROMIUM"
        if os.environ.get("EVENHAND_REQUIRE_BROWSER") == "1":
            pytest.fail(told)
        pytest.skip(told)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield started
        started.close()


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
