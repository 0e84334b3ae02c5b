"""Rows of a file with their lines, and every problem found, whatever the format; all of it bounded."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import dataclass
from itertools import islice
from typing import Final

from app.domain.errors import MOST_PROBLEMS, Problem
from app.formats.values import faults, no_object, printable

# Within these a file is read or refused in about three seconds and 360 MiB, whatever it holds.
MOST_BYTES: Final = 64 << 20
MOST_ROW_BYTES: Final = 1 << 20
MOST_ROWS: Final = 30_000
MOST_KEYS: Final = 100  # of one row; items have fewer
MOST_MARKS: Final = 1_500_000  # by which values are counted: commas and opening brackets, or cells and what parts them

_INVISIBLE: Final = "this key has invisible characters"
UNCHECKED: Final = "; what follows was not checked"


@dataclass(frozen=True, slots=True)
class Row:
    """One object, and the line that it begins on, from 1."""

    line: int
    value: dict[str, object]


@dataclass(frozen=True)
class Rows:
    """Every row without a fault of its own, and every problem found."""

    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]


class Unreadable(Exception):  # noqa: N818, as in the domain: named for what happened
    """Where the reading of a file ends before the file does, and why."""

    def __init__(self, line: int | None, message: str, field: str | None = None) -> None:
        self.line, self.field = line, field
        super().__init__(message)


class Reading:
    """The rows and problems of one file while it is read. `name` is the file's, for the problems.

    `expected`: what is expected of a row, where a problem does not say it more exactly.
    """

    def __init__(self, name: str, expected: str = "") -> None:
        self._name, self._expected = name, expected
        self._rows: list[Row] = []
        self._problems: list[Problem] = []
        self._seen = self._marks = 0

    def wrong(
        self, line: int | None, message: str, field: str | None = None, *, expected: str = "", found: str = ""
    ) -> None:
        """Note a problem."""
        self._problems.append(Problem(message, self._name, line, field, expected or self._expected, found))

    def admit(self, line: int, marks: int) -> bool:
        """Count one more row. Return whether it can be taken; if not, that is noted as the last problem."""
        self._seen += 1
        self._marks += marks
        if self._left <= 0:
            self.wrong(line, f"reading stopped after {len(self._problems):,} problems{UNCHECKED}")
        elif self._seen > MOST_ROWS:
            self.wrong(line, f"only {MOST_ROWS:,} rows can be read from one file, and here begins one more: split it")
        elif self._marks > MOST_MARKS:
            message = f"only {MOST_MARKS:,} values can be read from one file, and this row goes beyond: split the file"
            self.wrong(line, message)
        else:
            return True
        return False

    def take(self, line: int, value: object, *, sound: bool = True) -> None:
        """Add a row, or its problems as far as there is room for them. `sound`: it had none before."""
        if not isinstance(value, dict):
            self.wrong(line, no_object(value))
            return
        if len(value) > MOST_KEYS:
            self.wrong(line, f"this object has {len(value):,} keys; at most {MOST_KEYS} can be read")
            return
        found = list(islice(faults(value), max(self._left, 1)))
        if not found and not "".join(value).isprintable():
            found = [(printable(key), _INVISIBLE) for key in value if not key.isprintable()]
        for field, message in found:
            self.wrong(line, message, field)
        if sound and not found:
            self.add(line, value)

    def add(self, line: int, value: dict[str, object]) -> None:
        """Add a row that cannot have a fault of its own."""
        self._rows.append(Row(line, value))

    @property
    def clean(self) -> bool:
        """Whether there is no problem so far."""
        return not self._problems

    @property
    def _left(self) -> int:
        return MOST_PROBLEMS - 1 - len(self._problems)

    def rows(self) -> Rows:
        """Return what was found."""
        return Rows(tuple(self._rows), tuple(self._problems))


def beginning(data: bytes) -> int:
    """Return where the text begins: after a byte order mark, if there is one."""
    return len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
