"""A recording in a real browser: played, replayed, sped up, by buttons and by the event of the keys; kept nowhere."""

from pathlib import Path

import pytest

from tests.browser.test_a_study import code
from tests.conftest import CHROMIUM, FLAGS
from tests.house import PROTOCOL, RIGHTS, jsonl, password_of
from tests.sounds import OPUS, wav
from tests.walk.script import Scene
from tests.walk.test_whole_way import freeze, prepare, rows_of

SCENES = [
    Scene("word_repetition", "ep-one", "I I want the pen", "I want the pen"),
    Scene("word_repetition", "ep-two", "it is sort of stable today", "it is stable today"),
]
CLIPS = {"a.wav": wav(seconds=6), "b.opus": OPUS["D-001.opus"]}
PLAYING = "() => { const a = document.querySelector('#item audio'); return a.currentTime > 0.2 && !a.paused; }"
# The script has to be there too: what is sent before it listens is lost.
READY = """() => document.querySelector("#item audio")?.readyState >= 2
  && document.querySelector("#item .recording-tools")?.hidden === false"""


@pytest.fixture
def heard(evenhand, tmp_path):
    clips = tmp_path / "clips"
    clips.mkdir()
    for name, data in CLIPS.items():
        (clips / name).write_bytes(data)
    rows = [row | {"audio": name} for row, name in zip(rows_of(SCENES), CLIPS, strict=True)]
    study = prepare(evenhand, tmp_path, rows_of(SCENES), PROTOCOL, RIGHTS)
    (tmp_path / "heard.jsonl").write_bytes(jsonl(rows))
    told = evenhand.do("study", "import", study, tmp_path / "heard.jsonl", "--replace", "--audio", clips)
    assert (told["recorded"], told["missing"], told["aside"]) == (2, 0, [])
    freeze(evenhand, study)
    evenhand.serve()
    return evenhand


def send(page, name):
    page.evaluate("name => document.dispatchEvent(new CustomEvent('evenhand:audio', { detail: name }))", name)


def at(page, what="currentTime"):
    return page.evaluate(f"() => document.querySelector('#item audio').{what}")


def test_a_recording_is_played_replayed_and_sped_up_and_the_speed_stays_for_the_next(heard, tab):
    found = tab("rosa")
    page = found.page
    page.get_by_role("link", name="Start").click()
    for number in (1, 2):
        page.wait_for_function("start => document.title.startsWith(start)", arg=f"Item {number} of 2")
        page.wait_for_function(READY)
        page.evaluate("() => { document.querySelector('#item audio').muted = true; }")
        assert at(page, "playbackRate") == (1 if number == 1 else 1.5)
        assert page.get_by_label("Speed").input_value() == ("1" if number == 1 else "1.5")
        send(page, "toggle")
        page.wait_for_function(PLAYING)
        send(page, "toggle")
        page.wait_for_function("() => document.querySelector('#item audio').paused")
        send(page, "forward")
        assert at(page) > 1.5
        page.get_by_label("Speed").select_option("1.5")
        page.get_by_role("button", name="Back 2 seconds").click()
        page.wait_for_function(PLAYING)
        send(page, "nonsense")
        if number == 1:
            code(page, label="no-material-edit")
    assert (found.elsewhere, found.faults) == ([], [])


def test_an_answer_is_sent_while_a_recording_plays_and_it_stops(heard, tab):
    page = tab("rosa").page
    page.get_by_role("link", name="Start").click()
    page.wait_for_function(READY)
    page.evaluate("() => { window.former = document.querySelector('#item audio'); former.muted = true; }")
    send(page, "toggle")
    page.wait_for_function(PLAYING)
    code(page, label="no-material-edit")
    page.wait_for_function("() => former.paused")


def test_without_javascript_the_player_is_there_and_plays(heard, tab):
    page = tab("rosa", java_script_enabled=False).page
    page.get_by_role("link", name="Start").click()
    sound = page.locator("#item audio")
    assert sound.is_visible()
    assert sound.get_attribute("controls") is not None
    assert not page.get_by_role("button", name="Back 2 seconds").is_visible()


def test_a_recording_that_does_not_come_is_told(heard, tab):
    page = tab("rosa").page
    page.route("**/audio", lambda route: route.fulfill(status=503, body=""))
    page.get_by_role("link", name="Start").click()
    page.get_by_text("The recording cannot be played").wait_for()


def test_the_page_fits_its_window_with_the_player(heard, tab):
    page = tab("rosa").page
    page.get_by_role("link", name="Start").click()
    page.wait_for_function(READY)
    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def parts(data):
    return [data[at : at + 64] for at in range(100, len(data) - 64, 500)]


def test_the_browser_keeps_no_byte_of_a_recording_in_its_profile(heard, browser, tmp_path):
    profile = tmp_path / "profile"
    path = next(path for path in CHROMIUM if path and Path(path).exists())
    options = {"executable_path": path, "args": FLAGS}
    context = browser.browser_type.launch_persistent_context(profile, base_url=heard.origin, **options)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Name", exact=True).fill("rosa")
    page.get_by_label("Password", exact=True).fill(password_of("rosa"))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Start").click()
    for number in (1, 2):
        page.wait_for_function("start => document.title.startsWith(start)", arg=f"Item {number} of 2")
        page.wait_for_function(READY)
        send(page, "toggle")
        page.wait_for_function(PLAYING)
        if number == 1:
            code(page, label="no-material-edit")
    context.close()
    kept = b"".join(file.read_bytes() for file in profile.rglob("*") if file.is_file())
    assert len(kept) > 100_000
    assert [name for name, data in CLIPS.items() if any(part in kept for part in parts(data))] == []


def test_seeking_asks_for_a_range_and_odd_ranges_get_a_true_answer(heard, tab):
    page, ranges = tab("rosa").page, []

    def keep(answer):
        if answer.url.endswith("/audio"):
            ranges.append((answer.status, answer.headers.get("content-range")))

    page.on("response", keep)
    page.get_by_role("link", name="Start").click()
    page.wait_for_function(READY)
    page.evaluate("() => { document.querySelector('#item audio').currentTime = 1; }")
    page.wait_for_function("() => !document.querySelector('#item audio').seeking")
    assert ranges
    assert all(status == 206 and told.startswith("bytes ") for status, told in ranges)
    odd = page.evaluate(
        """async asked => { const url = document.querySelector("#item audio").src; const found = {};
        for (const range of asked) found[range] = (await fetch(url, { headers: { Range: range } })).status;
        return found; }""",
        ["bytes=0-0", "bytes=-1", "bytes=5-", "bytes=999999999-", "bytes=9-5", "bytes=x-y", "lines=0-1"],
    )
    assert {odd[each] for each in ("bytes=0-0", "bytes=-1", "bytes=5-")} == {206}
    assert odd["bytes=999999999-"] == 416
    assert set(odd.values()) <= {200, 206, 416}


def test_on_a_focused_player_keys_do_what_they_always_do(heard, tab):
    page = tab("rosa").page
    page.get_by_role("link", name="Start").click()
    page.wait_for_function(READY)
    page.evaluate("() => { document.querySelector('#item audio').muted = true; }")
    page.wait_for_timeout(300)
    page.locator("#item audio").focus()
    page.keyboard.press("Space")
    page.wait_for_function(PLAYING)
    page.keyboard.press("Enter")
    assert page.locator("#item [role=alert]").count() == 0
    assert page.locator("h1").inner_text() == "Item 1 of 2"


def test_listening_keeps_a_session(heard, tab):
    page = tab("rosa").page
    page.clock.install()
    page.get_by_role("link", name="Start").click()
    page.wait_for_function(READY)
    page.clock.run_for("02:00")
    with page.expect_response("**/session") as sign:
        page.evaluate("() => { const a = document.querySelector('#item audio'); a.muted = true; a.play(); }")
    assert sign.value.status == 204
