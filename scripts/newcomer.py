"""What a newcomer does, done by a program: from the wheel, or from a clone.

    python -m scripts.newcomer wheel dist/wheelhouse    asked for by `make try-wheel`, and so by CI
    python -m scripts.newcomer clone                    how long it takes to the first coded item

The program under trial is installed in a temporary folder and never imported here. This one
starts it, reads what it prints, and visits it over HTTP like a browser without JavaScript.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import httpx

from tests.house import Page, Person

ROOT: Final = Path(__file__).resolve().parent.parent
RESOURCES: Final = ("templates", "static", "migrations")
CARRIED: Final = (
    *(".py", ".mako", ".html", ".css", ".js", ".svg", ".woff2"),
    *(".json", ".jsonl", ".csv", ".toml", ".txt", ".opus"),
)
UNNAMED: Final = frozenset({"LICENSE", "SHA256"})
DESCRIBED: Final = frozenset({"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"})
USUAL_PORT: Final = 8765
FIRST_ANSWER: Final = 900  # seconds, with a set-up on a slow line before it
LAST_ANSWER: Final = 20


class NotAsPromisedError(Exception):
    """Something is not as the README promises it."""


def expect(holds: object, told: str) -> None:
    """Print what was looked at. Raises NotAsPromisedError where it does not hold."""
    if not holds:
        raise NotAsPromisedError(told)
    print(f"  {told}")


# --- The wheel's contents ---


def carried(root: Path) -> Iterator[str]:
    """Give the files below a folder that belong to the program, from that folder on."""
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(root).as_posix()


def check_contents(wheel: Path) -> None:
    """Compare a wheel with the checkout it was built from: all of the program, and nothing else."""
    with ZipFile(wheel) as archive:
        sizes = {each.filename: each.file_size for each in archive.infolist()}
    expected = {f"app/{name}" for name in carried(ROOT / "app")}
    expected |= {f"app/_resources/{kind}/{name}" for kind in RESOURCES for name in carried(ROOT / kind)}
    described = {name for name in sizes if name.partition("/")[0].endswith(".dist-info")}
    strays = [name for name in expected if Path(name).suffix not in CARRIED and Path(name).name not in UNNAMED]
    missing, more = expected - set(sizes), set(sizes) - expected - described
    expect(not missing, f"none of the program's files is missing{_list(missing)}")
    expect(not more, f"nothing else is there{_list(more)}")
    expect(not strays, f"no store, cache or other unknown kind of file is among them{_list(strays)}")
    expect({name.partition("/")[2] for name in described} == DESCRIBED, "its licence and its own description are there")
    largest = sorted(sizes.items(), key=lambda each: -each[1])[:5]
    print(f"  {wheel.name}: {wheel.stat().st_size:,} bytes, {len(sizes)} files; the largest:")
    print("\n".join(f"    {size:>9,}  {name}" for name, size in largest))


def _list(names: Collection[str]) -> str:
    return f": {', '.join(sorted(names))}" if names else ""


# --- Programs in places of their own ---


@dataclass(frozen=True)
class Place:
    """A folder to stand in, and the surroundings that a program gets there."""

    folder: Path
    surroundings: dict[str, str]

    def ended(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            command, cwd=self.folder, env=self.surroundings, capture_output=True, text=True, check=False
        )

    def run(self, *command: str) -> str:
        """Run a command to its end and return its words. Raises NotAsPromisedError where it fails."""
        ended = self.ended(*command)
        if ended.returncode:
            told = f"{shlex.join(command)} ended with {ended.returncode}\n{ended.stdout}{ended.stderr}"
            raise NotAsPromisedError(told)
        return ended.stdout

    def data(self, *command: str) -> Any:  # noqa: ANN401 - whatever JSON the command prints
        """Run a command with --json and return its data."""
        return json.loads(self.run(*command, "--json"))

    @contextmanager
    def serving(self, line: str, port: int) -> Iterator[Server]:
        """Run a line of shell that ends in a server, until the block ends; then press Ctrl+C."""
        told = self.folder / "terminal.txt"
        with told.open("w") as terminal:
            process = subprocess.Popen(
                ["/bin/sh", "-c", line],
                cwd=self.folder,
                env=self.surroundings,
                stdout=terminal,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        server = Server(process, f"http://127.0.0.1:{port}", told)
        try:
            server.wait()
            yield server
        finally:
            server.interrupt()


@dataclass(frozen=True)
class Server:
    """A server that was started from a line of shell, and what it has printed so far."""

    process: subprocess.Popen[bytes]
    origin: str
    terminal: Path

    @property
    def words(self) -> str:
        """Everything printed so far."""
        return self.terminal.read_text()

    @property
    def answers(self) -> bool:
        """Whether the server answers."""
        try:
            return httpx.get(f"{self.origin}/healthz", timeout=30).is_success
        except httpx.TransportError:
            return False

    def wait(self) -> None:
        """Wait for the first answer. Raises NotAsPromisedError where none comes."""
        deadline = time.monotonic() + FIRST_ANSWER
        while not self.answers:
            if self.process.poll() is not None or time.monotonic() > deadline:
                told = f"no server at {self.origin}:\n{self.words}"
                raise NotAsPromisedError(told)
            time.sleep(0.05)

    def interrupt(self) -> None:
        """Press Ctrl+C. Raises NotAsPromisedError where the server goes on."""
        # To the whole group, as a terminal does; it was made for this one line.
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGINT)
        deadline = time.monotonic() + LAST_ANSWER
        while self.process.poll() is None or self.answers:
            if time.monotonic() > deadline:
                os.killpg(self.process.pid, signal.SIGKILL)
                raise NotAsPromisedError("Ctrl+C did not end the server")
            time.sleep(0.05)


def clean(*kept: str) -> dict[str, str]:
    """Return this process's environment without what could lead a program back to the checkout."""
    leading = tuple(
        each for each in ("PYTHON", "PIP_", "EVENHAND_", "VIRTUAL_ENV", "MAKE", "MFLAGS") if each not in kept
    )
    return {name: value for name, value in os.environ.items() if not name.startswith(leading)}


def free_port() -> int:
    """Return the port that the documents name, or any other where that one is taken."""
    for port in (USUAL_PORT, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise NotAsPromisedError("no port is free")


# --- A visit ---


def visit(origin: str, username: str, password: str) -> None:
    """Sign in, look at the first item with all that it loads, code it, sign out."""
    with httpx.Client(base_url=origin, timeout=30) as client:
        person = Person(client, username, origin=origin)
        answer = person.post("/login", {"username": username, "password": password})
        expect(answer.status_code == httpx.codes.SEE_OTHER, f"{username} signs in")
        person.practise()
        where, page = person.next_page()
        expect("/practice/" not in where, "the practice round is behind")
        expect(set(page.panels) == {"A", "B"}, "the first item has its two texts")
        loaded = re.findall(r'<(?:link|script)[^>]* (?:href|src)="([^"]+)"', person.get(where).text)
        kinds = {Path(path.partition("?")[0]).suffix for path in loaded}
        expect({".css", ".js"} <= kinds, f"its page loads {len(loaded)} files")
        refused = [path for path in loaded if not client.get(path).is_success]
        expect(not refused, f"each of them is answered{_list(refused)}")
        coded = person.answer(page, label="no-material-edit")
        expect(coded.status_code == httpx.codes.SEE_OTHER, "an item is coded")
        expect(person.next_page()[0] != where, "the next one is another")
        person.send(person.page("/review").form_to("/logout"))
        expect(person.get("/review").headers.get("location") == "/login", f"{username} has signed out")


# --- From the wheel ---


def try_wheel(wheelhouse: Path) -> None:
    """Install from the wheelhouse alone, in a new environment, and use the demo."""
    print("The wheel:")
    (wheel,) = wheelhouse.glob("evenhand-*.whl")
    check_contents(wheel)
    with tempfile.TemporaryDirectory(prefix="evenhand-wheel-") as name:
        folder = Path(name).resolve()
        expect(ROOT not in folder.parents, "the trial takes place outside the checkout")
        environment, surroundings = folder / "environment", clean() | {"PIP_CONFIG_FILE": os.devnull}
        surroundings["PATH"] = f"{environment / 'bin'}{os.pathsep}{surroundings['PATH']}"
        install = Place(folder, surroundings)
        install.run(sys.executable, "-m", "venv", str(environment))
        # Not compiled beforehand: most of the numeric packages is never imported.
        packages = ("--no-compile", "--no-index", "--find-links", str(wheelhouse), "evenhand")
        install.run(str(environment / "bin/python"), "-m", "pip", "install", "--quiet", *packages)
        print("Installed from it:")
        _check_origin(environment, install)
        for trial in (printed_command, one_store_for_both, two_stores):
            print((trial.__doc__ or "").replace(".", ":"))
            stand = folder / trial.__name__
            stand.mkdir()
            trial(Place(stand, surroundings), free_port())


def _check_origin(environment: Path, place: Place) -> None:
    """Make sure that it is the installed package that runs, and with its own files."""
    code = (
        f"import app, app.config as c; print(app.__file__, *map(c.resource, {RESOURCES}), c.content('demo'), sep='\\n')"
    )
    script = (environment / "bin/evenhand").read_text().splitlines()[0]
    found = [Path(each) for each in place.run(str(environment / "bin/python"), "-I", "-c", code).splitlines()]
    for path in (*found, Path(script.removeprefix("#!"))):
        expect(environment in path.parents and path.exists(), f"{path.relative_to(environment.parent)}")
    version = place.run("evenhand", "--version").strip()
    expect(version.startswith("evenhand, version "), version)


def printed_command(place: Place, port: int) -> None:
    """Make the demo, three times, then run the command that it prints."""
    first = place.data("evenhand", "demo")
    words = place.run("evenhand", "demo")
    expect(place.data("evenhand", "demo") == first, "`evenhand demo` again says the same")
    (line,) = re.findall(r"^Serve it: (.+)$", words, re.MULTILINE)
    origin = first["url"].rstrip("/")
    expect(f"Then open {first['url']}" in words and origin.endswith(f":{USUAL_PORT}"), "it says which address to open")
    if port != USUAL_PORT:  # somebody else's here; the program would say so
        line, origin = f"{line} --port {port}", f"http://127.0.0.1:{port}"
    rosa = first["accounts"][0]
    with place.serving(f"exec {line}", port) as server:
        visit(origin, rosa["username"], rosa["password"])
        expect(place.data("evenhand", "demo")["url"] == f"{origin}/", "`evenhand demo` beside the server works too")
    expect(server.process.returncode == 0, "Ctrl+C ends it")
    checked = place.data("evenhand", "--store", "evenhand-demo", "verify")
    expect(checked["ok"] and checked["studies"] == 1, "`evenhand verify`: one study, and all as recorded")
    expect(
        {path.name for path in place.folder.iterdir()} == {"evenhand-demo", "terminal.txt"}, "no other store was made"
    )


def one_store_for_both(place: Place, port: int) -> None:
    """Run `evenhand demo && evenhand serve` where EVENHAND_STORE names a store."""
    named = Place(place.folder, place.surroundings | {"EVENHAND_STORE": str(place.folder / "tried")})
    with named.serving(_both(port), port) as server:
        visit(server.origin, "rosa", "rosa-likes-a-demo")
    expect(named.data("evenhand", "verify")["studies"] == 1, "`evenhand verify`: one study, and all as recorded")


def two_stores(place: Place, port: int) -> None:
    """Run `evenhand demo && evenhand serve` where nothing does."""
    with place.serving(_both(port), port) as server:
        page = httpx.get(f"{server.origin}/")
        expect("This store is empty" in Page(page.text).text, "the first page says that this store is empty")
        said = server.words.rpartition("Stop with Ctrl+C")[2]
        expect("evenhand --store evenhand-demo serve" in said, "the terminal says how to serve the demo instead")


def _both(port: int) -> str:
    return "evenhand demo && evenhand serve" + (f" --port {port}" if port != USUAL_PORT else "")


# --- From a clone ---


def try_clone() -> None:
    """Clone the checkout's last commit, `make run` with an empty package cache, code an item; print the seconds."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="evenhand-clone-") as name:
        clone, cache = Path(name).resolve() / "evenhand", Path(name).resolve() / "cache"
        begun = time.time()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        # Other settings of pip may name the registry to use here: they stay.
        place = Place(clone, clean("PIP_") | {"PIP_CACHE_DIR": str(cache)})
        line = "exec make run" + (f" PORT={port}" if port != USUAL_PORT else "")
        times = {}
        with place.serving(line, port) as server:
            times["serving"] = time.time()
            visit(server.origin, "rosa", "rosa-likes-a-demo")
            times["first item coded"] = time.time()
            beside = place.ended("make", "run", f"PORT={port}")
            expect(beside.returncode and server.origin in beside.stderr, "a second `make run` says where the first is")
            print(server.words)
        times["set up"] = (clone / ".venv/.run-installed").stat().st_mtime
        begun_again = time.time()
        with place.serving(line, port) as server:
            print(f"`make run` again: serving after {time.time() - begun_again:.1f} s")
            visit(server.origin, "ravi", "ravi-likes-a-demo")
        checked = place.data(".venv/bin/evenhand", "--store", "evenhand-demo", "verify")
        expect(checked["ok"] and checked["studies"] == 1, "one study, and all as recorded")
        for what, at in sorted(times.items(), key=lambda each: each[1]):
            print(f"{what}: {at - begun:.1f} s after the clone was begun")
        for folder in (clone / ".venv", cache):
            print(f"{folder.name}: {_size(folder) / 1e6:.0f} MB")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def main() -> int:
    """Run one of the two trials; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    trials = parser.add_subparsers(required=True, dest="trial")
    trials.add_parser("wheel").add_argument("wheelhouse", type=lambda given: Path(given).resolve())
    trials.add_parser("clone")
    given = parser.parse_args()
    try:
        if given.trial == "wheel":
            try_wheel(given.wheelhouse)
        else:
            try_clone()
    except NotAsPromisedError as error:
        print(f"Not as promised: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
