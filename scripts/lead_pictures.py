"""How a lead prepares a study in the browser, with a picture of every page on the way.

Called by `scripts.screenshots`, with a lead who is signed in. The study is invented, and never frozen.
"""

from __future__ import annotations

import csv
import io
import json
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import FilePayload, Page

from app.config import content
from scripts.pictures import take

STUDY: Final = "kitchen-talk"
PLACE: Final = f"/lead/studies/{STUDY}"
SOURCE: Final = "kitchen-talk-2026"
POOL: Final = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "selection"
EACH: Final = 5  # items of each stratum, of the plan "trial"
# Columns as a group might call them, and what they are. The first ones are guessed, the others are not.
COLUMNS: Final = {
    "No": "item_id",
    "Group": "stratum",
    "Episode": "cluster",
    "Recognised": "raw_hypothesis",
    "Filter off": "off",
    "Filter on": "on",
    "What was meant": "semantic_reference",
}
RIGHTS: Final = {
    "source": SOURCE,
    "version": "2026-03",
    "publisher": "our group",
    "audio_owner": "none",
    "reference_owner": "our group",
    "licence": "CC0-1.0",
    "consent": "none needed: nobody said this",
    "distribution": "may be passed on",
    "removal": "a note to the group",
    "decided_by": "R. Example",
}


def _go(page: Page, path: str) -> Page:
    answer = page.goto(path)
    if answer is None or not answer.ok:
        raise RuntimeError(f"{path} answered {answer and answer.status}")
    page.wait_for_load_state("networkidle")
    page.mouse.move(0, 0)
    return page


def _press(page: Page, name: str) -> None:
    """Press a button by what it says, and wait for the page that follows."""
    with page.expect_navigation():
        page.get_by_role("button", name=name).first.click()
    page.wait_for_load_state("networkidle")


def _settled(page: Page) -> Page:
    """Return the page with nothing under the pointer and no message of what was just saved."""
    return _go(page, page.url.partition("?")[0])


def _take_tall(page: Page, where: Path, height: int) -> None:
    """Take a picture of a page whose point lies further down, from its top."""
    size = page.viewport_size
    assert size is not None  # noqa: S101, the script opens no window without a size
    page.set_viewport_size({"width": size["width"], "height": height})
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    page.mouse.move(0, 0)
    take(page, where)
    page.set_viewport_size(size)


def _file(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": data}


def table() -> bytes:
    """Return a table of invented items whose columns are called otherwise, separated by semicolons."""
    lines = content("demo/items.jsonl").read_text(encoding="utf-8").splitlines()
    rows: list[dict[str, Any]] = sorted(map(json.loads, lines), key=lambda row: str(row["stratum"]))
    chosen = [row for _, group in groupby(rows, lambda row: row["stratum"]) for row in list(group)[:EACH]]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";")
    writer.writerow(COLUMNS)
    # Names of its own: the demo study lies in the same store.
    named = [
        row | {"item_id": f"K-{at:02}", "cluster": f"k-{row['cluster']}"} for at, row in enumerate(chosen, start=1)
    ]
    writer.writerows([row.get(key, "") for key in COLUMNS.values()] for row in named)
    return text.getvalue().encode("utf-8-sig")


def prepare(page: Page, out: Path) -> None:
    """Create a study, settle its rights, import its items and name its people, up to the freeze."""
    _create(page, out)
    _settle_rights(page, out)
    _import(page, out)
    _name_people(page, out)
    take(_go(page, f"{PLACE}/freeze"), out / "freeze")
    take(_go(page, f"{PLACE}/protocol"), out / "protocol")
    take(_go(page, "/lead/accounts"), out / "accounts")
    take(_go(page, "/lead"), out / "studies")
    _select(page, out)


def _create(page: Page, out: Path) -> None:
    _go(page, "/lead/new")
    page.locator('[name="id"]').fill(STUDY)
    page.locator('[name="title"]').fill("Kitchen talk")
    page.locator('[name="scope"][value="synthetic"]').check()
    _take_tall(page, out / "new", 1200)
    page.locator('[name="plan"][value="trial"]').check()
    _press(page, "Create it and go on")
    _take_tall(_go(page, f"{PLACE}/protocol/edit?plan=default"), out / "editor", 1000)


def _settle_rights(page: Page, out: Path) -> None:
    _go(page, f"{PLACE}/rights/entry?case=invented&source={SOURCE}")
    for name, value in RIGHTS.items():
        page.locator(f'[name="{name}"]').fill(value)
    page.locator('[name="decision"]').select_option("approved")
    _take_tall(page, out / "rights-entry", 1000)
    _press(page, "Save the entry")
    take(_settled(page), out / "rights")


def _import(page: Page, out: Path) -> None:
    _go(page, f"{PLACE}/items")
    page.locator('input[name="file"]').set_input_files(_file("kitchen-talk.csv", table()))
    _press(page, "Import")
    for number, key in enumerate(COLUMNS.values()):
        page.locator(f'[name="column.{key}"]').select_option(str(number))
    page.locator('[name="constant.source"]').fill(SOURCE)
    _take_tall(page, out / "columns", 1400)
    _press(page, "Import")
    _take_tall(_settled(page), out / "items", 1150)


def _name_people(page: Page, out: Path) -> None:
    _go(page, f"{PLACE}/people")
    for name, role in (("mira", "reviewer"), ("noor", "reviewer"), ("paul", "adjudicator")):
        page.locator(f'[name="role.{name}"]').select_option(role)
    _press(page, "Save who takes part")
    _take_tall(_settled(page), out / "people", 950)


def _select(page: Page, out: Path) -> None:
    _go(page, "/lead/select")
    for name in ("pool.csv", "protocol.toml"):
        control = "file" if name == "pool.csv" else "protocol"
        page.locator(f'input[name="{control}"]').set_input_files(_file(name, (POOL / name).read_bytes()))
    _press(page, "Show what is drawn")
    _take_tall(page, out / "select", 900)


def look_back(page: Page, study: str, out: Path) -> None:
    """Look at what a closed study ends in: its single cases, and the export of its memo."""
    _take_tall(_go(page, f"/lead/studies/{study}/cases"), out / "cases", 1000)
    take(_go(page, f"/lead/studies/{study}/export"), out / "export")


def ask_to_withdraw(page: Page, study: str, out: Path) -> None:
    """Ask what a withdrawal would do, and leave everything as it is."""
    first: dict[str, Any] = json.loads(content("demo/items.jsonl").read_text(encoding="utf-8").splitlines()[0])
    _go(page, f"/lead/studies/{study}/withdraw")
    page.locator('[name="kind"]').first.select_option("cluster")
    page.locator('[name="value"]').first.fill(str(first["cluster"]))
    page.locator('[name="reason"]').first.fill("a participant asked")
    _press(page, "See what this would do")
    take(page, out / "withdraw")
