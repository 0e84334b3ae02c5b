"""Code the demo study by keys alone, and measure from Enter until the next item can be read: part of `make bench`.

A demo store in a temporary folder, a real server, and Chromium; nothing of it stays. Both reviewers code every
item that people see (of 160 items those that the comparator does not code). Measured inside the page: from the
press of Enter until the frame with the next item has been painted and its heading has the focus. Between two items the
script waits, as people do, until a new item takes keys.

    python -m scripts.bench_keys
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

from app.domain import codebook
from scripts.screenshots import Fields, House, Item, chromium, command, judge, practise, serving

AIM: Final = 150  # ms, of the slowest item in twenty
WAIT: Final = 260  # ms until a new item takes keys
PRESSES: Final = {"no-material-edit": 2, "benign-retention": 2, "safe-cleanup": 3, "unassessable-disputed": 3}
DAMAGE: Final = 4  # presses

# After a frame: a message that is sent from within it arrives when it has been painted.
CLOCK: Final = """() => {
  window.took = [];
  window.arrived = [];
  let since = 0;
  const painted = done => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(null);
  });
  document.addEventListener("keydown", event => { if (event.key === "Enter") since = performance.now(); }, true);
  document.addEventListener("htmx:beforeSwap", () => window.arrived.push(performance.now() - since));
  document.addEventListener("evenhand:item", () => painted(() => window.took.push(performance.now() - since)));
}"""
SHOWN: Final = """() => ({
  where: location.pathname, after: null, settling: false,
  a: document.querySelector('[data-panel="A"]').textContent,
  b: document.querySelector('[data-panel="B"]').textContent,
  meant: document.querySelector("dl.references dd")?.textContent ?? "",
})"""


def presses(said: Fields) -> Iterator[str]:
    """Return the keys that give an answer and send it."""
    label = codebook.label(said["label"])
    yield str(codebook.LABEL_KEYS.index(label.key) + 1)
    yield from said.get("panel", "").lower()
    for number, reason in enumerate(label.reasons, start=1):
        if reason.key == said.get("reason"):
            yield f"Shift+Digit{number}"
    yield "Enter"


@dataclass
class Taken:
    """What was measured, in milliseconds from Enter, and how many items took so many presses."""

    arrived: list[float] = field(default_factory=list)
    readable: list[float] = field(default_factory=list)
    presses: Counter[int] = field(default_factory=Counter)


def code(page: Page, taken: Taken) -> None:
    """Code every item that is left."""
    page.goto("/review/next")
    page.wait_for_load_state("networkidle")
    page.evaluate(CLOCK)
    total = int(page.locator("#item-heading").inner_text().split()[-1])
    for number in range(1, total + 1):
        page.wait_for_timeout(WAIT)
        for key in answer(page, taken.presses):
            page.keyboard.press(key)
        if number < total:
            page.keyboard.press("Enter")
            page.wait_for_function("count => window.took.length >= count", arg=number)
    taken.arrived += page.evaluate("arrived")
    taken.readable += page.evaluate("took")
    page.keyboard.press("Enter")
    page.wait_for_url("**/review")


def answer(page: Page, count: Counter[int]) -> list[str]:
    """Return the keys that answer the item that is shown, before Enter. Raises RuntimeError for more than promised."""
    said = judge(Item(**page.evaluate(SHOWN)))
    *keys, enter = presses(said)
    if len([*keys, enter]) != PRESSES.get(said["label"], DAMAGE):
        raise RuntimeError(f"{said} took {len(keys) + 1} presses")
    count[len(keys) + 1] += 1
    return keys


def told(name: str, took: list[float]) -> str:
    """Say median, 95th percentile and the most of some milliseconds."""
    return f"{name:<26} {statistics.median(took):>5.0f} {statistics.quantiles(took, n=20)[-1]:>5.0f} {max(took):>5.0f}"


def main() -> int:
    """Measure, and print; 0 where there is no browser either."""
    path = chromium()
    if path is None:
        print("Keys: not measured, no Chromium here.")
        return 0
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        folder = Path(place) / "store"
        demo = command(folder, "demo")
        passwords = {f"{each['role']}/{each['username']}": each["password"] for each in demo["accounts"]}
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-background-networking"])
        with serving(folder) as origin:
            house, taken, before = House(folder, demo["study"], passwords, origin, browser), Taken(), os.getloadavg()[0]
            for _ in range(2):
                reviewer = house.visit("reviewer", "/review")
                practise(reviewer)
                code(reviewer.page, taken)
            browser.close()
    print(f"\n{taken.presses.total()} items coded by keys alone, by two reviewers; presses:", end=" ")
    print(", ".join(f"{number} for {count}" for number, count in sorted(taken.presses.items())))
    print(f"{'milliseconds from Enter':<26} {'p50':>5} {'p95':>5} {'most':>5}")
    print(told("the answer has arrived", taken.arrived))
    print(told("the next item is readable", taken.readable))
    print(f"Aim: p95 under {AIM}. Load of the machine: {before:.1f} before, {os.getloadavg()[0]:.1f} after.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
