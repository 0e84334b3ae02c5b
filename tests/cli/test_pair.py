"""evenhand pair as somebody types it: the real program, a filter of a few lines, a file that is there or not."""

import hashlib
import json
import os
import pty
import subprocess
import sys
from importlib import import_module, metadata
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from app.config import content
from app.store.migrate import open_store
from tests.cli.test_cli import evenhand, quiet_place  # noqa: F401, the fixture is used by its name
from tests.filters.programs import TIDY, UNUSUAL, odd, program, typed
from tests.house import PROTOCOL, RIGHTS, item_rows, jsonl
from tests.server import ROOT

DEMO = content("demo")
REAL = ROOT.parent / "shared" / "data" / "disflqa_raw_600.jsonl"
TEXTS = ["I um want the pen", "it is it is stable", "please call um my sister"]


def raw_file(texts=TEXTS, name="raw.jsonl"):
    rows = [row | {"raw_hypothesis": text} for row, text in zip(item_rows(), texts, strict=False)]
    Path(name).write_bytes(jsonl([{key: row[key] for key in row if key not in {"off", "on"}} for row in rows]))
    return name


@pytest.fixture
def tidy(tmp_path):
    return ("--filter", "command", "--exec", typed(program(tmp_path, TIDY)))


def test_a_file_is_paired_with_a_command_and_imported_as_paired_here(tidy):
    made = evenhand("pair", raw_file(), *tidy, "--out", "items.jsonl")
    assert (made.code, made.err) == (0, "")
    assert made.out == "Paired 3 items with tidy 1.0; 2 changed. Next: evenhand study import STUDY items.jsonl\n"
    rows = [json.loads(line) for line in Path("items.jsonl").read_text().splitlines()]
    assert [(row["off"], row["on"]) for row in rows] == [(text, text.replace("um ", "")) for text in TEXTS]
    Path("protocol.toml").write_text(PROTOCOL)
    Path("rights.toml").write_text(RIGHTS)
    evenhand("study", "create", "protocol.toml")
    assert evenhand("study", "import", "pilot", "items.jsonl").out == "Imported 3 items, paired here with tidy 1.0.\n"
    told = evenhand("study", "import", "pilot", "items.jsonl", "--replace", "--json").data
    assert told == {"study": "pilot", "imported": 3, "removed": 3, "paired_with": "tidy 1.0"}
    assert "unverified" not in evenhand("study", "check", "pilot").out
    assert evenhand("verify").code == 0


def test_as_data_the_answer_holds_counts_the_digest_and_the_whole_configuration(tidy):
    told = evenhand("pair", raw_file(), *tidy, "--out", "items.jsonl", "--json").data
    assert told.keys() == {"out", "sha256", "items", "changed", "filter", "version", "config"}
    assert (told["items"], told["changed"], told["config"]["on"]) == (3, 2, {"drop": ["um"]})


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--filter", "command", "--out", "o.jsonl"),
        ("--filter", "command", "--exec", " ", "--out", "o.jsonl"),
        ("--filter", "command", "--exec", "a 'b", "--out", "o.jsonl"),
        ("--filter", "yazses", "--exec", "a", "--out", "o.jsonl"),
        ("--filter", "another", "--out", "o.jsonl"),
        ("--filter", "command", "--exec", "a"),
        ("--filter", "command", "--exec", "a", "--timeout", "0", "--out", "o.jsonl"),
    ],
)
def test_a_filter_that_is_not_named_as_it_must_be_is_wrong_usage(words):
    assert evenhand("pair", raw_file(), *words).code == 2
    assert not Path("o.jsonl").exists()


def test_a_filter_that_fails_is_shown_with_the_line_and_its_own_error(tmp_path):
    words = typed(odd(tmp_path, "print('no such model', file=sys.stderr), sys.exit(3)"))
    told = evenhand("pair", raw_file(), "--filter", "command", "--exec", words, "--out", "items.jsonl")
    assert (told.code, told.out) == (1, "")
    assert "raw.jsonl, line 1, field on: the filter ended (exit code 3) before it answered" in told.err
    assert "    no such model" in told.err
    assert "pen" not in told.err
    assert not Path("items.jsonl").exists()
    data = evenhand("pair", raw_file(), "--filter", "command", "--exec", words, "--out", "i.jsonl", "--json").data
    assert [(each["where"], each["line"], each["field"]) for each in data["problems"]] == [("raw.jsonl", 1, "on")]


def test_a_filter_that_gives_no_answer_in_time_is_shown_with_the_line(tmp_path):
    words = ("--filter", "command", "--exec", typed(odd(tmp_path, "time.sleep(60)")), "--timeout", "0.5")
    told = evenhand("pair", raw_file(), *words, "--out", "items.jsonl")
    assert (told.code, Path("items.jsonl").exists()) == (1, False)
    assert "line 1, field on: the filter gave no answer within 0.5 seconds" in told.err


def test_a_filter_that_draws_its_answers_is_refused(tmp_path):
    words = typed(odd(tmp_path, "told(answer | {'text': os.urandom(4).hex()})"))
    told = evenhand("pair", raw_file(), "--filter", "command", "--exec", words, "--out", "items.jsonl")
    assert (told.code, Path("items.jsonl").exists()) == (1, False)
    assert "line 1, field on: asked twice for the same text, the filter gave two answers" in told.err


def test_a_filter_that_depends_on_the_seed_of_its_hashes_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    words = typed(odd(tmp_path, "told(answer | {'text': str(hash(asked['text']))})"))
    told = evenhand("pair", raw_file(TEXTS[:1]), "--filter", "command", "--exec", words, "--out", "items.jsonl")
    assert "asked twice" in told.err


def test_a_program_that_is_not_there_is_named():
    told = evenhand("pair", raw_file(), "--filter", "command", "--exec", "no-such-filter -x", "--out", "i.jsonl")
    assert told.code == 1
    assert told.err.startswith("Nothing was written: the filter “no-such-filter” cannot be started")


def test_a_file_that_exists_is_not_overwritten(tidy):
    Path("items.jsonl").write_text("mine")
    told = evenhand("pair", raw_file(), *tidy, "--out", "items.jsonl")
    assert (told.code, Path("items.jsonl").read_text()) == (1, "mine")
    assert "exists already and was not touched" in told.err


def test_a_file_with_pairs_already_is_told_to_be_imported(tidy):
    Path("paired.jsonl").write_bytes(jsonl(item_rows()[:1]))
    told = evenhand("pair", "paired.jsonl", *tidy, "--out", "items.jsonl")
    assert "line 1, field off: the filter makes this text: leave it out, or import the pairs as they are" in told.err


def test_the_real_filter_makes_the_demos_pairs_again(real_filter):
    told = evenhand("pair", DEMO / "utterances.jsonl", "--filter", "yazses", "--out", "items.jsonl", "--json").data
    assert (told["filter"], told["config"]["on"]["collapse_repetitions"]) == ("yazses", True)
    made = [json.loads(line) for line in Path("items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row.pop("raw_sha256") for row in made] == [
        hashlib.sha256(row["raw_hypothesis"].encode()).hexdigest() for row in made
    ]
    assert made == [json.loads(line) for line in (DEMO / "items.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.skipif(not REAL.exists(), reason="the folder with the real questions (disflqa_raw_600.jsonl) is not here")
def test_the_real_questions_are_paired_as_the_real_filter_has_them(real_filter):
    told = evenhand("pair", REAL, "--filter", "yazses", "--out", "items.jsonl", "--json").data
    assert (told["items"], told["version"]) == (600, version("yazses"))
    raws = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    made = [json.loads(line) for line in Path("items.jsonl").read_text(encoding="utf-8").splitlines()]
    run = import_module("yazses.stt.filters.disfluency").filter_transcript
    config = import_module("yazses.config").DisfluencyConfig
    states = {"off": config(enabled=False)}
    states["on"] = config(enabled=True, collapse_repetitions=True, collapse_prolongations=True)
    for raw, row in zip(raws, made, strict=True):
        texts = {state: run(raw["raw_hypothesis"], states[state]).text for state in states}
        digest = hashlib.sha256(raw["raw_hypothesis"].encode()).hexdigest()
        assert row == raw | texts | {"raw_sha256": digest}


def test_without_the_real_filter_it_is_said_how_to_install_it(monkeypatch):
    def none(_name):
        raise PackageNotFoundError

    monkeypatch.setattr(metadata, "version", none)
    told = evenhand("pair", raw_file(), "--filter", "yazses", "--out", "items.jsonl")
    assert (told.code, Path("items.jsonl").exists()) == (1, False)
    assert "YazSes is not installed beside Evenhand" in told.err


def test_progress_is_shown_on_a_terminal_and_nowhere_else(tidy):
    raw_file()
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "app", "--store", "s", "pair", "raw.jsonl", *tidy, "--out", "items.jsonl"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stderr=terminal, stdout=subprocess.PIPE, env=environment) as running:
        os.close(terminal)
        out = running.stdout.read()
    shown = os.read(screen, 65_536).decode()
    os.close(screen)
    assert running.returncode == 0
    assert "Pairing" in shown
    assert "100%" in shown
    assert out.startswith(b"Paired 3 items")


def test_stopped_by_hand_it_leaves_neither_file_nor_record_nor_filter(tmp_path):
    noted = tmp_path / "noted"
    source = UNUSUAL.replace("INSTEAD", f"open({str(noted)!r}, 'w').write(str(os.getpid())), time.sleep(60)")
    words = typed(program(tmp_path, source.replace("AT_THE_END", "pass"), "slow.py"))
    raw_file()
    command = [sys.executable, "-m", "app", "--store", "s", "pair", "raw.jsonl"]
    command += ["--filter", "command", "--exec", words, "--out", "items.jsonl"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as running:
        while not noted.exists() or not noted.read_text():
            assert running.poll() is None
        running.send_signal(2)
        told = running.stderr.read()
    assert (running.returncode, told) == (1, b"\nStopped.\n")
    assert not Path(f"/proc/{noted.read_text()}").exists()
    assert not any(name.name.startswith((".items", "items")) for name in Path().iterdir())
    store = open_store(Path("s"))
    with store.read() as connection:
        assert connection.exec_driver_sql("select count(*) from pairing").scalar() == 0
    store.close()
