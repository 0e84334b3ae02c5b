"""A table as plain values, and its cells as text: for reading, or for a spreadsheet that must not run them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from app.domain.memo import Interval, Memo, Rate
from app.report.wording import (
    FEW_CLUSTERS,
    NOTHING,
    cluster,
    confidence,
    few,
    half_up,
    percent,
    span,
    tenth,
    whole_percent,
    why,
)

Kind: TypeAlias = Literal[
    "text",
    "long",
    "key",
    "count",
    "share",
    "points",
    "index",
    "size",
    "tally",
    "p",
    "range",
    "between",
    "indexes",
]
POINTS: Final = "\u00a0points"  # never parted from its number
Cell: TypeAlias = str | int | float | tuple[float, float] | None

_PAIRED: Final = {"range", "between", "indexes"}
_FORMULA: Final = tuple(
    "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
)  # the last four: full-width forms, which some spreadsheets run too


class Rough(NamedTuple):
    """An interval of shares that rests on few clusters: read in whole per cents."""

    low: float
    high: float


class RoughShare(float):
    """The end of such an interval."""


@dataclass(frozen=True)
class Column:
    """One column.

    `long`: text that may wrap anywhere. `key`: for programs, so in CSV alone. `range`: of
    shares. `points`: a difference of shares, read in percentage points; `between`: its
    interval. `index` and `indexes`: to two places; `size`: to none. `tally`: a count that may be a half. `p`: of a
    test.
    """

    title: str
    kind: Kind = "text"

    @property
    def numeric(self) -> bool:
        """Whether the cells are numbers, set to the right."""
        return self.kind not in {"text", "long", "key"}

    @property
    def paired(self) -> bool:
        """Whether a cell is an interval."""
        return self.kind in _PAIRED


@dataclass(frozen=True)
class Table:
    """One table of the memo. `name`: its file name; `caption`: what it shows, in one sentence."""

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    @property
    def header(self) -> tuple[str, ...]:
        """The titles of the columns."""
        return tuple(column.title for column in self.columns)

    def for_reading(self) -> Table:
        """Return the table without keys for programs and without columns that hold nothing."""
        kept = [
            place
            for place, column in enumerate(self.columns)
            if column.kind != "key" and (place == 0 or any(row[place] not in {None, ""} for row in self.rows))
        ]
        return Table(
            self.name,
            self.title,
            self.caption,
            tuple(self.columns[place] for place in kept),
            tuple(tuple(row[place] for place in kept) for row in self.rows),
            self.note,
        )


LABEL: Final = (Column("Label"), Column("Key", "key"))
PLAIN_RATE: Final = (
    Column("Number", "count"),
    Column("Out of", "count"),
    Column("Share", "share"),
    Column("Why there is no value"),
)


EXACT: Final = "interval, assumes independent answers (Clopper-Pearson)"


def exact_columns(memo: Memo) -> tuple[Column, ...]:
    """Return the columns of a rate of answers, which no cluster of items holds together."""
    number, of, share, reason = PLAIN_RATE
    return number, of, share, Column(f"{confidence(memo)} {EXACT}", "range"), reason


def exact_cells(rate: Rate) -> tuple[Cell, ...]:
    return rate.numerator, rate.denominator, rate.value, rate.intervals.get("clopper_pearson"), why(rate.null_reason)


def units_column(memo: Memo) -> Column:
    """Return the column of how many clusters the interval of a row rests on."""
    return Column(cluster(memo, 2).capitalize(), "count")


def by_cluster(interval: Interval | None, clusters: int | None) -> Cell:
    """Return an interval as it may be read: one that rests on few clusters is rough, whatever the study has."""
    return Rough(*interval) if interval is not None and few(clusters) else interval


def rough_note(memo: Memo, rows: Iterable[Sequence[Cell]]) -> str:
    """Say what roughness is, where a row has it; begins with a space."""
    if not any(isinstance(cell, Rough | RoughShare) for row in rows for cell in row):
        return ""
    return (
        f" An interval on fewer than {FEW_CLUSTERS} {cluster(memo, 2)} is rough, and given in whole per cents: even "
        "these are finer than it deserves."
    )


def rate_columns(memo: Memo) -> tuple[Column, ...]:
    number, of, share, _reason = PLAIN_RATE
    return (
        number,
        of,
        share,
        Column(f"{confidence(memo)} interval, by {cluster(memo)} (Korn-Graubard)", "range"),
        Column(f"{confidence(memo)} interval, assumes independent items (Clopper-Pearson)", "range"),
        Column("Why there is no value or interval"),
    )


def rate_cells(rate: Rate) -> tuple[Cell, ...]:
    clustered, plain = rate.intervals.get("korn_graubard"), rate.intervals.get("clopper_pearson")
    reason = why(rate.null_reason or rate.interval_null_reason)
    return rate.numerator, rate.denominator, rate.value, by_cluster(clustered, rate.clusters), plain, reason


def shown(cell: Cell, column: Column) -> str:
    r"""Return a cell as a person reads it.

    >>> shown(0.5, Column("", "share")), shown(-0.0063, Column("", "points")), shown(None, Column(""))
    ('50.0%', '-0.63\xa0points', '—')
    """
    match cell:
        case None:
            return NOTHING
        case tuple():
            return _interval(cell, column.kind)
        case float() | int() if column.kind == "points":
            return f"{_points(cell)}{POINTS}"
        case RoughShare():
            return whole_percent(cell)
        case float():
            return percent(cell) if column.kind == "share" else _decimal(cell, column.kind)
        case int() if column.kind == "share":
            return percent(cell)
    return str(cell)


def _interval(cell: tuple[float, float], kind: Kind) -> str:
    if kind == "range":
        return span(cell, rough=isinstance(cell, Rough))
    if kind == "between":
        told = tenth if max(map(abs, cell)) >= 0.01 else percent  # noqa: PLR2004 - one point, as of shares
        return f"{_points(cell[0], told)} to {_points(cell[1], told)}{POINTS}"
    return f"{_decimal(cell[0], kind)} to {_decimal(cell[1], kind)}"


def _points(difference: float, read: Callable[[float], str] = percent) -> str:
    """Return a difference of shares in percentage points; a small one keeps two significant digits, as a share does.

    >>> [_points(each) for each in (0.0296, -0.00053, 0.0, 1e-9, -1e-9, -1.0)]
    ['3.0', '-0.053', '0.0', 'under 0.01', 'above -0.01', '-100.0']
    """
    told = read(abs(difference)).removesuffix("%")
    if difference >= 0:
        return told
    return f"-{told}" if told[0].isdigit() else told.replace("under ", "above -").replace("over ", "below -")


def _decimal(number: float, kind: Kind) -> str:
    if kind == "p" and number < 0.0005:  # noqa: PLR2004 - would round to none
        return "under 0.001"
    if kind == "tally":
        return str(half_up(number, 1)).removesuffix(".0")
    places = {"index": 2, "indexes": 2, "size": 0}.get(kind, 3)
    told = half_up(number, places)
    return str(abs(told) if told == 0 else told)  # a zero has no sign


def csv_bytes(table: Table) -> bytes:
    """Return the table as UTF-8 CSV: every digit of a number, an interval as two columns, nothing for null.

    Text that a spreadsheet would run as a formula gets a leading apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_inert(title) for column in table.columns for title in _titles(column)])
    for row in table.rows:
        writer.writerow(
            [each for cell, column in zip(row, table.columns, strict=True) for each in _values(cell, column)]
        )
    return out.getvalue().encode()


def _titles(column: Column) -> tuple[str, ...]:
    if column.paired:
        return f"{column.title}: low", f"{column.title}: high"
    return (column.title,)


def _values(cell: Cell, column: Column) -> tuple[str | float, ...]:
    match cell:
        case None | "":
            return ("",) * len(_titles(column))
        case tuple():
            return cell
        case str():
            return (_inert(cell),)
    return (cell,)


def _inert(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
