"""evenhand backup and evenhand restore."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from app.actions import backups
from app.actions.backups import Copied
from app.cli.desk import Answer, Desk
from app.domain.errors import StoreUnavailable
from app.store.db import DATABASE

FILE: Final = click.Path(path_type=Path)


@click.command()
@click.argument("file", type=FILE)
@click.pass_obj
def backup(desk: Desk, file: Path) -> Answer:
    """Copy the whole store into one new file, also while a server runs on it."""
    if not (desk.folder / DATABASE).is_file():
        message = f"There is no store in {desk.folder}. Choose it with --store."
        raise StoreUnavailable(message)
    copied = backups.back_up(desk.store, desk.world, desk.actor, file)
    told = f"Backed up {desk.folder} to {file}, and verified the copy.\n{_told(copied)}"
    told += "\nWrite the SHA-256 down elsewhere. The file holds private texts: keep it as carefully as the store."
    return Answer(told, {"file": str(file)} | _data(copied))


@click.command()
@click.argument("file", type=FILE)
@click.pass_obj
def restore(desk: Desk, file: Path) -> Answer:
    """Make a store of a backup, in a folder that is missing or empty."""
    copied = backups.restore(desk.folder, desk.world, desk.actor, file)
    told = f"Restored {file} to {desk.folder}, and verified it.\n{_told(copied)}"
    told += f"\nNobody is signed in. Next: evenhand --store {desk.folder} serve"
    return Answer(told, {"store": str(desk.folder)} | _data(copied))


def _told(copied: Copied) -> str:
    held = copied.holds
    counts = f"studies {held.studies}, items {held.items}, reviews {held.reviews}"
    lines = [
        f"{counts}; schema {copied.schema}; {copied.size:,} bytes",
        f"head of the audit chain: {held.audit_head}",
        f"SHA-256 of the file: {copied.sha256}",
    ]
    return "\n".join(f"  {line}" for line in lines)


def _data(copied: Copied) -> dict[str, Any]:
    return {"sha256": copied.sha256, "size": copied.size, "schema": copied.schema} | vars(copied.holds)
