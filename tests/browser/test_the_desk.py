"""A judge's own list, and the adjudicator's second step, in a real browser."""

import re

import pytest

from tests.browser.conftest import PAIRS, SIZE, arrive
from tests.browser.test_the_item_page import choose, walk_to
from tests.browser.test_the_keys import chosen

SAME = {"label": "no-material-edit"}
HARM = {"label": "destructive-content", "panel": "A", "reason": ["hedge", "qualifier"], "group": "interjection"}
DECISIONS = ("keep", "change", "unresolved")


def judge_all(evenhand, name, said):
    person = evenhand.visit(name)
    while (found := person.next_page()) is not None:
        assert person.answer(found[1], **said).status_code == 303
    assert person.sign_off().status_code == 303


@pytest.fixture
def differing(reviewing):
    """Two reviewers who differ on every pair."""
    judge_all(reviewing, "rosa", SAME)
    judge_all(reviewing, "ravi", HARM)
    return reviewing


@pytest.fixture
def ines(differing, tab):
    """The adjudicator's tab at the second step of the first item."""
    found = tab("ines", viewport=SIZE)
    found.page.get_by_role("link", name="Start").click()
    arrive(found.page, 1)
    second(found.page)
    return found


def second(page):
    """Give the own judgement by keys; wait for the second step."""
    page.keyboard.press("6")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=re.compile("the two reviews")).wait_for()
    page.wait_for_timeout(300)


def decided(page):
    return page.evaluate("document.querySelector('[name=decision]:checked')?.value ?? null")


def posts(page):
    seen = []
    sent = ("decision", "unresolved_reason", "label", "panel")
    page.on(
        "request",
        lambda r: seen.append(
            dict(each.split("=", 1) for each in r.post_data.split("&") if each.partition("=")[0] in sent)
            if r.method == "POST" and not r.url.endswith("/draft")
            else None
        ),
    )
    return seen


def answers(seen):
    return [each for each in seen if each is not None]


# The second step


def test_the_own_judgement_leads_to_the_second_step_of_the_same_item_wherever_one_begins(differing, tab):
    page = tab("ines", viewport=SIZE).page
    page.goto("/adjudicate/next")
    page.get_by_role("link", name="Next item", exact=True).click()
    arrive(page, 2)
    before = page.url
    second(page)
    assert page.url == before
    assert page.title().startswith("Item 2 of 3, second step")
    assert page.evaluate("document.activeElement.id") == "item-heading"


def test_enter_does_nothing_until_a_decision_is_chosen(ines):
    page, seen = ines.page, posts(ines.page)
    for press in ("Enter", "Control+Enter"):
        page.keyboard.press(press)
    page.locator("[name=decision]").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert (answers(seen), decided(page)) == ([], None)
    assert page.locator("#item.settling").count() == 1


@pytest.mark.parametrize(
    ("presses", "sent"),
    [
        (["m"], {"decision": "keep"}),
        (["u", "Shift+Digit3"], {"decision": "unresolved", "unresolved_reason": "needs_policy"}),
        (["c", "5"], {"decision": "change", "label": "benign-retention"}),
        (["c", "1", "b", "Shift+Digit2"], {"decision": "change", "label": "destructive-content", "panel": "B"}),
    ],
)
def test_each_decision_is_taken_by_keys_alone(ines, presses, sent):
    page, seen = ines.page, posts(ines.page)
    for press in [*presses, "Enter"]:
        page.keyboard.press(press)
    arrive(page, 2)
    (given,) = answers(seen)
    assert sent.items() <= given.items()


def test_keys_of_the_answer_do_nothing_unless_the_judgement_is_changed(ines):
    page = ines.page
    for press in ("1", "a", "Shift+Digit1"):
        page.keyboard.press(press)
    assert chosen(page) == SAME  # the own judgement, still
    assert decided(page) is None
    page.keyboard.press("m")
    page.keyboard.press("1")
    assert chosen(page) == SAME
    page.keyboard.press("c")
    page.keyboard.press("1")
    assert chosen(page) == {"label": "destructive-content"}


def test_while_somebody_types_no_key_decides(ines):
    page = ines.page
    page.keyboard.press("c")
    page.keyboard.press("n")
    page.keyboard.type("much to come")
    assert page.get_by_label("Private note").input_value() == "much to come"
    assert decided(page) == "change"


def test_the_keys_stand_on_the_controls_and_in_the_list_of_keys(ines):
    page = ines.page
    shown = {
        each.get_attribute("value"): each.get_attribute("aria-keyshortcuts")
        for each in page.locator("[name=decision]").all()
    }
    assert shown == {"keep": "M", "change": "C", "unresolved": "U"}
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys").get_by_text("keep my first judgement").is_visible()


def test_a_reviewer_has_no_keys_to_settle(rosa):
    page = rosa.page
    for press in "mcu":
        page.keyboard.press(press)
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys").is_visible()
    assert not page.get_by_text("keep my first judgement").is_visible()


def test_the_second_step_of_40_words_needs_no_scrolling_and_nothing_jumps_from_decision_to_decision(ines):
    page, places = ines.page, set()
    if "garden centre" not in page.locator('[data-panel="A"]').text_content():
        walk_to(page, "garden centre")
        arrive(page, int(page.title().split()[1]))
        second(page)
    for decision in (None, *DECISIONS):
        if decision:
            choose(page, decision=decision)
        places.update(
            (each, str(page.locator(each).bounding_box()))
            for each in ('[data-panel="A"]', ".reviews", "[name=decision] >> nth=0", ".send .primary")
        )
        assert page.evaluate("document.documentElement.scrollHeight") <= SIZE["height"], decision
    for label in range(7):
        choose(page, decision="change")
        page.locator("[name=label]").nth(label).check()
        assert page.evaluate("document.documentElement.scrollHeight") <= SIZE["height"], label
    assert len(places) == 4


def test_only_what_the_decision_needs_is_shown(ines):
    page = ines.page
    parts = {"judgement": page.locator(".judgement"), "why": page.locator("#field-unresolved_reason")}
    seen = {}
    for decision in DECISIONS:
        choose(page, decision=decision)
        seen[decision] = [name for name, part in parts.items() if part.is_visible()]
    assert seen == {"keep": [], "change": ["judgement"], "unresolved": ["why"]}
    choose(page, decision="change")
    needs = {}
    for label in ("no-material-edit", "safe-cleanup", "unassessable-disputed"):
        choose(page, label=label)
        needs[label] = (page.locator("#field-panel").is_visible(), page.locator(".reasons:visible").count())
    assert needs == {"no-material-edit": (False, 0), "safe-cleanup": (True, 0), "unassessable-disputed": (False, 1)}


def test_without_javascript_the_second_step_shows_the_same_and_is_taken(differing, tab):
    page = tab("ines", java_script_enabled=False).page
    page.get_by_role("link", name="Start").click()
    where = page.url
    page.locator('[name=label][value="no-material-edit"]').check()
    page.get_by_role("button", name="Send and see the two reviews").click()
    assert page.url == where
    assert page.get_by_text("Now the two reviews").is_visible()
    assert not page.locator(".judgement").is_visible()
    page.locator('[name=decision][value="unresolved"]').check()
    page.get_by_role("button", name="Send and go on").click()
    assert "Say why it cannot be settled." in page.locator("[role=alert]").inner_text()
    page.locator('[name=unresolved_reason][value="codebook_unclear"]').check()
    page.get_by_role("button", name="Send and go on").click()
    page.wait_for_url(lambda url: url != where)
    assert page.locator("h1").inner_text() == "Item 2 of 3"


# The own list


def test_the_list_is_narrowed_and_searched_and_no_word_enters_an_address(reviewing, tab):
    found = tab("rosa", viewport=SIZE)
    page = found.page
    page.get_by_label("Words in a text").fill("SORT of")
    page.keyboard.press("Enter")
    page.get_by_text("1 item found").wait_for()
    assert page.locator(".entries li").count() == 1
    assert page.url.endswith("/review")
    assert page.get_by_label("Words in a text").input_value() == "SORT of"
    page.locator(".entries a").click()
    arrive(page, int(page.title().split()[1]))
    assert "sort of" in page.locator(".panels").text_content()
    page.keyboard.press("f")
    page.locator(".flagged").wait_for()
    page.goto("/review")
    page.get_by_label("Flagged").check()
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url("**/review?show=flagged")
    assert page.locator(".entries li").count() == 1
    page.get_by_role("link", name="Show all").click()
    page.wait_for_url("**/review")
    assert page.locator(".entries li").count() == len(PAIRS)
    assert (found.elsewhere, found.faults) == ([], [])


@pytest.mark.parametrize("script", [True, False], ids=["with a script", "without"])
def test_a_search_works_with_and_without_javascript(reviewing, tab, script):
    page = tab("rosa", java_script_enabled=script).page
    page.get_by_label("Words in a text").fill("no such words")
    page.get_by_role("button", name="Show", exact=True).click()
    assert page.get_by_text("No item found.").is_visible()
    assert page.locator(".entries").count() == 0


def test_a_receipt_is_checked_from_the_list(reviewing, tab):
    judge_all(reviewing, "rosa", SAME)
    page = tab("rosa").page
    digest = page.locator(".digest").inner_text()
    page.get_by_role("link", name="Check it now").click()
    assert page.locator(".digest").inner_text() == digest
    assert page.get_by_text("Yes: the answers as they are stored give this digest.").is_visible()


def test_the_sign_off_lists_what_is_left_and_flagged_and_needs_a_second_deliberate_act(reviewing, tab):
    page = tab("rosa", viewport=SIZE).page
    page.goto("/review/next")
    arrive(page, 1)
    page.keyboard.press("6")
    page.keyboard.press("f")
    page.locator(".flagged").first.wait_for()
    page.get_by_text("Saved, not sent").wait_for()
    page.goto("/review")
    confirm = page.get_by_role("button", name="I have finished: sign off")
    assert not confirm.is_visible()
    page.locator(".signing summary").click()
    told = page.locator(".signing").inner_text()
    for words in ("3 of 3 are unanswered", "1 has something that you entered and did not send", "You flagged 1"):
        assert words in told
    confirm.click()
    assert page.get_by_role("alert").is_visible()
    assert page.locator(".receipt").count() == 0
