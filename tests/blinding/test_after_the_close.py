"""After the close no form and no command changes anything, but for those declared with a reason (acceptance B7)."""

import contextlib
import shlex

import pytest
from starlette.testclient import TestClient

from app.config import Settings
from app.store.migrate import open_store
from app.web.app import create_app
from tests.blinding.test_every_surface import World
from tests.cli.test_private_stays import COMMANDS
from tests.house import CHEAP, ORIGIN, PORT, RIGHTS, Person, fixed_world, item_rows, jsonl
from tests.planted import MAP
from tests.sounds import wav
from tests.web.way import CHECKED, Step, prepare, routes, snapshot, way

LEAD = "/lead/studies/{study_id}"
# Addresses that do something after the close, and why they may.
ALLOWED = {
    f"{LEAD}/withdraw": "a revocation erases content; the counts stay",
    f"{LEAD}/export": "the lead picks the further decision; nothing of the study changes",
    "/review": "a judge looks through the own list",
    "/adjudicate": "a judge looks through the own list",
    **dict.fromkeys(
        ("/login", "/code", "/logout", "/account", "/account/look", "/account/sessions", "/"),
        "the own account and session",
    ),
    **dict.fromkeys(("/lead/accounts", "/lead/accounts/reset", "/lead/accounts/disable"), "accounts are of no study"),
    **dict.fromkeys(("/lead/new", "/lead/new/plan", "/lead/select"), "another study"),
}
USES = """
    study protocol pilot p.toml | study rights pilot r.toml | study import pilot i.jsonl | study audio pilot clips
    study import pilot i.jsonl --replace | study import pilot t.csv --columns map.toml | study prefill pilot --practice
    study prefill pilot --strata | study prefill pilot --sources | study create p.toml
    study assign pilot --reviewer rosa --reviewer ravi --adjudicator ines --lead lena
    study freeze pilot | freeze pilot --acknowledge unattested | study deviation pilot 'late' | deviation pilot 'late'
    study reopen pilot rosa --reason 'she asked' | reopen pilot ravi --reason 'he asked'
    study replace pilot rosa --by otto --reason 'she moved' | study close pilot | close pilot --reason 'once more'
"""
READING = ("study check", "study status", "status", "verify", "user list", "select", "pair", "score", "serve", "demo")
FREE = {
    **dict.fromkeys(READING, "it changes no study"),
    **dict.fromkeys(("user add", "user reset", "user disable"), "accounts are of no study"),
    **dict.fromkeys(("study withdraw", "withdraw"), "a revocation erases content; the counts stay"),
    "export": "the lead picks the further decision; nothing of the study changes",
    "backup": "a copy",
    "restore": "another store",
}
NOT_OF_A_STUDY = {"audit_event", "session", "account", "throttle", "sqlite_sequence"}
REFUSED = ("closed", "frozen", "signed", "recordings are heard", "There is a study")


def content(store):
    """Return every row of a store's studies; refusals may be on record, and people may sign in."""
    return {name: found for name, found in snapshot(store).items() if name not in NOT_OF_A_STUDY}


class Closed:
    """A study on its way through every form; once it is closed, each form is sent once more."""

    def __init__(self, folder):
        self.store, self.world = open_store(folder), fixed_world()
        code = prepare(self.store, self.world)
        self.app = create_app(self.store, self.world, Settings(port=PORT), CHEAP)
        self.browsers, self.people, self.tried, self.steps, closed = contextlib.ExitStack(), {}, {}, [], False
        for step in way(self.visit, code):
            if closed:
                self.steps.append(step)
                self.once_more()
            else:
                self.steps.append(Step(step.person, step.route, step.path, dict(step.fields), step.file, step.more))
            closed = closed or step.route == f"{LEAD}/close"

    def visit(self, name, *, signed_in=True):
        browser = TestClient(self.app, base_url=ORIGIN, follow_redirects=False)
        person = Person(self.browsers.enter_context(browser), name)
        return person.sign_in() if signed_in else person

    def again(self, name):
        """Return somebody at one more browser of their own, signed in anew where that sign-in was ended."""
        found = self.people.get(name)
        if found is None or found.get("/session").status_code == 401:
            found = self.people[name] = self.visit(name)
        return found

    def once_more(self):
        """Send to the closed study what was sent to a running one, or to a draft, with a fresh key and token."""
        for step in self.steps:
            if step.route in ALLOWED:
                continue
            person = self.again(step.person.name)
            csrf = person.page("/account").form_to("/account").fields["csrf"][0]
            file = step.file and (step.file[0], step.file[1].replace(b'"made"', b'"pilot"'))
            again = Step(person, step.route, step.path.replace("/made", "/pilot"), step.fields, file, step.more)
            before = content(self.store)
            changes = {"csrf": csrf, "version": self.version(step.path), "key": f"late {len(self.tried)}"}
            answer = again.send(**changes)
            self.tried.setdefault(step.route, []).append((answer, content(self.store) == before))
        self.steps = []

    def version(self, path):
        with self.store.read() as connection:
            found = connection.exec_driver_sql(
                "select version from slot where ? like '%/'||token||'%'", (path,)
            ).scalar()
        return str(found or 0)


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    made = Closed(tmp_path_factory.mktemp("closed") / "store")
    yield made
    made.browsers.close()
    made.store.close()


def test_every_address_that_takes_a_form_is_tried_or_allowed_with_a_reason(closed):
    taking = {path for method, path in routes(closed.app) if method == "POST"}
    assert closed.tried.keys() | ALLOWED.keys() == taking
    assert closed.tried.keys() & ALLOWED.keys() == set()


def test_no_form_changes_anything_of_a_closed_study(closed):
    assert [route for route, tries in closed.tried.items() if not all(same for _, same in tries)] == []


def test_every_form_is_refused_and_says_why(closed):
    for route, tries in closed.tried.items():
        for answer, _ in tries:
            assert answer.status_code in {409, 303} if "sign-off" in route else answer.status_code == 409, route
            assert answer.status_code == 303 or any(why in answer.text for why in REFUSED), (route, answer.text)


def test_the_arms_are_revealed_once_and_before_any_outcome_is_read(closed):
    closed.again("lena").page("/lead/studies/pilot/cases")
    with closed.store.read() as connection:
        events = connection.exec_driver_sql("select event from audit_event where study_id = 'pilot' order by seq")
        found = [event for (event,) in events if event in {"arms.revealed", "cases.seen", "memo.exported"}]
    assert found == ["arms.revealed", "memo.exported", "cases.seen"]


def test_no_command_changes_anything_of_a_closed_study_and_each_says_why(tmp_path):
    world = World(tmp_path, {"label": "no-material-edit"})
    files = {"p.toml": CHECKED, "r.toml": RIGHTS, "i.jsonl": jsonl(item_rows()).decode(), "map.toml": MAP}
    files["t.csv"] = "nr,group,who,heard,without,with\nx,fluent,me,a b,a b,a\n"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "a.wav").write_bytes(wav())
    assert world.use("close pilot --reason 'the end'", as_json=False)[0] == 0
    uses = [words.strip() for line in USES.strip().splitlines() for words in line.split("|")]
    used = {command for command in COMMANDS for words in uses if f"{words} ".startswith(f"{command} ")}
    assert used | FREE.keys() == set(COMMANDS)
    before = content(world.store)
    for words in uses:
        code, told, faults = world.use(words, as_json=False)
        assert (code, told) == (1, ""), words
        assert any(why in faults for why in REFUSED), (words, faults)
        assert content(world.store) == before, shlex.split(words)
    world.store.close()
