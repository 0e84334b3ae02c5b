"""What became of every item, in four kinds that add up to all that were not withdrawn."""

from __future__ import annotations

from typing import NamedTuple

from app.domain.memo import Memo
from app.report.cells import Column, Table
from app.report.drawing import Pattern
from app.report.extension import extension


class Kind(NamedTuple):
    """One kind of outcome, the gravest first, and the pattern of its squares."""

    title: str
    items: int
    pattern: Pattern


def kinds(memo: Memo) -> tuple[Kind, ...]:
    """Return all four, those without items too."""
    introduced = memo.primary.introduced.numerator or 0
    unresolved = (memo.primary.introduced_counting_unresolved.numerator or 0) - introduced
    answered = (memo.primary.introduced.denominator or 0) - introduced - memo.sample.auto_coded
    return (
        Kind("With confirmed introduced damage", introduced, "solid"),
        Kind("Unresolved: disputed, pending or not assessable", unresolved, "cross"),
        Kind("Judged, and no damage introduced", answered, "dot"),
        Kind("Coded by the comparator as equal", memo.sample.auto_coded, "empty"),
    )


def outcomes(memo: Memo) -> Table:
    found = kinds(memo)
    return Table(
        "outcomes",
        "What became of every item",
        f"Each item {'outside the extension ' if extension(memo) else ''}that was not withdrawn stands in one row.",
        (Column("Outcome"), Column("Items", "count")),
        tuple((kind.title, kind.items) for kind in found) if any(kind.items for kind in found) else (),
    )
