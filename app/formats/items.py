"""Items in, from JSON Lines, a JSON array or CSV: what a file is, its content tells and not its name."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from app.domain.errors import Problem
from app.formats.csv import delimiter_of, read_csv
from app.formats.encoding import CARRIAGE_RETURN, UTF_16, like_utf_16
from app.formats.json_array import read_json_array
from app.formats.jsonl import lines_with_text, read_jsonl
from app.formats.records import DELIMITERS
from app.formats.rows import MOST_BYTES, MOST_ROW_BYTES, Rows, Unreadable

EXPECTED: Final = "Expected JSON Lines, a JSON array or CSV"
_FORMS: Final = "JSON Lines, a JSON array or CSV, in UTF-8"
_SAVE: Final = "save it as “CSV UTF-8”"

# How files begin that are no text.
_SIGNATURES: Final = {
    b"\xd0\xcf\x11\xe0": f"an old Excel or other Office file: open it and {_SAVE}",
    b"%PDF": "a PDF file",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"\x1f\x8b": "a compressed file (gzip): unpack it first",
    b"BZh": "a compressed file (bzip2): unpack it first",
    b"\xfd7zXZ": "a compressed file (xz): unpack it first",
    b"\x28\xb5\x2f\xfd": "a compressed file (zstd): unpack it first",
    b"7z\xbc\xaf": "an archive (7z): unpack it first",
    b"SQLite format 3\0": "a SQLite database",
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"RIFF": "a recording (WAV): items are text, and name the recording",
    b"ID3": "a recording (MP3): items are text, and name the recording",
    b"OggS": "a recording (Ogg): items are text, and name the recording",
    b"fLaC": "a recording (FLAC): items are text, and name the recording",
}
_ZIPPED: Final = {
    b"xl/": f"an Excel workbook: {_SAVE} in Excel",
    b"opendocument.spreadsheet": f"a LibreOffice spreadsheet: {_SAVE}",
    b"": "a zip file: unpack it first",
}
# How the first line of text in other formats begins.
_OTHERS: Final = {
    rb"[^ -~]{1,12}[\[{]": "JSON with invisible characters before it",
    rb"<": "HTML or XML",
    rb"\{\\rtf": "rich text (RTF)",
    rb"\[+(?!(?:true|false|null)\])[A-Za-z_][\w.-]*\]": "TOML",
    rb"\w+ *= *[\"'\[{\d]": "TOML",
    rb"(?:---|%YAML|- +\S|[\w-]+: )": "YAML",
    rb"(?i:sep=)": "CSV with Excel's `sep=` before it, which is not needed: delete this line",
    rb"(?:\#|//|/\*)": "a comment, which none of the three forms has",
}
# An object that goes on over lines, or has all items in it: line by line each of them would be broken JSON.
_WRAPPED: Final = re.compile(rb'\{\s*(?:"[^"\\]{0,200}"\s*:\s*(?:\[\s*(?:\{|\Z)|\Z)|\Z)')
# The word in a header that no known delimiter takes apart; `\b` would not do, it takes `_` for a letter.
_KEY: Final = re.compile(r"(?i)(?<![^\W_])item_id(?![^\W_])")


def read_items(data: bytes, name: str, without: Collection[str] = ()) -> Rows:
    r"""Read a file of items. `name` is the file's, for the problems; `without`: keys that its items do not have yet.

    >>> read_items(b'{"item_id": "a"}', "items.csv").rows == read_items(b'[{"item_id": "a"}]', "items.csv").rows
    True
    >>> print(*read_items(b"%PDF-1.7", "items.csv").problems)
    items.csv, line 1: this is a PDF file. Expected JSON Lines, a JSON array or CSV
    """
    try:
        found = _read(data, name, without)
    except Unreadable as error:
        return Rows((), (Problem(str(error), name, error.line, error.field, _FORMS),))
    if found.rows or found.problems:
        return found
    return Rows((), (Problem("there is no item in this file", name),))


def _read(data: bytes, name: str, without: Collection[str]) -> Rows:
    """Read a file in the form that its first line shows. Raises Unreadable."""
    check_bytes(data)
    line, start, end = next(lines_with_text(data), (0, 0, 0))
    if not line:
        raise Unreadable(None, f"this file is empty. {EXPECTED}")
    first = data[start : min(end, start + MOST_ROW_BYTES)].lstrip()
    check_start(first, line)
    if first.startswith(b"["):
        return read_json_array(data, name)
    if _WRAPPED.match(first):
        raise Unreadable(line, "one object over several lines, or around all: expected one object a line, or an array")
    if b"\n" not in data and data.find(b"\r", start, -1) >= 0:
        raise Unreadable(line, CARRIAGE_RETURN)
    if first.startswith(b"{"):
        return read_jsonl(data, name)
    return read_csv(data, name, _delimiter(first.decode(errors="replace"), line), without)


def check_start(first: bytes, line: int) -> None:
    """Refuse what by its first line is text of another kind. Raises Unreadable."""
    other = next((told for sign, told in _OTHERS.items() if re.match(sign, first)), None)
    if other is not None:
        raise Unreadable(line, f"this looks like {other}. {EXPECTED}")


def check_bytes(data: bytes, *, utf_16: bool = False) -> None:
    """Refuse what is too large, or no text at all. `utf_16`: it may be in that. Raises Unreadable."""
    kind = next((told for sign, told in _SIGNATURES.items() if data.startswith(sign)), None)
    if kind is None and data.startswith(b"PK"):
        kind = next(told for sign, told in _ZIPPED.items() if sign in data)
    if kind is not None:
        raise Unreadable(1, f"this is {kind}. {EXPECTED}")
    if like_utf_16(data) and not utf_16:
        raise Unreadable(1, f"{UTF_16}; in Excel, {_SAVE}")
    if len(data) > MOST_BYTES:
        message = f"this file has {len(data):,} bytes; at most {MOST_BYTES:,} can be read: split it"
        raise Unreadable(_endless(data), message)


def _endless(data: bytes) -> int | None:
    """Return the number of the first line that is longer than a row may be, if there is one."""
    at = 0
    while at + MOST_ROW_BYTES < len(data):
        after = data.rfind(b"\n", at, at + MOST_ROW_BYTES + 1) + 1
        if not after:
            return data.count(b"\n", 0, at) + 1
        at = after
    return None


def _delimiter(header: str, line: int) -> str:
    """Tell what stands between the cells of a header. Raises Unreadable."""
    found = delimiter_of(header)
    if found is not None:
        return found
    if _KEY.search(header):
        between = ", ".join(DELIMITERS.values())
        raise Unreadable(line, f"this looks like CSV with something between its cells that is none of: {between}")
    if any(mark in header for mark in DELIMITERS):
        message = (
            "this looks like CSV, and its first line does not name the columns, item_id among them "
            "(an import takes other names with a column map)"
        )
        raise Unreadable(line, message, "item_id")
    raise Unreadable(line, f"this looks like none of the three forms. {EXPECTED}")
