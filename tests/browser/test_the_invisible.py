"""What cannot be seen is drawn, each its own way, and turns nothing round."""

import sys
import unicodedata
from types import SimpleNamespace

import pytest

from app.config import resource
from app.domain.difference import difference
from app.domain.text import runs
from app.report.html import environment
from app.web import showing

SEEN = ("Cc", "Cf", "Zl", "Zp")
PAIR = """{% from "_macros.html" import difference_row, segments %}<!doctype html>
<link rel="stylesheet" href="/app.css"><div class="panels">{% for side in (found.a, found.b) %}<section class="panel">
<div class="text" dir="auto">{{ segments(side) }}</div></section>{% endfor %}</div>
<ul class="differences">{% for row in found.rows %}<li>{{ difference_row(row, runs) }}</li>{% endfor %}</ul>"""
ITEM = """<!doctype html><link rel="stylesheet" href="/app.css">{% include "judge/_pair.html" %}"""
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

    def show(*texts, compared=False, whole=False):
        told = {"found": difference(*texts)} if compared else {"texts": texts}
        if whole:
            rest = {
                "audio": None,
                "references": (),
                "lang": None,
                "highlight": True,
                "unreferred": False,
                "identical": len({*texts}) == 1,
            }
            item = SimpleNamespace(text_a=texts[0], text_b=texts[1], **rest)
            told = {"item": item, **showing.pair(item)}
        template = ITEM if whole else PAIR if compared else PANEL
        shown["html"] = environment().from_string(template).render(**{"runs": runs, **told})
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


UNSEEN, ALIKE = "differ only in what cannot be seen", "differ only in characters that look alike"


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ("we co\u00adoperate", "we cooperate", UNSEEN),
        ("cafe\u0301 is open", "caf\u00e9 is open", UNSEEN),
        (
            "a \u0440\u0435n",
            "a pen",
            f"{ALIKE}: latin small letter e and cyrillic small letter ie; latin small letter p",
        ),
        ("it\u2019s mine", "it's mine", f"{ALIKE}: apostrophe and right single quotation mark."),
        ("a pen", "a ten", None),
        ("a pen", "a pen", None),
    ],
)
def test_a_badge_says_when_two_texts_that_differ_look_the_same_and_not_which_is_which(drawn, a, b, told):
    badges = []
    for pair in ((a, b), (b, a)):
        page = drawn(*pair, whole=True)
        assert page.locator("[data-panel]").all_text_contents() == list(pair)
        badges.append(page.locator(".badge").all_inner_texts())
    assert badges[0] == badges[1]
    assert len(badges[0]) == (told is not None)
    assert told is None or told in badges[0][0]


WHOLE = [
    ("it costs $2m now", "it costs $4m now"),
    ("don't open it", "do open it"),
    ("the family 👨‍👩‍👧‍👦 came", "the family 👩‍👩‍👧 came"),
    ("a flag 🇨🇭 here", "a flag 🇨🇦 here"),
    ("cafe\u0301 is open", "cafe is open"),
    ("אני רוצה את העט", "אני אני רוצה את העט"),
    ("he said שלום to us", "he said שלום שלום to us"),
    ("नमस्ते जी", "नमस्कार जी"),
]
CUT = """() => [...document.querySelectorAll(".text")].flatMap(side => {
  const edges = new Set([side.textContent.length]);
  const parts = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(side.textContent);
  for (const each of parts) edges.add(each.index);
  return [...side.querySelectorAll("mark")].flatMap(mark => {
    const before = document.createRange(); before.setStart(side, 0); before.setEndBefore(mark);
    const start = before.toString().length;
    return [start, start + mark.textContent.length].filter(at => !edges.has(at)); }); })"""


@pytest.mark.parametrize(("a", "b"), WHOLE)
def test_marks_cut_no_character_and_no_word_in_two_and_the_texts_stay_as_they_are(drawn, a, b):
    page = drawn(a, b, compared=True)
    assert page.locator(".text").all_text_contents() == [a, b]
    assert page.evaluate(CUT) == []
    marks = [each.strip() for each in page.locator("mark").all_text_contents()]
    assert marks
    assert all(mark in a.split() + b.split() or " " in mark for mark in marks)


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ("so um the pen", "so the pen", "A: um; B: nothing here; after: so"),
        ("yes, it works", "yes it works", "punctuation only"),
        ("Now we go", "now we go", "upper and lower case only"),
        ("we left  early", "we left early", "white space only"),
        ("a \u0440en here", "a pen here", "characters that look alike"),
        ("we co\u00adoperate", "we cooperate", "invisible characters only"),
    ],
)
def test_each_difference_is_a_row_that_says_what_differs(drawn, a, b, told):
    rows = [" ".join(row.split()) for row in drawn(a, b, compared=True).locator(".differences li").all_text_contents()]
    assert len(rows) == 1
    assert told in rows[0]
    mirrored = drawn(b, a, compared=True).locator(".differences li").all_text_contents()
    assert len(mirrored) == 1


def test_every_gap_has_the_same_width_whatever_is_missing(drawn):
    pairs = [("so um the pen", "so the pen"), ("a b c d e f", "a f"), ("one", "one two three four five six")]
    widths = [drawn(*pair, compared=True).locator(".gap").bounding_box()["width"] for pair in pairs]
    assert len(set(widths)) == 1


@pytest.mark.parametrize(("a", "b"), [("the the the pen", "the the pen"), ("no no no more", "no more")])
def test_a_tie_is_settled_the_same_way_when_the_panels_are_exchanged(drawn, a, b):
    looks = [
        drawn(*pair, compared=True).locator(".text").evaluate_all("all => all.map(e => e.innerHTML)")
        for pair in ((a, b), (b, a))
    ]
    assert looks[0] == looks[1][::-1]
