"""JSON Lines in, rows with their line numbers out. Whatever the bytes are, the answer is rows and problems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from app.formats.encoding import BYTE_ORDER_MARK, JOINED, not_utf8
from app.formats.rows import MOST_ROW_BYTES, Reading, Rows, beginning
from app.formats.values import DECODER, NUL, TOO_DEEP, cut_off, reason

_TEXT: Final = re.compile(rb"[^ \t\r\n]")


def read_jsonl(data: bytes, name: str, first: int = 1) -> Rows:
    r"""Read one JSON object a line, in UTF-8; blank lines are skipped. `name` is the file's, for the problems.

    `first`: the number of the first line, where `data` is a part of a file.

    >>> read_jsonl(b'{"item_id": "a"}', "items.jsonl").rows
    (Row(line=1, value={'item_id': 'a'}),)
    >>> print(*read_jsonl(b'{"off": "a", "off": "b"}\n[NaN]', "items.jsonl").problems, sep="\n")
    items.jsonl, line 1, field off: this key stands more than once
    items.jsonl, line 2: expected an object, {...}, found a list
    """
    reading = Reading(name, "one JSON object a line, in UTF-8")
    for line, start, end in lines_with_text(data, first):
        fits = end - start <= MOST_ROW_BYTES
        marks = sum(data.count(mark, start, end) for mark in (b",", b"[", b"{")) if fits else 0
        if not reading.admit(line, marks):
            break
        if not fits:
            reading.wrong(line, f"this line has {end - start:,} bytes; at most {MOST_ROW_BYTES:,} can be read")
            continue
        try:
            value = _decoded(data[start:end])
        except _LineError as error:
            reading.wrong(line, str(error))
        else:
            reading.take(line, value)
    return reading.rows()


def lines_with_text(data: bytes, first: int = 1) -> Iterator[tuple[int, int, int]]:
    """Yield the number, start and end of each line that is not blank, without copying any."""
    line, at = first, beginning(data) if first == 1 else 0
    while found := _TEXT.search(data, at):
        line += data.count(b"\n", at, found.start())
        start = data.rfind(b"\n", at, found.start()) + 1 or at
        end = data.find(b"\n", found.start())
        if end < 0:
            end = len(data)
        yield line, start, end
        line, at = line + 1, end + 1


class _LineError(Exception):
    """A line that is no JSON value, in words for the user."""


def _decoded(raw: bytes) -> object:
    if b"\0" in raw:
        message = f"byte {raw.index(0) + 1:,} of the line is {NUL}"
        raise _LineError(message)
    try:
        return DECODER.decode(raw.decode())
    except UnicodeDecodeError as error:
        raise _LineError(not_utf8(raw, error.start)) from None
    except json.JSONDecodeError as error:
        raise _LineError(_broken(error)) from None
    except RecursionError:
        raise _LineError(TOO_DEEP) from None


def _broken(error: json.JSONDecodeError) -> str:
    column = error.pos + 1
    if error.doc.startswith(BYTE_ORDER_MARK):
        return JOINED
    if cut_off(error):
        return f"the line ends before its JSON does (cut off, or over several lines?): look at column {column:,}"
    if error.msg.startswith("Extra data"):
        comma = ", without a comma after it" if error.doc[error.pos] == "," else ""
        return f"something follows the JSON from column {column:,} on: one object a line{comma}"
    return f"not JSON at column {column:,}: {reason(error)}"
