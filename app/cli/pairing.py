"""evenhand pair: off and on from raw texts, by calling the filter under test."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import click

from app.actions import pairing
from app.actions.pairing import Tick
from app.cli.desk import Answer, Desk, read_bytes
from app.filters import command, yazses
from app.filters.running import Start

PATIENCE: Final = 60.0


@click.command()
@click.argument("raw", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--filter", "kind", type=click.Choice(["yazses", "command"]), required=True, help="The filter under test."
)
@click.option("--exec", "program", help="With --filter command: the program and its arguments; no shell reads them.")
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 86_400),
    default=PATIENCE,
    show_default=True,
    help="Seconds in which that program must start, and answer each text.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A file that does not exist yet.")
@click.pass_obj
def pair(desk: Desk, raw: Path, kind: str, program: str | None, timeout: float, out: Path) -> Answer:
    """Make items of raw texts: each goes through the filter off and on, twice."""
    start = _filter(kind, program, timeout)
    data = read_bytes(raw)
    made = pairing.pair(desk.store, desk.world, desk.actor, data, raw.name, start, out, progress=_progress)
    items = "1 item" if made.items == 1 else f"{made.items:,} items"
    told = f"Paired {items} with {made.filter}; {made.changed:,} changed. Next: evenhand study import STUDY {out}"
    counts = {"out": str(out), "sha256": made.sha256, "items": made.items, "changed": made.changed}
    return Answer(told, counts | made.filter.as_data())


def _filter(kind: str, program: str | None, timeout: float) -> Start:
    """Return how the chosen filter is started. Raises click.UsageError."""
    if kind == "yazses":
        if program is not None:
            raise click.UsageError("--exec goes with --filter command.")
        return yazses.started
    try:
        words = shlex.split(program or "")
    except ValueError:
        raise click.UsageError("--exec has a quotation mark that is not closed.") from None
    if not words:
        raise click.UsageError("--filter command needs --exec, the program that is the filter.")
    return partial(command.started, words, timeout)


@contextmanager
def _progress(total: int) -> Iterator[Tick]:
    """Show on a terminal how far it is; into a file or a pipe, nothing."""
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    with click.progressbar(
        length=total, label="Pairing", file=sys.stderr, update_min_steps=max(1, total // 200)
    ) as bar:
        yield bar.update
