"""What a page must not tell, in a real browser: which text is which, what others do, who reviewed."""

import pytest

from app.store.migrate import open_store
from tests.blinding.test_before_the_close import exchange_reviewers
from tests.browser.conftest import PAIRS, SIZE, arrive
from tests.browser.test_the_desk import HARM, SAME, judge_all, second
from tests.browser.test_the_item_page import walk_to

# All that a page holds, but for what stands in the panels and is said of them, and the random key of a form.
REST = """() => { const page = document.documentElement.cloneNode(true);
  for (const each of page.querySelectorAll("[data-panel], #differences")) each.textContent = "";
  for (const each of page.querySelectorAll("[name=key], [name=csrf]")) each.setAttribute("value", "");
  return page.outerHTML; }"""
PANEL = """name => { const text = document.querySelector(`[data-panel="${name}"]`);
  const room = text.getBoundingClientRect();
  const marks = [...text.querySelectorAll("mark, .gap")].map(each => { const at = each.getBoundingClientRect();
    return [each.className, at.x - room.x, at.y - room.y, at.width, at.height, getComputedStyle(each).background]; });
  return [text.innerHTML, text.lang, text.dir, room.width, room.height, getComputedStyle(text).font, marks]; }"""


def beneath(evenhand, change):
    """Change the store beneath the running server, as no command does."""
    store = open_store(evenhand.folder)
    change(store)
    store.close()


def turn(store):
    with store.write() as connection:
        connection.exec_driver_sql("update slot set on_panel = case on_panel when 'A' then 'B' else 'A' end")


def seen(page):
    rows = page.locator("#differences li").all_text_contents()
    return {each: page.evaluate(PANEL, each) for each in "AB"}, rows, page.evaluate(REST)


def mirrored(row):
    """Return a row of the differences as it reads with the panels exchanged."""
    a, b, *rest = row.split("; ")
    return "; ".join([b.replace("B: ", "A: "), a.replace("A: ", "B: "), *rest])


@pytest.mark.parametrize("words", ["garden centre", "stable today", "had enough"])
def test_swapping_the_panels_gives_the_exact_mirror_page(reviewing, rosa, words):
    page = rosa.page
    walk_to(page, words)
    page.reload()
    page.wait_for_load_state("networkidle")
    panels, rows, rest = seen(page)
    pictures = [page.locator(f'[data-panel="{each}"]').screenshot() for each in "AB"]
    beneath(reviewing, turn)
    page.reload()
    page.wait_for_load_state("networkidle")
    assert panels["A"][0] != panels["B"][0]
    assert rows
    mirror = {"A": panels["B"], "B": panels["A"]}
    assert seen(page) == (mirror, [mirrored(row) for row in rows], rest)
    assert [page.locator(f'[data-panel="{each}"]').screenshot() for each in "BA"] == pictures


PRESSED = "() => { const e = document.activeElement; return [e.tagName, e.name ?? '', e.value ?? '', e.id]; }"
CHOSEN = (
    "all => all.map(each => each.name || each.parentElement.name).filter(each => !['also', 'severity'].includes(each))"
)


def tabbed(page):
    """Return where the focus goes from the answers on."""
    page.locator('[name="label"]').first.focus()
    places = [page.evaluate(PRESSED)]
    for _ in range(8):
        page.keyboard.press("Tab")
        places.append(page.evaluate(PRESSED))
    return places


def test_no_item_has_an_answer_chosen_or_a_focus_and_sides_change_no_order_of_controls(reviewing, rosa):
    page, orders = rosa.page, []
    for look in range(2):
        for number in range(1, len(PAIRS) + 1):
            page.goto("/review")
            page.locator(".entries a").nth(number - 1).click()
            arrive(page, number)
            assert page.evaluate("document.activeElement.tagName") == "BODY"
            assert page.locator("#item :checked").evaluate_all(CHOSEN) == []
            orders.append(tabbed(page))
        if not look:
            beneath(reviewing, turn)
    assert orders[: len(PAIRS)] == orders[len(PAIRS) :]


def test_a_reviewers_pages_are_the_same_whether_the_other_has_finished_or_not(reviewing, rosa):
    page, before = rosa.page, []
    for _ in range(2):
        found = []
        for where in ("/review", "/review/next", "/guide"):
            page.goto(where)
            page.wait_for_load_state("networkidle")
            found.append((page.title(), page.evaluate(REST), page.locator(".panels").all_inner_texts()))
        before.append(found)
        if len(before) == 1:
            judge_all(reviewing, "ravi", HARM)
    assert before[0] == before[1]


def test_the_adjudicators_page_is_the_same_when_the_two_reviewers_are_exchanged(reviewing, tab):
    judge_all(reviewing, "rosa", SAME)
    judge_all(reviewing, "ravi", HARM)
    page = tab("ines", viewport=SIZE).page
    page.goto("/adjudicate/next")
    arrive(page, 1)
    second(page)
    page.reload()
    first = page.locator(".reviews").inner_text(), seen(page)
    assert "rosa" not in first[0]
    assert "ravi" not in first[0]
    beneath(reviewing, exchange_reviewers)
    page.reload()
    assert (page.locator(".reviews").inner_text(), seen(page)) == first
