"""The command line's contract: exit codes, --json, stores, accounts, the demo, serving."""

import contextlib
import io
import json
import os
import re
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app import __version__
from app.actions import demo as played
from app.actions import preparing
from app.cli import demo, serving, users
from app.cli.main import main
from app.store import lock
from app.store.audit import LOCAL
from app.store.migrate import open_store
from tests.house import CHEAP, PROTOCOL, RIGHTS, add_people, draft_study, fixed_world, item_rows, jsonl, password_of
from tests.server import ROOT, Evenhand, free_port

LONG = "a password of many letters"


class Called:
    """What a command left behind: its exit code, and what it said on both streams."""

    def __init__(self, arguments, given=""):
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            patch.setattr("sys.stdin", io.StringIO(given))
            with pytest.raises(SystemExit) as ended:
                main([str(each) for each in arguments])
        self.code, self.out, self.err = ended.value.code, out.getvalue(), err.getvalue()

    @property
    def data(self):
        return json.loads(self.out)


def evenhand(*arguments, given=""):
    return Called(arguments, given)


@pytest.fixture(autouse=True)
def quiet_place(tmp_path, monkeypatch):
    """An empty folder to stand in, cheap passwords, no store in the environment, and the umask put back."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVENHAND_STORE", raising=False)
    for module in (users, demo):
        monkeypatch.setattr(module, "Passwords", lambda: CHEAP)
    before = os.umask(0o022)
    yield
    os.umask(before)


def rows(folder, sql):
    store = open_store(Path(folder))
    with store.read() as connection:
        found = connection.exec_driver_sql(sql).all()
    store.close()
    return found


# Exit codes and --json


DONE = [
    *(["--help"], ["-h"], ["--version"], ["user", "--help"], ["study", "freeze", "--help"]),
    *(["user", "list"], ["verify"]),
]
REFUSED = [
    ["user", "reset", "nobody"],
    ["user", "disable", "nobody"],
    ["user", "add", "!"],
    ["user", "add", "rosa", "--password-stdin"],
    ["study", "check", "nothing"],
    ["study", "rights", "nothing", "empty.toml"],
    ["study", "create", "empty.toml"],
    ["study", "assign", "nothing", "--reviewer", "rosa", "--lead", "lena"],
    *([verb, "nothing"] for verb in ("freeze", "status")),
    ["reopen", "nothing", "rosa", "--reason", "she asked"],
    ["deviation", "nothing", "one day late"],
    ["withdraw", "nothing", "--item", "P-001", "--reason", "she asked"],
    ["close", "nothing", "--reason", "the end"],
    ["export", "nothing", "--out", "memo"],
]
MISUSED = [
    [],
    ["nonsense"],
    ["--nonsense"],
    ["--store"],
    ["--store", "empty.toml", "user", "list"],
    ["user"],
    ["user", "nonsense"],
    ["user", "add"],
    ["user", "add", "rosa", "ravi"],
    ["user", "list", "--nonsense"],
    ["study"],
    ["study", "create"],
    ["study", "create", "missing.toml"],
    ["study", "create", "."],
    ["study", "assign", "pilot"],
    ["reopen", "pilot", "rosa"],
    ["withdraw", "pilot", "--reason", "she asked"],
    ["withdraw", "pilot", "--item", "P-001"],
    ["withdraw", "pilot", "--item", "P-001", "--cluster", "ep-one", "--reason", "she asked"],
    ["export", "pilot"],
    ["export", "pilot", "--out", "memo", "--decision", "perhaps"],
    ["serve", "--port", "0"],
    ["serve", "--port", "65536"],
    ["serve", "--port", "eighty"],
]


def written(arguments):
    return " ".join(arguments) or "nothing"


@pytest.mark.parametrize("arguments", DONE, ids=written)
def test_what_is_done_exits_0_and_says_nothing_on_stderr(arguments):
    called = evenhand(*arguments)
    assert (called.code, called.err) == (0, "")
    assert called.out


@pytest.mark.parametrize(
    ("arguments", "code"), [(each, 1) for each in REFUSED] + [(each, 2) for each in MISUSED], ids=str
)
def test_what_fails_says_so_on_stderr_alone_and_as_json_when_asked(arguments, code):
    Path("empty.toml").touch()
    plain, as_json = evenhand(*arguments), evenhand(*arguments, "--json")
    assert (plain.code, as_json.code) == (code, code)
    assert plain.err.strip()
    assert "Traceback" not in plain.err
    assert plain.out == ""
    assert as_json.data["error"].strip()
    assert not Path("memo").exists()


def test_json_is_taken_before_between_and_after_the_words_of_a_command():
    evenhand("user", "add", "rosa")
    places = [["--json", "user", "list"], ["user", "--json", "list"], ["user", "list", "--json"]]
    answers = {evenhand(*words).out for words in places}
    assert len(answers) == 1
    assert json.loads(answers.pop())["accounts"][0]["name"] == "rosa"


def test_a_failure_as_json_lists_every_problem_with_file_line_and_field():
    assert evenhand("--json", "study", "create", protocol_file()).data == {"study": "pilot"}
    bad = [row | {"off": 7, "stratum": ""} for row in item_rows()[:2]]
    Path("items.jsonl").write_bytes(jsonl(bad))
    called = evenhand("study", "import", "pilot", "items.jsonl", "--json")
    assert called.code == 1
    assert {(each["where"], each["line"], each["field"]) for each in called.data["problems"]} == {
        ("items.jsonl", line, field) for line in (1, 2) for field in ("off", "stratum")
    }
    assert rows("evenhand-store", "select count(*) from item") == [(0,)]


def test_a_refusal_as_json_has_the_words_that_stderr_has():
    called = evenhand("--json", "user", "reset", "nobody")
    assert called.data == {"error": "There is no account “nobody”.", "problems": []}
    assert called.err.strip() == called.data["error"]


def test_a_problem_never_repeats_the_text_it_is_about():
    evenhand("study", "create", protocol_file())
    Path("items.jsonl").write_bytes(jsonl([item_rows()[0] | {"off": ["what somebody said"], "lang": "what else"}]))
    called = evenhand("study", "import", "pilot", "items.jsonl", "--json")
    assert called.code == 1
    assert "what" not in called.out + called.err


def test_as_a_module_it_is_the_same_command():
    called = subprocess.run(
        [sys.executable, "-m", "app", "--json", "user", "list"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(called.stdout) == {"accounts": []}
    assert called.stderr == ""


def test_the_version_is_the_programs():
    assert __version__ in evenhand("--version").out


@pytest.mark.parametrize("verb", ["freeze", "status", "reopen", "deviation", "withdraw", "close"])
def test_the_short_form_of_a_study_command_is_the_long_one(verb):
    short, long = evenhand(verb, "--help").out, evenhand("study", verb, "--help").out
    assert short.split("\n", 1)[1] == long.split("\n", 1)[1]


# Stores


def test_a_missing_store_is_made_with_its_parents():
    assert evenhand("--store", "deep/down/store", "user", "list").code == 0
    assert Path("deep/down/store/evenhand.sqlite3").is_file()


@pytest.mark.parametrize(
    ("arguments", "environment", "folder"),
    [
        ([], None, "evenhand-store"),
        ([], "elsewhere", "elsewhere"),
        (["--store", "given"], None, "given"),
        (["--store", "given"], "elsewhere", "given"),
    ],
)
def test_the_store_is_the_one_given_else_the_environments_else_the_default(monkeypatch, arguments, environment, folder):
    if environment:
        monkeypatch.setenv("EVENHAND_STORE", environment)
    assert evenhand(*arguments, "user", "add", "rosa").code == 0
    assert [path.name for path in Path().iterdir()] == [folder]


@pytest.mark.parametrize(("environment", "folder"), [(None, "evenhand-demo"), ("elsewhere", "elsewhere")])
def test_the_demo_has_a_store_of_its_own_unless_one_is_named(monkeypatch, environment, folder):
    if environment:
        monkeypatch.setenv("EVENHAND_STORE", environment)
    assert evenhand("demo", "--json").data["store"] == folder
    assert [path.name for path in Path().iterdir()] == [folder]


def test_a_store_that_others_can_read_is_refused_with_the_way_out():
    evenhand("user", "list")
    Path("evenhand-store").chmod(0o755)
    called = evenhand("user", "list")
    assert called.code == 1
    assert "chmod go-rwx" in called.err


def test_a_store_that_cannot_be_made_is_refused_with_the_way_out():
    Path("file").touch()
    called = evenhand("--store", "file/store", "user", "list")
    assert called.code == 1
    assert "--store" in called.err


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_files_are_for_their_owner_alone_whatever_the_umask(umask):
    os.umask(umask)
    for arguments in (["demo"], ["--store", "a/b", "user", "add", "rosa"]):
        assert evenhand(*arguments).code == 0
    Path("protocol.toml").write_text(PROTOCOL)
    blocked_memo()
    made = [path for top in ("evenhand-demo", "a", "memo") for path in (Path(top), *Path(top).rglob("*"))]
    assert any(path.suffix == ".csv" for path in made)
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in made}
    assert modes == {(True, 0o700), (False, 0o600)}


def blocked_memo():
    """Export the memo of a draft whose rights are refused, into memo/."""
    store, world = open_store(Path("a/b")), fixed_world()
    add_people(store, world, ["ravi", "ines", "lena"])
    draft_study(store, world, ledger=RIGHTS.replace('"approved"', '"refused"'))
    store.close()
    assert evenhand("--store", "a/b", "export", "pilot", "--out", "memo").code == 0


def test_an_existing_folder_is_never_written_into():
    evenhand("--store", "a/b", "user", "add", "rosa")
    Path("memo").mkdir()
    store, world = open_store(Path("a/b")), fixed_world()
    add_people(store, world, ["ravi", "ines", "lena"])
    draft_study(store, world, ledger=RIGHTS.replace('"approved"', '"refused"'))
    store.close()
    called = evenhand("--store", "a/b", "export", "pilot", "--out", "memo")
    assert called.code == 1
    assert list(Path("memo").iterdir()) == []


# Accounts


def test_an_account_gets_a_one_time_code_which_is_told_once_and_stored_nowhere():
    called = evenhand("user", "add", "rosa", "--json")
    code = called.data["code"]
    assert called.data == {"name": "rosa", "lead": False, "code": code}
    assert len(code) >= 16
    kept = subprocess.check_output(["cat", *Path("evenhand-store").iterdir()])
    assert code.encode() not in kept
    assert code not in evenhand("user", "list", "--json").out
    assert re.search(r"One-time code \(valid 7 days\): \S{16,}\n.*/code", evenhand("user", "add", "ravi").out)


def test_a_piped_password_is_final_and_is_told_nowhere():
    called = evenhand("user", "add", "lena", "--lead", "--password-stdin", "--json", given=f"{LONG}\n")
    assert called.data == {"name": "lena", "lead": True, "code": None}
    assert LONG not in called.out + called.err
    ((hashed, code),) = rows("evenhand-store", "select password_hash, code_hash from account")
    assert CHEAP.matches(LONG, hashed)
    assert code is None


@pytest.mark.parametrize(
    ("given", "password"),
    [
        (f"{LONG}\r\n", LONG),
        (LONG, LONG),
        (f"  {LONG} \n", f"  {LONG} "),
        (f"{LONG}\nmore\n", LONG),
        (f"ünï {LONG}", f"ünï {LONG}"),
    ],
)
def test_a_piped_password_is_the_first_line_and_nothing_is_trimmed(given, password):
    assert evenhand("user", "add", "rosa", "--password-stdin", given=given).code == 0
    ((hashed,),) = rows("evenhand-store", "select password_hash from account")
    assert CHEAP.matches(password, hashed)


@pytest.mark.parametrize("given", ["", "\n", "too short\n", "a" * 30, "rosa" * 5, "x1" * 600])
def test_a_poor_password_adds_no_account_and_is_not_repeated(given):
    called = evenhand("user", "add", "rosa", "--password-stdin", "--json", given=given)
    assert called.code == 1
    assert called.data["problems"][0]["field"] == "password"
    assert len(given) < 5 or given.strip() not in called.out + called.err
    assert evenhand("user", "list", "--json").data == {"accounts": []}


@pytest.mark.parametrize("name", ["", "x", " rosa", "ro sa", "-rosa", "a" * 65, "rosa\n", "<b>", "ro/sa", "ro\x00sa"])
def test_a_name_that_could_be_mistaken_is_refused(name):
    called = evenhand("user", "add", "--", name)
    assert called.code == 1
    assert "letters" in called.err


def test_a_name_is_taken_once_and_the_way_out_is_told():
    evenhand("user", "add", "rosa")
    called = evenhand("user", "add", "rosa")
    assert called.code == 1
    assert "new one-time code" in called.err


def test_the_list_says_who_leads_who_is_shut_out_and_whose_code_is_open():
    evenhand("user", "add", "rosa", "--password-stdin", given=LONG)
    evenhand("user", "add", "lena", "--lead")
    evenhand("user", "add", "otto")
    evenhand("user", "disable", "otto")
    assert evenhand("user", "list", "--json").data == {
        "accounts": [
            {"name": "lena", "lead": True, "disabled": False, "code_open": True},
            {"name": "otto", "lead": False, "disabled": True, "code_open": False},
            {"name": "rosa", "lead": False, "disabled": False, "code_open": False},
        ]
    }
    assert evenhand("user", "list").out == "lena  lead  code not used yet\notto  disabled\nrosa\n"


def test_an_empty_list_says_what_to_do():
    assert "evenhand user add" in evenhand("user", "list").out


def test_a_reset_gives_a_new_code_ends_the_password_and_lets_in_again():
    evenhand("user", "add", "rosa", "--password-stdin", given=LONG)
    evenhand("user", "disable", "rosa")
    codes = {evenhand("user", "reset", "rosa", "--json").data["code"] for _ in range(2)}
    assert len(codes) == 2
    assert rows("evenhand-store", "select password_hash, disabled from account") == [(None, False)]


def test_what_the_command_line_did_is_audited_as_local():
    evenhand("user", "add", "rosa")
    evenhand("user", "reset", "rosa")
    evenhand("user", "disable", "rosa")
    evenhand("study", "create", protocol_file())
    events = rows("evenhand-store", "select actor, event from audit_event order by seq")
    assert events == [(LOCAL, each) for each in ("account.added", "account.reset", "account.disabled", "study.created")]


# Studies


def protocol_file(text=PROTOCOL):
    Path("protocol.toml").write_text(text, encoding="utf-8")
    return "protocol.toml"


def test_a_study_is_named_by_the_id_in_its_protocol():
    assert evenhand("study", "create", protocol_file(), "--json").data == {"study": "pilot"}
    assert evenhand("status", "pilot", "--json").data["stage"] == "draft"


def test_a_study_goes_from_its_files_to_its_freeze_and_each_step_says_the_next():
    Path("rights.toml").write_text(RIGHTS)
    Path("items.jsonl").write_bytes(jsonl(item_rows()))
    for name in ("rosa", "ravi", "ines", "lena"):
        evenhand("user", "add", name, "--password-stdin", given=password_of(name))
    assert "evenhand study rights pilot" in evenhand("study", "create", protocol_file()).out
    assert evenhand("study", "rights", "pilot", "rights.toml", "--json").data == {"study": "pilot", "sources": 1}
    assert evenhand("study", "import", "pilot", "items.jsonl", "--json").data == {
        "study": "pilot",
        "imported": 6,
        "removed": 0,
    }
    people = ["--reviewer", "rosa", "--reviewer", "ravi", "--adjudicator", "ines", "--lead", "lena"]
    assert "evenhand study check pilot" in evenhand("study", "assign", "pilot", *people).out
    report = evenhand("study", "check", "pilot", "--json")
    assert (report.code, set(report.data)) == (0, {"errors", "warnings", "acknowledge"})
    assert {"code", "text", "count"} == set(report.data["acknowledge"][0])
    assert "unattested" in {each["code"] for each in report.data["acknowledge"]}
    refused = evenhand("freeze", "pilot", "--json")
    assert (refused.code, "unattested" in refused.data["error"]) == (1, True)
    codes = [part for each in report.data["acknowledge"] for part in ("--acknowledge", each["code"])]
    frozen = evenhand("study", "freeze", "pilot", *codes, "--json")
    assert re.fullmatch(r"[0-9a-f]{64}", frozen.data["manifest_sha256"])
    assert evenhand("status", "pilot", "--json").data["stage"] == "reviewing"


def test_a_withdrawal_says_what_it_did_and_never_what_it_took():
    demo = ["--store", "evenhand-demo"]
    evenhand("demo")
    ((cluster, items),) = rows(
        "evenhand-demo", "select cluster, count(*) from item where role = 'study' group by cluster limit 1"
    )
    named = ["withdraw", "demo", "--cluster", cluster, "--reason", "a participant asked"]
    told = evenhand(*demo, *named, "--json").data
    assert told.pop("withdrawn") >= items, "practice items of the cluster go too"
    assert told == {
        "study": "demo",
        "effect": "withdrawn",
        "erased": True,
        "copies": [],
        "elsewhere": [],
    }
    again = evenhand(*demo, *named)
    assert again.code == 1
    assert cluster not in again.err
    status = evenhand(*demo, "status", "demo")
    assert f"160 items ({items} withdrawn)" in status.out
    assert evenhand(*demo, "status", "demo", "--json").data["withdrawn"] == items
    revoked = evenhand(*demo, "withdraw", "demo", "--source", "evenhand-demo", "--reason", "taken back")
    assert "erased from the database and its journal" in revoked.out
    assert evenhand(*demo, "verify").code == 0


def test_an_older_copy_in_the_store_is_named_by_a_withdrawal():
    evenhand("demo")
    ((item,),) = rows("evenhand-demo", "select item_id from item limit 1")
    Path("evenhand-demo/before-upgrade-from-0001.sqlite3").touch(mode=0o600)
    told = evenhand("--store", "evenhand-demo", "withdraw", "demo", "--item", item, "--reason", "she asked").out
    assert "An older copy in the store's folder still holds it: before-upgrade-from-0001.sqlite3" in told


def test_a_check_that_found_errors_exits_1_and_still_prints_its_report():
    evenhand("study", "create", protocol_file())
    called = evenhand("study", "check", "pilot", "--json")
    assert (called.code, bool(called.data["errors"])) == (1, True)


# The demo


SHAPE = {"store", "url", "browser_url", "study", "accounts"}


def test_the_demo_says_where_it_is_how_to_reach_it_and_who_may_sign_in():
    data = evenhand("demo", "--json").data
    assert set(data) == SHAPE
    assert (data["store"], data["study"], data["url"]) == ("evenhand-demo", "demo", "http://127.0.0.1:8765/")
    assert re.fullmatch(r"http://[a-z0-9]{16,}\.localhost:8765/", data["browser_url"])
    assert [(each["username"], each["role"]) for each in data["accounts"]] == [
        ("rosa", "reviewer"),
        ("ravi", "reviewer"),
        ("ines", "adjudicator"),
        ("lena", "lead"),
    ]
    assert all(set(each) == {"username", "password", "role"} for each in data["accounts"])


def test_the_demos_words_hold_all_that_its_json_holds():
    data, words = evenhand("demo", "--json").data, evenhand("demo").out
    assert all(each["username"] in words and each["password"] in words for each in data["accounts"])
    assert data["url"] in words
    assert f"evenhand --store {data['store']} serve" in words


def test_the_demos_passwords_fit():
    accounts = evenhand("demo", "--json").data["accounts"]
    hashes = dict(rows("evenhand-demo", "select name, password_hash from account"))
    assert all(CHEAP.matches(each["password"], hashes[each["username"]]) for each in accounts)


KEPT = "select (select count(*) from item), (select count(*) from account), (select group_concat(token) from slot)"


def test_the_demo_twice_is_the_demo_once():
    first, before = evenhand("demo", "--json"), None
    before = rows("evenhand-demo", KEPT)
    again = evenhand("demo", "--json")
    assert (again.code, again.data) == (0, first.data)
    assert rows("evenhand-demo", KEPT) == before
    assert before[0][:2] == (170, 4)


def test_a_demo_that_was_stopped_half_way_is_taken_up_where_it_ended(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(preparing, "assign", stop)
        called = evenhand("demo")
    assert (called.code, called.err.strip()) == (1, "Stopped.")
    assert evenhand("demo").code == 0
    assert rows("evenhand-demo", "select frozen_at is not null from study") == [(True,)]


def stop(*_given, **_named):
    raise KeyboardInterrupt


def test_a_fresh_demo_is_a_new_one():
    first, tokens = evenhand("demo", "--json").data, rows("evenhand-demo", KEPT)
    fresh = evenhand("demo", "--fresh", "--json").data
    assert fresh["browser_url"] != first["browser_url"]
    assert rows("evenhand-demo", KEPT) != tokens


def test_fresh_throws_nothing_away_that_is_no_demo():
    evenhand("--store", "real", "user", "add", "rosa")
    Path("thesis").mkdir()
    Path("thesis/chapter").touch()
    for folder in ("real", "thesis"):
        called = evenhand("--store", folder, "demo", "--fresh")
        assert called.code == 1
        assert "nothing was removed" in called.err
    assert rows("real", "select name from account") == [("rosa",)]
    assert Path("thesis/chapter").exists()


def test_fresh_leaves_other_files_in_the_folder_alone():
    evenhand("demo")
    Path("evenhand-demo/mine.txt").touch()
    assert evenhand("demo", "--fresh").code == 0
    assert Path("evenhand-demo/mine.txt").exists()


def test_fresh_leaves_a_store_alone_that_a_server_runs_on():
    evenhand("demo")
    with lock.served(Path("evenhand-demo")):
        called = evenhand("demo", "--fresh")
    assert called.code == 1
    assert "server" in called.err


def test_the_cast_of_the_demo_has_passwords_that_could_be_chosen():
    assert all(len(player.password) >= 15 for player in played.CAST)


# Serving


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server process on a store of its own."""
    folder = tmp_path_factory.mktemp("served") / "store"
    store, world = open_store(folder), fixed_world()
    add_people(store, world)
    store.close()
    with pytest.MonkeyPatch.context() as patch:
        house = Evenhand(folder, patch)
        house.serve()
        yield house
        house.stop()


def timed(*arguments):
    begun = time.monotonic()
    command = [sys.executable, "-m", "app", *map(str, arguments)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    return ended, time.monotonic() - begun


def refused_within_two_seconds(folder, port, *more):
    """Start a server that is to fail; where the machine is busy, so is the shortest of commands."""
    ended, seconds = timed("--store", folder, "serve", "--port", port, *more)
    assert ended.returncode == 1
    assert seconds < 2 or seconds < 5 * timed("--version")[1]
    return ended


def test_a_taken_port_ends_the_start_within_two_seconds_and_says_so(tmp_path):
    evenhand("--store", tmp_path / "store", "user", "list")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = refused_within_two_seconds(tmp_path / "store", port)
    assert f"port {port}" in ended.stderr
    assert "--port" in ended.stderr
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    assert rows(tmp_path / "store", "select event from audit_event where event = 'server.started'") == []


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "0.0.0.0",  # noqa: S104 - the very thing to be noticed
        "::1",
        "::",
    ],
)
def test_a_port_on_which_another_program_listens_at_any_address_is_taken(tmp_path, monkeypatch, address):
    monkeypatch.setattr(serving, "_run", lambda *_: None)
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as taken:
        try:
            taken.bind((address, 0))
        except OSError:
            pytest.skip(f"nothing can listen at {address} here")
        taken.listen()
        called = evenhand("--store", tmp_path / "store", "serve", "--port", taken.getsockname()[1], "--json")
    assert called.code == 1
    assert "already listens" in called.data["error"]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_a_program_that_holds_the_port_and_answers_nobody_ends_the_start_within_two_seconds(tmp_path, address):
    evenhand("--store", tmp_path / "store", "user", "list")
    with contextlib.ExitStack() as stack:
        taken = stack.enter_context(socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET))
        try:
            taken.bind((address, 0))
        except OSError:
            pytest.skip(f"nothing can listen at {address} here")
        taken.listen(0)
        for _ in range(3):  # its queue is full, so that whoever calls now waits
            caller = stack.enter_context(socket.socket(taken.family))
            caller.settimeout(0)
            caller.connect_ex(taken.getsockname()[:2])
        ended = refused_within_two_seconds(tmp_path / "store", taken.getsockname()[1])
    assert "already listens" in ended.stderr


def test_while_the_server_runs_nobody_can_take_its_port_at_another_loopback_address(served):
    """A browser looks for a name under .localhost at ::1 too, and would send the cookie to who listens there."""
    for address in ("::1", "::", "0.0.0.0"):  # noqa: S104 - what a squatter would do
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as squatter:
            squatter.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                squatter.bind((address, served.port))
                squatter.listen()
            except OSError:
                continue
            pytest.fail(f"{address} could be taken")


def test_a_server_can_start_again_at_once_on_the_port_that_it_had(served):
    assert served.visit("rosa").get("/account").status_code == 200
    served.process.terminate()
    assert served.process.wait(15) == 0
    again = subprocess.Popen(
        [sys.executable, "-m", "app", "--store", str(served.folder), "serve", "--port", str(served.port), "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    served.process = again
    assert json.loads(again.stdout.readline())["url"].endswith(f":{served.port}/")
    again.stdout.close()


def test_a_second_server_on_a_store_ends_within_two_seconds_and_says_so(served):
    ended = refused_within_two_seconds(served.folder, free_port(), "--json")
    assert "Another server already runs on the store" in ended.stderr
    assert json.loads(ended.stdout)["error"] in ended.stderr
    assert "Traceback" not in ended.stderr
    assert served.visit("rosa").get("/healthz").text == "ok"


def test_other_commands_work_beside_the_server(served):
    assert served.do("verify")["ok"]
    assert served.do("user", "add", "nora")["code"]
    assert served.visit("rosa").get("/account").status_code == 200


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux lists what listens in /proc")
def test_the_server_listens_on_loopback_alone(served):
    port, tables = f"{served.port:04X}", [Path(f"/proc/net/{name}") for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:]]
    listening = {row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port}")}
    assert listening == {f"0100007F:{port}"}


def test_the_server_says_its_addresses_and_ends_when_told(tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "app", "--store", str(tmp_path / "store"), "serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline().strip() for _ in range(4)]
        process.terminate()
        process.wait(15)
    name, plain = lines[1:3]
    assert re.fullmatch(rf"http://[a-z0-9]{{16,}}\.localhost:{port}/", name)
    assert plain == f"http://127.0.0.1:{port}/"
    assert rows(tmp_path / "store", "select value from setting where key = 'host_name'")[0][0] in name


def test_serve_says_its_addresses_as_json_when_asked(tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "app", "--store", str(tmp_path / "store"), "serve", "--port", str(port), "--json"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        told = json.loads(process.stdout.readline())
        process.terminate()
        assert process.wait(15) == 0
    assert told["url"] == f"http://127.0.0.1:{port}/"
    assert told["browser_url"].endswith(f".localhost:{port}/")


def test_what_the_server_answers_is_sent_at_once():
    """A page is written in two parts; the second would wait for the first to be confirmed."""
    with serving._listening(free_port()) as listener:
        assert listener.proto == socket.IPPROTO_TCP
