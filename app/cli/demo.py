"""evenhand demo: a ready study in a store of its own."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import click

from app.actions import demo as act
from app.actions.reporting import EXPORTS
from app.cli.desk import Answer, Desk
from app.config import DEFAULT_PORT, DEMO_MARK, DEMO_STORE, LOOPBACK
from app.domain.errors import Refused
from app.security import Passwords
from app.store.db import DATABASE
from app.store.lock import port_served, served
from app.store.migrate import open_store


@click.command()
@click.option("--fresh", is_flag=True, help="Throw the demo store away and make a new one.")
@click.pass_obj
def demo(desk: Desk, *, fresh: bool) -> Answer:
    """Make a demo study with four accounts, or find the one that is there."""
    desk.given = desk.given or DEMO_STORE
    if fresh:
        _throw_away(desk.folder)
    host_name = act.prepare(desk.store, desk.world, Passwords())
    accounts = [{"username": a.name, "password": a.password, "role": a.role} for a in act.CAST]
    running = port_served(desk.folder)
    port = running or DEFAULT_PORT
    url, here = f"http://{LOOPBACK}:{port}/", f"evenhand --store {shlex.quote(str(desk.folder))}"
    lines = [f"The demo study is in {desk.folder}."]
    if (before := act.items_of_before(desk.store)) is not None:
        lines += [
            f"Another version of Evenhand made it, with {before} items, and it stays as it is.",
            f"To make this version's instead, and lose what was entered: {here} demo --fresh",
        ]
    lines += ["", *(f"  {a['role']:<12} {a['username']:<6} password {a['password']}" for a in accounts), ""]
    lines += [f"It is being served. Open {url}"] if running else [f"Serve it: {here} serve", f"Then open {url}"]
    data = {
        "store": str(desk.folder),
        "url": url,
        "browser_url": f"http://{host_name}:{port}/",
        "study": act.STUDY,
        "accounts": accounts,
    }
    return Answer("\n".join(lines), data)


def _throw_away(folder: Path) -> None:
    """Remove a demo store that no server runs on, and nothing that is not one."""
    if not folder.exists():
        return
    if not (folder / DEMO_MARK).exists():
        told = f"{folder} is not a demo store; nothing was removed."
        raise Refused("not_demo", told)
    with served(folder):
        store = open_store(folder)
        try:
            if act.others(store):
                told = f"{folder} holds a study of your own; nothing was removed. Choose another folder with --store."
                raise Refused("not_demo", told)
            copies = store.older_copies()
        finally:
            store.close()
        for path in (*folder.glob(f"{DATABASE}*"), *copies, folder / DEMO_MARK):
            path.unlink(missing_ok=True)
        shutil.rmtree(folder / EXPORTS, ignore_errors=True)
