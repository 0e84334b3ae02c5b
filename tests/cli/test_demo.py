"""The demo can be asked for again and again; nothing is doubled, and the URL works with the printed command."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from app.actions import accounts, freezing, preparing
from app.actions import demo as act
from app.cli import demo, serving
from app.cli.main import main
from app.config import content
from app.store import lock
from app.store.migrate import open_store
from tests.house import CHEAP, PROTOCOL
from tests.server import ROOT, free_port


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """An empty folder to stand in, cheap passwords, and signals and umask put back."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVENHAND_STORE", raising=False)
    monkeypatch.setattr(demo, "Passwords", lambda: CHEAP)
    handlers, umask = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}, os.umask(0o022)
    yield
    os.umask(umask)
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def evenhand(capsys):
    """Return a way to run a command in this process: exit code, words, complaint."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)])
        told = capsys.readouterr()
        return ended.value.code, told.out, told.err

    return run


def content_of(folder="evenhand-demo"):
    """Return every row of a store by table, and the audit chain's events apart."""
    store = open_store(Path(folder))
    with store.read() as connection:
        names = connection.exec_driver_sql("select name from sqlite_master where type = 'table'").scalars().all()
        tables = {name: connection.exec_driver_sql(f"select * from {name}").all() for name in names}  # noqa: S608
    store.close()
    return tables, [(row.actor, row.event) for row in tables.pop("audit_event")]


# --- Again and again ---


def test_a_second_demo_changes_nothing_and_is_recorded(evenhand):
    first, (rows, events) = evenhand("demo", "--json"), content_of()
    assert evenhand("demo", "--json") == first
    assert content_of() == (rows, [*events, ("local", "demo.prepared")])
    assert evenhand("--store", "evenhand-demo", "verify")[0] == 0


STEPS = [
    *((accounts, "add"), (preparing, "create"), (preparing, "set_rights"), (preparing, "import_items")),
    *((preparing, "assign"), (preparing, "check"), (freezing, "freeze")),
]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("module", "step"), STEPS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_demo_that_was_stopped_at_any_step_is_taken_up(evenhand, monkeypatch, module, step, when):
    take = getattr(module, step)

    def stop(*given, **named):
        if when == "after":
            take(*given, **named)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, step, stop)
        assert evenhand("demo")[0] == 1
    assert evenhand("demo")[0] == 0
    (rows, _), (code, told, _) = content_of(), evenhand("--store", "evenhand-demo", "verify", "--json")
    assert (code, json.loads(told)["studies"]) == (0, 1)
    assert [row.frozen_at is not None for row in rows["study"]] == [True]
    assert sorted(row.name for row in rows["account"]) == sorted(player.name for player in act.CAST)
    assert len(rows["item"]) == len(act.items_file().splitlines())


def test_a_store_with_people_of_its_own_is_no_place_for_the_demo(evenhand):
    evenhand("--store", "real", "user", "add", "otto")
    before = content_of("real")
    for more in ([], ["--fresh"]):
        code, _, told = evenhand("--store", "real", "demo", *more)
        assert (code, "demo" in told, content_of("real")) == (1, True, before)


def test_fresh_leaves_nothing_of_what_was_entered(evenhand):
    evenhand("demo")
    store = Path("evenhand-demo")
    (store / "exports" / "memo").mkdir(parents=True)
    (store / "before-upgrade-from-0001.sqlite3").touch()
    evenhand("demo", "--fresh")
    assert not (store / "exports").exists()
    assert not (store / "before-upgrade-from-0001.sqlite3").exists()


def test_fresh_spares_a_demo_store_that_holds_a_study_of_ones_own(evenhand):
    evenhand("demo")
    Path("protocol.toml").write_text(PROTOCOL)
    evenhand("--store", "evenhand-demo", "study", "create", "protocol.toml")
    before = content_of()
    code, _, told = evenhand("demo", "--fresh")
    assert (code, "a study of your own" in told, content_of()) == (1, True, before)


# --- A demo of another version ---


@pytest.fixture
def older(evenhand, tmp_path, monkeypatch):
    """Make the demo as a version with fewer items would have made it; return how many."""
    folder = tmp_path / "older"
    shutil.copytree(content("demo"), folder / "demo")
    items = (folder / act.ITEMS).read_bytes().splitlines(keepends=True)[1:]
    (folder / act.ITEMS).write_bytes(b"".join(items))
    with monkeypatch.context() as patch:
        patch.setattr(act, "content", lambda name: folder / name)
        assert evenhand("demo")[0] == 0
    return len(items)


def test_the_demo_of_another_version_stays_and_is_named(evenhand, older):
    rows, _ = content_of()
    code, told, _ = evenhand("demo")
    assert (code, f"with {older} items" in told) == (0, True)
    assert "evenhand --store evenhand-demo demo --fresh" in told
    assert content_of()[0] == rows


def test_fresh_makes_this_versions_demo_and_then_there_is_nothing_to_say(evenhand, older):
    assert evenhand("demo", "--fresh")[0] == 0
    assert len(content_of()[0]["item"]) == older + 1 + 10  # and the practice items
    assert "another version" not in evenhand("demo")[1].lower()


# --- A URL that works with the command ---


def test_the_printed_command_can_be_pasted_whatever_the_folder_is_called(evenhand):
    _, told, _ = evenhand("--store", "my demo; here", "demo")
    assert "Serve it: evenhand --store 'my demo; here' serve\n" in told


def test_a_demo_that_is_being_served_is_named_with_the_servers_own_port(evenhand):
    evenhand("demo")
    with lock.served(Path("evenhand-demo"), 8080):
        data, (_, told, _) = json.loads(evenhand("demo", "--json")[1]), evenhand("demo")
    assert data["url"] == "http://127.0.0.1:8080/"
    assert data["browser_url"].endswith(".localhost:8080/")
    assert "is being served" in told
    assert data["url"] in told
    assert "8765" not in told


def test_what_a_killed_server_left_behind_is_not_believed(evenhand):
    first = evenhand("demo")
    Path("evenhand-demo", lock.LOCK).write_text("8080")
    assert evenhand("demo") == first


def test_a_second_server_is_told_where_the_first_one_is(evenhand):
    evenhand("demo")
    with lock.served(Path("evenhand-demo"), 8080):
        for _ in range(2):
            code, _, told = evenhand("--store", "evenhand-demo", "serve", "--port", free_port())
            assert (code, "http://127.0.0.1:8080/\n" in told) == (1, True)
    assert Path("evenhand-demo", lock.LOCK).read_bytes() == b""


@pytest.fixture
def serve(evenhand, monkeypatch):
    """Return a way to start a server that ends at once: what it prints."""
    monkeypatch.setattr(serving, "_run", lambda *_: None)

    def run(*before, port=None, after=()):
        code, told, _ = evenhand(*before, "serve", "--port", port or free_port(), *after)
        assert code == 0
        return told

    return run


def test_serving_an_empty_store_beside_the_demo_says_how_to_serve_the_demo(evenhand, serve):
    evenhand("demo")
    port = free_port()
    for _ in range(2):
        told = serve(port=port)
        assert "This store is empty" in told
        assert told.endswith(f"\n  evenhand --store evenhand-demo serve --port {port}\n")


def test_serving_says_nothing_of_the_demo_where_there_is_none_or_another_store_is_meant(evenhand, serve):
    assert "demo" not in serve()
    evenhand("demo")
    assert "demo" not in serve("--store", "empty")
    assert set(json.loads(serve(after=["--json"]).splitlines()[0])) == {"store", "url", "browser_url"}
    evenhand("user", "add", "rosa")
    assert "demo" not in serve()


def test_a_taken_port_is_told_with_the_words_that_lead_on(evenhand):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, told = evenhand("serve", "--port", port)
    other = port + 1 if port < 65_535 else 8765
    assert code == 1
    assert f"--port {other}" in told
    assert f"PORT={other}" in told


# --- make run ---


@pytest.fixture
def make_run(tmp_path):
    """Return `make run` as a command; skip where it would have to install something first."""
    stamp = ".venv/.run-installed"
    if shutil.which("make") is None or subprocess.run(["make", "-q", stamp], cwd=ROOT, check=False).returncode:
        pytest.skip(f"make would have to bring {stamp} up to date first")
    return ["make", "run", f"PORT={free_port()}", f"DEMO_STORE={tmp_path / 'tried'}"]


def test_make_run_prints_the_right_port_says_where_it_runs_already_and_can_be_run_again(make_run, tmp_path):
    url = f"http://127.0.0.1:{make_run[2].removeprefix('PORT=')}/"
    first = served_by(make_run, url)
    with first as told:
        assert "rosa-likes-a-demo" in told
        assert "8765" not in told
        assert "Serve it" not in told
        beside = subprocess.run(make_run, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
        assert beside.returncode != 0
        assert url in beside.stderr
        assert "Traceback" not in beside.stderr
    rows, _ = content_of(tmp_path / "tried")
    with served_by(make_run, url) as again:
        assert again == told
    assert content_of(tmp_path / "tried")[0] == rows


def test_make_run_serves_no_store_in_which_the_demo_may_not_be_made(make_run, tmp_path, evenhand):
    evenhand("--store", tmp_path / "tried", "user", "add", "otto")
    ended = subprocess.run(make_run, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode != 0
    assert "is in use for other studies" in ended.stderr
    assert "Evenhand serves" not in ended.stdout


@contextlib.contextmanager
def served_by(command, url):
    """Run a command that ends in a server; give what it prints until the server answers, then press Ctrl+C."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            told = ""
            while (line := process.stdout.readline()) not in {"", "Stop with Ctrl+C.\n"}:
                told += line
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                with contextlib.suppress(httpx.TransportError):
                    assert httpx.get(f"{url}healthz").text == "ok"
                    break
            yield re.sub(r"(?m)^make.*\n", "", told)
        finally:
            os.killpg(process.pid, signal.SIGINT)
