"""evenhand score: word errors of texts against references, without a store."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click

from app.actions import scoring
from app.actions.scoring import Tick
from app.cli.desk import Answer
from app.cli.studies import FILE
from app.domain.errors import EvenhandError
from app.domain.scoring import OWN, PROFILES, Line, Scored

_REASONS: Final = {
    "one_cluster": "no interval: the rows are of one cluster, or name none",
    "few_clusters": "no interval: fewer than 4 clusters",
    "zero_variance": "no interval: no variance between clusters",
    "no_variation": "no interval: undefined without one of the clusters",
    "no_reference": "no reference with words",
    "no_items": "nothing to score",
}


@click.command()
@click.argument("hypotheses", metavar="HYP.jsonl", type=FILE)
@click.option("--profile", type=click.Choice(PROFILES), default=OWN, show_default=True, help="How words are compared.")
@click.option("--baseline", help="The system from which the others differ; `off` unless given, where there is one.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV in place of a table.")
def score(hypotheses: Path, profile: str, baseline: str | None, as_csv: bool) -> Answer:
    """Score the texts of one or more systems against references."""
    try:
        with hypotheses.open("rb") as stream:
            size = hypotheses.stat().st_size
            found = scoring.score(stream, hypotheses.name, profile, baseline, _progress(size))
    except OSError as error:
        message = f"{hypotheses} cannot be read: {error.strerror}."
        raise EvenhandError(message) from None
    return Answer(_csv(found) if as_csv else _table(found), _data(found))


@contextmanager
def _progress(size: int) -> Iterator[Tick]:
    """Show on a terminal how far it is; into a file or a pipe, nothing."""
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    with click.progressbar(length=size, label="Scoring", file=sys.stderr) as bar:
        yield bar.update


def _data(found: Scored) -> dict[str, Any]:
    head = {name: getattr(found, name) for name in ("profile", "baseline", "utterances", "clusters")}
    return head | {"systems": list(found.systems), "lines": [asdict(line) for line in found.lines]}


def _table(found: Scored) -> str:
    """Return lines of words, one a system, reference and stratum."""
    told = f"{found.utterances:,} utterances, {found.clusters:,} clusters, profile {found.profile}."
    if found.baseline is not None:
        told += f" Differences: system minus {found.baseline}."
    rows = [
        (
            "reference",
            "stratum",
            "system",
            "WER",
            "95 % interval",
            "edits",
            "words",
            *_kinds(found),
            "difference",
            "95 % interval",
            "",
        )
    ]
    rows += [_row(line) for line in found.lines]
    wide = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip() for row in rows]
    counts = sorted({(line.reference, line.scored, line.empty_references) for line in found.lines if not line.stratum})
    notes = [
        f"{reference}: {scored:,} of {found.utterances:,} scored"
        + (f", {empty:,} with an empty reference" if empty else "")
        for reference, scored, empty in counts
    ]
    return "\n".join([told, "", *lines, "", *notes])


def _kinds(found: Scored) -> tuple[str, ...]:
    return tuple(found.lines[0].kinds)


def _row(line: Line) -> tuple[str, ...]:
    reason = line.null_reason or line.interval_null_reason
    return (
        line.reference,
        line.stratum or "all",
        line.system,
        "-" if line.value is None else f"{line.value:.2%}",
        "-" if line.interval is None else f"{line.interval[0]:.2%} to {line.interval[1]:.2%}",
        f"{line.edits:,}",
        f"{line.words:,}",
        *(f"{count:,}" for count in line.kinds.values()),
        "" if line.difference is None else f"{100 * line.difference:+.2f} points",
        ""
        if line.difference_interval is None
        else f"{100 * line.difference_interval[0]:+.2f} to {100 * line.difference_interval[1]:+.2f}",
        _REASONS.get(reason or "", ""),
    )


def _csv(found: Scored) -> str:
    """Return CSV: every digit, an interval as two columns, nothing for null."""
    out = io.StringIO()
    flat = [_flat(found, line) for line in found.lines]
    writer = csv.DictWriter(out, flat[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue().rstrip("\n")


def _flat(found: Scored, line: Line) -> dict[str, Any]:
    row = {"profile": found.profile, "baseline": found.baseline} | asdict(line)
    for name in ("interval", "difference_interval"):
        limits = row.pop(name) or (None, None)
        row |= {f"{name}_low": limits[0], f"{name}_high": limits[1]}
    row |= row.pop("kinds")
    return {key: _inert(value) for key, value in row.items()}


def _inert(value: Any) -> Any:
    """Return text that no spreadsheet runs as a formula: the names of systems and strata are the file's own."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
