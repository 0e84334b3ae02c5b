"""The memo's table of the extension: strata that no other rate counts."""

from __future__ import annotations

from app.domain.memo import Memo
from app.report.cells import Column, Table, rate_cells, rate_columns, rough_note, units_column
from app.report.wording import title


def extension(memo: Memo) -> Table:
    rows = tuple(
        (
            title(name),
            name,
            part.planned,
            part.sample.imported,
            part.sample.disputed + part.sample.pending + part.sample.unassessable,
            part.rates.introduced.clusters,
            *rate_cells(part.rates.introduced),
        )
        for name, part in memo.extension.items()
    )
    return Table(
        "extension",
        "The extension",
        "Introduced damage in strata reported apart. The verdict counts them, and so do the numbers under "
        "Blinding, quality and effort; no rate does.",
        (
            Column("Stratum"),
            Column("Key", "key"),
            Column("Planned", "count"),
            Column("Imported", "count"),
            Column("Unresolved", "count"),
            units_column(memo),
            *rate_columns(memo),
        ),
        rows,
        rough_note(memo, rows).strip(),
    )
