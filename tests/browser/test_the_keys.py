"""Judging by keys alone: how few they are, by what they go, and when they do nothing."""

import pytest

from app.domain.codebook import LABEL_KEYS
from tests.browser.conftest import SIZE, arrive

CONTENT, CORRECTION, STRUCTURE, SAFE, RETAINED, SAME, CANNOT = LABEL_KEYS


def chosen(page):
    """Return what the form would send of an answer."""
    names = ["label", "panel", "also", "reason"]
    script = "names => names.map(n => [...document.querySelectorAll(`[name=${n}]:checked`)].map(e => e.value).join())"
    return dict(pair for pair in zip(names, page.evaluate(script, names), strict=True) if pair[1])


def key(page, code, printed, *, on="document.body", **more):
    """Press a key of some layout: `code` is its place, `printed` what is printed on it."""
    said = {"key": printed, "code": code, "bubbles": True, "cancelable": True} | more
    page.evaluate(f"said => ({on}).dispatchEvent(new KeyboardEvent('keydown', said))", said)


@pytest.mark.parametrize(
    ("presses", "sent"),
    [
        (["6", "Enter"], f"label={SAME}"),
        (["5", "Enter"], f"label={RETAINED}"),
        (["4", "a", "Enter"], f"label={SAFE}&panel=A"),
        (["7", "Shift+Digit1", "Enter"], f"label={CANNOT}&reason=source_ambiguous"),
        (["1", "b", "Shift+Digit2", "Enter"], f"label={CONTENT}&panel=B&also=&reason=negation"),
    ],
)
def test_an_answer_takes_so_few_presses(rosa, presses, sent):
    page, posted = rosa.page, []
    page.on(
        "request", lambda r: posted.append(r.post_data) if r.method == "POST" and not r.url.endswith("draft") else None
    )
    for press in presses:
        page.keyboard.press(press)
    arrive(page, 2)
    fields = [each for each in posted[0].split("&") if each.partition("=")[0] in {"label", "panel", "also", "reason"}]
    assert "&".join(each for each in fields if each != "also=") == sent.replace("also=&", "")
    assert page.evaluate("document.activeElement.textContent") == "Item 2 of 3"


@pytest.mark.parametrize("send", ["Enter", "Control+Enter"])
def test_after_a_flag_the_answer_is_sent_and_the_flag_stays(rosa, send):
    page = rosa.page
    page.keyboard.press("f")
    page.locator(".flagged").wait_for()
    page.keyboard.press("6")
    if send == "Control+Enter":
        page.locator('[data-act="flag"]').focus()
    page.keyboard.press(send)
    arrive(page, 2)
    page.goto("/review?show=flagged&answer=no-material-edit")
    assert page.locator(".entries a").count() == 1


def test_a_and_b_are_switches_and_both_is_a_then_b(rosa):
    page, seen = rosa.page, []
    page.keyboard.press("1")
    for press in "abab":
        page.keyboard.press(press)
        seen.append(chosen(page).get("panel"))
    assert seen == ["A", "both", "B", None]
    page.keyboard.press("4")
    for press in "ab":
        page.keyboard.press(press)
    assert chosen(page) == {"label": SAFE, "panel": "B"}


def test_digits_go_by_their_place_and_letters_by_what_is_printed(rosa):
    page = rosa.page
    key(page, "Digit1", "&")  # AZERTY
    assert chosen(page) == {"label": CONTENT}
    key(page, "KeyQ", "a")  # AZERTY
    assert chosen(page)["panel"] == "A"
    key(page, "KeyN", "b")  # Dvorak
    assert chosen(page)["panel"] == "both"
    key(page, "KeyA", "q")  # AZERTY: the place of A is not A
    assert chosen(page)["panel"] == "both"
    key(page, "KeyA", "ф")  # a Cyrillic layout prints no Latin letters
    assert chosen(page)["panel"] == "B"
    key(page, "Numpad7", "7")
    assert chosen(page)["label"] == CANNOT
    key(page, "Numpad1", "End")  # the keypad as arrows
    assert chosen(page)["label"] == CANNOT
    key(page, "Digit2", "2", shiftKey=True)
    assert chosen(page)["reason"] == "reference_missing"


@pytest.mark.parametrize(
    "held", [{"ctrlKey": True}, {"altKey": True}, {"metaKey": True}, {"isComposing": True}, {"repeat": True}]
)
def test_a_key_that_is_held_or_belongs_to_the_browser_answers_nothing(rosa, held):
    key(rosa.page, "Digit6", "6", **held)
    assert chosen(rosa.page) == {}


def test_no_key_acts_while_somebody_types_but_ctrl_enter(rosa):
    page = rosa.page
    page.keyboard.press("6")
    page.keyboard.press("n")
    page.keyboard.type("1 a b f p? 7")
    page.keyboard.press("Enter")
    assert page.get_by_label("Private note").input_value() == "1 a b f p? 7\n"
    assert chosen(page) == {"label": SAME}
    assert not page.locator(".flagged").is_visible()
    page.keyboard.press("Control+Enter")
    arrive(page, 2)


def test_on_a_focused_control_arrows_space_and_enter_do_what_they_always_do(rosa):
    page = rosa.page
    page.locator(f'[value="{CONTENT}"]').focus()
    page.keyboard.press("ArrowDown")
    assert chosen(page) == {"label": CORRECTION}
    page.locator('[name="panel"][value="A"]').focus()
    page.keyboard.press("Space")
    assert chosen(page)["panel"] == "A"
    page.locator('[value="reversed"]').focus()
    page.keyboard.press("Space")
    assert chosen(page)["reason"] == "reversed"
    page.locator("#more summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#more").get_attribute("open") == ""
    page.locator('[data-act="note"]').focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.name") == "note"
    assert page.locator("h1").inner_text() == "Item 1 of 3"


def test_a_key_within_a_quarter_of_a_second_of_a_new_item_answers_nothing(rosa):
    page = rosa.page
    page.evaluate(
        """() => document.addEventListener("evenhand:item", () => setTimeout(() => document.body.dispatchEvent(
        new KeyboardEvent("keydown", { key: "6", code: "Digit6", bubbles: true })), 100))"""
    )
    page.keyboard.press("6")
    page.keyboard.press("Enter")
    arrive(page, 2)
    assert chosen(page) == {}
    page.keyboard.press("6")
    assert chosen(page) == {"label": SAME}


def test_moving_flagging_and_the_list_of_keys(rosa):
    page = rosa.page
    page.keyboard.press("6")
    page.keyboard.press("Enter")
    arrive(page, 2)
    page.keyboard.press("f")
    page.locator(".flagged").wait_for()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    assert keys.is_visible()
    page.keyboard.press("6")
    assert chosen(page) == {}
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    assert page.evaluate("document.activeElement.id") == "differences"
    with page.expect_popup() as guide:
        page.keyboard.press("g")
    assert guide.value.url.endswith("/guide")
    page.keyboard.press("p")
    arrive(page, 1)
    assert chosen(page) == {"label": SAME}


def test_the_keys_of_the_recording_tell_the_player(rosa):
    page = rosa.page
    page.evaluate("() => { window.told = []; document.addEventListener('evenhand:audio', e => told.push(e.detail)); }")
    for press in "kjl":
        page.keyboard.press(press)
    assert page.evaluate("told") == ["toggle", "back", "forward"]


def test_switched_off_no_key_answers_and_none_is_shown(reviewing, tab):
    page = tab("rosa", viewport=SIZE).page
    page.goto("/account")
    page.get_by_label("Single keys choose answers").uncheck()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("It holds wherever you sign in").wait_for()
    page.goto("/review/next")
    arrive(page, 1)
    page.keyboard.press("6")
    assert chosen(page) == {}
    assert page.locator(".key:visible").count() == 0
    assert page.get_by_role("button", name="Keys").count() == 0


def test_who_has_no_scripts_is_told_of_no_key(reviewing, tab, rosa):
    assert rosa.page.locator("[aria-keyshortcuts]").count() > 20
    rosa.page.keyboard.press("6")
    rosa.page.keyboard.press("Enter")
    arrive(rosa.page, 2)
    assert rosa.page.locator('[data-act="send"][aria-keyshortcuts="Enter"]').count() == 1
    page = tab("ravi", java_script_enabled=False).page
    page.goto("/review/next")
    assert page.locator("[data-keys]").count() > 20
    assert page.locator("[aria-keyshortcuts]").count() == 0


LAYOUTS = {  # what is printed on the keys that give: meaning changed, in B, by the second reason
    "QWERTY": [("Digit1", "1"), ("KeyB", "b"), ("Digit2", "@")],
    "AZERTY": [("Digit1", "&"), ("KeyB", "b"), ("Digit2", "2")],
    "Dvorak": [("Digit1", "1"), ("KeyN", "b"), ("Digit2", "@")],
    "Cyrillic": [("Digit1", "1"), ("KeyB", "и"), ("Digit2", '"')],
    "Greek": [("Digit1", "1"), ("KeyB", "β"), ("Digit2", "@")],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_damage_takes_the_same_four_presses_on_every_layout(rosa, layout):
    page, (label, panel, reason) = rosa.page, LAYOUTS[layout]
    key(page, *label)
    key(page, *panel)
    key(page, *reason, shiftKey=True)
    assert chosen(page) == {"label": CONTENT, "panel": "B", "reason": "negation"}
    key(page, "Enter", "Enter")
    arrive(page, 2)


def test_a_key_that_is_held_down_goes_through_no_second_item(rosa):
    page = rosa.page
    page.keyboard.press("6")
    for _ in range(12):
        page.keyboard.down("Enter")  # from the second on they are repeats
        page.wait_for_timeout(40)
    page.keyboard.up("Enter")
    arrive(page, 2)
    assert chosen(page) == {}
    assert page.locator("[role=alert]").count() == 0


def heard(page):
    """Note what the page says to those who hear it."""
    page.evaluate(
        """() => { window.heard = []; new MutationObserver(() => {
        const text = document.getElementById("said").textContent; if (text) window.heard.push(text); })
        .observe(document.getElementById("said"), { childList: true }); }"""
    )


def test_what_a_key_chose_is_said_once_and_in_words(rosa):
    page = rosa.page
    heard(page)
    for press in ("1", "a", "b", "Shift+Digit2", "Shift+Digit2", "6"):
        page.keyboard.press(press)
        page.wait_for_timeout(120)
    assert page.evaluate("window.heard") == [
        "Meaning changed: words. Needed: which text, what happened.",
        "Text A",
        "Both texts",
        "Negation: chosen",
        "Negation: taken back",
        "Same in both, as far as it matters. Nothing more is needed.",
    ]


def test_the_short_form_of_the_steps_shows_the_key_of_each_answer_and_no_other_number(rosa):
    steps = rosa.page.locator(".about-choice li")
    keys = [
        LABEL_KEYS.index(label) + 1 for label in (CANNOT, CONTENT, CORRECTION, STRUCTURE, SAME, SAFE, RETAINED, SAME)
    ]
    assert steps.locator(".key").all_inner_texts() == [str(key) for key in keys]
    assert steps.first.evaluate("each => getComputedStyle(each).listStyleType") == "none"
