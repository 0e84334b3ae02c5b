"""evenhand select: a draw from a list of candidates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from app.actions import selecting
from app.cli.desk import Answer, read_bytes
from app.cli.studies import FILE


@click.command()
@click.argument("pool", type=FILE)
@click.option("--protocol", required=True, type=FILE, help="The study's protocol, with selection.seed.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A folder that does not exist yet.")
@click.option("--columns", type=FILE, help="A column map, for lists other than SEP-28k's.")
def select(pool: Path, protocol: Path, out: Path, columns: Path | None) -> Answer:
    """Draw a study's items from a list of candidates, before any outcome exists."""
    drawn = selecting.draw(_file(pool), _file(protocol), None if columns is None else _file(columns))
    selecting.write(drawn, out)
    return Answer(
        "\n".join(_told(drawn.record, drawn.sha256, out)),
        {"out": str(out), "sha256": drawn.sha256, "record": dict(drawn.record)},
    )


def _file(path: Path) -> tuple[bytes, str]:
    return read_bytes(path), path.name


def _told(record: Mapping[str, Any], sha256: str, out: Path) -> list[str]:
    """Put a record into lines of words."""
    strata, aside = record["strata"], record["extension"]
    wide = max(len(name) for name in (*strata, *aside, *record["excluded"]))
    lines = [f"{record['selected']['items']} of {record['pool']['candidates']} candidates drawn.", ""]
    lines += [_stratum(name.ljust(wide), each) for name, each in strata.items()]
    if aside:
        lines += ["", "Apart, as an extension:", *(_stratum(name.ljust(wide), each) for name, each in aside.items())]
    excluded = {reason: count for reason, count in record["excluded"].items() if count}
    if excluded:
        lines += ["", "Put aside:", *(f"  {reason:<{wide}}  {count:>6}" for reason, count in excluded.items())]
    if record["rules"]["planned_by"] == "default":
        lines += ["", "The protocol has no selection.strata: this is the default plan. Enter it before the freeze."]
    return [*lines, "", f"The selection is in {out}. Its record has the SHA-256", sha256]


def _stratum(name: str, found: Mapping[str, int]) -> str:
    told = f"  {name}  {found['drawn']:>4} of {found['planned']:>4} planned, {found['eligible']:>6} eligible"
    capped = f" ({found['capped']} passed over by the cap)" if found["capped"] and found["shortage"] else ""
    return told + (f", SHORTAGE {found['shortage']}{capped}" if found["shortage"] else "")
