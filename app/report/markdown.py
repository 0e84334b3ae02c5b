"""The memo as Markdown that reads well as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.domain.memo import Memo
from app.report import wording
from app.report.cells import Table, shown
from app.report.outline import Section, outline
from app.report.tables import verdict_reasons

ESCAPED: Final = re.compile(r"([\\`*_{}\[\]<>|~&])|^([#+=-]|\d+(?=[.)](?:\s|$)))")


def inline(text: str) -> str:
    r"""Return text as one line in which nothing is markup; a backslash stands before what could be.

    >>> inline("a*b | <c>\n d")
    'a\\*b \\| \\<c\\> d'
    """
    return ESCAPED.sub(lambda found: _escape(found[0]), " ".join(text.split()))


def _escape(mark: str) -> str:
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"


def render(memo: Memo) -> str:
    """Return the whole memo."""
    return "\n".join([*_head(memo), *(line for section in outline(memo) for line in _section(section))])


def _head(memo: Memo) -> Iterator[str]:
    yield from (f"# {inline(memo.study.title or memo.study.id)}", "")
    yield from (f"**{inline(memo.verdict.status)}.** {inline(wording.headline(memo))}", "")
    yield from (inline(wording.subject(memo)), "")
    yield from _points(wording.caveats(memo))
    for figure in wording.figures(memo):
        yield f"- **{inline(figure.title)}: {inline(figure.value)}** ({inline(figure.detail)})"
    yield ""
    reasons = verdict_reasons(memo).for_reading()
    if reasons.rows:
        yield from _table(reasons)


def _section(section: Section) -> Iterator[str]:
    yield from (f"## {inline(section.title)}", "")
    for paragraph in section.paragraphs:
        yield from (inline(paragraph), "")
    yield from _points(section.points)
    for table in section.tables:
        picture = section.pictures.get(table.name)
        yield from _table(table, f"Picture in memo.html, {picture.title}: {picture.caption}" if picture else "")
    yield from _points(tuple(f"{term}: {meaning}" for term, meaning in section.terms))


def _points(points: tuple[str, ...]) -> Iterator[str]:
    yield from (f"- {inline(point)}" for point in points)
    if points:
        yield ""


def _table(table: Table, told: str = "") -> Iterator[str]:
    """Yield a table; `told`: what the picture beside it tells, which stands in memo.html alone."""
    yield from (f"### {inline(table.title)}", "", inline(table.caption), "")
    if told:
        yield from (inline(told), "")
    yield _row(table.header)
    yield _row(["---:" if column.numeric else ":---" for column in table.columns])
    for row in table.rows:
        yield _row([inline(shown(cell, column)) for cell, column in zip(row, table.columns, strict=True)])
    yield ""
    if table.note:
        yield from (inline(table.note), "")


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
