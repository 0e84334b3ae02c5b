"""JSON Lines in, rows with their line numbers out. Whatever the bytes are, the answer is rows and problems.

Messages never repeat a value, which may be private: they say where it stands and of what kind it is.
"""

from __future__ import annotations

import json
import math
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from app.domain.errors import Problem

MOST_BYTES: Final = 256 << 20
MOST_LINE_BYTES: Final = 1 << 20
MOST_LINES: Final = 1_000_000
MOST_MARKS: Final = 8_000_000  # commas and opening brackets: a bound on what the decoded values take
MOST_PROBLEMS: Final = 1_000
MOST_DEPTH: Final = 20
MOST_WHOLE: Final = 2**53 - 1  # RFC 7493: beyond, a number need not survive being read
MOST_NAME: Final = 60

Fault = tuple[str | None, str]  # a field, or None for the whole line, and what is wrong with it


@dataclass(frozen=True, slots=True)
class Row:
    """One object, and the line that it stands on, from 1."""

    line: int
    value: dict[str, object]


@dataclass(frozen=True)
class Rows:
    """Every row without a fault of its own, and every problem found."""

    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]


def read_jsonl(data: bytes, name: str) -> Rows:
    r"""Read one JSON object a line, in UTF-8; blank lines are skipped. `name` is the file's, for the problems.

    >>> read_jsonl(b'{"item_id": "a"}', "items.jsonl").rows
    (Row(line=1, value={'item_id': 'a'}),)
    >>> print(*read_jsonl(b'{"off": "a", "off": "b"}\n[NaN]', "items.jsonl").problems, sep="\n")
    items.jsonl, line 1, field off: this key stands more than once
    items.jsonl, line 2: expected an object, {...}, found a list
    """
    refusal = _refusal(data)
    if refusal is not None:
        line, message = refusal
        return Rows((), (Problem(message, name, line),))
    rows: list[Row] = []
    problems: list[Problem] = []
    marks = 0
    for line, start, end in _lines(data):
        marks += sum(data.count(mark, start, end) for mark in (b",", b"[", b"{"))
        if end - start > MOST_LINE_BYTES:
            message = f"this line has {end - start:,} bytes; at most {MOST_LINE_BYTES:,} can be read"
            problems.append(Problem(message, name, line))
        elif marks > MOST_MARKS:
            message = f"only {MOST_MARKS:,} commas and brackets can be read, and this line goes beyond: split the file"
            problems.append(Problem(message, name, line))
            break
        else:
            _read(data[start:end], line, name, rows, problems)
        if len(problems) >= MOST_PROBLEMS:
            left = data.count(b"\n", end + 1) + (end + 1 < len(data) and not data.endswith(b"\n"))
            message = f"reading stopped after {MOST_PROBLEMS:,} problems; {left:,} more lines are unchecked"
            problems.append(Problem(message, name, line))
            break
    return Rows(tuple(rows), tuple(problems))


def _read(raw: bytes, line: int, name: str, rows: list[Row], problems: list[Problem]) -> None:
    """Add the line's row, or its problems as far as there is room for them."""
    try:
        value = _decoded(raw)
    except _LineError as error:
        problems.append(Problem(str(error), name, line))
        return
    if not isinstance(value, dict):
        problems.append(Problem(f"expected an object, {{...}}, found {_KINDS[type(value)]}", name, line))
        return
    found = [Problem(message, name, line, field) for field, message in islice(faults(value), MOST_PROBLEMS)]
    problems.extend(found[: MOST_PROBLEMS - len(problems)])
    if not found:
        rows.append(Row(line, value))


_INK: Final = re.compile(rb"[^ \t\r\n]")


def _lines(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the number, start and end of each line that is not blank, without copying any."""
    line, at = 1, len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    while ink := _INK.search(data, at):
        line += data.count(b"\n", at, ink.start())
        start = data.rfind(b"\n", at, ink.start()) + 1 or at
        end = data.find(b"\n", ink.start())
        if end < 0:
            end = len(data)
        yield line, start, end
        line, at = line + 1, end + 1


# How other formats begin, told by the first line.
_OTHER_FORMATS: Final = {
    rb"\[+[\w.-]+\]": "this looks like TOML",
    rb"\[": "a JSON array",
    rb'"?[\w .\x80-\xff-]{1,200}"? *[,;\t]': "this looks like CSV",
    rb"\{\s*\Z": "an object over several lines",
}


def _refusal(data: bytes) -> tuple[int | None, str] | None:
    """Say why the data as a whole are not JSON Lines, with the line that shows it."""
    if len(data) > MOST_BYTES:
        return None, f"this file has {len(data):,} bytes; at most {MOST_BYTES:,} can be read: split it"
    if b"\0" in data[:4] or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return 1, "not UTF-8, it looks like UTF-16: save the file as UTF-8"
    line, start, end = next(_lines(data), (0, 0, 0))
    if not line:
        return None, "this file is empty: expected one JSON object a line"
    first = data[start : min(end, start + 1_000)].lstrip()
    other = next((told for sign, told in _OTHER_FORMATS.items() if re.match(sign, first)), None)
    if other is not None:
        return line, f"{other}: this version reads JSON Lines only, one object a line"
    if data.count(b"\n") > MOST_LINES:
        return None, f"this file has more than {MOST_LINES:,} lines: split it"
    return None


class _LineError(Exception):
    """A line that is no JSON value, in words for the user."""


def _decoded(raw: bytes) -> object:
    if b"\0" in raw:
        message = f"byte {raw.index(0) + 1:,} of the line is {NUL}"
        raise _LineError(message)
    try:
        return _DECODER.decode(raw.decode())
    except UnicodeDecodeError as error:
        raise _LineError(not_utf8(error.start)) from None
    except json.JSONDecodeError as error:
        raise _LineError(_broken(error)) from None
    except RecursionError:
        raise _LineError(TOO_DEEP) from None


def not_utf8(at: int) -> str:
    """Name the first byte of a line that is not UTF-8, and what to do."""
    hint = "save the file as UTF-8 (it may be in Windows-1252, cp1252, or in UTF-16)"
    return f"byte {at + 1} of the line is not UTF-8: {hint}"


def _broken(error: json.JSONDecodeError) -> str:
    reason, column = error.msg.partition(":")[0].removesuffix(" at"), error.pos + 1
    if error.doc.startswith("\N{ZERO WIDTH NO-BREAK SPACE}"):
        return "this line begins with a byte order mark, which only the first may: were files joined?"
    if error.pos >= len(error.doc.rstrip()) or reason.startswith("Unterminated string"):
        return f"the line ends before its JSON does (cut off, or over several lines?): look at column {column:,}"
    if reason == "Extra data":
        return f"something follows the JSON from column {column:,} on: one object a line"
    return f"not JSON at column {column:,}: {reason}"


_TWICE: Final = object()  # stands for the value of a key that is given twice, until `faults` meets it


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        found.update((key, _TWICE) for key in times if times[key] > 1)
    return found


def _whole(digits: str) -> float:
    return int(digits) if len(digits) <= len(str(-MOST_WHOLE)) else math.inf  # int() refuses 4,301 digits


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole)
_KINDS: Final = {
    list: "a list", str: "text", int: "a number", float: "a number", bool: "true or false", type(None): "null",
}  # fmt: skip
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
NUL: Final = "NUL, which no text may hold"
TOO_DEEP: Final = f"nested deeper than {MOST_DEPTH} levels"


def faults(value: object, field: str | None = None, depth: int = 0) -> Iterator[Fault]:
    """Find what no store can keep, anywhere in a decoded value; `field` is its key, dotted where nested."""
    if not isinstance(value, dict | list):
        if (message := _fault(value)) is not None:
            yield field, message
    elif depth >= MOST_DEPTH:
        yield field, TOO_DEEP
    elif isinstance(value, list):
        for inner in value:
            yield from faults(inner, field, depth + 1)
    else:
        for key, inner in value.items():
            path = printable(key if field is None else f"{field}.{key}")
            if (message := _fault(key)) is not None:
                yield path, f"in this key, {message}"
            yield from faults(inner, path, depth + 1)


def _fault(value: object) -> str | None:
    if isinstance(value, str) and (found := _UNSTORABLE.search(value)):
        what = NUL if found.group() == "\0" else "half of a surrogate pair, which is no character"
        return f"character {found.start() + 1:,} is {what}"
    if isinstance(value, int) and abs(value) > MOST_WHOLE:
        return f"a whole number beyond {MOST_WHOLE:,}: write it as text"
    if isinstance(value, float) and not math.isfinite(value):
        return "expected a finite number, found infinity, NaN or too many digits"
    return "this key stands more than once" if value is _TWICE else None


def printable(key: str) -> str:
    """Return a key fit for a message: at most 60 characters, those without a shape escaped."""
    if len(key) <= MOST_NAME and key.isprintable():
        return key
    return "".join(ch if ch.isprintable() else f"\\u{ord(ch):04x}" for ch in key[:MOST_NAME])[:MOST_NAME]
