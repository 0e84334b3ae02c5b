"""No command tells what is private, well or badly used, at any level of logging (acceptance P1).

Every command has its rows here; the forms of the browser have theirs in tests/web/test_private_stays.py.
"""

import asyncio
import json
import logging
import os
import re
import shlex
import signal
import socket
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest
from starlette.testclient import TestClient

from app.cli import demo, serving, users
from app.cli.main import cli
from app.config import Settings
from app.domain import item as items_of
from app.store.migrate import open_store
from app.web.app import create_app
from scripts.make_selection_pool import FIXTURES
from tests.cli.test_cli import evenhand
from tests.filters.programs import TIDY, odd, program, typed
from tests.house import CHEAP, ORIGIN, PORT, Person, fixed_world, jsonl, password_of
from tests.planted import (
    CAST,
    INES,
    LENA,
    RAVI,
    ROSA,
    everything_logged,
    faulty_items,
    faulty_rules,
    fill,
    row,
    said,
    word,
)
from tests.server import free_port

OWN = "a name of an account: it was typed, or the study's lead gave it"
FILE = "a file is named, so that it can be found; it is told where the command runs, and kept nowhere"
CLICK = "what makes no command at all is told back by the parser, to whoever typed it"
FILTER = "what a filter says of itself is shown where it was started, and kept nowhere"
NAMES = dict.fromkeys(CAST, OWN)
REVIEWERS = dict.fromkeys((ROSA, RAVI), OWN)
PRIVATE = f"the {word('off')} went to to town 0"  # word for word what somebody said


@dataclass
class Use:
    """One use of a command: how it ends, which planted words it may tell and why, and what it reads."""

    words: str
    code: int = 0
    shows: dict = field(default_factory=dict)
    given: str = ""
    store: str = "store"
    out: str = ""
    log: str = ""

    @property
    def command(self):
        return " ".join(path_of(shlex.split(self.words)))


def path_of(words):
    """Return those of the words that name a command."""
    found, node = [], cli
    while isinstance(node, click.Group) and words and words[0] in node.commands:
        found.append(words[0])
        node, words = node.commands[words[0]], words[1:]
    return found


def commands(node=cli, path=()):
    """Yield every command by its words, the short forms too."""
    if not isinstance(node, click.Group):
        yield " ".join(path)
        return
    for name, each in node.commands.items():
        yield from commands(each, (*path, name))


COMMANDS = list(commands())
CODE = re.compile(r'(?:days\): |"code": ")([^"\s]{20,})')
SHORTEST = sorted({each.removeprefix("study ") for each in COMMANDS})


def faulty(words, files):
    """Use a command with each of the faulty files."""
    for number, data in enumerate(files):
        path = Path("faulty") / f"{len(words)}-{number}"
        path.write_bytes(data)
        yield Use(f"{words} {path}", 1)


def accounts():
    for name, role in CAST.items():
        lead = " --lead" if role == "lead" else ""
        add = f"user add {name} --password-stdin{lead}"
        yield Use(add, 1, given=f"{word('password')}\n")
        yield Use(add, 1, given=f"{word('password')}" * 200)
        yield Use(add, 0, {name: OWN}, password_of(name))
        yield Use(add, 1, {name: OWN}, f"{word('password')} is long enough\n")
    nora, nobody = word("nora"), word("nobody")
    yield Use(f"user add '{nora} {word('password')}!'", 1)
    yield Use(f"user add {nora}", 0, {nora: OWN})
    for act in ("disable", "reset"):
        yield Use(f"user {act} {nora}", 0, {nora: OWN})
        yield Use(f"user {act} {nobody}", 1, {nobody: OWN})
    yield Use("user list", 0, NAMES | {nora: OWN})
    yield Use(f"user list {word('argument')}", 2, {word("argument"): CLICK})


def without_a_store():
    yield from faulty("select pool.csv --out drawn --protocol", faulty_rules())
    yield from faulty("select pool.csv --out drawn --protocol draw.toml --columns", faulty_rules("columns"))
    for name in ("bad-pool.csv", "twice-pool.csv", "bare-pool.csv", "faulty.jsonl", "items.jsonl"):
        yield Use(f"select {name} --protocol draw.toml --out drawn", 1)
    yield Use("select pool.csv --protocol draw.toml --out drawn")
    yield from faulty("score", faulty_items("hypotheses"))
    yield Use(f"score items.jsonl --baseline {word('system')}", 1)
    for more in ("", " --csv", " --profile sap2025"):
        yield Use(f"score hyp.jsonl{more}")


def pairing():
    texts = dict.fromkeys((word("off"), word("on"), word("stderr")), FILTER)
    for name, code, shows in (
        ("crash", 1, texts),
        ("odd", 1, {}),
        ("keys", 1, {}),
        ("twice", 1, {}),
        ("talk", 1, dict.fromkeys((word("off"), word("told")), FILTER)),
        ("tidy", 0, {}),
    ):
        yield Use(
            f"pair raw.jsonl --filter command --out paired.jsonl --exec {shlex.quote(PROGRAMS[name])}", code, shows
        )
    run = f"pair --filter command --out again.jsonl --exec {shlex.quote(PROGRAMS['tidy'])}"
    yield from faulty(run, faulty_items("raw"))


def preparing():
    yield from faulty("study create", faulty_rules())
    yield Use("study create p.toml")
    yield from faulty("study protocol pilot", faulty_rules())
    yield Use("study protocol pilot p.toml")
    yield from faulty("study rights pilot", faulty_rules("ledger"))
    yield Use("study rights pilot r.toml")
    yield Use("study prefill pilot --strata", 1)
    yield from faulty("study import pilot", faulty_items())
    yield from faulty("study import pilot --columns map.toml", faulty_items("table"))
    yield from faulty("study import pilot table.csv --columns", faulty_rules("columns"))
    yield Use("study import pilot faulty.jsonl --report problems.csv", 1)
    yield Use("study import pilot items.jsonl --audio wrong", 1)
    yield Use("study import pilot items.jsonl")
    yield Use("study audio pilot wrong", 1, {word("sound"): FILE})
    yield Use("study audio pilot clips", 0, {word("aside"): FILE})
    yield Use("study prefill pilot --strata")
    nobody = word("nobody")
    yield Use(f"study assign pilot --reviewer {ROSA} --reviewer {nobody} --lead {LENA}", 1, {nobody: OWN})
    people = f"--reviewer {ROSA} --reviewer {RAVI} --adjudicator {INES} --lead {LENA} --attest {word('attest')}"
    yield Use(f"study assign pilot {people}", 0, NAMES)
    yield Use("study check nothing", 1)
    yield Use("study check pilot")
    yield Use("study freeze pilot --acknowledge nothing", 1)
    yield Use("freeze pilot", 1)


def frozen():
    codes = [
        each["code"] for each in evenhand("--store", "store", "study", "check", "pilot", "--json").data["acknowledge"]
    ]
    for form in ("study freeze", "freeze"):
        code = int(form == "freeze")  # the second time it is refused
        yield Use(" ".join([form, "pilot", *(f"--acknowledge {each}" for each in codes)]), code)
    judged(ROSA, "benign-retention"), judged(RAVI, "no-material-edit")


def judged(name, label):
    """Let somebody answer everything in the browser, with a note and a draft each."""
    store = open_store(Path("store"))
    app = create_app(store, fixed_world(name), Settings(port=PORT), CHEAP)
    with TestClient(app, base_url=ORIGIN, follow_redirects=False) as client:
        person = Person(client, name).sign_in().practise()
        while (found := person.next_page()) is not None:
            form = found[1].judging_form()
            person.send(form, path=f"{found[0]}/draft", note=f"{word('draft')} is half a note")
            person.answer(found[1], label=label, note=f"{word('note')} made me think")
        assert person.sign_off().status_code == 303
    store.close()


def running():
    """Use every command of a running study, badly and well, in its short form too."""
    for form in ("", "study "):
        yield Use(f"{form}status pilot", 0, NAMES)
        yield Use(f"{form}status nothing", 1)
        yield Use(f"{form}deviation pilot '{PRIVATE}'", 1)
        yield Use(f"{form}deviation pilot 'one day late'")
        yield Use(f"{form}reopen pilot {INES} --reason 'she asked'", 1, {INES: OWN})
        yield Use(f"{form}reopen pilot {RAVI} --reason 'he asked'", bool(form), {RAVI: OWN})
        for kind in ("item", "cluster", "source"):
            yield Use(f"{form}withdraw pilot --{kind} {word('absent')} --reason 'they asked'", 1)
        item = f"{word('item_id')}-{bool(form):d}"
        yield Use(f"{form}withdraw pilot --item {item} --reason 'said {PRIVATE}'", 1)
        yield Use(f"{form}withdraw pilot --item {item} --reason 'they asked'")
        yield Use(f"{form}close pilot --reason '{PRIVATE}'" if form else "close pilot", 1)
    yield Use(f"study replace pilot {RAVI} --by {word('nora')} --reason '{PRIVATE}'", 1)
    yield Use(
        f"study replace pilot {RAVI} --by {word('nora')} --attest {word('attest')} --reason 'he moved'", 0, {RAVI: OWN}
    )
    yield Use("export pilot --out memo", 1)
    yield Use("close pilot --reason 'the pilot ends'")
    yield Use("study close pilot", 1)


def ending():
    yield Use("export pilot --out memo")
    yield Use("export pilot --out memo", 1)
    yield Use("verify")
    yield Use("verify --memo memo/memo.json")
    yield from faulty("verify --memo", faulty_items("memo"))
    yield Use("backup copy.sqlite3")
    yield Use("backup copy.sqlite3", 1)
    yield Use("restore copy.sqlite3", 0, store="again")
    yield Use("restore copy.sqlite3", 1)
    yield Use("restore items.jsonl", 1, store="other")
    yield Use("demo --fresh", 1)
    yield Use("demo", store="shown")
    spoil("again")
    yield Use("verify", 1, store="again")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield Use(f"serve --port {taken.getsockname()[1]}", 1)
    yield Use(f"serve --port {free_port()}")


def spoil(folder):
    """Change an item behind the program's back."""
    store = open_store(Path(folder))
    with store.write() as connection:
        connection.exec_driver_sql(
            "update item set content = replace(content, 'went', 'ran') where content like '%went%'"
        )
    store.close()


def programs(folder):
    """Return filters under test: one that is well, and others that give texts away when they fail."""
    print_it = f"print(asked['text'], '{word('stderr')}', file=sys.stderr), sys.exit(3)"
    made = {
        "crash": odd(folder / "crash", print_it),
        "odd": odd(folder / "odd", "told('no JSON: ' + asked['text'])"),
        "keys": odd(folder / "keys", "told(answer | {asked['text']: asked['text']})"),
        "twice": odd(folder / "twice", "told(answer | {'text': asked['text'] + os.urandom(4).hex()})"),
        "talk": odd(folder / "talk", f"told({{'id': 2, 'error': '{word('told')} ' + asked['text']}})"),
        "tidy": program(folder, TIDY),
    }
    return {name: typed(words) for name, words in made.items()}


PROGRAMS = {}


def stand_in(folder):
    """Fill a folder with all that the commands are given."""
    for name in ("faulty", "crash", "odd", "keys", "twice", "talk"):
        (folder / name).mkdir()
    PROGRAMS.update(programs(folder))
    fill(folder)
    pool = (FIXTURES / "pool.csv").read_text().replace("Invented", word("show"))
    head, first, *_ = pool.splitlines()
    files = {
        "pool.csv": pool,
        "bare-pool.csv": f"{first}\n{first}\n",
        "twice-pool.csv": f"{head}\n{first}\n{first}\n",
        "bad-pool.csv": f"{head}\n{', '.join([word('cell')] * len(head.split(',')))}\n",
        "draw.toml": (FIXTURES / "protocol.toml").read_text(),
        "faulty.jsonl": "".join(data.decode(errors="replace") for data in list(faulty_items())[:2]),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    raw = [{key: value for key, value in row(number).items() if key not in {"off", "on"}} for number in (1, 2)]
    (folder / "raw.jsonl").write_bytes(jsonl(raw))
    (folder / "hyp.jsonl").write_bytes(jsonl([row(number) for number in range(4)]))


def used(as_json):
    """Use every command in turn; return every use with what it told and logged."""
    done = []
    for part in (accounts, without_a_store, pairing, preparing, frozen, running, ending):
        for use in part():
            words = ["--store", use.store, *shlex.split(use.words), *(["--json"] if as_json else [])]
            with everything_logged() as log:
                called = evenhand(*words, given=use.given)
            assert called.code == use.code, (use.words, called.out, called.err)
            use.out, use.log = called.out + called.err, log.getvalue()
            done.append(use)
    return done


@pytest.fixture(scope="module", params=[False, True], ids=["words", "json"])
def uses(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("private")
    stand_in(folder)
    before = os.umask(0o022)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("EVENHAND_STORE", raising=False)
        for module in (users, demo):
            patch.setattr(module, "Passwords", lambda: CHEAP)
        patch.setattr(serving, "_run", lambda *_: None)  # it serves in tests/web, where forms are sent
        patch.setattr(signal, "signal", lambda *_: None)
        yield used(request.param)
    os.umask(before)


def of(uses, command):
    """Return the uses of a command, in its short form too."""
    return [use for use in uses if use.command.removeprefix("study ") == command]


def test_every_command_is_used_well_and_badly(uses):
    assert {use.command for use in uses} == set(COMMANDS)
    for command in SHORTEST:
        assert {use.code == 0 for use in of(uses, command)} == {True, False}, command


@pytest.mark.parametrize("command", SHORTEST)
def test_a_command_tells_no_planted_word_but_those_that_it_is_for(uses, command):
    told = [(use.words, said(use.out) - use.shows.keys()) for use in of(uses, command)]
    assert [each for each in told if each[1]] == []


def test_what_a_command_may_tell_it_tells_in_one_use_at_least(uses):
    told = {(use.command, use.shows.get(found)) for use in uses for found in said(use.out)}
    assert {(use.command, why) for use in uses for why in use.shows.values()} <= told


def test_no_log_of_a_command_holds_a_planted_word_at_any_level(uses):
    logs = "".join(use.log for use in uses)
    assert "checked out from pool" in logs
    assert "Running upgrade" in logs
    assert "update 0010 to 0011" in logs
    assert said(logs) == set()


def test_no_audit_event_holds_a_planted_word_but_for_the_names_of_accounts(uses):
    store = open_store(Path("store"))
    with store.read() as connection:
        events = [tuple(found) for found in connection.exec_driver_sql("select * from audit_event")]
    store.close()
    assert len(events) > 40
    assert said(json.dumps(events)) == {*CAST, word("nora")}


def test_no_code_is_told_but_where_it_is_given(uses):
    codes = {found for use in uses for found in CODE.findall(use.out)}
    told = [use.command for use in uses for code in codes if code in use.out]
    assert (len(codes), sorted(told)) == (2, ["user add", "user reset"])
    assert not any(code in use.log for use in uses for code in codes)


@pytest.mark.parametrize("place", ["memo", "problems.csv", "drawn/selection.json"])
def test_no_file_for_others_holds_a_planted_word(uses, place):
    files = [path for path in (Path(place), *Path(place).rglob("*")) if path.is_file()]
    assert files
    assert {path.name: found for path in files if (found := said(path.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize("command", SHORTEST)
def test_an_unforeseen_error_of_a_command_is_told_by_its_place_alone(uses, command, monkeypatch):
    used = next(use for use in of(uses, command) if use.code == 0)
    node = cli
    for name in path_of(shlex.split(used.words)):
        node = node.commands[name]

    def fail(*_, **__):
        raise KeyError(PRIVATE) from ValueError(PRIVATE)

    monkeypatch.setattr(node, "callback", fail)
    with everything_logged() as log:
        called = evenhand("--store", "store", *shlex.split(used.words), "--json")
    assert called.code == 1
    assert called.data["error"].startswith("Something went wrong in Evenhand (app.cli.main, line ")
    assert called.err == called.data["error"] + "\n"
    assert said(called.err + log.getvalue()) <= said(used.words) & set(CAST)


def test_an_unforeseen_error_with_a_text_at_hand_tells_none_of_it(uses, monkeypatch):
    monkeypatch.setattr(items_of, "parse", lambda value, *_: {}[str(value)])
    called = (
        evenhand("--store", "store", "score", "hyp.jsonl"),
        evenhand("--store", "store", "study", "check", "nothing"),
    )
    assert [each.code for each in called] == [0, 1]
    failed = evenhand("--store", "store", "study", "import", "pilot", "items.jsonl")
    assert failed.code == 1
    assert "Something went wrong in Evenhand (app." in failed.err
    assert said(failed.out + failed.err) == set()


def test_what_the_web_server_logs_of_an_error_is_where_it_came_from_alone():
    loud = [logging.getLogger(name) for name in ("uvicorn.error", "asyncio")]
    before = [list(each.filters) for each in loud]
    serving._quiet()
    with everything_logged() as log:
        try:
            {}[PRIVATE]
        except KeyError as error:
            loud[0].exception("Exception in ASGI application\n")
            loop = asyncio.new_event_loop()
            loop.call_exception_handler({"message": f"never retrieved: {PRIVATE}", "exception": error})
            loop.close()
    for each, filters in zip(loud, before, strict=True):
        each.filters[:] = filters
    assert log.getvalue().count("builtins.KeyError, from:") == 2
    assert said(log.getvalue()) == set()
