"""CSV with a header of item keys in, rows with the lines on which they begin out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from app.domain.item import FIELDS
from app.formats.records import DELIMITERS, Flaw, Record, records
from app.formats.rows import MOST_KEYS, Reading, Rows
from app.formats.values import DECODER, TOO_DEEP, printable, reason

_EXPECTED: Final = "CSV in UTF-8: a header of keys, then rows with as many cells"
_KEYS: Final = {field.key: field.required for field in FIELDS}
# An empty cell of any other key is a key left out.
MAY_BE_EMPTY: Final = {field.key for field in FIELDS if field.required and field.check("") is None}
_FLAGS: Final = {"true": True, "TRUE": True, "false": False, "FALSE": False}
_BETWEEN_TAGS: Final = "|"
_MARKS: Final = {"tags": _BETWEEN_TAGS, "expected": ",[{"}  # of the cells that hold more than one value


def delimiter_of(header: str) -> str | None:
    """Tell by a header line, which names `item_id`, what stands between the cells."""
    splits = {mark: [cell.strip(' "').lower() for cell in header.split(mark)] for mark in DELIMITERS}
    found = [mark for mark in DELIMITERS if "item_id" in splits[mark]]
    return max(found, key=lambda mark: len(splits[mark]), default=None)


def read_csv(data: bytes, name: str, delimiter: str, without: Collection[str] = ()) -> Rows:
    r"""Read a header and rows, in UTF-8; rows without any text are skipped. `name` is the file's, for the problems.

    `without`: keys that no column needs to have.

    >>> read_csv(b'item_id,stratum,cluster,source,raw_hypothesis,off,on\na,s,c,x,"it, it",it,\n', "i.csv", ",").rows
    (Row(line=2, value={'item_id': 'a', 'stratum': 's', 'cluster': 'c', 'source': 'x', 'raw_hypothesis': 'it, it', 'off': 'it', 'on': ''}),)
    >>> print(read_csv(b"item_id,stratum\na,b,c", "items.csv", ",").problems[-1])
    items.csv, line 2: this row has 3 cells, the header 2
    """  # noqa: E501, the row that comes out is one line
    reading, found_in = Reading(name, _EXPECTED), records(data, delimiter)
    keys = _header(next(found_in, None), reading, without)
    sound = reading.clean
    for found in found_in if keys else ():
        if not reading.admit(found.line, 0 if isinstance(found, Flaw) else _marks(found, keys)):
            break
        if isinstance(found, Flaw):
            field = printable(keys[found.column]) if found.column is not None and found.column < len(keys) else None
            reading.wrong(found.line, found.message, field)
        elif any(found.cells):
            _row(found, keys, reading, sound=sound)
    return reading.rows()


def _header(found: Record | Flaw | None, reading: Reading, without: Collection[str]) -> Sequence[str]:
    """Return the names of the columns, or none where the rows cannot be checked without them; note what is wrong."""
    if found is None or isinstance(found, Flaw):
        if found is not None:
            reading.wrong(found.line, found.message)
        return ()
    if len(found.cells) > MOST_KEYS:
        reading.wrong(found.line, f"this header has {len(found.cells):,} columns; at most {MOST_KEYS} can be read")
        return ()
    for name, times in Counter(found.cells).items():
        plainer = name.strip().lower()
        if not name:
            reading.wrong(found.line, "a column of the header has no name")
        elif times > 1:
            reading.wrong(found.line, f"{times} columns have this name", printable(name))
        elif name not in _KEYS:
            meant = f": write it {plainer}, without spaces and capitals" if plainer in _KEYS else ""
            told = f"no key of items, so no column{meant}"
            reading.wrong(found.line, told, printable(name), expected="a key of items", found="another name")
    for key, required in _KEYS.items():
        if required and key not in found.cells and key not in without:
            told = "every item needs it, and the header has no such column"
            reading.wrong(found.line, told, key, expected="a column of this name", found="none")
    return found.cells


def _marks(record: Record, keys: Sequence[str]) -> int:
    """Count the cells of a row, and the marks between values within them."""
    within = [marks_of(key, cell) for key, cell in zip(keys, record.cells, strict=False) if key in _MARKS]
    return len(record.cells) + sum(within)


def marks_of(key: str, cell: str) -> int:
    """Count the marks between the values within a cell."""
    return sum(cell.count(mark) for mark in _MARKS[key])


def _row(record: Record, keys: Sequence[str], reading: Reading, *, sound: bool) -> None:
    """Add a row or its problems. `sound`: whether the header is."""
    if record.cells == keys:
        reading.wrong(record.line, "this line repeats the header: were files joined?")
    elif len(record.cells) != len(keys):
        cells = f"{len(record.cells):,} cell" + "s" * (len(record.cells) != 1)
        told, of = f"this row has {cells}, the header {len(keys)}", f"{len(keys)} cells"
        reading.wrong(record.line, told, expected=of, found=cells)
    else:
        value: dict[str, object] = {}
        for key, cell in zip(keys, record.cells, strict=True):
            if cell or key in MAY_BE_EMPTY:
                try:
                    value[key] = value_of(key, cell)
                except CellError as error:
                    reading.wrong(record.line, str(error), key)
                    sound = False
        reading.take(record.line, value, sound=sound)


class CellError(Exception):
    """A cell of JSON that is none, in words for the user."""


def value_of(key: str, cell: str) -> object:
    """Return what a cell stands for; a word that is no flag stays one, for the item's check. Raises CellError."""
    match key:
        case "tags":
            return cell.split(_BETWEEN_TAGS)
        case "semantic_ambiguous":
            return _FLAGS.get(cell, cell)
        case "expected":
            try:
                return DECODER.decode(cell)
            except json.JSONDecodeError as error:
                raise CellError(f"not JSON at character {error.pos + 1:,}: {reason(error)}") from None
            except RecursionError:
                raise CellError(TOO_DEEP) from None
    return cell
