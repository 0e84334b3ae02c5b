"""CSV taken apart into rows of cells, each with its line; what is no CSV is found with its column.

The standard library's reader takes the cells apart. It lets a quotation mark stand in a bare cell, swallows a lone
carriage return, and does not say which cell breaks a row: `_broken_cell` does. Its limit for one cell, 131,072
characters, holds for the whole process and is far beyond the longest text of an item, so it stays as it is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.formats.encoding import BYTE_ORDER_MARK, CARRIAGE_RETURN, JOINED, not_utf8
from app.formats.rows import MOST_ROW_BYTES, UNCHECKED, beginning

DELIMITERS: Final = {",": "comma", ";": "semicolon", "\t": "tab"}
BETWEEN: Final = DELIMITERS | {"|": "vertical bar"}  # where a column map says what is what
MOST_CELL: Final = 131_072
EXCEL: Final = "; Excel does with “CSV UTF-8”"

# A cell as RFC 4180 writes it.
_CELLS: Final = {mark: re.compile(rf'"[^"]*+(?:""[^"]*+)*+"|[^"{re.escape(mark)}\r\n]*+') for mark in BETWEEN}
_ESCAPED: Final = re.compile("[\udc80-\udcff]")
_UNCLOSED: Final = "a quotation mark opens this cell and none closes it"
_AFTER: Final = "text follows the quotation mark that closes this cell; one within a cell is written twice"
_BARE: Final = "a quotation mark in a cell that does not begin with one: put the cell in quotation marks, and double it"
_LONG: Final = f"this cell has more than {MOST_CELL:,} characters (is a quotation mark not closed?)"


@dataclass(frozen=True, slots=True)
class Record:
    """A row of cells, and the line that it begins on."""

    line: int
    cells: list[str]


@dataclass(frozen=True, slots=True)
class Flaw:
    """What keeps a row from being read, with the line and the column from 0, where it is known."""

    line: int
    message: str
    column: int | None = None


def records(data: bytes, delimiter: str) -> Iterator[Record | Flaw]:
    r"""Yield each row that is not blank, or what is wrong with it; after a broken one of several lines no more.

    >>> list(records(b'a,"b\r\nc"\n\nd,e', ","))
    [Record(line=1, cells=['a', 'b\r\nc']), Record(line=4, cells=['d', 'e'])]
    >>> next(records(b'a, "b"', ",")).column
    1
    """
    lines = _Lines(data)
    table = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line, broken = lines.begin(), ""
        cells: list[str] = []
        try:
            cells = next(table)
        except StopIteration:
            return
        except csv.Error as error:
            broken = str(error)
        # Where several lines make a broken row, nobody knows which mark was forgotten and where the next row begins.
        last = bool(broken) and len(lines.taken) != 1
        flaw = _flaw(line, lines, cells, broken, delimiter)
        if flaw is not None:
            yield replace(flaw, message=flaw.message + UNCHECKED) if last else flaw
        elif len(cells) > 1 or "".join(cells).strip():
            yield Record(line, cells)
        if last:
            return


_INK: Final = re.compile(rb"[^ \t\r\n]|\r(?!\n)")  # a lone carriage return ends no line, and is told


class _TooLong(csv.Error):
    """A row that goes on beyond what can be read."""


class _Lines:
    """The lines of a file for the standard library's reader; bytes that are no UTF-8 are escaped as surrogates."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at, self._size = data, beginning(data), 0
        self._number = 0
        self.taken: list[str] = []
        self.stray = False

    def begin(self) -> int:
        """Return the number of the line on which the next row begins."""
        self.taken, self.stray, self._size = [], False, 0
        # A file may end, or begin, with millions of empty lines: one step over all of them.
        ink = _INK.search(self._data, self._at)
        start = self._data.rfind(b"\n", self._at, ink.start()) + 1 if ink else len(self._data)
        if start > self._at:
            self._number += self._data.count(b"\n", self._at, start)
            self._at = start
        return self._number + 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._at >= len(self._data):
            raise StopIteration
        end = self._data.find(b"\n", self._at) + 1 or len(self._data)
        self._size += end - self._at
        if self._size > MOST_ROW_BYTES:
            raise _TooLong(f"this row has {self._size:,} bytes or more; at most {MOST_ROW_BYTES:,} can be read")
        raw = self._data[self._at : end]
        try:
            line = raw.decode()
        except UnicodeDecodeError:
            self.stray, line = True, raw.decode(errors="surrogateescape")
        self._at, self._number = end, self._number + 1
        self.taken.append(line)
        return line


def _flaw(line: int, lines: _Lines, cells: Sequence[str], broken: str, delimiter: str) -> Flaw | None:
    """Say what is wrong with the row just taken; `broken` is what the reader says, if anything."""
    text = "".join(lines.taken)
    if lines.stray:
        return _stray(line, text, cells)
    if text.startswith(BYTE_ORDER_MARK):
        return Flaw(line, JOINED)
    if not broken and not text.endswith(("\r", "\r\r\n")) and not any('"' in cell for cell in cells):
        return None
    found = _broken_cell(line, text, delimiter)
    return Flaw(line, broken) if broken and found is None else found


def _broken_cell(line: int, text: str, delimiter: str) -> Flaw | None:
    """Find the first cell of a row that is not as RFC 4180 writes it, with the line on which it begins."""
    body = text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")
    at = column = 0
    while True:
        end = _CELLS[delimiter].match(body, at).end()  # type: ignore[union-attr]  # it matches nothing too
        if end - at > MOST_CELL:
            message = _LONG
            break
        if end == len(body):
            return None
        if body[end] != delimiter:
            message = _reason(body, at, end)
            break
        at, column = end + 1, column + 1
    return Flaw(line + body.count("\n", 0, at), message, column)


def _reason(body: str, at: int, end: int) -> str:
    """Say why the cell that begins at `at` breaks off at `end`, before a delimiter."""
    if body[at] == '"':
        return _UNCLOSED if end == at else _AFTER
    return _BARE if body[end] == '"' else CARRIAGE_RETURN


def _stray(line: int, text: str, cells: Sequence[str]) -> Flaw:
    """Say which byte of a row is not UTF-8."""
    at = next(_ESCAPED.finditer(text)).start()
    start = text.rfind("\n", 0, at) + 1
    raw, before = (part.encode(errors="surrogateescape") for part in (text[start : at + 2], text[start:at]))
    column = next((number for number, cell in enumerate(cells) if _ESCAPED.search(cell)), None)
    return Flaw(line + text.count("\n", 0, at), not_utf8(raw, len(before)) + EXCEL, column)
