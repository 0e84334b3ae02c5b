"""axe-core finds nothing on any page of the walk: in light and dark, at three widths, of which one is 200 % zoom."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.config import resource
from tests.house import ORIGIN

pytestmark = pytest.mark.browser
AXE = (Path(__file__).parent / "vendor" / "axe-core-4.12.1" / "axe.min.js").read_text(encoding="utf-8")
# Structure is the same at every width and in every scheme; what is laid out and coloured is not.
LAID_OUT = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]
RUN = """async only => (await axe.run(document, { resultTypes: ["violations"], ...(only.length && { runOnly: only }) }))
  .violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.target}`))"""
WIDTHS = (1280, 640, 320)


@pytest.fixture(scope="module")
def pages(walk):
    """Return one HTML of each kind of page: told apart by address, status and heading."""
    found = {}
    for where, answer in walk.answers:
        if "<html" in answer.text:
            place = re.sub(r"[0-9a-f]{16,}", "{token}", re.sub(r"/studies/\w+", "/studies/{study_id}", where))
            heading = re.search(r"<h1[^>]*>([^<]{0,20})", answer.text)[1]
            found[place.partition("?")[0], answer.status_code, heading.strip()] = answer.text
    return [(f"{where} {status}", html) for (where, status, _), html in found.items()]


WIDEST = """() => [...document.querySelectorAll("main *")]
  .filter(each => each.getBoundingClientRect().right > innerWidth)
  .map(each => each.outerHTML.slice(0, 160)).slice(-2)"""


@pytest.fixture(scope="module")
def show(browser):
    """Return how a page is shown at the application's own address, without the application."""
    contexts, shown = [], {}

    def answer(route):
        path = urlsplit(route.request.url).path
        if path.startswith("/static/"):
            route.fulfill(path=resource("static") / path.removeprefix("/static/"))
        else:
            route.fulfill(body=shown["html"], content_type="text/html; charset=utf-8")

    def opened(scheme):
        contexts.append(browser.new_context(color_scheme=scheme, base_url=ORIGIN, reduced_motion="reduce"))
        contexts[-1].route("**/*", answer)
        page = contexts[-1].new_page()

        def give(html):
            shown["html"] = html
            page.goto("/shown")
            return page

        return give

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page_and_none_scrolls_sideways(pages, show, scheme):
    give, wrong = show(scheme), {}
    assert len(pages) > 60
    for name, html in pages:
        page = give(html)
        page.evaluate(AXE)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            found = page.evaluate(RUN, [] if (scheme, width) == ("light", 1280) else LAID_OUT)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found.append("scrolls sideways")
            for each in found:
                wrong.setdefault(each, f"{name} at {width}")
    assert wrong == {}


def test_at_the_largest_text_no_page_scrolls_sideways(pages, show):
    give, wide = show("light"), []
    for name, html in pages:
        page = give(html.replace('<html lang="en"', '<html lang="en" data-size="largest"', 1))
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append((name, width, page.evaluate(WIDEST)))
    assert wide == []
