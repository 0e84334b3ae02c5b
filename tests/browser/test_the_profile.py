"""After a judge's work the browser's profile holds nothing of it: no text, note, draft, search or recording.

Read are all files of a real profile, while the work goes on (as a crash would leave them) and after the browser
was closed: as they are, in UTF-8 and UTF-16, and what in them is compressed by deflate.
"""

import re
import time
import zlib
from pathlib import Path

import pytest

from tests.browser.test_a_study import code
from tests.browser.test_the_item_page import choose, end_sessions, sign_in
from tests.conftest import CHROMIUM, FLAGS
from tests.house import PROTOCOL, RIGHTS, jsonl
from tests.sounds import wav
from tests.walk.script import Scene
from tests.walk.test_whole_way import freeze, prepare, rows_of

# Words that no dictionary, script or page has, one for each place where a judge's work passes through.
TEXT, OTHER, REFERENCE = "zorvilquent", "ubrantiskol", "quespolinder"
DRAFT, SENT, REFUSED, UNSENT, LEFT = "draftolimbus", "sentovarquil", "refusimander", "unsentorpike", "leftumbrigo"
SEARCHED, PRACTISED = "ubrantis", "practorilium"
WRONG = "passwormelion is wrong"
WORDS = [WRONG, TEXT, OTHER, REFERENCE, DRAFT, SENT, REFUSED, UNSENT, LEFT, SEARCHED, PRACTISED]
KEPT = ["item 1 of 5", "/review", "--sheet", "rosa"]
SAVED = 4  # seconds after which a browser has written what it keeps of its tabs
SOUND = wav(seconds=3)
SCENES = [
    Scene("word_repetition", "ep-one", f"I I want the {TEXT} number {number}", f"I want the {OTHER} number {number}")
    for number in range(1, 6)
]
RULES = PROTOCOL.replace("word_repetition = 4", "word_repetition = 6") + "[review]\npractice = true\n"
PRACTICE = {"label": "destructive-content", "arm": "on", "reasons": ["negation"], "explanation": f"A {PRACTISED}."}


@pytest.fixture
def study(evenhand, tmp_path):
    clips = tmp_path / "clips"
    clips.mkdir()
    (clips / "a.wav").write_bytes(SOUND)
    rows = [row | {"audio": "a.wav", "semantic_reference": f"Meant: {REFERENCE}."} for row in rows_of(SCENES)]
    rows.append(rows[0] | {"item_id": "T-1", "role": "practice", "expected": PRACTICE, "off": f"do not {PRACTISED}"})
    made = prepare(evenhand, tmp_path, rows_of(SCENES), RULES, RIGHTS)
    (tmp_path / "heard.jsonl").write_bytes(jsonl(rows))
    evenhand.do("study", "import", made, tmp_path / "heard.jsonl", "--replace", "--audio", clips)
    freeze(evenhand, made)
    evenhand.serve()
    return evenhand


def opened(browser, profile, origin):
    options = {"executable_path": next(path for path in CHROMIUM if path and Path(path).exists()), "args": FLAGS}
    context = browser.browser_type.launch_persistent_context(profile, base_url=origin, **options)
    context.set_default_timeout(10_000)
    return context


def arrive(page, number):
    there = "start => document.title.startsWith(start) && document.readyState === 'complete'"
    page.wait_for_function(there, arg=f"Item {number} of 5")
    page.wait_for_timeout(300)


def note(page, words):
    if not page.get_by_label("Private note").is_visible():
        page.get_by_role("button", name="Note").click()
    page.get_by_label("Private note").fill(words)


def work(page, evenhand):
    """Do all that leaves words in a page."""
    page.goto("/")
    mistype(page)
    sign_in(page, "rosa")
    practise(page)
    draft_send_and_be_refused(page)
    lose_the_session(page, evenhand)
    search(page)
    for way in (page.go_back, page.go_back, page.go_forward):
        way()
    page.goto("/review/next")
    note(page, LEFT)
    page.goto("/review")


def mistype(page):
    page.get_by_label("Name", exact=True).fill("rosa")
    page.get_by_label("Password", exact=True).fill(WRONG)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    time.sleep(SAVED)


def practise(page):
    page.goto("/review/next")
    assert PRACTISED in page.locator(".panels").text_content()
    choose(page, label="no-material-edit")
    page.keyboard.press("Enter")
    page.get_by_text(f"A {PRACTISED}").wait_for()


def draft_send_and_be_refused(page):
    page.goto("/review/next")
    arrive(page, 1)
    page.evaluate("() => { const a = document.querySelector('#item audio'); a.muted = true; return a.play(); }")
    note(page, DRAFT)
    page.get_by_text("Saved, not sent").wait_for()
    page.reload()
    arrive(page, 1)
    note(page, SENT)
    code(page, label="no-material-edit")
    arrive(page, 2)
    note(page, REFUSED)
    page.get_by_role("button", name="Send and go on").click()
    page.locator("#item [role=alert]").first.wait_for()
    time.sleep(SAVED)


def lose_the_session(page, evenhand):
    """Enter something that cannot be sent, mistype the password, sign in again."""
    end_sessions(evenhand)
    note(page, UNSENT)
    choose(page, label="benign-retention")
    page.wait_for_url("**/login")
    mistype(page)
    assert UNSENT in page.content()
    sign_in(page, "rosa")
    arrive(page, 2)


def search(page):
    page.goto("/review")
    page.get_by_label("Words in a text").fill(SEARCHED)
    time.sleep(SAVED)
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_text("5 items found").wait_for()
    page.locator(".entries a").first.click()
    arrive(page, 1)


def inflated(data):
    """Return what of some bytes is compressed by gzip or zlib."""
    found = []
    for at in re.finditer(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]", data):
        try:
            found.append(zlib.decompressobj(47).decompress(data[at.start() :], 1 << 24))
        except zlib.error:
            continue
    return b"".join(found)


def kept(profile):
    """Return file by file what a profile holds."""
    files = [file for file in profile.rglob("*") if file.is_file() and not file.is_symlink()]
    return {file.relative_to(profile): (data := file.read_bytes()) + inflated(data) for file in files}


def found_in(files, words):
    """Return (word, file) of every word that stands in a file, in any of three encodings and in either case."""
    forms = [(word, word.encode(coding)) for word in words for coding in ("utf-8", "utf-16-le", "utf-16-be")]
    return [(word, str(name)) for name, data in files.items() for word, form in forms if form in data.lower()]


def heard_in(files):
    parts = [SOUND[at : at + 64] for at in range(100, len(SOUND) - 64, 500)]
    return [str(name) for name, data in files.items() if any(part in data for part in parts)]


def test_the_profile_holds_no_word_of_a_judges_work(study, browser, tmp_path):
    profile = tmp_path / "profile"
    context = opened(browser, profile, study.origin)
    work(context.new_page(), study)
    time.sleep(SAVED)
    at_work = kept(profile)
    context.close()
    for files in (at_work, kept(profile)):
        # The reading finds what browsers do keep: a title, an address, a style sheet, what was typed in a plain form.
        assert {word for word, _ in found_in(files, KEPT)} == set(KEPT)
        assert found_in(files, WORDS) == []
        assert heard_in(files) == []
        # Tables of a LevelDB are compressed by Snappy, which is not read here: so young a profile has none.
        assert [
            name for name in files if name.suffix == ".ldb" and name.parts[0] == "Default" and "torage" in str(name)
        ] == []
