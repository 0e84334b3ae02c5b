"""A list of candidates in, from CSV, JSON Lines or a JSON array; rows with every column that they have out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from app.domain.errors import Problem
from app.formats.items import check_bytes
from app.formats.json_array import read_json_array
from app.formats.jsonl import lines_with_text, read_jsonl
from app.formats.records import DELIMITERS, Flaw, records
from app.formats.rows import Reading, Row, Rows, Unreadable
from app.formats.values import printable


@dataclass(frozen=True)
class Table:
    """The names of the columns, every row without a fault of its own, and every problem found."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]


def read_pool(data: bytes, name: str) -> Table:
    r"""Read a list of candidates, whatever its columns are called. `name` is the file's, for the problems.

    >>> read_pool(b"Show, EpId\nRun, 7\n", "pool.csv").rows
    (Row(line=2, value={'Show': 'Run', 'EpId': '7'}),)
    >>> read_pool(b'{"Show": "Run", "EpId": 7}', "pool.jsonl").columns
    ('Show', 'EpId')
    """
    try:
        check_bytes(data)
    except Unreadable as error:
        return Table((), (), (Problem(str(error), name, error.line, error.field),))
    first = next((data[start:end] for _, start, end in lines_with_text(data)), b"").lstrip()
    if first[:1] not in (b"[", b"{"):
        return _read_csv(data, name, first)
    found = read_json_array(data, name) if first.startswith(b"[") else read_jsonl(data, name)
    return _table(tuple(dict.fromkeys(key for row in found.rows for key in row.value)), found, name)


def _table(columns: tuple[str, ...], found: Rows, name: str) -> Table:
    if found.rows or found.problems:
        return Table(columns, found.rows, found.problems)
    return Table(columns, (), (Problem("there is no candidate in this file", name),))


def _read_csv(data: bytes, name: str, first: bytes) -> Table:
    """Read a header and rows; white space around cells, which SEP-28k has, is no part of them."""
    delimiter = max(DELIMITERS, key=lambda mark: first.count(mark.encode()))
    reading, found_in = Reading(name), records(data, delimiter)
    header = next(found_in, None)
    if header is None or isinstance(header, Flaw):
        if header is not None:
            reading.wrong(header.line, header.message)
        return _table((), reading.rows(), name)
    keys = [cell.strip() for cell in header.cells]
    for key, times in Counter(filter(None, keys)).items():
        if times > 1:
            reading.wrong(header.line, f"{times} columns have this name", printable(key))
    for found in found_in:
        if not reading.admit(found.line, 0 if isinstance(found, Flaw) else len(found.cells)):
            break
        if isinstance(found, Flaw):
            field = printable(keys[found.column]) if found.column is not None and found.column < len(keys) else None
            reading.wrong(found.line, found.message, field)
        elif len(found.cells) != len(keys):
            reading.wrong(found.line, f"this row has {len(found.cells):,} cells, the header {len(keys):,}")
        else:
            value: dict[str, object] = dict(zip(keys, map(str.strip, found.cells), strict=True))
            value.pop("", None)  # pandas writes the number of a row under no name
            text = "".join(found.cells)
            add = reading.add if text.isascii() and "\0" not in text else reading.take
            add(found.line, value)
    return _table(tuple(filter(None, keys)), reading.rows(), name)
