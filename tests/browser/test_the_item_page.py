"""The item page in a real browser: room, focus, what is announced, drafts, flags, the end of a session."""

import re

import pytest

from app.actions import sessions
from app.store.migrate import open_store
from app.world import real
from tests.browser.conftest import PAIRS, SIZE, arrive
from tests.house import password_of


def walk_to(page, words):
    """Go to the item of whose texts both hold these words."""
    while words not in page.locator('[data-panel="A"]').text_content():
        here = page.title()
        page.get_by_role("link", name="Next").click()
        page.wait_for_function("here => document.title !== here", arg=here)


def choose(page, **said):
    for name, value in said.items():
        page.locator(f'input[name="{name}"][value="{value}"]').check()


def end_sessions(evenhand):
    store = open_store(evenhand.folder)
    sessions.start_server(store, real())
    store.close()


def sign_in(page, name):
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(password_of(name))
    page.get_by_role("button", name="Sign in").click()


# Room


def test_texts_of_40_words_are_judged_without_scrolling(rosa):
    page = rosa.page
    walk_to(page, "garden centre")
    assert len(page.locator('[data-panel="A"]').text_content().split()) >= 38
    for label in page.locator('[name="label"]').all():
        label.check()
        assert page.evaluate("document.documentElement.scrollHeight") <= SIZE["height"]


def test_the_room_beside_the_answers_holds_what_it_says_of_each(rosa):
    page = rosa.page
    overflow = "() => { const room = document.getElementById('about'); return room.scrollHeight - room.clientHeight; }"
    assert page.evaluate(overflow) <= 0
    for label in page.locator('[name="label"]').all():
        label.check()
        assert page.locator(".example:visible").count() == 1
        assert page.evaluate(overflow) <= 0


def test_nothing_moves_under_the_pointer_from_answer_to_answer_and_item_to_item(rosa):
    page, places = rosa.page, set()
    for _ in PAIRS:
        for number in range(7):
            page.locator('[name="label"]').nth(number).check()
            both = page.locator('[name="panel"]').first
            if both.is_visible():
                places.add(("panel", str(both.bounding_box())))
                both.check()
            places.add(("reason", str(page.locator('[name="reason"]').first.bounding_box())))
            places.update(
                (each, str(page.locator(each).bounding_box())) for each in (".card >> nth=0", ".send .primary")
            )
        page.get_by_role("link", name="Next").click() if page.get_by_role("link", name="Next").count() else None
    names = [name for name, _ in places]
    assert {name: names.count(name) for name in names} | {"reason": 0} == dict.fromkeys(names, 1) | {"reason": 0}


@pytest.mark.parametrize("size", [{"width": 320, "height": 640}, {"width": 640, "height": 400}])
def test_nothing_covers_a_focused_control_in_a_small_window(rosa, size):
    page = rosa.page
    choose(page, label="destructive-content", panel="A")
    page.set_viewport_size(size)
    page.locator("h1").focus()
    for _ in range(45):
        page.keyboard.press("Tab")
        covered = page.evaluate(
            """() => { const e = document.activeElement; const r = e.getBoundingClientRect();
            if (e === document.body || !r.width) return null;
            const top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
            const own = top && (top.closest("label")?.control === e || e.contains(top) || top.contains(e));
            return own ? null : e.outerHTML.slice(0, 120); }"""
        )
        assert covered is None


def test_both_panels_and_their_marks_look_the_same(rosa):
    page = rosa.page
    walk_to(page, "stable today")
    look = page.evaluate(
        """() => ["A", "B"].map(name => { const s = getComputedStyle(document.querySelector(`[data-panel="${name}"]`));
        const p = document.querySelector(`[data-panel="${name}"]`).parentElement; const q = getComputedStyle(p);
        return [s.color, s.font, q.background, q.border, p.getBoundingClientRect().width].join("|"); })"""
    )
    assert look[0] == look[1]
    marks = page.evaluate(
        """() => [...document.querySelectorAll(".panels mark, .panels .gap")].map(each =>
        [getComputedStyle(each).backgroundColor, getComputedStyle(each).borderBottom].join("|"))"""
    )
    assert len(set(marks)) == 1


# Focus, and what is heard


def test_after_sending_the_heading_has_the_focus_the_title_has_changed_and_it_is_said_once(rosa):
    page = rosa.page
    page.evaluate(
        """() => { window.heard = []; new MutationObserver(() => {
        const text = document.getElementById("said").textContent; if (text) window.heard.push(text); })
        .observe(document.getElementById("said"), { childList: true }); }"""
    )
    choose(page, label="no-material-edit")
    page.get_by_role("button", name="Send and go on").click()
    arrive(page, 2)
    assert page.evaluate("document.activeElement.textContent") == "Item 2 of 3"
    assert page.evaluate("window.heard") == ["Sent"]


def test_a_draft_that_is_saved_is_shown_and_not_announced(rosa):
    page = rosa.page
    choose(page, label="no-material-edit")
    page.get_by_text("Saved, not sent").wait_for()
    assert page.locator(".saved").get_attribute("aria-live") == "off"
    assert page.locator("#said").text_content() == ""


def test_without_a_connection_the_page_says_so_keeps_all_and_sends_again_with_the_same_key(rosa):
    page, keys = rosa.page, []
    page.context.route(
        "**/review/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )
    choose(page, label="benign-retention")
    page.get_by_text("Not saved").wait_for()
    page.get_by_role("button", name="Send and go on").click()
    page.get_by_text("Not sent").wait_for()
    assert page.locator("[name=label][value=benign-retention]").is_checked()
    key = page.locator("[name=key]").input_value()
    page.context.unroute_all()
    page.on(
        "request", lambda r: keys.append(r.post_data) if r.method == "POST" and not r.url.endswith("draft") else None
    )
    page.get_by_role("button", name="Try again").click()
    arrive(page, 2)
    assert len(keys) == 1
    assert f"key={key}" in keys[0]


# The end of a session


NOTE = "\n  half a\n\tthought, cafe\u0301 and caf\u00e9 \u00a0\n \U0001f469\u200d\U0001f467 %0A+&=  \t\n"


def test_without_javascript_too_what_was_entered_is_there_after_signing_in_again(reviewing, tab):
    page = tab("rosa", java_script_enabled=False).page
    page.goto("/review/next")
    where = page.url
    end_sessions(reviewing)
    page.locator("[name=label][value=benign-retention]").check()
    page.locator("#more summary").click()
    page.get_by_label("Private note").fill(NOTE)
    page.get_by_role("button", name="Send").first.click()
    assert page.get_by_text("not sent").is_visible()
    sign_in(page, "rosa")
    page.wait_for_url(where)
    assert page.locator("[name=label][value=benign-retention]").is_checked()
    assert page.get_by_label("Private note").input_value() == NOTE


@pytest.mark.parametrize("act", ["send", "draft"])
def test_a_session_that_ended_leads_to_the_sign_in_page_and_back_to_the_item_with_all_that_was_entered(
    reviewing, rosa, act
):
    page = rosa.page
    where = page.url
    page.get_by_role("button", name="Note").click()
    end_sessions(reviewing)
    choose(page, label="benign-retention")
    page.get_by_label("Private note").fill(NOTE)
    if act == "send":
        page.get_by_role("button", name="Send and go on").click()
    page.wait_for_url("**/login")
    assert page.get_by_text("not sent").is_visible()
    sign_in(page, "rosa")
    page.wait_for_url(where)
    assert page.get_by_text("not sent").is_visible()
    assert page.locator("[name=label][value=benign-retention]").is_checked()
    assert page.get_by_label("Private note").input_value() == NOTE
    assert page.locator("h1").inner_text() == "Item 1 of 3"


def test_two_minutes_before_its_end_a_session_can_be_kept(reviewing, tab):
    found = tab("rosa")
    page = found.page
    page.clock.install()
    page.goto("/review/next")
    dialog = page.get_by_role("dialog", name="Are you still there?")
    page.clock.run_for("57:00")
    assert not dialog.is_visible()
    page.clock.run_for("01:10")
    assert dialog.is_visible()
    with page.expect_response("**/session") as kept:
        dialog.get_by_role("button", name="Stay signed in").click()
    assert kept.value.status == 204
    dialog.wait_for(state="hidden")
    page.clock.run_for("57:00")
    assert not dialog.is_visible()


def test_a_session_that_was_not_kept_ends_and_says_so(reviewing, tab):
    page = tab("rosa").page
    page.clock.install()
    page.goto("/review/next")
    end_sessions(reviewing)
    page.clock.run_for("58:10")
    page.clock.run_for("02:10")
    page.get_by_role("link", name="Sign in again").wait_for()
    assert not page.locator("#item").is_visible()
    page.get_by_role("link", name="Sign in again").click()
    assert re.search(r"/login\?back=(%2F|/)review", page.url)


def test_after_its_end_nothing_is_read_from_the_page_until_somebody_signs_in_again(reviewing, tab):
    one = tab("rosa")
    page = one.page
    page.clock.install()
    page.goto("/review/next")
    assert page.locator("#item").is_visible()
    end_sessions(reviewing)
    page.clock.run_for("58:10")
    page.clock.run_for("02:10")
    page.get_by_role("link", name="Sign in again").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert not page.locator("#session").is_visible()
    assert not page.locator("#item").is_visible()
    other = one.context.new_page()
    other.goto("/login")
    other.get_by_label("Name", exact=True).fill("rosa")
    other.get_by_label("Password", exact=True).fill(password_of("rosa"))
    other.get_by_role("button", name="Sign in").click()
    other.goto("/review")
    page.clock.run_for("00:10")
    other.evaluate("document.dispatchEvent(new Event('evenhand:contact'))")
    page.locator("#item").wait_for(state="visible")


def test_typing_keeps_a_session(rosa):
    page = rosa.page
    page.clock.install()
    page.reload()
    page.get_by_role("button", name="Note").click()
    page.clock.run_for("02:00")
    with page.expect_response("**/session") as sign:
        page.get_by_label("Private note").press_sequentially("a")
    assert sign.value.status == 204


# Flags


def test_a_flag_is_set_and_taken_away_in_place(rosa):
    page = rosa.page
    choose(page, label="no-material-edit")
    page.get_by_role("button", name="Flag for later").click()
    page.get_by_text("Flagged for later").first.wait_for()
    assert page.locator("[name=label][value=no-material-edit]").is_checked()
    page.get_by_role("button", name="Take the flag away").click()
    page.get_by_role("button", name="Flag for later").wait_for()
    assert not page.locator(".flagged").is_visible()


# What cannot be seen


def test_what_an_answer_hides_is_not_sent(rosa):
    page = rosa.page
    choose(page, label="destructive-content", panel="A", also="destructive-structure", reason="negation")
    choose(page, panel="both")
    assert not page.locator('[name="also"][value="destructive-structure"]').is_checked()
    choose(page, label="no-material-edit")
    assert page.locator('[name="panel"]:checked, [name="reason"]:checked').count() == 0


def test_a_page_loads_its_face_once_and_nothing_from_elsewhere(rosa):
    page = rosa.page
    assert page.evaluate("document.fonts.check('16px Hyperlegible')")
    page.reload()
    fonts = page.evaluate(
        "performance.getEntriesByType('resource').filter(e => e.name.includes('woff2')).map(e => e.name)"
    )
    assert fonts
    assert len(set(fonts)) == len([each for each in fonts if "latin" in each])
    assert (rosa.elsewhere, rosa.faults) == ([], [])


# By keyboard alone, at 200 % and at 320 px; and as a screen reader has it

ALL = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
  .filter(each => !each.disabled && each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true }))
  .filter(each => each.type !== "hidden" && !each.closest("dialog, .skip"))
  .map(each => each.type === "radio" ? each.name : each.outerHTML.slice(0, 90))"""
HERE = """() => { const each = document.activeElement; const room = each.getBoundingClientRect();
  const name = each.type === "radio" ? each.name : each.outerHTML.slice(0, 90);
  const ring = [each, each.closest(".card, .chip") ?? each].some(it => getComputedStyle(it).outlineStyle !== "none");
  return [name, ring && room.bottom > 0 && room.top < innerHeight]; }"""


@pytest.mark.parametrize("size", [SIZE, {"width": 640, "height": 400}, {"width": 320, "height": 640}])
def test_every_control_is_reached_and_seen_by_keyboard_alone(rosa, size):
    page = rosa.page
    page.set_viewport_size(size)
    choose(page, label="destructive-content", panel="A")
    page.locator("#more summary").click()
    wanted = set(page.evaluate(ALL))
    page.evaluate("document.activeElement.blur(); window.getSelection().removeAllRanges(); window.scrollTo(0, 0)")
    page.locator(".brand").focus()
    found = dict([page.evaluate(HERE)])
    for _ in range(60):
        page.keyboard.press("Tab")
        found |= dict([page.evaluate(HERE)])
    assert wanted - set(found) == set()
    assert [name for name in wanted if not found[name]] == []


def test_a_screen_reader_hears_panel_names_groups_what_is_needed_and_errors(rosa):
    page = rosa.page
    choose(page, label="destructive-content")
    heard = page.locator("#item").aria_snapshot()
    for words in (
        'region "Text A"',
        'region "Text B"',
        'group "The meaning changed"',
        'group "The meaning is intact"',
        'group "Cannot be judged"',
        'group "Which text is damaged?"',
        'progressbar "Your own progress"',
        'heading "Item 1 of 3" [level=1]',
    ):
        assert words in heard, (words, heard)
    assert 0 < heard.index("The first that holds is the answer") < heard.index("- radio ")
    page.get_by_role("button", name="Send and go on").click()
    page.get_by_role("alert").wait_for()
    assert page.evaluate("document.activeElement.getAttribute('role')") == "alert"
    heard = page.locator("#item").aria_snapshot()
    assert "Say which text is damaged." in heard
    described = page.locator("#field-panel").get_attribute("aria-describedby")
    assert page.locator(f"#{described}").inner_text().endswith("Say which text is damaged.")


@pytest.mark.parametrize("size", [{"width": 320, "height": 640}, {"width": 640, "height": 400}])
def test_a_message_covers_no_focused_control(rosa, size):
    page = rosa.page
    page.set_viewport_size(size)
    page.context.route(
        "**/review/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )
    choose(page, label="destructive-content", panel="A")
    page.get_by_text("Not saved").wait_for()
    retry = page.get_by_role("button", name="Try again")
    for control in (retry, page.locator('[data-act="send"]'), page.locator('[value="negation"]')):
        control.focus()
        assert page.evaluate(
            """() => { const e = document.activeElement; const r = e.getBoundingClientRect();
            const top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
            return top.closest("label")?.control === e || e.contains(top); }"""
        )


# A draft is for its person alone


def test_what_was_not_sent_goes_to_nobody_else_who_signs_in_there(reviewing, rosa):
    page = rosa.page
    where = page.url
    page.get_by_role("button", name="Note").click()
    end_sessions(reviewing)
    page.get_by_label("Private note").fill("for my eyes alone")
    page.wait_for_url("**/login")
    sign_in(page, "ravi")
    page.wait_for_function("() => !location.pathname.startsWith('/login')")
    assert "for my eyes alone" not in page.content()
    page.goto(where)
    assert "for my eyes alone" not in page.content()
    assert page.get_by_text("There is nothing here").is_visible()


def test_not_saved_stays_until_it_is(rosa):
    page = rosa.page
    page.clock.install()
    page.reload()
    page.context.route("**/draft", lambda route: route.abort())
    choose(page, label="benign-retention")
    page.clock.run_for(1_000)
    page.get_by_text("Not saved. Trying again").wait_for()
    page.clock.run_for("05:00")
    assert page.get_by_text("Not saved. Trying again").is_visible()
    page.context.unroute_all()
    page.clock.run_for(31_000)
    page.get_by_text("Saved, not sent").wait_for()
    assert not page.get_by_role("button", name="Try again").is_visible()


def test_of_other_damage_one_answer_is_always_chosen(rosa):
    page = rosa.page
    choose(page, label="no-material-edit")
    choose(page, label="destructive-content", panel="A")
    assert page.locator('[name="also"]:checked').input_value() == ""
    choose(page, also="destructive-structure")
    choose(page, label="no-material-edit")
    choose(page, label="destructive-content", panel="A")
    assert page.locator('[name="also"]:checked').input_value() == ""
    assert page.locator('[name="reason"]:checked').count() == 0


@pytest.mark.parametrize(("panel", "other"), [("A", "Text B"), ("B", "Text A")])
def test_the_other_text_is_called_by_its_name(rosa, panel, other):
    page = rosa.page
    choose(page, label="destructive-content", panel=panel, also="destructive-structure")
    assert page.locator("#field-also legend").inner_text() == f"Other damage in {other}?"
    assert [" ".join(each.split()) for each in page.locator(".reasons:visible legend").all_inner_texts()] == [
        "What happened? Meaning changed: words: one or more",
        "What happened in the other text? Meaning changed: sentence structure: one or more",
    ]


def test_without_javascript_the_former_answers_reasons_are_dropped_and_nothing_is_refused(reviewing, tab):
    page = tab("rosa", java_script_enabled=False).page
    page.goto("/review/next")
    choose(page, label="destructive-content", panel="A", reason="negation")
    choose(page, label="unassessable-disputed", reason="source_ambiguous")
    page.get_by_role("button", name="Send and go on").click()
    assert page.locator("h1").inner_text() == "Item 2 of 3"
    page.get_by_role("link", name="Previous").click()
    assert page.locator('[name="reason"]:checked').evaluate_all("all => all.map(each => each.value)") == [
        "source_ambiguous"
    ]
