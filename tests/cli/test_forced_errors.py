"""Where the store fails beneath a command, it ends with one calm line, and nothing is half done (acceptance B8, D3)."""

import contextlib
import io
import json
import shutil

import pytest
from starlette.testclient import TestClient

from app.actions import closing
from app.cli import desk, users
from app.cli.main import cli, run
from app.config import Settings
from app.store.db import Store
from app.store.migrate import open_store
from app.web.app import create_app
from tests.house import (
    CHEAP,
    ORIGIN,
    PORT,
    PROTOCOL,
    RIGHTS,
    Person,
    add_people,
    draft_study,
    fixed_world,
    frozen_study,
    item_rows,
    jsonl,
)
from tests.web.failing import ANY, BEGIN, EVENT, FULL, KIND, LOCKED, MARK, NEVER, ROW, SECRET, failing
from tests.web.way import snapshot

COMMANDS = {
    "user add": ["user", "add", "nora"],
    "user reset": ["user", "reset", "otto"],
    "user disable": ["user", "disable", "otto"],
    "study create": ["study", "create", "new.toml"],
    "study protocol": ["study", "protocol", "draft", "draft.toml"],
    "study rights": ["study", "rights", "draft", "rights.toml"],
    "study import": ["study", "import", "draft", "items.jsonl", "--replace"],
    "study assign": ["study", "assign", "draft", "--reviewer", "rosa", "--reviewer", "otto", "--lead", "lena"],
    "study prefill": ["study", "prefill", "draft", "--practice"],
    "study freeze": ["study", "freeze", "draft", "--acknowledge", "unattested"],
    "study reopen": ["reopen", "pilot", "rosa", "--reason", "she asked"],
    "study deviation": ["deviation", "pilot", "one day late"],
    "study replace": ["study", "replace", "pilot", "ravi", "--by", "otto", "--reason", "he moved"],
    "study withdraw": ["withdraw", "pilot", "--item", "P-001", "--reason", "she asked"],
    "study close": ["close", "pilot", "--reason", "we stop here"],
    "export": ["export", "closed", "--out", "memo"],
    "backup": ["backup", "copy.sqlite3"],
}
READING = {
    "user list": ["user", "list"],
    "study check": ["study", "check", "draft"],
    "study status": ["status", "pilot"],
    "verify": ["verify"],
}
FAULTS = {
    "a full disk": (NEVER, FULL),
    "another program": (BEGIN, LOCKED),
    "SQL at the first row": (ROW, KIND["SQL"](SECRET)),
    "a rule at the first row": (ROW, KIND["a rule"](SECRET)),
    "a rule at the last row": (EVENT, KIND["a rule"](SECRET)),
    "a rule at the commit": (NEVER, KIND["a rule"](SECRET)),
    "a key at the commit": (NEVER, KeyError(SECRET)),
    "the system at the first statement": (ANY, OSError(SECRET)),
    "a rule at the first statement": (ANY, KIND["a rule"](SECRET)),
}
INSIDE = (MARK, "select ", "insert", "on_panel", "Traceback", ".py", "/home/", "sqlite3.", "sqlalchemy", "Error:")
ELSEWHERE = {  # no store, a store of their own, or another one's folder: other tests make them fail
    *("select", "score", "serve", "demo", "restore", "pair", "study audio"),
}


def protocol(study):
    return PROTOCOL.replace('"pilot"', f'"{study}"').replace("A small", f"A {study}")


class House:
    """A store with a draft, a running study and a closed one, and the folder that commands stand in."""

    def __init__(self, folder):
        self.folder, self.world = folder, fixed_world()
        self.store = open_store(folder / "store")
        add_people(self.store, self.world)
        draft_study(self.store, self.world, protocol=protocol("draft"))
        frozen_study(self.store, self.world)
        app = create_app(self.store, self.world, Settings(port=PORT), CHEAP)
        with TestClient(app, base_url=ORIGIN, follow_redirects=False) as browser:
            rosa = Person(browser, "rosa").sign_in()
            while (found := rosa.next_page()) is not None:
                rosa.answer(found[1], label="no-material-edit")
            assert rosa.sign_off().status_code == 303
        frozen_study(self.store, self.world, protocol=protocol("closed"))
        closing.close(self.store, self.world, "local", "closed", "it ends here")
        files = {
            "new.toml": protocol("new").encode(),
            "draft.toml": protocol("draft").replace("meant", "said").encode(),
        }
        files |= {"rights.toml": RIGHTS.encode(), "items.jsonl": jsonl(item_rows())}
        for name, data in files.items():
            (folder / name).write_bytes(data)

    def there(self):
        return sorted(path.name for path in self.folder.iterdir())

    def run(self, arguments, *, as_json=False):
        """Run a command; return its exit code and what it said on both streams."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(["--store", str(self.store.folder), *arguments], as_json=as_json)
        return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    made = House(tmp_path_factory.mktemp("house"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.folder)
        patch.setattr(users, "Passwords", lambda: CHEAP)
        patch.setattr(desk, "open_store", lambda _: made.store)
        patch.setattr(Store, "close", lambda _: None)  # a command's end is not this store's
        yield made
    made.store.close()


def leaves(group, before=""):
    for name, command in group.commands.items():
        yield from leaves(command, f"{name} ") if hasattr(command, "commands") else [f"{before}{name}"]


def test_every_command_is_made_to_fail_or_named():
    short = {"freeze", "status", "reopen", "deviation", "withdraw", "close"}
    assert set(leaves(cli)) - short == {*COMMANDS, *READING} | ELSEWHERE


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_made_to_fail_would_succeed(house, command):
    before = snapshot(house.store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(house.store.engine.dialect, "do_commit", lambda connection: connection.rollback())
        code, _, err = house.run(COMMANDS[command])
    for name in ("memo", "copy.sqlite3"):
        path = house.folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    assert (code, err) == (0, "")
    assert snapshot(house.store) == before


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_write_that_fails_ends_a_command_with_one_calm_line_and_nothing_half_done(house, command, fault):
    before, there = snapshot(house.store), house.there()
    with failing(house.store, *FAULTS[fault]) as failed:
        code, out, err = house.run(COMMANDS[command])
    assert failed
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert not [word for word in INSIDE if word in err]
    assert snapshot(house.store) == before
    assert house.there() == there


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("error", KIND.values(), ids=KIND)
@pytest.mark.parametrize("after", [0, 2])
def test_a_read_that_fails_ends_a_command_with_one_calm_line(house, command, error, after):
    with failing(house.store, ANY, error(SECRET), after) as failed:
        code, out, err = house.run(READING[command])
    if failed:
        assert (code, out, len(err.splitlines())) == (1, "", 1)
        assert not [word for word in INSIDE if word in err]
    else:
        assert command == "user list"  # which is one statement


@pytest.mark.parametrize("after", range(4))  # events of strata, sources, practice items and their source
def test_of_several_changes_asked_for_at_once_all_are_made_or_none(house, after):
    asked = ["study", "prefill", f"unplanned-{after}", "--strata", "--sources", "--practice"]
    rows = [*item_rows(), item_rows()[0] | {"item_id": "X-1", "source": "elsewhere"}]
    draft_study(house.store, house.world, protocol=protocol(f"unplanned-{after}"), rows=rows)
    before = snapshot(house.store)
    with failing(house.store, EVENT, FULL, after=after, commits=False) as failed:
        code, out, err = house.run(asked)
    assert failed
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert snapshot(house.store) == before
    assert house.run(asked)[0] == 0


def test_an_error_that_nobody_foresaw_says_where_it_arose_and_nothing_of_what_it_said(house):
    with failing(house.store, ROW, KeyError(SECRET)):
        code, out, err = house.run(COMMANDS["user add"], as_json=True)
    assert code == 1
    assert err.startswith("Something went wrong in Evenhand (app.store.")
    assert json.loads(out) == {"error": err.strip()}
    assert MARK not in out + err
