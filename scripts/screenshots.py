"""Take the pictures for the docs from a demo study that is played to its end: `make screenshots`.

A demo store in a temporary folder, a real server, and Chromium; nothing of it stays. Each picture is taken in light
and in dark (`scripts.pictures`). A lead also prepares a study of their own (`scripts.lead_pictures`). Items are chosen
by what they show, never by id, and the judges are scripted, so the pictures survive another demo. They are not the same
byte for byte from run to run: orders, sides and digests are drawn anew.

    python -m scripts.screenshots [--out DIR]
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from scripts import lead_pictures
from scripts.pictures import take

ROOT: Final = Path(__file__).resolve().parent.parent
PICTURES: Final = ROOT / "docs" / "pictures"
SIZE: Final = (1280, 800)
SCALE: Final = 1.25  # sharp enough on fine screens; GitHub shows a picture narrower than it is
WORD: Final = re.compile(r"[\w'$%]+")
ONE_IN: Final = 3  # of so many judgements, one differs between the two scripted reviewers, where they can differ
NEGATIONS: Final = {"not", "no", "never", "without"}
QUANTITIES: Final = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "thirty", "hundred"}

NEWCOMERS: Final = ("mira", "noor", "paul")  # judges of the study that the lead prepares

Fields = dict[str, str]

# How a signed-in page reads an item and answers it, exactly as its own form would be sent.
READ: Final = """async path => {
  const answer = await fetch(path);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const form = [...page.forms].find(each => each.method === "post" && each.elements.namedItem("label"));
  if (!form) return null;
  return {
    where: new URL(answer.url).pathname,
    a: page.querySelector('[data-panel="A"]').textContent,
    b: page.querySelector('[data-panel="B"]').textContent,
    meant: page.querySelector("dl.references dd")?.textContent ?? "",
    settling: form.elements.namedItem("decision") !== null,
    after: [...form.querySelectorAll("a[href]")]
      .find(each => each.textContent.trim() === "Next item")?.getAttribute("href") ?? null,
  };
}"""
SEND: Final = """async ([path, wanted, fields]) => {
  const page = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html");
  const form = [...page.forms].find(each => each.method === "post" &&
    (wanted === "" ? each.elements.namedItem("label") : each.getAttribute("action") === wanted));
  const sent = new FormData(form);
  for (const [name, value] of Object.entries(fields)) sent.set(name, value);
  const answer = await fetch(form.getAttribute("action"), { method: "POST", body: new URLSearchParams(sent) });
  return answer.status;
}"""


@dataclass(frozen=True)
class Item:
    """One pair as a judge's page shows it."""

    where: str
    a: str
    b: str
    meant: str
    settling: bool
    after: str | None

    @property
    def practice(self) -> bool:
        """Whether it is an item of the practice round, which comes first."""
        return "/practice/" in self.where

    @property
    def shorter(self) -> str:
        """The panel that lost something, as far as length tells."""
        return "A" if len(self.a) < len(self.b) else "B"

    @property
    def chance(self) -> int:
        """A number that is the same for every judge of the pair, whichever side each text stands on."""
        pair = "\n".join(sorted((self.a, self.b)))
        return int.from_bytes(hashlib.sha256(pair.encode()).digest()[:4])


def judge(item: Item) -> Fields:
    """Answer as a careful person plausibly would: compare both texts with what was meant, word for word."""
    a, b, meant = (Counter(WORD.findall(text.lower())) for text in (item.a, item.b, item.meant))
    if a == b:
        return {"label": "no-material-edit"}
    short, long = (a, b) if item.shorter == "A" else (b, a)
    if lost := (meant & long) - short:
        return {"label": "destructive-content", "panel": item.shorter, "reason": _reason(set(lost))}
    return {"label": "safe-cleanup", "panel": item.shorter}


def _reason(lost: set[str]) -> str:
    if lost & NEGATIONS:
        return "negation"
    return "quantity" if lost & QUANTITIES or any(word.strip("$%").isdigit() for word in lost) else "content_word"


def judge_otherwise(item: Item) -> Fields:
    """Answer as another person would, who now and then sees it differently."""
    first = judge(item)
    if item.chance % ONE_IN or first["label"] == "no-material-edit":
        return first
    return {"label": "no-material-edit"} if first["label"] == "safe-cleanup" else {"label": "benign-retention"}


@dataclass(frozen=True)
class Visitor:
    """A demo person, signed in at a page of their own."""

    page: Page
    base: str

    def read(self, path: str) -> Item | None:
        """Return the item at an address, or None where there is none."""
        found: dict[str, Any] | None = self.page.evaluate(READ, path)
        return Item(**found) if found else None

    def send(self, path: str, fields: Fields, action: str = "") -> None:
        """Fill in the judging form at an address, or the form with the given action, and send it."""
        status = self.page.evaluate(SEND, [path, action, fields])
        if status != httpx.codes.OK:
            raise RuntimeError(f"{action or path} answered {status} to {fields}")

    def items(self) -> list[Item]:
        """Return all items of a visitor who has not begun, in their order."""
        found = []
        item = self.read(f"{self.base}/next")
        while item is not None:
            found.append(item)
            item = self.read(item.after) if item.after else None
        return found

    def sign_off(self) -> None:
        """Say that the set is finished."""
        self.send(self.base, {}, f"{self.base}/sign-off")

    def open(self, path: str) -> Page:
        """Show an address, settled, with nothing under the pointer."""
        answer = self.page.goto(path)
        if answer is None or not answer.ok:
            raise RuntimeError(f"{path} answered {answer and answer.status}")
        self.page.wait_for_load_state("networkidle")
        self.page.mouse.move(0, 0)
        return self.page


@dataclass(frozen=True)
class House:
    """A demo store, its server, and the browser in front of it."""

    folder: Path
    study: str
    passwords: dict[str, str]
    origin: str
    browser: Browser

    def visit(self, role: str, base: str) -> Visitor:
        """Sign in the first demo person of a role that has not come yet."""
        name = next(key for key in self.passwords if key.startswith(f"{role}/"))
        width, height = SIZE
        context = self.browser.new_context(
            base_url=self.origin, viewport={"width": width, "height": height}, device_scale_factor=SCALE
        )
        page = context.new_page()
        page.goto("/login")
        page.locator('input[name="username"]').fill(name.partition("/")[2])
        page.locator('input[name="password"]').fill(self.passwords.pop(name))
        page.locator('input[name="password"]').press("Enter")
        page.wait_for_url(lambda url: not url.endswith("/login"))
        return Visitor(page, base)


def command(folder: Path, *words: str) -> dict[str, Any]:
    """Run a command of Evenhand on a store; return what it answers as data."""
    line = [sys.executable, "-m", "app", "--store", str(folder), *words, "--json"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Run a server on a free port of the loopback address; yield its origin."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    line = [sys.executable, "-m", "app", "--store", str(folder), "serve", "--port", str(port)]
    process = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        origin = f"http://127.0.0.1:{port}"
        _wait(origin, process)
        yield origin
    finally:
        process.terminate()
        process.wait(15)


def _wait(origin: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            httpx.get(f"{origin}/healthz").raise_for_status()
            return
        time.sleep(0.05)
    raise RuntimeError("the server did not start")


def chromium() -> str | None:
    """Return the path of a Chromium, found as the tests find it."""
    named = (os.environ.get("EVENHAND_CHROMIUM"), shutil.which("chromium"), shutil.which("google-chrome"))
    return next((path for path in named if path and Path(path).exists()), None)


def play(house: House, out: Path) -> None:
    """Carry the demo study from its first item to its memo, and take a picture wherever one is wanted."""
    lead = house.visit("lead", "/lead")
    lead_pictures.prepare(lead.page, out)
    rosa, ravi = house.visit("reviewer", "/review"), house.visit("reviewer", "/review")
    take(rosa.open("/guide"), out / "guide")
    practise(rosa, out)
    practise(ravi)
    items = rosa.items()
    shown = most_telling(items[len(items) // 2 :])
    for item in items[: items.index(shown)]:
        rosa.send(item.where, judge(item))
    take(choose(rosa.open(shown.where), judge(shown)), out / "item")
    _answer_rest(ravi, judge_otherwise)
    ravi.sign_off()
    take(lead.open(f"/lead/studies/{house.study}"), out / "study")
    lead_pictures.ask_to_withdraw(lead.page, house.study, out)
    flag(rosa.open(items[-2].where))
    _answer_rest(rosa, judge)
    take(about_to_sign_off(rosa), out / "list")
    rosa.sign_off()

    ines = house.visit("adjudicator", "/adjudicate")
    practise(ines)
    routed = ines.items()
    if not routed:
        raise RuntimeError("the scripted reviewers differ on no item of this demo: there is no adjudication to show")
    settled = most_telling(routed)
    ines.send(settled.where, judge(settled))
    take(choose(ines.open(settled.where), {"decision": "keep"}), out / "adjudication")
    _answer_rest(ines, judge)
    ines.sign_off()

    command(house.folder, "close", house.study)
    take(lead.open(f"/lead/studies/{house.study}/results"), out / "memo")
    lead_pictures.look_back(lead.page, house.study, out)


def practise(visitor: Visitor, out: Path | None = None) -> None:
    """Go through the practice round, if there is one. For a picture, miss the first damage: that tells more."""
    while (item := visitor.read(f"{visitor.base}/next")) is not None and item.practice:
        said = judge(item)
        missed = out is not None and said["label"] == "destructive-content" and item.a != item.b
        visitor.send(item.where, {"label": "safe-cleanup", "panel": item.shorter} if missed else said)
        if missed and out is not None:
            take(unfocused(visitor.open(item.where)), out / "practice")
            out = None


def unfocused(page: Page) -> Page:
    """Return the page with no ring of focus on it."""
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    return page


def flag(page: Page) -> None:
    """Flag the item that is open."""
    page.locator('[data-act="flag"]').click()
    page.locator(".flagged").first.wait_for()


def about_to_sign_off(visitor: Visitor) -> Page:
    """Return a judge's own list with the sign-off unfolded, as far as it folds."""
    page = visitor.open(visitor.base)
    folded = page.locator(f'details:not([open]):has(form[action="{visitor.base}/sign-off"]) > summary')
    if folded.count():
        folded.first.click()
    return unfocused(page)


def _answer_rest(visitor: Visitor, answer: Callable[[Item], Fields]) -> None:
    while (item := visitor.read(f"{visitor.base}/next")) is not None:
        visitor.send(item.where, {"decision": "keep"} if item.settling else answer(item))


def most_telling(items: Sequence[Item]) -> Item:
    """Return the item that shows most at a glance: a lost "no", then other damage, then cleanup; none of them long."""

    def rank(item: Item) -> tuple[bool, bool, int]:
        said = judge(item)
        return said.get("reason") != "negation", said["label"] != "destructive-content", abs(len(item.a) - 70)

    return min(items, key=rank)


def choose(page: Page, fields: Fields) -> Page:
    """Set the controls of an answer on a page, and leave the focus where the choice was made."""
    for name, value in fields.items():
        page.locator(f'input[name="{name}"][value="{value}"]:visible').first.check()
    page.wait_for_timeout(1500)  # the draft is stored as it is made, and the page says so
    page.evaluate("window.scrollTo(0, 0)")
    return page


def main(arguments: Sequence[str] | None = None) -> int:
    """Take all pictures; 0 where there is no browser either, for then there is nothing to take them with."""
    parser = argparse.ArgumentParser(prog="python -m scripts.screenshots", description="Take the docs' pictures.")
    parser.add_argument("--out", type=Path, default=PICTURES, help="folder for the pictures (default: docs/pictures)")
    out: Path = parser.parse_args(arguments).out
    path = chromium()
    if path is None:
        print("Skipped: no Chromium here. Install the package chromium, or name its path in EVENHAND_CHROMIUM.")
        return 0
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        folder = Path(place) / "store"
        demo = command(folder, "demo")
        for name in NEWCOMERS:
            command(folder, "user", "add", name)
        passwords = {f"{each['role']}/{each['username']}": each["password"] for each in demo["accounts"]}
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-background-networking"])
        with serving(folder) as origin:
            play(House(folder, demo["study"], passwords, origin, browser), out)
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
