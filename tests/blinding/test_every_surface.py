"""Before the close no address and no command changes with what was judged (acceptance B7).

Where an outcome will stand is declared, and is just where the two studies differ once they are closed.
"""

import contextlib
import io
import shlex
import shutil

import pytest
from starlette.testclient import TestClient

from app.cli import desk, users
from app.cli.main import run
from app.config import Settings
from app.store.migrate import open_store
from app.web.app import create_app
from tests.blinding.worlds import REVIEWED, pairs
from tests.cli.test_private_stays import COMMANDS
from tests.house import CHEAP, ORIGIN, PORT, Person, add_people, fixed_world, frozen_study, item_rows, password_of
from tests.web.way import routes

ITEMS = 8
SAME, CANNOT = {"label": "no-material-edit"}, {"label": "unassessable-disputed", "reason": ["source_ambiguous"]}
PLACE = "/lead/studies/{study_id}"
# Where an outcome stands after the close; before it each of them is refused, and that is on record.
OUTCOMES = {("GET", f"{PLACE}/results"), ("GET", f"{PLACE}/cases"), ("POST", f"{PLACE}/export")}
# Commands that have nothing of a running study to tell, or a reason to differ.
ELSEWHERE = {
    "backup": "the file holds every answer, so its digest and size follow from them; whoever makes it can read them",
    "restore": "it takes a store over nothing",
    "serve": "what it serves is compared address by address",
    "demo": "a store of its own",
    **dict.fromkeys(("select", "pair", "score"), "it reads files, and no study"),
}
USES = """
    user list | user add nora --password-stdin | user reset otto | user disable otto | verify
    study create p.toml | study protocol pilot p.toml | study rights pilot p.toml | study import pilot p.toml
    study audio pilot . | study prefill pilot --strata | study assign pilot --reviewer rosa --reviewer ravi --lead lena
    study check pilot | study freeze pilot | freeze pilot | study status pilot | status pilot | export pilot --out memo
    study deviation pilot 'a day late' | deviation pilot 'two days late' | study replace pilot ravi --reason 'he moved'
    study withdraw pilot --item P-001 --reason 'they asked' | withdraw pilot --cluster nothing --reason 'they asked'
    study close pilot | close pilot | study reopen pilot ravi --reason 'he asked'
    reopen pilot rosa --reason 'she asked' | study status pilot
"""


class World:
    """A running study in which only the labels of one reviewer are of this world."""

    def __init__(self, folder, said):
        self.folder = folder
        self.store = open_store(folder / "store")
        world = fixed_world("build")
        add_people(self.store, world)
        frozen_study(self.store, world, protocol=REVIEWED, rows=item_rows(pairs(ITEMS)))
        self.judge("rosa", SAME)
        self.judge("ravi", said)

    def visit(self, name, seed):
        """Sign in at a server of its own world, so that nobody else's clicks move its randomness."""
        with self.store.write() as connection:
            connection.exec_driver_sql("delete from session")
        self.app = create_app(self.store, fixed_world(seed), Settings(port=PORT), CHEAP)
        return Person(TestClient(self.app, base_url=ORIGIN, follow_redirects=False), name).sign_in()

    def judge(self, name, said):
        person = self.visit(name, name)
        while (found := person.next_page()) is not None:
            person.answer(found[1], **said)
        assert person.sign_off().status_code == 303

    def asked_by(self, name, seed):
        """Let somebody ask for every address, with a form that holds no more than it must; return what came."""
        person = self.visit(name, f"{name} {seed}")
        csrf = person.page("/account").form_to("/account").fields["csrf"][0]
        with self.store.read() as connection:
            mine = "select token from slot join account on account.id = account_id where name = 'rosa' order by slot.id"
            token = connection.exec_driver_sql(mine).scalar()
        answers = {}
        for method, route in sorted(routes(self.app) - {("mount", "/static"), ("POST", "/logout")}):
            path = route.format(token=token, study_id="pilot", name="protocol.toml")
            sent = {"data": {"csrf": csrf, "version": "0", "key": "k", "decision": "none"}} if method == "POST" else {}
            answer = person.client.request(method, path, headers=person.headers, **sent)
            answers[method, route] = (answer.status_code, sorted(answer.headers.multi_items()), answer.content)
        return answers

    def count(self, event):
        with self.store.read() as connection:
            counted = "select count(*) from audit_event where event = ?"
            return connection.exec_driver_sql(counted, (event,)).scalar()

    def use(self, words, *, as_json, given=""):
        told, faults = io.StringIO(), io.StringIO()
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(told),
            contextlib.redirect_stderr(faults),
        ):
            patch.chdir(self.folder)
            patch.setattr("sys.stdin", io.StringIO(given))
            patch.setattr(users, "Passwords", lambda: CHEAP)
            patch.setattr(desk.world, "real", lambda: fixed_world(words))
            code = run(["--store", "store", *shlex.split(words)], as_json=as_json)
        return code, told.getvalue(), faults.getvalue()


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """Return two studies: in one the reviewers agree on everything, in the other on nothing."""
    made = [World(tmp_path_factory.mktemp("world"), said) for said in (SAME, CANNOT)]
    yield made
    for world in made:
        world.store.close()


@pytest.mark.parametrize("name", ["lena", "rosa", "otto"])
def test_no_address_changes_with_what_somebody_else_judged(worlds, name):
    one, other = (world.asked_by(name, "before") for world in worlds)
    assert [route for route in one if one[route] != other[route]] == []
    assert len(one) > 80
    assert [world.count("study.closed") for world in worlds] == [0, 0]


def test_where_an_outcome_will_stand_the_lead_is_refused_and_that_is_on_record(worlds):
    for world in worlds:
        before = world.count("outcome.refused")
        answers = world.asked_by("lena", "refused")
        assert {answers[route][0] for route in OUTCOMES} == {409}
        assert all(b"This attempt is on record" in answers[route][2] for route in OUTCOMES)
        assert world.count("outcome.refused") == before + len(OUTCOMES)
        assert world.count("arms.revealed") == 0


def copied(world, folder):
    """Return the same world in a folder of its own, where everything may be done to it."""
    shutil.copytree(world.folder, folder)
    made = World.__new__(World)
    made.folder, made.store = folder, open_store(folder / "store")
    return made


@pytest.mark.parametrize("as_json", [False, True])
def test_no_command_changes_with_what_was_judged(worlds, tmp_path, as_json):
    pair = [copied(world, tmp_path / f"{number}") for number, world in enumerate(worlds)]
    uses = [words.strip() for line in USES.strip().splitlines() for words in line.split("|")]
    used = {command for command in COMMANDS for words in uses if f"{words} ".startswith(f"{command} ")}
    assert used | ELSEWHERE.keys() == set(COMMANDS)
    for world in pair:
        (world.folder / "p.toml").write_text(REVIEWED)
    for words in uses:
        one, other = (world.use(words, as_json=as_json, given=password_of("nora")) for world in pair)
        assert one == other, words
    assert [world.count("outcome.refused") for world in pair] == [each.count("outcome.refused") + 1 for each in worlds]
    for world in pair:
        world.store.close()


def test_after_the_close_the_outcomes_are_where_they_were_declared_and_nowhere_else(worlds, tmp_path):
    pair = [copied(world, tmp_path / f"{number}") for number, world in enumerate(worlds)]
    for world in pair:
        assert world.use("close pilot --reason 'the end'", as_json=False)[0] == 0
        assert world.count("arms.revealed") == 1
    one, other = (world.asked_by("lena", "after") for world in pair)
    assert {route for route in one if one[route] != other[route]} == OUTCOMES
    for world in pair:
        world.store.close()
