"""From three files to a selection. It reads no store and changes none: what it gives is written by whoever asked."""

from __future__ import annotations

from pathlib import Path

from app import __version__
from app.domain import columns as columns_of
from app.domain import pool, protocol, selection
from app.domain.errors import InvalidInput
from app.domain.selection import Selection
from app.formats.pool import read_pool
from app.formats.toml import read_toml
from app.report.bundle import staged, zipped

File = tuple[bytes, str]  # content, and the name for the problems


def draw(candidates: File, rules: File, columns: File | None = None, *, software: str = __version__) -> Selection:
    """Draw from a list of candidates by a protocol. `columns`: a column map, for lists other than SEP-28k's.

    `software`: the version that the record names. Raises InvalidInput with every problem.
    """
    wanted = selection.rules(protocol.parse(read_toml(*rules), rules[1]), rules[1])
    given = None if columns is None else columns_of.parse(read_toml(*columns), columns[1])
    name = candidates[1]
    table = read_pool(*candidates)
    if table.problems and not table.columns:
        raise InvalidInput(table.problems)
    known = given or columns_of.sep28k(table.columns, wanted.unit, name)
    problems = columns_of.absent(known, table.columns, name)
    if problems:
        raise InvalidInput([*problems, *table.problems])
    fitted = selection.fitted(known, wanted, rules[1])
    found, problems = pool.candidates(((row.line, row.value) for row in table.rows), fitted, wanted.n, name)
    if problems or table.problems:
        raise InvalidInput(sorted([*problems, *table.problems], key=lambda each: each.line or 0))
    return selection.select(found, fitted, wanted, software)


def write(drawn: Selection, folder: Path) -> None:
    """Write a selection to a new folder, all of it or nothing. Raises Refused."""
    with staged(folder, drawn.files()) as place:
        place()


def archive(drawn: Selection) -> bytes:
    """Return a selection as one archive."""
    return zipped(drawn.files(), f"selection-{drawn.record['study']}")
