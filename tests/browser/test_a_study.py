"""The whole way in a real browser: review, sign off, adjudicate, close, read the memo."""

import pytest

from tests.house import PROTOCOL, RIGHTS
from tests.walk.script import Scene
from tests.walk.test_whole_way import freeze, prepare, rows_of

SCENES = [
    Scene("word_repetition", "ep-one", "I I want the pen", "I want the pen"),
    Scene("word_repetition", "ep-two", "it is sort of stable today", "it is stable today"),
    Scene("fluent", "ep-one", "she had had enough already", "she had enough already"),
]
SAME = {"label": "no-material-edit"}


@pytest.fixture
def running(evenhand, tmp_path):
    study = prepare(evenhand, tmp_path, rows_of(SCENES), PROTOCOL, RIGHTS)
    freeze(evenhand, study)
    evenhand.serve()
    return evenhand


def code(page, **judgement):
    """Choose an answer on the item page and send it; wait for what comes next."""
    before = page.locator("#item").get_attribute("data-url")
    for name, value in judgement.items():
        page.locator(f'input[name="{name}"][value="{value}"]').check()
    page.get_by_role("button", name="Send and go on").click()
    page.wait_for_function("before => document.querySelector('#item')?.dataset.url !== before", arg=before)


def sign_off(page):
    page.get_by_text("Sign off", exact=True).click()
    page.get_by_role("button", name="I have finished: sign off").click()
    page.get_by_text("Receipt of your sign-off").wait_for()


def review(tab, name, doubtful):
    """Code three items and sign off; `doubtful` says how to code the one that people differ on."""
    found = tab(name)
    page = found.page
    page.get_by_role("link", name="Start").click()
    for number in (1, 2, 3):
        page.wait_for_function("start => document.title.startsWith(start)", arg=f"Item {number} of 3")
        assert page.locator("h1").inner_text() == f"Item {number} of 3"
        texts = {panel: page.locator(f'[data-panel="{panel}"]').text_content() for panel in "AB"}
        code(page, **(doubtful(texts) if "enough" in texts["A"] else SAME))
    sign_off(page)
    return found


def damaged(texts):
    return {"label": "destructive-content", "panel": min(texts, key=lambda p: len(texts[p])), "reason": "content_word"}


def test_three_people_carry_a_study_to_its_memo(running, tab):
    tabs = [review(tab, "rosa", damaged), review(tab, "ravi", lambda _: SAME), tab("ines"), tab("lena")]
    page = tabs[2].page
    page.get_by_role("link", name="Start").click()
    assert page.locator("h1").inner_text() == "Item 1 of 1"
    assert page.get_by_text("Your own judgement first").is_visible()
    page.locator('input[name="label"][value="no-material-edit"]').check()
    page.get_by_role("button", name="Send and see the two reviews").click()
    page.get_by_text("Now the two reviews").wait_for()
    page.locator('input[name="decision"][value="keep"]').check()
    page.get_by_role("button", name="Send and go on").click()
    page.wait_for_url("**/adjudicate")
    sign_off(page)

    page = tabs[3].page
    page.reload()
    page.locator("details.closing summary").click()
    page.get_by_role("button", name="Close the study").click()
    page.wait_for_url("**/results")
    memo = page.locator("main").inner_text()
    assert "PASS" in memo
    assert "no confirmed destructive edit observed in this sample" in memo.lower()
    for each in tabs:
        assert (each.elsewhere, each.faults) == ([], [])


def test_an_item_that_is_withdrawn_while_it_is_open_ends_on_a_calm_page(running, tab):
    page = tab("rosa").page
    page.get_by_role("link", name="Start").click()
    text = page.locator('[data-panel="A"]').text_content()
    number = next(number for number, scene in enumerate(SCENES) if text in {scene.off, scene.on})
    name = rows_of(SCENES)[number]["item_id"]
    running.do("withdraw", "pilot", "--item", name, "--reason", "a participant asked")
    page.locator('input[name="label"][value="no-material-edit"]').check()
    page.get_by_role("button", name="Send and go on").click()
    page.get_by_text("no longer part of the study").wait_for()
    page.get_by_role("link", name="Go to the start page").click()
    page.get_by_role("link", name="Start").click()
    assert page.locator("h1").inner_text() == "Item 1 of 2"


def test_an_item_is_coded_without_javascript(running, tab):
    page = tab("rosa", java_script_enabled=False).page
    page.get_by_role("link", name="Start").click()
    first = page.url
    panel = page.locator('input[name="panel"][value="A"]')
    assert not panel.is_visible()
    page.locator('input[name="label"][value="destructive-content"]').check()
    assert panel.is_visible()
    assert not page.locator('input[name="reason"][value="reversed"]').is_visible()
    page.get_by_role("button", name="Send and go on").click()
    assert "Say which text is damaged." in page.locator("[role=alert]").inner_text()
    panel.check()
    page.locator('input[name="reason"][value="negation"]').check()
    page.get_by_role("button", name="Send and go on").click()
    page.wait_for_url(lambda url: url != first)
    assert page.locator("h1").inner_text() == "Item 2 of 3"


def test_a_draft_is_stored_as_it_is_made_and_survives_a_reload(running, tab):
    page = tab("rosa").page
    page.get_by_role("link", name="Start").click()
    page.locator('input[name="label"][value="unassessable-disputed"]').check()
    page.locator("details.optional summary").click()
    with page.expect_response("**/draft") as draft:
        page.get_by_label("Private note").fill("half a thought")
    assert draft.value.status == 204
    page.reload()
    assert page.locator('input[name="label"][value="unassessable-disputed"]').is_checked()
    assert page.get_by_label("Private note").input_value() == "half a thought"
