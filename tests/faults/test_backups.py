"""Backups under load, the drill of the docs with real processes, restores that are killed (acceptance D7)."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Lock

import httpx
import pytest

from app.actions.backups import back_up
from app.store import verify
from app.store.db import read_copy
from app.store.migrate import open_store
from tests.actions.bench import FINE, HARM, bench_on_a_copy, frozen_folder
from tests.faults.figures import say
from tests.house import PROTOCOL, RIGHTS, add_people, fixed_world, frozen_study, jsonl, password_of

pytestmark = pytest.mark.faults
ROOT = Path(__file__).resolve().parents[2]
JUDGES = ("rosa", "ravi", "ruth", "remi")
BACKUPS = 5
WIDE = PROTOCOL.replace("word_repetition = 4, fluent = 2", "word_repetition = 120, fluent = 40")


def rows(n=160):
    return [
        {
            "item_id": f"P-{number:03}",
            "stratum": "word_repetition" if number <= 120 else "fluent",
            "cluster": f"ep-{number % 12}",
            "source": "invented",
            "raw_hypothesis": f"so so it was number {number}",
            "off": f"so so it was number {number}",
            "on": f"so it was number {number}",
        }
        for number in range(1, n + 1)
    ]


def fill(evenhand, folder):
    """Make a frozen study with four reviewers."""
    for name, data in {"p.toml": WIDE, "r.toml": RIGHTS, "items.jsonl": jsonl(rows()).decode()}.items():
        (folder / name).write_text(data)
    evenhand.add_people(*JUDGES, "lena")
    evenhand.do("study", "create", folder / "p.toml")
    evenhand.do("study", "rights", "pilot", folder / "r.toml")
    evenhand.do("study", "import", "pilot", folder / "items.jsonl")
    people = [word for name in JUDGES for word in ("--reviewer", name)]
    evenhand.do("study", "assign", "pilot", *people, "--lead", "lena", "--attest", "two")
    codes = [each["code"] for each in evenhand.do("study", "check", "pilot")["acknowledge"]]
    evenhand.do("freeze", "pilot", *(word for code in codes for word in ("--acknowledge", code)))


def held(file):
    """Return the notes in a backup, and what verify finds in it."""
    with read_copy(file) as connection:
        notes = connection.exec_driver_sql("select note from judgement").scalars().all()
        return set(notes), len(notes), verify.findings(connection)


def test_backups_made_while_judges_write_verify_and_hold_every_answer_acknowledged_before_each(evenhand, tmp_path):
    fill(evenhand, tmp_path)
    evenhand.serve()
    people = [evenhand.visit(name) for name in JUDGES]
    acknowledged, lock, done = [], Lock(), Event()

    def judge(person):
        number, where = 0, None
        while not done.is_set():
            found = person.next_page()
            where = found[0] if found else where  # at the end of the list the last answer is changed again and again
            note = f"{person.name} {number}"
            assert person.answer(person.page(where), label="safe-cleanup", panel="A", note=note).status_code == 303
            number += 1
            with lock:
                acknowledged.append(note)

    with ThreadPoolExecutor(len(people)) as pool:
        work = [pool.submit(judge, person) for person in people]
        made = []
        for number in range(BACKUPS):
            with lock:
                before = set(acknowledged)
            command = [
                sys.executable,
                "-m",
                "app",
                "--store",
                evenhand.folder,
                "backup",
                tmp_path / f"{number}.sqlite3",
            ]
            subprocess.run([*map(str, command)], cwd=ROOT, check=True, capture_output=True)
            made.append(before)
        with lock:
            after = len(acknowledged)
        done.set()
        for each in work:
            each.result()
    assert len(made[0]) < len(made[-1]), "nobody wrote meanwhile"
    for number, before in enumerate(made):
        notes, count, found = held(tmp_path / f"{number}.sqlite3")
        assert found == []
        assert before <= notes
        assert count == len(notes)
    say(
        f"{BACKUPS} backups beside {len(JUDGES)} judges; answers acknowledged before each: {[*map(len, made)]}, {after}"
    )
    evenhand.do("verify")


# --- The drill, as docs/operations.md prints it ---


def drill():
    """Return the two blocks of commands under the page's heading: here, and on the other computer."""
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"^### The drill\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^```\n(.*?)^```$", told, re.MULTILINE | re.DOTALL)
    return [[shlex.split(line) for line in block.splitlines()] for block in blocks]


def words(command):
    program, *rest = command
    assert program == "evenhand"
    return [sys.executable, "-m", "app", *rest]


def run(command, folder):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        words(command), cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_the_drill_of_the_docs_works_as_printed_and_takes_less_than_ten_minutes(tmp_path):
    began = time.monotonic()
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    store, world = open_store(here / "evenhand-store"), fixed_world()
    add_people(store, world)
    frozen_study(store, world)
    store.close()
    first, second = drill()
    told = [run(command, here) for command in first]
    (file,) = {word for command in first for word in command if word.endswith(".sqlite3")}
    (here / file).rename(there / file)
    *before, serve = second
    told_there = [run(command, there) for command in before]
    for what in ("SHA-256 of the file", "head of the audit chain", "studies 1, items 6"):
        (line,) = [line for line in told[-1].splitlines() if what in line]
        assert line in told_there[0], "what was written down is what restore prints"
    port = free_port()
    assert serve[-1] == "serve"
    server = subprocess.Popen(
        [*words(serve), "--port", str(port)],
        cwd=there,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
            answered(client)
            sent = {"username": "rosa", "password": password_of("rosa")}
            origin = {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}
            assert client.post("/login", data=sent, headers=origin).status_code == 303
            assert client.get("/review/next").status_code == 303
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)
    took = time.monotonic() - began
    say(f"the drill took {took:.1f} s")
    assert took < 600


def answered(client):
    for _ in range(200):
        try:
            return client.get("/healthz").raise_for_status()
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the restored store is not served")


# --- Killed ---


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    return frozen_folder(tmp_path_factory.mktemp("frozen") / "store")


KILLED = """
import os, signal, sys
from pathlib import Path
from app import world
from app.actions import backups
from app.store.migrate import open_store

def backup(store, file):
    backups.back_up(open_store(store), world.real(), "local", file)

def restore(store, file):
    backups.restore(store, world.real(), "local", file)

def step(frame, event, argument):
    global steps
    if event == "call" and "/app/" in frame.f_code.co_filename:
        if "/app/domain/" in frame.f_code.co_filename:
            return
        steps += 1
        if steps == last:
            os.kill(os.getpid(), signal.SIGKILL)

what, store, file, chosen = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
for number in map(int, chosen.split(",")):
    if (child := os.fork()) == 0:
        steps, last = 0, number
        sys.setprofile(step)
        globals()[what](store.with_name(f"{store.name}{number}"), file.with_name(f"{file.name}{number}"))
        sys.setprofile(None)
        Path(f"{file}.steps").write_text(str(steps))
        os._exit(0)
    print(number, os.waitpid(child, 0)[1], flush=True)
"""


def killed(what, store, file, numbers):
    """Run it once for each number, killed at so many calls of the program's own; return how each ended."""
    command = [sys.executable, "-c", KILLED, what, str(store), str(file), ",".join(map(str, numbers))]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {int(number): int(status) for number, status in (line.split() for line in told.splitlines())}


def points(what, store, file):
    """Let it run once to its end; return calls all along the way, and each of the last ones."""
    assert killed(what, store, file, [0]) == {0: 0}
    steps = int(Path(f"{file}.steps").read_text())
    return [*range(1, steps - 16, steps // 12), *range(steps - 15, steps + 1)]


def test_a_restore_that_is_killed_leaves_no_store_or_the_whole_one(frozen, tmp_path):
    with bench_on_a_copy(frozen, tmp_path / "store") as bench:
        bench.review("rosa", P1=FINE, P3=HARM)
        back_up(bench.store, bench.world, "local", tmp_path / "backup0")
    numbers = points("restore", tmp_path / "again", tmp_path / "backup")
    for number in numbers:
        (tmp_path / f"backup{number}").hardlink_to(tmp_path / "backup0")
    ends = killed("restore", tmp_path / "again", tmp_path / "backup", numbers)
    assert set(ends.values()) - {0} == {signal.SIGKILL}
    whole = [number for number in [0, *numbers] if (tmp_path / f"again{number}").exists()]
    for number in whole:
        store = open_store(tmp_path / f"again{number}")
        with store.read() as connection:
            assert verify.findings(connection) == []
            assert connection.exec_driver_sql("select count(*) from judgement").scalar() == 4
            assert connection.exec_driver_sql("select count(*) from session").scalar() == 0
        store.close()
    say(f"{len(ends)} restores killed; {len(whole) - 1} left a store, each whole, and the others none")


def test_a_backup_that_is_killed_leaves_no_file_or_the_whole_one_and_the_store_as_it_was(frozen, tmp_path):
    shutil.copytree(frozen, tmp_path / "store0")
    shutil.copytree(frozen, tmp_path / "fresh")
    numbers = points("backup", tmp_path / "store", tmp_path / "backup")
    for number in numbers:
        shutil.copytree(tmp_path / "fresh", tmp_path / f"store{number}")
    ends = killed("backup", tmp_path / "store", tmp_path / "backup", numbers)
    assert set(ends.values()) - {0} == {signal.SIGKILL}
    made = [number for number in numbers if (tmp_path / f"backup{number}").exists()]
    for number in made:
        assert held(tmp_path / f"backup{number}")[2] == []
    for number in numbers:
        store = open_store(tmp_path / f"store{number}")
        with store.read() as connection:
            assert verify.findings(connection) == []
        store.close()
    say(f"{len(ends)} backups killed; {len(made)} left a file, each whole, and the others none")
