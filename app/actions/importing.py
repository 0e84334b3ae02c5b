"""Before and after an import: the column map that a table needs, and its problems as a file. It changes no study."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.actions.files import staged
from app.domain import mapping
from app.domain.errors import InvalidInput, Problem
from app.domain.mapping import ItemColumns
from app.formats.table import look
from app.formats.toml import read_toml
from app.report.bundle import refuse_existing
from app.report.problems import problems_csv

File = tuple[bytes, str]  # content, and the name for the problems


def map_of(table: File, columns: File | None, encoding: str | None = None) -> ItemColumns:
    """Return what the columns of a table mean, by a column map; a key left out is a column of its own name.

    `encoding`: cp1252, where somebody has looked at how the table's letters read. Raises InvalidInput.
    """
    given = mapping.parse({} if columns is None else read_toml(*columns), columns[1] if columns else "")
    found = look(*table)
    if isinstance(found, Problem):
        raise InvalidInput([found])
    fitted = replace(given.fitted(found.columns), encoding=encoding)
    if problems := mapping.lacking(fitted, columns[1] if columns else ""):
        raise InvalidInput(problems)
    return fitted


@contextmanager
def reported(out: Path | None) -> Iterator[None]:
    """Write the problems of what is done meanwhile to a new CSV file. Raises Refused where it exists already."""
    if out is not None:
        refuse_existing(out)
    try:
        yield
    except InvalidInput as error:
        if out is not None:
            with staged(out, problems_csv(error.problems)) as place:
                place()
        raise
