"""A study begun with a plan and edited field by field, in a real browser without JavaScript."""

import pytest

from tests.browser.test_a_lead import fits, press
from tests.house import password_of

EDIT = "/lead/studies/begun/protocol/edit"


@pytest.fixture
def page(evenhand, tab):
    evenhand.add_people("rosa")
    evenhand.do("user", "add", "lena", "--lead", "--password-stdin", given=password_of("lena") + "\n")
    evenhand.serve()
    return tab("lena", java_script_enabled=False).page


def test_a_lead_plans_a_study_sees_what_it_costs_and_saves_it(page):
    page.goto("/lead/new")
    page.get_by_label("Id", exact=True).fill("begun")
    page.get_by_label("Title", exact=True).fill("Begun here")
    page.get_by_label("Synthetic").check()
    press(page, "Create it and go on")
    assert page.url.endswith(EDIT)
    assert page.locator(".cost").get_by_text("1 h 20 min").is_visible()

    page.get_by_label("Stratum 5", exact=True).fill("prolongation")
    page.get_by_label("Items of stratum 5").fill("many")
    press(page, "Save the protocol")
    alert = page.get_by_role("alert")
    assert "Row 5 of the strata: expected a whole number" in alert.inner_text()
    alert.get_by_role("link").click()
    assert page.evaluate("document.querySelector(':target').name") == "row.4.number"

    page.get_by_label("Items of stratum 5").fill("40")
    page.get_by_label("Title on pages").press("Enter")  # a slip: it previews, and saves nothing
    page.get_by_text("Nothing is saved yet.").wait_for()
    assert page.locator(".cost .whole").inner_text().split()[:2] == ["All", "200"]
    press(page, "Save the protocol")
    page.get_by_text("Saved.").wait_for()
    assert page.locator(".cost .whole").inner_text().split()[:2] == ["All", "200"]
    assert page.get_by_label("Items of stratum 6").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_editor_fits_every_window(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto("/lead/new")
    page.get_by_label("Id", exact=True).fill("begun")
    page.get_by_label("Title", exact=True).fill("Begun here")
    page.get_by_label("Corpus").check()
    assert fits(page)
    press(page, "Create it and go on")
    page.get_by_text("What this assumes").click()
    assert fits(page)
    page.get_by_label("Its whole effective configuration").fill("{")
    press(page, "Save the protocol")
    assert fits(page)
    page.goto("/lead/studies/begun")
    assert fits(page)
