"""Marks of a picture as inline SVG: no script, no style attribute, no reference to anything.

What is what is told by patterns that are drawn line by line, so that it is the same in light, in dark and on paper;
colours come from the style sheet alone. Words are escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

from markupsafe import Markup

WIDTH: Final = 360  # as wide as a telephone shows without shrinking letters

Pattern: TypeAlias = Literal["solid", "lines", "cross", "dot", "empty"]
Anchor: TypeAlias = Literal["start", "middle", "end"]
Box: TypeAlias = tuple[float, float, float, float]  # left, top, width, height


def number(value: float) -> str:
    """Return a coordinate, to a tenth.

    >>> number(12.0), number(1 / 3)
    ('12', '0.3')
    """
    return f"{round(value, 1):g}"


def svg(name: str, title: str, told: str, height: float, parts: Iterable[Markup]) -> Markup:
    """Return the whole picture, named by its title; `told`: what it shows beyond its caption, which is read anyway."""
    return Markup(
        '<svg class="memo-svg" role="img" viewBox="0 0 {width} {height}" aria-labelledby="{id}-title"'
        ' aria-describedby="{id}-told">'
        '<title id="{id}-title">{title}</title><desc id="{id}-told">{told}</desc>{parts}</svg>'
    ).format(
        width=WIDTH,
        height=number(height),
        id=f"memo-picture-{name}",
        title=title,
        told=told,
        parts=Markup().join(parts),
    )


def words(x: float, y: float, said: str, anchor: Anchor = "start", kind: str = "") -> Markup:
    """Return a line of text; `kind`: `quiet` or `strong`."""
    shown = Markup(' class="memo-{}"').format(kind) if kind else ""
    place = Markup(' text-anchor="{}"').format(anchor) if anchor != "start" else ""
    return Markup('<text x="{}" y="{}"{}{}>{}</text>').format(number(x), number(y), place, shown, said)


def line(points: Sequence[tuple[float, float]], kind: str = "stroke") -> Markup:
    """Return lines from point to point; `kind`: `stroke`, `faint`, `thick` or `dashed`."""
    drawn = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return Markup('<path class="memo-{}" d="M{}"/>').format(kind, drawn)


def filled(boxes: Sequence[Box], pattern: Pattern) -> Markup:
    """Return boxes of one pattern: all their outlines as one path, all their marks as another."""
    if not boxes:
        return Markup()
    outline = "".join(
        f"M{number(x)} {number(y)}h{number(wide)}v{number(high)}h{number(-wide)}z" for x, y, wide, high in boxes
    )
    if pattern == "solid":
        return Markup('<path class="memo-solid" d="{}"/>').format(outline)
    marks = "".join(mark for box in boxes for mark in _MARKS[pattern](box))
    shape = Markup('<path class="memo-outline" d="{}"/>').format(outline)
    return shape + (Markup('<path class="memo-stroke" d="{}"/>').format(marks) if marks else Markup())


def _lines(box: Box, apart: float = 5) -> Iterator[str]:
    """Yield slanting lines from edge to edge."""
    x, y, wide, high = box
    at = apart
    while at < wide + high:
        one, other = (x + min(at, wide), y + max(0, at - wide)), (x + max(0, at - high), y + min(at, high))
        yield f"M{number(one[0])} {number(one[1])}L{number(other[0])} {number(other[1])}"
        at += apart


def _cross(box: Box) -> Iterator[str]:
    x, y, wide, high = box
    yield f"M{number(x)} {number(y)}l{number(wide)} {number(high)}"
    yield f"M{number(x + wide)} {number(y)}l{number(-wide)} {number(high)}"


def _dot(box: Box) -> Iterator[str]:
    x, y, wide, high = box
    yield f"M{number(x + wide / 2 - 2)} {number(y + high / 2)}h4"


def _nothing(_box: Box) -> Iterator[str]:
    yield from ()


_MARKS: Final[dict[str, Callable[[Box], Iterator[str]]]] = {
    "lines": _lines,
    "cross": _cross,
    "dot": _dot,
    "empty": _nothing,
}
