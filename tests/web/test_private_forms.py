"""No form tells what is private, well or badly sent, at any level of logging (acceptance P1).

Every address that takes a form is driven over one study in whose private fields words are planted. Commands have their
table in tests/cli/test_private_stays.py.
"""

import contextlib
import io
import json
import re
import zipfile

import pytest
from starlette.testclient import TestClient

from app.config import Settings
from app.store.db import Store
from app.store.migrate import open_store
from app.web.app import create_app
from tests.house import CHEAP, ORIGIN, PORT, Person, fixed_world, jsonl
from tests.planted import (
    RULES,
    SOUND,
    TABLE,
    everything_logged,
    faulty_items,
    faulty_rules,
    row,
    rows,
    said,
    word,
)
from tests.sounds import wav
from tests.web.way import prepare, routes, way

PRIVATE = f"the {word('off')} went to to town 0"  # word for word what somebody said
LEAD = "/lead/studies/{study_id}"
KEPT = {"csrf", "version", "key", "former", "expected"}  # controls that bind a form to its page
BARE = {"/logout", "/review/sign-off", "/adjudicate/sign-off", "/review/practice", "/adjudicate/practice"}
AT_ONCE = {  # with a single control changed they are taken, or are too many
    *(f"/{base}/{{token}}/{act}" for base in ("review", "adjudicate") for act in ("flag", "unflag", "draft")),
    *("/adjudicate/{token}", f"{LEAD}/protocol/edit", f"{LEAD}/rights/entry", f"{LEAD}/items/columns"),
}
FREELY = {
    "note",
    "password",
    "attest",
    "reopen reason",
    "plan title",
    "plan question",
    "freeze acknowledge",
}  # any words will do, so they are sent with other faults alone
FILES = {
    "/lead/new": faulty_rules,
    f"{LEAD}/protocol": faulty_rules,
    f"{LEAD}/rights": lambda: faulty_rules("ledger"),
    f"{LEAD}/items": lambda: [*faulty_items(), TABLE.encode()],
    "/lead/select": lambda: faulty_items("pool"),
}
# What is put into a form where it is taken: everything private that a person enters.
GIVEN = {
    "/review/{token}": {"note": f"{word('note')} made me think"},
    "/adjudicate/{token}": {"note": f"{word('note')} made me think"},
    "/review/{token}/draft": {"note": f"{word('draft')} is half a note"},
    "/adjudicate/{token}/draft": {"note": f"{word('draft')} is half a note"},
    "/review": {"words": word("off")},
    "/adjudicate": {"words": word("off")},
    f"{LEAD}/withdraw": {"value": f"{word('item_id')}-0"},
    f"{LEAD}/people": {"attest": word("attest")},
    f"{LEAD}/replace": {"attest": word("attest")},
    f"{LEAD}/rights/entry": {"decided_by": word("lawyer")},
}
# Where an answer shows planted words beyond its controls: which, and to what end.
TEXTS = {*map(word, ("off", "on", "semantic_reference"))}
SHOWN = {
    r"/(review|adjudicate)/[\w-]+": (TEXTS, "a judge's own items"),
    r"/(review|adjudicate)/practice(/[\w-]+)?": (TEXTS | {word("explanation")}, "the practice round"),
    r"/(review|adjudicate)/guess/[\w-]+": (TEXTS, "the blinding check shows a pair of one's own"),
    r"/lead/studies/made/items/columns": (
        {*map(word, ("item_id", "stratum", "cluster", "source", "raw_hypothesis", "off", "on", "cell", "file"))},
        "a lead matches the columns by the first rows of the own table",
    ),
    r"/lead/studies/made/(people|replace)": ({word("attest")}, "the page says what the lead has attested"),
    r"/lead/studies/made/rights/entry": ({word("off")}, "a link to another case keeps the source that was entered"),
    r"/lead/select|/lead/studies/made/items/problems.csv": ({word("file")}, "a faulty file is named"),
    r"/lead/studies/made/items/audio": ({word("sound")}, "a faulty recording is named"),
}


def beyond_controls(answer):
    """Return what an answer says, or its files, less what stands in the controls of a form, where input is kept."""
    if answer.headers.get("content-type") == "application/zip":
        archive = zipfile.ZipFile(io.BytesIO(answer.content))
        return "".join(name + archive.read(name).decode(errors="replace") for name in archive.namelist())
    return re.sub(r"<textarea\b.*?</textarea>|<(?:input|option)\b[^>]*>", "", answer.text, flags=re.DOTALL)


def torn(write):
    """Return a way to write that fails before anything is committed."""

    @contextlib.contextmanager
    def entered(store):
        with write(store) as connection:
            yield connection
            raise KeyError(PRIVATE)

    return entered


class Driven:
    """A study on its whole way through every form, each sent badly before it is sent well, with all answers kept."""

    def __init__(self, folder):
        self.store, self.world = open_store(folder), fixed_world()
        self.answers, self.routes, self.failed = [], {"well": set(), "badly": set()}, set()
        self.browsers = contextlib.ExitStack()
        with everything_logged() as log:
            code = prepare(self.store, self.world, protocol=RULES, rows=rows(), sounds={SOUND: wav()})
            self.app = create_app(self.store, self.world, Settings(port=PORT), CHEAP)
            former = []
            for step in way(self.visit, code):
                for person, path in (*former, (step.person, step.path)):
                    person.get(path)
                former = [(step.person, step.path)]
                self.badly(step)
                self.break_down(step)
                self.well(step)
        self.log = log.getvalue()

    def visit(self, name, *, signed_in=True):
        browser = TestClient(self.app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False)
        browser.event_hooks = {"response": [self.keep]}
        person = Person(self.browsers.enter_context(browser), name)
        return person.sign_in() if signed_in else person

    def keep(self, answer):
        answer.read()
        self.answers.append((answer.request.method, answer.request.url.path, answer))

    def badly(self, step):
        """Put somebody's words into every control, at once and one by one, and send every faulty file."""
        controls = [name for name in step.fields if name not in KEPT]
        if "csrf" in step.fields:
            self.sent(step, {"csrf": PRIVATE})
        if step.route in BARE:
            return
        if controls:
            self.sent(step, dict.fromkeys(controls, PRIVATE))
        if step.route not in AT_ONCE:
            for name in controls:
                if not FREELY & {name, f"{step.route.rpartition('/')[2]} {name}"}:
                    self.sent(step, {name: PRIVATE})
        self.wrong_files(step)

    def wrong_files(self, step):
        for data in FILES.get(step.route, list)():
            self.sent(step, {}, file=(f"{word('file')}.csv", data))
            if step.route == f"{LEAD}/items":
                step.person.get(f"{step.path}/columns")
                step.person.post(f"{step.path}/columns", {"csrf": step.fields["csrf"], "column.off": PRIVATE})
                step.person.get(f"{step.path}/problems.csv")
        if "audio" in step.more:
            self.sent(step, {}, more={"audio": (SOUND, b"no sound")})
            self.sent(step, {}, more={"audio": (f"../{SOUND}", wav())})

    def sent(self, step, changes, **files):
        self.routes["badly"].add(step.route)
        step.send(**files, **changes)

    def break_down(self, step):
        """Let nothing be stored of a form, by an error that nobody foresaw and that holds a text."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Store, "write", torn(Store.write))
            if step.send().status_code == 500:
                self.failed.add(step.route)

    def well(self, step):
        self.routes["well"].add(step.route)
        step.fields = step.fields | GIVEN.get(step.route, {})
        if step.route == f"{LEAD}/items" and step.file[0] != "more.csv":
            step.file = (f"{word('file')}.jsonl", jsonl([row(1, audio="a.wav"), row(2, "fluent", audio="a.wav")]))


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    made = Driven(tmp_path_factory.mktemp("driven") / "store")
    yield made
    made.browsers.close()
    made.store.close()


def test_every_address_that_takes_a_form_is_driven_well_and_badly(driven):
    taking = {path for method, path in routes(driven.app) if method == "POST"}
    assert driven.routes["well"] == driven.routes["badly"] == taking
    assert len(driven.failed) > 40


def test_no_answer_holds_a_planted_word_beyond_its_controls_but_where_it_must(driven):
    found = set()
    for method, path, answer in driven.answers:
        shown = next((words for place, (words, _) in SHOWN.items() if re.fullmatch(place, path)), set())
        found |= {(method, path, answer.status_code, each) for each in said(beyond_controls(answer)) - shown}
    assert found == set()


def test_no_address_or_header_holds_a_planted_word(driven):
    for _, path, answer in driven.answers:
        assert said(str(answer.headers) + str(answer.request.url)) == set(), path


def test_where_a_planted_word_must_be_shown_it_is(driven):
    for place, (words, _) in SHOWN.items():
        told = [said(beyond_controls(answer)) for _, path, answer in driven.answers if re.fullmatch(place, path)]
        assert words <= set().union(*told), place


def test_no_log_of_a_form_holds_a_planted_word_at_any_level(driven):
    assert "builtins.KeyError, from:" in driven.log
    assert "checked out from pool" in driven.log
    assert said(driven.log) == set()


def test_no_audit_event_of_a_form_holds_a_planted_word(driven):
    with driven.store.read() as connection:
        events = [tuple(found) for found in connection.exec_driver_sql("select * from audit_event")]
    assert len(events) > 60
    assert said(json.dumps(events)) == set()
