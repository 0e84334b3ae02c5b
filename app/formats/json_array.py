"""A JSON array of objects in, rows with the lines on which they begin out; a part of the text at a time."""

from __future__ import annotations

import json
import re
from codecs import utf_8_decode
from collections.abc import Iterator
from typing import Final

from app.formats.encoding import not_utf8
from app.formats.rows import MOST_ROW_BYTES, UNCHECKED, Reading, Rows, Unreadable, beginning
from app.formats.values import DECODER, TOO_DEEP, cut_off, reason

_CHUNK: Final = 1 << 20
_AHEAD: Final = MOST_ROW_BYTES + 16  # what breaks so far from an object's start breaks because it is too long
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_SHORT: Final = "the file ends before its array does (cut off?)"


def read_json_array(data: bytes, name: str) -> Rows:
    r"""Read an array of objects, in UTF-8. `name` is the file's, for the problems.

    Where an object ends is known only once it is decoded, so what is no JSON ends the reading.

    >>> read_json_array(b'[\n{"item_id": "a"}\n]', "items.json").rows
    (Row(line=2, value={'item_id': 'a'}),)
    >>> print(*read_json_array(b'[{"off": NaN},\n{"off": }, {}]', "items.json").problems, sep="\n")
    items.json, line 1, field off: expected a finite number, found infinity, NaN or too many digits
    items.json, line 2: not JSON at column 9: Expecting value; what follows was not checked
    """
    reading, text = Reading(name, "a JSON array of objects, in UTF-8"), _Text(data)
    try:
        for line, value, size, marks in _elements(text):
            if not reading.admit(line, marks):
                break
            if size > MOST_ROW_BYTES:
                reading.wrong(line, _too_long(f"{size:,}"))
            else:
                reading.take(line, value)
    except Unreadable as error:
        reading.wrong(error.line, f"{error}{UNCHECKED}")
    return reading.rows()


class _Text:
    """The text of a file from `at` on: enough of it for the longest object, and the number of the line."""

    def __init__(self, data: bytes) -> None:
        self._data, self._next, self._stray = data, beginning(data), ""
        self._line, self._counted, self._left = 1, 0, 0
        self.text, self.at = "", 0

    @property
    def more(self) -> bool:
        """Whether the file has more than is at hand."""
        return self._next < len(self._data)

    def peek(self) -> str:
        """Return the next character that is no space without taking it, or nothing at the end."""
        while True:
            if self.more and len(self.text) - self.at < _AHEAD:
                self._move()
            self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # it matches nothing too
            if self.at < len(self.text) or not self.more:
                return self.text[self.at : self.at + 1]

    def line(self) -> int:
        """Return the number of the line at hand."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def broken(self, message: str, at: int | None = None) -> Unreadable:
        """Return the error for a place; of what the bytes break, the bytes are the reason."""
        at = self.at if at is None else at
        line, newline = self.line() + self.text.count("\n", self.at, at), self.text.rfind("\n", 0, at)
        column = at - newline if newline >= 0 else self._left + at + 1
        if self._stray and not self.text[at:].strip():
            return Unreadable(line, self._stray)
        return Unreadable(line, message.format(column=f"column {column:,}"))

    def _move(self) -> None:
        """Leave what was read behind and decode the next part, as far as it is UTF-8."""
        self.line()
        newline = self.text.rfind("\n", 0, self.at)
        self._left = self.at - newline - 1 if newline >= 0 else self._left + self.at
        raw = self._data[self._next : self._next + _CHUNK]
        last = self._next + len(raw) == len(self._data)
        try:
            new, used = utf_8_decode(raw, "strict", last)
        except UnicodeDecodeError as error:
            at = self._next + error.start
            start = self._data.rfind(b"\n", 0, at) + 1
            self._stray = not_utf8(self._data[start : at + 2], at - start)
            new, used = raw[: error.start].decode(), len(self._data)
        self.text, self.at, self._counted = self.text[self.at :] + new, 0, 0
        self._next += used


def _elements(text: _Text) -> Iterator[tuple[int, object, int, int]]:
    """Yield for each element its line, its value, its length and its commas and brackets. Raises Unreadable."""
    text.peek()
    text.at += 1  # the bracket by which the array was known
    mark = text.peek()
    while mark != "]":
        value, end = _element(text)
        marks = sum(text.text.count(each, text.at, end) for each in ",[{")
        yield text.line(), value, end - text.at, marks
        text.at = end
        mark = text.peek()
        if mark == ",":
            text.at += 1
            mark = text.peek()
            if mark == "]":
                raise text.broken("a comma before the bracket that closes the array")
        elif mark != "]":
            raise text.broken("expected a comma or ] after an object, at {column}" if mark else _SHORT)
    text.at += 1
    if text.peek():
        raise text.broken("something follows the array, at {column}: one array holds everything")


def _element(text: _Text) -> tuple[object, int]:
    """Return the element at hand, and where it ends. Raises Unreadable."""
    try:
        return DECODER.raw_decode(text.text, text.at)
    except json.JSONDecodeError as error:
        if text.more and (cut_off(error) or error.pos - text.at > MOST_ROW_BYTES):
            raise text.broken(_too_long(f"more than {MOST_ROW_BYTES:,}")) from None
        if cut_off(error):
            raise text.broken(_SHORT, len(text.text)) from None
        raise text.broken(f"not JSON at {{column}}: {reason(error)}", error.pos) from None
    except RecursionError:
        raise text.broken(TOO_DEEP) from None


def _too_long(size: str) -> str:
    return f"this object has {size} characters; at most {MOST_ROW_BYTES:,} can be read"
