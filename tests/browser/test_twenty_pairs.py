"""Twenty pairs at the edges, coded by keys alone: each has one answer, in as few presses as promised."""

import json
import shutil
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from app.domain import codebook
from tests.browser.conftest import SIZE
from tests.house import PROTOCOL, RIGHTS, item_rows
from tests.server import Evenhand
from tests.walk.test_whole_way import freeze, prepare

EDGES = json.loads((Path(__file__).parents[1] / "fixtures" / "edge_pairs.json").read_text(encoding="utf-8"))
PRESSES = {"no-material-edit": 2, "benign-retention": 2, "safe-cleanup": 3, "unassessable-disputed": 3}
DAMAGE = 4
ANSWERED = ("label", "panel", "also", "reason")


@pytest.fixture(scope="module")
def edges(tmp_path_factory):
    """Return the folder of a store with all edge pairs, each seen by people."""
    folder = tmp_path_factory.mktemp("edges")
    rows = item_rows([("word_repetition", "ep-one", pair["a"], pair["b"]) for pair in EDGES])
    for row, pair in zip(rows, EDGES, strict=True):
        row["semantic_reference"] = pair["reference"]
        if pair["reference"] is None:
            del row["semantic_reference"]
    with pytest.MonkeyPatch.context() as patch:
        house = Evenhand(folder / "store", patch)
        rules = PROTOCOL + '[review]\nidentical_pairs = "review"\n'
        freeze(house, prepare(house, folder, rows, rules, RIGHTS))
    return house.folder


@pytest.fixture
def rosa(evenhand, edges, tab):
    shutil.copytree(edges, evenhand.folder)
    evenhand.serve()
    page = tab("rosa", viewport=SIZE).page
    page.goto("/review/next")
    return page


def arrived(page, number):
    page.wait_for_function("start => document.title.startsWith(start)", arg=f"Item {number} of {len(EDGES)}")
    page.wait_for_timeout(300)


def shown(page):
    """Return the edge pair that is shown, and the panel of each of its texts."""
    texts = {panel: page.locator(f'[data-panel="{panel}"]').text_content() for panel in "AB"}
    pair = next(pair for pair in EDGES if {pair["a"], pair["b"]} == set(texts.values()))
    return pair, {each: next(panel for panel, text in texts.items() if text == pair[each]) for each in "ab"}


def told(answer, panels):
    """Return an edge pair's answer in terms of the panels."""
    return answer | {"panel": panels.get(answer["panel"], answer["panel"])}


def keys(answer):
    """Return the presses that give an answer, before Enter; reasons of damage in the other text have no key."""
    chosen = codebook.label(answer["label"])
    yield str(codebook.LABEL_KEYS.index(chosen.key) + 1)
    yield from {"A": "a", "B": "b", "both": "ab", None: ""}[answer["panel"]]
    for number, reason in enumerate(chosen.reasons, start=1):
        if reason.key in answer["reason"]:
            yield f"Shift+Digit{number}"


def press(page, answer):
    """Give an answer by keys; return how many presses it took, Enter with them."""
    pressed = list(keys(answer))
    for each in pressed:
        page.keyboard.press(each)
    if answer["also"]:
        for selector in (
            f'[name="also"][value="{answer["also"]}"]',
            f'[name="reason"][value="{answer["reason"][-1]}"]',
        ):
            page.locator(selector).focus()
            page.keyboard.press("Space")
        page.locator("h1").focus()
    page.keyboard.press("Enter")
    return len(pressed) + 1


def sent(page):
    """Collect what is sent as answers from now on."""
    found = []

    def keep(request):
        if request.method == "POST" and not request.url.endswith("/draft"):
            fields = parse_qs(request.post_data)
            found.append({name: fields.get(name, []) for name in ANSWERED})

    page.on("request", keep)
    return found


def test_twenty_edge_pairs_are_coded_by_keys_alone_each_in_the_promised_number_of_presses(rosa):
    answers, coded = sent(rosa), []
    for number in range(1, len(EDGES) + 1):
        arrived(rosa, number)
        pair, panels = shown(rosa)
        wanted = told(pair["answer"], panels)
        taken = press(rosa, wanted)
        more = max(len(wanted["reason"]) - 1, 0) + (wanted["panel"] == "both") - bool(wanted["also"])
        assert taken - more == PRESSES.get(wanted["label"], DAMAGE), pair["name"]
        coded.append(wanted)
    rosa.get_by_text("All answered").wait_for()
    assert [(each["label"], each["panel"], each["also"], sorted(each["reason"])) for each in answers] == [
        (
            [each["label"]],
            [each["panel"]] * bool(each["panel"]),
            [each["also"]] * bool(each["also"]),
            sorted(each["reason"]),
        )
        for each in coded
    ]


def test_the_real_form_takes_no_other_answer_of_a_pair_that_is_the_same(rosa):
    arrived(rosa, 1)
    while (pair := shown(rosa)[0])["a"] != pair["b"]:
        before = rosa.title()
        rosa.get_by_role("link", name="Next").click()
        rosa.wait_for_function("before => document.title !== before", arg=before)
    rosa.wait_for_timeout(300)
    for presses in (["4", "a"], ["5"], ["1", "a", "Shift+Digit1"]):
        with rosa.expect_response(lambda answer: answer.request.method == "POST" and answer.status == 422):
            for each in (*presses, "Enter"):
                rosa.keyboard.press(each)
        rosa.get_by_role("alert").wait_for()
        rosa.wait_for_timeout(300)  # a new form takes no key at once
    assert rosa.locator('[name="label"]:checked').get_attribute("data-n") == "1"


def test_safe_cleanup_never_offers_both(rosa):
    arrived(rosa, 1)
    rosa.keyboard.press("1")
    assert rosa.locator('[name="panel"][value="both"]').is_visible()
    rosa.keyboard.press("4")
    assert rosa.locator('[name="panel"]:visible').count() == 2
    for each in "ab":
        rosa.keyboard.press(each)
    assert rosa.locator('[name="panel"]:checked').input_value() == "B"
