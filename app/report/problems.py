"""The problems of an import as a table to take along: where, what was found, what was expected; never a value."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import Final

from app.domain.errors import Problem
from app.report.cells import Column, Table, csv_bytes

_COLUMNS: Final = (Column("Line", "count"), Column("Field"), Column("Found"), Column("Expected"), Column("File"))


def problems_csv(problems: Sequence[Problem]) -> bytes:
    """Return problems as CSV that Excel opens as it is, and that runs nothing there."""
    rows = tuple((each.line, each.field, each.found or each.message, each.expected, each.where) for each in problems)
    return BOM_UTF8 + csv_bytes(Table("problems", "Problems", "What keeps a file from being taken.", _COLUMNS, rows))
