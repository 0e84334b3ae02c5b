"""The whole way in a real browser: review, sign off, adjudicate, close, read the memo."""

import pytest

from tests.house import PROTOCOL, RIGHTS, jsonl
from tests.walk.test_whole_way import freeze, prepare, rows_of
from tests.walk.script import Scene

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
    page.get_by_role("button", name="Send and go on").click()
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
