"""A whole way from the draw to the memo: each file is its owner's alone, none is temporary, and the bytes repeat."""

import os
import stat
import subprocess
import sys

import pytest

from scripts.make_selection_pool import FIXTURES
from tests.filters.programs import TIDY, program, typed
from tests.house import PROTOCOL, RIGHTS, item_rows, jsonl, password_of
from tests.server import ROOT

# The command line in a process of its own that notes each file that Python itself opens to write.
TRACED = """
import json, os, sys
opened = []
def hook(event, given):
    if event == "open" and isinstance(given[0], (str, bytes)) and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        opened.append(os.path.abspath(os.fsdecode(given[0])))
    if event.startswith("tempfile."):
        opened.append(event)
sys.addaudithook(hook)
sys.dont_write_bytecode = True
from app.cli.main import main
try:
    main(sys.argv[2:])
finally:
    open(sys.argv[1], "a").write("".join(each + chr(10) for each in opened))
"""
OTHERWISE = {"TZ": "Pacific/Chatham", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "7"}


class Way:
    """One folder with a store and whatever is written beside it."""

    def __init__(self, folder):
        self.folder, self.written = folder, folder / "written.txt"
        self.out = folder / "out"
        self.out.mkdir()
        (folder / "empty").mkdir()

    def do(self, *arguments, given="", cwd=None, **environment):
        command = [sys.executable, "-c", TRACED, self.written, "--store", self.folder / "store", *arguments]
        told = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(self.folder / "empty")} | environment
        done = subprocess.run(
            [str(each) for each in command],
            input=given, capture_output=True, text=True, env=told, cwd=cwd or self.out, umask=0, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (arguments, done.stderr)

    def given(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


@pytest.fixture(scope="module")
def way(tmp_path_factory):
    made = Way(tmp_path_factory.mktemp("way"))
    for name in ("rosa", "ravi", "lena"):
        made.do("user", "add", name, "--password-stdin", *(["--lead"] * (name == "lena")), given=password_of(name))
    made.do("select", FIXTURES / "pool.csv", "--protocol", FIXTURES / "protocol.toml", "--out", "drawn")
    raw = [{key: row[key] for key in row if key not in {"off", "on"}} for row in item_rows()]
    tidy = typed(program(made.folder, TIDY))
    made.do("pair", made.given("raw.jsonl", jsonl(raw)), "--filter", "command", "--exec", tidy, "--out", "items.jsonl")
    made.do("study", "create", made.given("protocol.toml", PROTOCOL))
    made.do("study", "rights", "pilot", made.given("rights.toml", RIGHTS))
    made.do("study", "import", "pilot", "items.jsonl")
    people = ["--reviewer", "rosa", "--reviewer", "ravi", "--lead", "lena", "--attest", "therapists"]
    made.do("study", "assign", "pilot", *people)
    made.do("study", "freeze", "pilot", "--acknowledge", "no_adjudicator")
    made.do("study", "close", "pilot", "--reason", "the pilot ends here")
    made.do("export", "pilot", "--out", "memo")
    return made


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_file_and_folder_is_its_owners_alone(way):
    made = [way.folder / "store", *(way.folder / "store").rglob("*"), *way.out.rglob("*")]
    assert {path.name for path in made} >= {"evenhand.sqlite3", "items.jsonl", "selection.json", "memo.json"}
    assert [
        path.name for path in made if stat.S_IMODE(path.stat().st_mode) != (0o700 if path.is_dir() else 0o600)
    ] == []


def test_nothing_is_written_but_into_the_store_and_where_it_was_asked_for(way):
    opened = set(way.written.read_text().splitlines())
    places = (str(way.folder / "store"), str(way.out), str(way.written), "/dev/")
    assert any(path.endswith("memo.json") for path in opened)
    # A folder is staged beside its place by `mkdtemp`, within the place that was asked for.
    assert {each for each in opened if not each.startswith(places)} <= {"tempfile.mkdtemp", "tempfile.mkstemp"}
    assert list((way.folder / "empty").iterdir()) == []


def test_nothing_half_is_left_beside_what_was_asked_for(way):
    assert {path.name for path in way.out.iterdir()} == {"drawn", "items.jsonl", "memo"}


def test_an_export_has_the_same_bytes_in_another_place_language_and_time_zone(way, tmp_path):
    way.do("export", "pilot", "--out", tmp_path / "again", cwd="/", **OTHERWISE)
    first, again = files_of(way.out / "memo"), files_of(tmp_path / "again")
    assert len(first) > 30
    assert first == again


def test_a_draw_has_the_same_bytes_in_another_place_language_and_time_zone(way, tmp_path):
    drawn = ("select", FIXTURES / "pool.csv", "--protocol", FIXTURES / "protocol.toml", "--out", tmp_path / "again")
    way.do(*drawn, cwd="/", **OTHERWISE)
    assert files_of(way.out / "drawn") == files_of(tmp_path / "again")


@pytest.mark.skipif(sys.platform != "linux", reason="the mark is Linux's own")
def test_a_crash_of_a_command_leaves_no_core():
    asked = "import ctypes, resource; from app.cli import main; main.run = lambda *_, **__: print(ctypes.CDLL(None)"
    asked += ".prctl(3, 0, 0, 0, 0), *resource.getrlimit(resource.RLIMIT_CORE)) or 0; main.main([])"
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["0", "0", "0"], done.stderr
