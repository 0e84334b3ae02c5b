"""A list of candidates: its rows, read by what their columns mean."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.domain.columns import NAMES, Columns
from app.domain.errors import MOST_PROBLEMS, Problem

JOINT: Final = "_"

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row: its names, and the counts of its labels and exclusions in the order of `Columns`."""

    item_id: str
    cluster: str
    source: str
    labels: tuple[int, ...]
    exclusions: tuple[int, ...]

    def line(self) -> bytes:
        """Return the candidate as one line of canonical JSON, for the digest of a pool."""
        row = [self.item_id, self.cluster, self.source, self.labels, self.exclusions]
        return _encode(row).encode() + b"\n"


def candidates(
    rows: Iterable[tuple[int, Mapping[str, Any]]], columns: Columns, annotators: int, where: str
) -> tuple[list[Candidate], list[Problem]]:
    """Turn rows with their lines into candidates; return them and every problem, names that stand twice included."""
    reader = _Reader(columns, annotators, where)
    found: list[Candidate] = []
    lines: dict[str, int] = {}
    for line, row in rows:
        if len(reader.problems) > MOST_PROBLEMS:
            break
        candidate = reader.candidate(row, line)
        if candidate is None:
            continue
        first = lines.setdefault(candidate.item_id, line)
        if first != line:
            reader.wrong(line, columns.item_id, f"this candidate stands on line {first} already")
        else:
            found.append(candidate)
    return found, reader.problems


class _Reader:
    """Reads rows by their columns and notes what is wrong with them."""

    def __init__(self, columns: Columns, annotators: int, where: str) -> None:
        self._columns, self._where = columns, where
        self._labels = tuple(columns.labels.values())
        self._exclusions = tuple(each.column for each in columns.exclude.values())
        self._counts = {str(number): number for number in range(annotators + 1)}
        self._expected = f"a whole number from 0 to {annotators}, the number of annotators"
        self._sound: set[tuple[str, str]] = set()  # names of clusters and sources: each stands in many rows
        self.problems: list[Problem] = []

    def wrong(self, line: int, columns: tuple[str, ...], message: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(message, self._where, line, " + ".join(columns)[:60]))

    def candidate(self, row: Mapping[str, Any], line: int) -> Candidate | None:
        """Return a row's candidate, or None where something is wrong with it."""
        before = len(self.problems)
        candidate = Candidate(
            self._name(row, line, "item_id", self._columns.item_id),
            self._name(row, line, "cluster", self._columns.cluster),
            self._columns.constant or self._name(row, line, "source", self._columns.source),
            self._all_counts(row, line, self._labels),
            self._all_counts(row, line, self._exclusions),
        )
        return candidate if len(self.problems) == before else None

    def _name(self, row: Mapping[str, Any], line: int, key: str, columns: tuple[str, ...]) -> str:
        parts = [_text(row.get(column)) for column in columns]
        if not all(parts):
            self.wrong(line, tuple(name for name, part in zip(columns, parts, strict=True) if not part), _NOTHING)
            return ""
        value = JOINT.join(parts)
        if (key, value) not in self._sound:
            if (expected := NAMES[key](value)) is not None:
                self.wrong(line, columns, f"expected {expected}, found text of {len(value):,} characters")
            elif key != "item_id":
                self._sound.add((key, value))
        return value

    def _all_counts(self, row: Mapping[str, Any], line: int, columns: tuple[str, ...]) -> tuple[int, ...]:
        values = [row.get(column) for column in columns]
        if all(type(value) is str and value in self._counts for value in values):  # nearly every row of CSV
            return tuple([self._counts[value] for value in values])  # type: ignore[index]  # they are all text
        return tuple([self._count(value, line, column) for value, column in zip(values, columns, strict=True)])

    def _count(self, value: object, line: int, column: str) -> int:
        text = _text(value)
        if text not in self._counts:
            found = text if text.isdecimal() and len(text) < _SHORT else "nothing" if text == "" else "something else"
            self.wrong(line, (column,), f"expected {self._expected}; found {found}")
        return self._counts.get(text, 0)


_SHORT: Final = 4  # digits of a wrong count that a message does not repeat any more
_NOTHING: Final = "every candidate needs it; expected text or a whole number"


def _text(value: object) -> str:
    """Return a cell as text without white space at its ends, or "" where it is none."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
