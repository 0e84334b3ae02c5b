"""Signed-in people in a real browser, at a real server."""

from pathlib import Path

import pytest

from tests.house import password_of


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
