"""The memo's table of the extension: strata that no other number counts."""

from __future__ import annotations

from app.domain.memo import Memo
from app.report.cells import Column, Table, rate_cells, rate_columns
from app.report.wording import title


def extension(memo: Memo) -> Table:
    rows = (
        (
            title(name),
            name,
            part.planned,
            part.sample.imported,
            part.sample.disputed + part.sample.pending + part.sample.unassessable,
            *rate_cells(part.rates.introduced),
        )
        for name, part in memo.extension.items()
    )
    return Table(
        "extension",
        "The extension",
        "Introduced damage in strata reported apart: no other number of this memo counts them but the verdict's.",
        (
            Column("Stratum"),
            Column("Key", "key"),
            Column("Planned", "count"),
            Column("Imported", "count"),
            Column("Unresolved", "count"),
            *rate_columns(memo),
        ),
        tuple(rows),
    )
