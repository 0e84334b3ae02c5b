"""In a real browser a text stays on its side, whatever one does to the page."""

from urllib.parse import urlsplit

from tests.browser.conftest import PAIRS, arrive
from tests.browser.test_the_item_page import sign_in


def panels(page):
    """Return where one is and the two texts."""
    return urlsplit(page.url).path, page.locator("[data-panel]").all_text_contents()


def walk(page):
    """Return the panels of every item, one after the other by links."""
    found = []
    for number in range(1, len(PAIRS) + 1):
        arrive(page, number)
        found.append(panels(page))
        if number < len(PAIRS):
            page.get_by_role("link", name="Next").click()
    return dict(found)


def test_reloads_backs_tabs_and_a_restart_of_the_server_never_change_a_side(reviewing, rosa):
    page = rosa.page
    first = walk(page)
    for way in (page.reload, page.go_back, page.reload, page.go_forward, page.reload) * 10:
        way()
        where, shown = panels(page)
        assert shown == first[where]
    for where in list(first) * 3:
        tab = rosa.context.new_page()
        tab.goto(where)
        assert panels(tab) == (where, first[where])
        tab.close()
    reviewing.stop()
    reviewing.serve(port=reviewing.port)
    page.goto(reviewing.origin)
    sign_in(page, "rosa")
    page.goto(f"{reviewing.origin}{next(iter(first))}")
    assert walk(page) == first
