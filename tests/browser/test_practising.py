"""The practice round by keyboard alone: what came of an answer is read with the focus, and Enter goes on."""

import pytest

from tests.browser.conftest import PAIRS, SIZE
from tests.house import PROTOCOL, RIGHTS, item_rows, practice_row
from tests.walk.test_whole_way import freeze, prepare

ROUND = [practice_row(number) for number in (1, 2)]


@pytest.fixture
def rosa(evenhand, tmp_path, tab):
    rules = PROTOCOL + "[review]\npractice = true\n"
    freeze(evenhand, prepare(evenhand, tmp_path, [*item_rows(PAIRS), *ROUND], rules, RIGHTS))
    evenhand.serve()
    found = tab("rosa", viewport=SIZE)
    found.page.goto("/review/next")
    return found


def arrive(page, title):
    page.wait_for_function("start => document.title.startsWith(start)", arg=title)
    page.wait_for_timeout(350)


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def heading(page):
    """Return what the element with the focus says."""
    return page.evaluate("document.activeElement.textContent").strip()


def test_a_round_by_keyboard_alone(rosa):
    page = rosa.page
    arrive(page, "Practice item 1 of 2")
    press(page, "5", "Enter")
    page.locator(".feedback").wait_for()
    assert heading(page) == "Another answer was expected"
    assert page.evaluate("document.documentElement.scrollHeight") <= SIZE["height"]
    page.wait_for_timeout(350)
    press(page, "Enter")
    arrive(page, "Practice item 2 of 2")
    lost = min("AB", key=lambda name: len(page.locator(f'[data-panel="{name}"]').text_content()))
    press(page, "1", lost.lower(), "Shift+Digit2", "Enter")
    page.locator(".feedback").wait_for()
    assert heading(page) == "As expected"
    page.wait_for_timeout(350)
    press(page, "Enter")
    page.wait_for_url("**/review/practice")
    assert "1 of 2 as expected" in page.locator("main").inner_text()
    assert rosa.faults == []


def test_on_a_small_screen_the_feedback_comes_into_view(rosa):
    page = rosa.page
    page.set_viewport_size({"width": 390, "height": 640})
    arrive(page, "Practice item 1 of 2")
    press(page, "5", "Enter")
    page.locator(".feedback").wait_for()
    page.wait_for_timeout(100)
    top = page.locator(".feedback h2").bounding_box()["y"]
    assert 0 <= top <= 640
