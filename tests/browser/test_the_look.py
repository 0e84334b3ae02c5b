"""What a system or an account asks of a page: larger text, forced colours, less motion, and paper."""

import pytest

from tests.browser.conftest import SIZE, arrive
from tests.browser.test_the_item_page import choose, walk_to


@pytest.fixture
def started(reviewing, tab):
    """Open a reviewer's tab at the first item, as some system shows it."""

    def begin(**system):
        page = tab("rosa", viewport=SIZE, **system).page
        page.goto("/review/next")
        arrive(page, 1)
        return page

    return begin


def test_large_text_is_kept_and_a_short_pair_still_fits_the_window(started):
    page = started()
    page.goto("/account")
    page.get_by_label("Large", exact=True).check()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("It holds wherever you sign in").wait_for()
    page.goto("/review/next")
    walk_to(page, "stable today")
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "18px"
    for label in page.locator('[name="label"]').all():
        label.check()
        assert page.evaluate("document.documentElement.scrollHeight") <= SIZE["height"]


def test_in_forced_colours_marks_choices_and_focus_are_still_told_apart(started):
    page = started(forced_colors="active")
    walk_to(page, "stable today")
    marked, plain, gap = page.evaluate(
        """() => [".panels mark", ".panel", ".panels .gap"]
        .map(each => getComputedStyle(document.querySelector(each)).backgroundColor)"""
    )
    assert marked == gap != plain
    choose(page, label="benign-retention")
    borders = page.locator(".groups .card").evaluate_all("all => all.map(each => getComputedStyle(each).borderWidth)")
    assert sorted(borders) == ["1px"] * 6 + ["2px"]
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    ring = "() => getComputedStyle(document.activeElement.closest('.card')).outlineStyle"
    assert page.evaluate(ring) == "solid"


@pytest.mark.parametrize(("asked", "lasts"), [("reduce", "0s"), ("no-preference", "0.12s")])
def test_who_asks_for_less_motion_sees_none(started, asked, lasts):
    page = started(reduced_motion=asked)
    assert (
        page.locator(".groups .card").first.evaluate("each => getComputedStyle(each).transitionDuration.split(', ')[0]")
        == lasts
    )


def test_the_guide_prints_without_navigation_and_in_black_on_white_whatever_the_screen_shows(started):
    page = started(color_scheme="dark")
    page.goto("/guide")
    page.emulate_media(media="print", color_scheme="dark")
    assert [
        each for each in (".top", ".contents", ".skip", ".for-screen") if page.locator(each).first.is_visible()
    ] == []
    assert page.locator("#path, #answers, #edges").evaluate_all("all => all.every(each => each.checkVisibility())")
    look = "each => [getComputedStyle(each).color, getComputedStyle(document.documentElement).backgroundColor]"
    assert page.locator("h1").evaluate(look) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
