"""Judges at a real `evenhand serve` process, for benchmarks: they sign in, answer as the page's script does, timed."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Final
from urllib.parse import urlencode

ROOT: Final = Path(__file__).parents[1]
TICKS: Final = os.sysconf("SC_CLK_TCK")
OK: Final = 200
FINE: Final = frozenset({OK, 204, 303})


@dataclass
class Server:
    """A server process: what it costs is read from /proc."""

    process: subprocess.Popen[bytes]
    port: int
    started: float  # seconds from its start to its first page

    def processor(self) -> float:
        """Return the seconds of the processor that it has used, user and system."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self, name: str = "VmRSS") -> float:
        """Return its resident memory in MiB, or the highest that it had (VmHWM)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.split(f"{name}:")[1].split()[0]) / 1024


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Serve a store by the ordinary command, on a free port, until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "app", "--store", str(folder), "serve", "--port", str(port)]
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        yield Server(process, port, _first_page(process, port) - began)
    finally:
        process.terminate()
        process.wait(30)


def _first_page(process: subprocess.Popen[bytes], port: int) -> float:
    for _ in range(2_000):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request("GET", "/login")
            if connection.getresponse().status == OK:
                return time.perf_counter()
        except OSError:
            time.sleep(0.01)
        if process.poll() is not None:
            break
    message = "the server did not start"
    raise RuntimeError(message)


@dataclass
class Tally:
    """What a judge saw: seconds by kind of request, answers that were acknowledged, and what went wrong."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    acknowledged: int = 0
    errors: int = 0


class Judge:
    """One signed-in person with a connection that stays open."""

    def __init__(self, port: int, name: str, password: str) -> None:
        self.tally = Tally()
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}
        _, answer, _ = self.ask("sign-in", "/login", {"username": name, "password": password})
        self._headers["Cookie"] = answer["set-cookie"].split(";")[0]
        self._page = ""

    def ask(
        self, kind: str, path: str, form: dict[str, str] | None = None, *, scripted: bool = False
    ) -> tuple[int, http.client.HTTPMessage, str]:
        """Send a request, timed under a kind; return status, headers and body."""
        headers, body = self._headers | ({"HX-Request": "true"} if scripted else {}), None
        if form is not None:
            headers, body = headers | {"Content-Type": "application/x-www-form-urlencoded"}, urlencode(form)
        start = time.perf_counter()
        self._connection.request("GET" if form is None else "POST", path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        self.tally.took[kind].append(time.perf_counter() - start)
        self.tally.errors += answer.status not in FINE
        return answer.status, answer.headers, text

    def open_next(self) -> bool:
        """Open the next item; False where nothing is open."""
        _, headers, _ = self.ask("next", "/review/next")
        place = headers["location"]
        if not place.startswith("/review/"):
            return False
        self._page = self.ask("page", place)[2]
        return True

    def answer(self, *, drafts: int = 0) -> bool:
        """Answer the item at hand, as the page's script does; False where it was the last one."""
        self.draft(drafts)
        status, headers, text = self.ask("submit", *self._form(), scripted=True)
        self.tally.acknowledged += status == OK
        self._page = text
        return status == OK and "hx-redirect" not in headers

    def draft(self, many: int) -> None:
        """Let the page's script keep a draft of the item at hand, several times."""
        place, form = self._form()
        for _ in range(many):
            self.ask("draft", f"{place}/draft", form, scripted=True)

    def _form(self) -> tuple[str, dict[str, str]]:
        form = {name: _after(self._page, f'name="{name}" value="') for name in ("csrf", "version", "key")}
        return "/review/" + _after(self._page, 'data-url="/review/'), form | {"label": "no-material-edit"}

    def work(self, until: float, *, think: float, drafts: int = 0) -> None:
        """Answer items until a moment of the monotonic clock, or until nothing is open."""
        more = self.open_next()
        while more and time.monotonic() < until:
            time.sleep(think)
            more = self.answer(drafts=drafts)


def _after(page: str, mark: str) -> str:
    return page.rsplit(mark, 1)[1].split('"', 1)[0]


def together(judges: list[Judge], until: float, *, think: float = 0, drafts: int = 0) -> float:
    """Let judges work at the same time; return the seconds from the first to the last."""
    start = time.perf_counter()
    # Spread over one pause, as people are: a stampede of all at once every few seconds is nobody's day.
    threads = [
        Thread(target=_late, args=(judge, think * number / len(judges), until, think, drafts))
        for number, judge in enumerate(judges)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def _late(judge: Judge, delay: float, until: float, think: float, drafts: int) -> None:
    time.sleep(delay)
    judge.work(until, think=think, drafts=drafts)
