"""Code the demo study by keys alone, and measure from Enter until the next item can be read: part of `make bench`.

A demo store in a temporary folder, a real server, and Chromium; nothing of it stays. Measured inside the page: from the
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
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

from app.domain import codebook
from scripts.screenshots import SIZE, Fields, House, Item, chromium, command, judge, practise, serving

AIM: Final = 150  # ms, of the slowest item in twenty
WAIT: Final = 260  # ms until a new item takes keys
PRESSES: Final = {"no-material-edit": 2, "benign-retention": 2, "safe-cleanup": 3, "unassessable-disputed": 3}
DAMAGE: Final = 4  # presses

# After a frame: a message that is sent from within it arrives when it has been painted.
CLOCK: Final = """() => {
  window.took = [];
  let since = 0;
  const painted = done => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(null);
  });
  document.addEventListener("keydown", event => { if (event.key === "Enter") since = performance.now(); }, true);
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


def code(page: Page) -> tuple[list[float], Counter[int]]:
    """Code every item that is left; return the milliseconds from item to item, and how many presses each took."""
    page.goto("/review/next")
    page.wait_for_load_state("networkidle")
    page.evaluate(CLOCK)
    taken: Counter[int] = Counter()
    while True:
        page.wait_for_timeout(WAIT)
        said = judge(Item(**page.evaluate(SHOWN)))
        keys = list(presses(said))
        if len(keys) != PRESSES.get(said["label"], DAMAGE):
            raise RuntimeError(f"{said} took {len(keys)} presses")
        taken[len(keys)] += 1
        number, total = (int(word) for word in page.title().split() if word.isdecimal())
        for key in keys[:-1]:
            page.keyboard.press(key)
        if number == total:
            took: list[float] = page.evaluate("took")
            page.keyboard.press("Enter")
            page.wait_for_url("**/review")
            return took, taken
        page.keyboard.press("Enter")
        page.wait_for_function("count => window.took.length >= count", arg=taken.total())


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
            rosa = House(folder, demo["study"], passwords, origin, browser).visit("reviewer", "/review")
            practise(rosa)
            before = os.getloadavg()[0]
            took, taken = code(rosa.page)
            browser.close()
    told = {"p50": statistics.median(took), "p95": statistics.quantiles(took, n=20)[-1], "most": max(took)}
    print(f"\n{taken.total()} items coded by keys alone in a window of {SIZE[0]} x {SIZE[1]};", end=" ")
    print("presses: " + ", ".join(f"{number} for {count}" for number, count in sorted(taken.items())))
    print(
        "Enter to the next item readable, ms: " + ", ".join(f"{name} {value:.0f}" for name, value in told.items()),
        end="",
    )
    print(f" (aim: p95 under {AIM}; load of the machine {before:.1f} before, {os.getloadavg()[0]:.1f} after)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
