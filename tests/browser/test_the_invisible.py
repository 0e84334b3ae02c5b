"""What cannot be seen is drawn, each its own way, and turns nothing round."""

import sys
import unicodedata

import pytest

from app.config import resource
from app.domain.text import runs
from app.report.html import environment

SEEN = ("Cc", "Cf", "Zl", "Zp")
PANEL = """{% from "_macros.html" import pieces %}<!doctype html><link rel="stylesheet" href="/app.css">
<div class="panels">{% for text in texts %}<section class="panel">
<div class="text" dir="auto">{{ pieces(runs(text)) }}</div>
</section>{% endfor %}</div>"""


@pytest.fixture(scope="module")
def drawn(browser):
    """Return a function that shows texts as panels do, in a page with the style sheet."""
    context = browser.new_context(base_url="http://127.0.0.1:8765", viewport={"width": 1280, "height": 800})
    shown = {}
    context.route("**/app.css", lambda route: route.fulfill(path=resource("static") / "app.css"))
    context.route("**/shown", lambda route: route.fulfill(body=shown["html"], content_type="text/html; charset=utf-8"))
    page = context.new_page()

    def show(*texts):
        shown["html"] = environment().from_string(PANEL).render(texts=texts, runs=runs)
        page.goto("/shown")
        return page

    yield show
    context.close()


def invisible():
    """Return every code point that is drawn as nothing, NUL aside, which no item may hold."""
    for number in range(1, sys.maxunicode + 1):
        kind = unicodedata.category(chr(number))
        if kind in SEEN or (kind == "Zs" and chr(number) != " "):
            yield chr(number)


def test_every_invisible_code_point_is_drawn_and_no_two_alike(drawn):
    found = list(invisible())
    page = drawn("".join(f"a{ch}b" for ch in found))
    labels = page.evaluate(
        """() => [...document.querySelectorAll(".inv")].map(each => {
        const s = getComputedStyle(each, "::before");
        return [s.content, parseFloat(s.width), s.visibility, s.display]; })"""
    )
    assert len(labels) == len(found) > 200
    assert len({content for content, *_ in labels}) == len(found)
    assert all(width > 4 and (seen, how) == ("visible", "inline-block") for _, width, seen, how in labels)


@pytest.mark.parametrize("turning", ["\u202e", "\u202d", "\u202b", "\u2067", "\u2066", "\u2068", "\u200f", "\u061c"])
def test_a_direction_control_turns_nothing_round(drawn, turning):
    page = drawn(f"one {turning}two three", "next")
    places = page.evaluate(
        """() => [...document.querySelectorAll(".text")].map(each => {
        const walker = document.createTreeWalker(each, NodeFilter.SHOW_TEXT); const found = [];
        while (walker.nextNode()) for (let at = 0; at < walker.currentNode.length; at++) {
          if (!/[a-z]/.test(walker.currentNode.data[at])) continue;
          const range = document.createRange(); range.setStart(walker.currentNode, at);
          range.setEnd(walker.currentNode, at + 1);
          found.push(range.getBoundingClientRect().left); }
        return found; })"""
    )
    assert [len(each) for each in places] == [11, 4]
    assert all(each == sorted(each) for each in places)
