"""Whatever goes wrong in a route, its answer tells nothing of the inside (acceptance B8)."""

import contextlib

import pytest
from starlette.testclient import TestClient

from app.config import Settings
from app.store.db import Store
from app.store.migrate import open_store
from app.web.app import create_app
from tests.house import CHEAP, ORIGIN, PORT, Person, fixed_world
from tests.web.way import prepare, routes

SECRET = "quokka: select on_panel from slot where arm = 'on' at /home/somebody/store.py, label safe-cleanup"
INSIDE = ("quokka", "select ", "on_panel", "traceback", ".py", "/home/", "sqlite", "sqlalchemy", "keyerror", "fastapi")
FAILURES = {"a key": KeyError, "the system": OSError, "memory": MemoryError}
HOSTILE = ("../../etc/passwd", "%00", "'; drop table slot; --", "x" * 3_000, "%ff%fe", "{{7*7}}", "1e999")
PEOPLE = {"/review": "rosa", "/adjudicate": "ines", "/lead": "lena"}


class Broken:
    """The study, served, and a store that fails at a chosen look."""

    def __init__(self, folder):
        self.store, self.world = open_store(folder), fixed_world()
        self.folder = str(folder)
        prepare(self.store, self.world)
        self.app = create_app(self.store, self.world, Settings(port=PORT), CHEAP)
        self.browsers = contextlib.ExitStack()
        self.people = {name: self.visit(name) for name in ("rosa", "ines", "lena")}
        self.tokens = {"/review": self.people["rosa"].next_page()[0].rpartition("/")[2]}
        self.csrf = {n: p.page("/account").form_to("/account").fields["csrf"][0] for n, p in self.people.items()}

    def visit(self, name):
        browser = TestClient(self.app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False)
        return Person(self.browsers.enter_context(browser), name).sign_in()

    def asks(self):
        """Yield every route with whoever may use it; nobody signs out."""
        for method, path in sorted(routes(self.app)):
            if method in {"GET", "POST"} and path != "/logout":
                base = next((base for base in PEOPLE if path.startswith(base)), "/review")
                yield method, path, base, self.people[PEOPLE[base]]

    def ask(self, method, path, base, person, token=None):
        at = path.replace("{token}", token or self.tokens.get(base, "token")).replace("{study_id}", "pilot")
        at = at.replace("{name}", token or "protocol.toml")
        said = {"csrf": self.csrf[person.name], "version": "0", "key": "k", "label": "no-material-edit"}
        return person.get(at) if method == "GET" else person.post(at, said)

    def tells(self, answer):
        text = answer.text.casefold() + str(answer.headers).casefold()
        return [word for word in (*INSIDE, self.folder.casefold()) if word in text]


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    made = Broken(tmp_path_factory.mktemp("broken") / "store")
    yield made
    made.browsers.close()
    made.store.close()


def failing(patch, after, error):
    """Let the store fail once it was asked so many times."""
    asked = iter(range(10**9))

    def through(way):
        def enter(store):
            if next(asked) >= after:
                raise error(SECRET)
            return way(store)

        return enter

    for name in ("read", "write"):
        patch.setattr(Store, name, through(getattr(Store, name)))


@pytest.mark.parametrize("after", [0, 1, 2])
@pytest.mark.parametrize("error", FAILURES.values(), ids=FAILURES)
def test_a_store_that_fails_in_a_route_shows_nothing_of_the_inside(broken, after, error):
    failed = set()
    for method, path, base, person in broken.asks():
        with pytest.MonkeyPatch.context() as patch:
            failing(patch, after, error)
            answer = broken.ask(method, path, base, person)
        if answer.status_code >= 500:
            failed.add((method, path))
            assert broken.tells(answer) == [], (method, path)
            assert "safe-cleanup" not in answer.text
    assert len(failed) > {0: 80, 1: 30, 2: 5}[after], len(failed)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_malformed_address_shows_nothing_of_the_inside(broken, hostile):
    for method, path, base, person in broken.asks():
        if "{token}" in path or "{name}" in path:
            answer = broken.ask(method, path, base, person, token=hostile)
            assert answer.status_code < 500, (method, path)
            assert broken.tells(answer) == [], (method, path)
        if "{study_id}" in path:
            answer = person.get(path.replace("{study_id}", hostile))
            assert answer.status_code in {404, 405}, path
            assert broken.tells(answer) == [], path


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "QUOKKA"])
def test_a_wrong_method_shows_nothing_of_the_inside(broken, method):
    for _, path, base, person in broken.asks():
        at = path.replace("{token}", broken.tokens.get(base, "token")).replace("{study_id}", "pilot")
        answer = person.client.request(method, at, headers=person.headers)
        assert answer.status_code in {403, 404, 405, 501} or (method == "HEAD" and answer.status_code < 400), path
        assert [word for word in broken.tells(answer) if word != "quokka"] == [], path


def test_a_huge_form_is_refused_by_every_route_and_changes_nothing(broken):
    for method, path, base, person in broken.asks():
        if method == "POST":
            at = path.replace("{token}", broken.tokens.get(base, "token")).replace("{study_id}", "pilot")
            answer = person.post(at, {"csrf": broken.csrf[person.name], "x": "quokka" * (1 << 18)})
            assert 400 <= answer.status_code < 500, path
            assert broken.tells(answer) == [], path
