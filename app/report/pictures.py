"""The memo's pictures. Each stands beside the table that holds the same counts, and has a sentence of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from markupsafe import Markup

from app.domain.memo import Memo, Rate
from app.report.drawing import WIDTH, Box, Pattern, filled, line, svg, words
from app.report.extension import extension
from app.report.outcomes import Kind, kinds
from app.report.wording import best_interval, cluster, count, few, percent, title, whole_percent

MOST_SQUARES: Final = 400
_ACROSS: Final = 20
_SQUARE: Final = 14
_PITCH: Final = 18
_SHORT: Final = 5  # items of the longest bar at least, so that one item does not look like many
_LETTERS: Final = 40  # of a name; the table beside it has the whole
_SCALES: Final = (0.01, 0.02, 0.04, 0.06, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Picture:
    """One picture. `table`: the name of the table with its numbers."""

    name: str
    table: str
    title: str
    caption: str
    drawn: Markup


def pictures(memo: Memo) -> dict[str, Picture]:
    """Return every picture that this memo has something to show in, by the table that it stands beside."""
    if not memo.primary.introduced_counting_unresolved.denominator:
        return {}
    made = [flow(memo), units(memo), bars(memo), strata(memo)]
    if memo.agreement.n:
        made.append(marks(memo))
    return {picture.table: picture for picture in made}


def flow(memo: Memo) -> Picture:
    """Return the way of the items from the import to a final answer."""
    found = memo.sample
    judged = found.agreed + found.adjudicated + found.disputed + found.pending
    first = [("Withdrawn", found.withdrawn)] if found.withdrawn else []
    first += [("Equal under comparator", found.auto_coded), ("For two people to judge", judged)]
    second = [
        ("Agreed", found.agreed),
        ("Adjudicated", found.adjudicated),
        ("Disputed", found.disputed),
        ("Pending", found.pending),
    ]
    rows = [[("Imported", found.imported)], first, second]
    outside = " outside the extension" if extension(memo) else ""
    caption = (
        f"Of {count(found.imported, 'item')}{outside}, {found.auto_coded} were equal under the comparator and {judged} "
        f"were for two people to judge: {found.agreed} agreed, {found.adjudicated} adjudicated, "
        f"{found.disputed} disputed, {found.pending} pending."
    )
    name = "The way of the items"
    told = "Boxes in three rows, each row out of the last box above it."
    return Picture("flow", "sample", name, caption, svg("flow", name, told, 232, _tree(rows)))


def _tree(rows: Sequence[Sequence[tuple[str, int]]]) -> Iterator[Markup]:
    """Yield rows of boxes; each row comes out of the last box above it."""
    high, apart = 48, 40
    stem = WIDTH / 2
    for level, row in enumerate(rows):
        top = level * (high + apart) + 4
        wide = (WIDTH - 8 * (len(row) - 1)) / len(row) if level else 150
        lefts = [place * (wide + 8) for place in range(len(row))] if level else [(WIDTH - wide) / 2]
        middles = [left + wide / 2 for left in lefts]
        if level:
            bus = top - apart / 2
            yield line([(stem, top - apart), (stem, bus)])
            yield line([(min(*middles, stem), bus), (max(*middles, stem), bus)])
        for (told, n), left, middle in zip(row, lefts, middles, strict=True):
            if level:
                yield line([(middle, top - apart / 2), (middle, top)])
            yield filled([(left + 0.5, top, wide - 1, high)], "empty")
            yield words(middle, top + 20, str(n), "middle", "strong")
            yield words(middle, top + 38, told, "middle", "quiet")
        stem = middles[-1] if level else stem


def units(memo: Memo) -> Picture:
    """Return a square for each item, or for several, sorted by what became of it."""
    found = kinds(memo)
    total = sum(kind.items for kind in found)
    each = -(-total // MOST_SQUARES)
    shares = [_squares(kind.items, each) for kind in found]
    rows = -(-sum(shares) // _ACROSS)
    told = "; ".join(f"{kind.title.lower()}: {kind.items}" for kind in found)
    stands = "one item" if each == 1 else f"about {each} items, and a kind with fewer has one square all the same"
    caption = f"Each square stands for {stands}, sorted by what became of it."
    top = rows * _PITCH + 26
    parts = [*_grid(found, shares), *_legend(found, top)]
    name = "Every item by its outcome"
    return Picture("units", "outcomes", name, caption, svg("units", name, f"{told}.", top + len(found) * 22 - 8, parts))


def _squares(items: int, each: int) -> int:
    return max(1, (2 * items + each) // (2 * each)) if items else 0


def _grid(found: Sequence[Kind], shares: Sequence[int]) -> Iterator[Markup]:
    start = 0
    for kind, n in zip(found, shares, strict=True):
        places = (divmod(number, _ACROSS) for number in range(start, start + n))
        yield filled([(x * _PITCH + 2, y * _PITCH + 2, _SQUARE, _SQUARE) for y, x in places], kind.pattern)
        start += n


def _legend(found: Sequence[Kind], top: float) -> Iterator[Markup]:
    for row, kind in enumerate(found):
        y = top + row * 22
        yield filled([(2, y - 11, _SQUARE, _SQUARE)], kind.pattern)
        yield words(26, y, f"{kind.items} {kind.title.lower()}")


class _Bar(NamedTuple):
    told: str
    pattern: Pattern


_BARS: Final = {
    "introduced": _Bar("introduced", "solid"),
    "shared": _Bar("shared", "lines"),
    "repaired": _Bar("repaired", "empty"),
}


def bars(memo: Memo) -> Picture:
    """Return introduced, shared and repaired damage by kind as bars."""
    rows = {key: row for key, row in memo.primary.by_label.items() if key != "type_unsettled" or row.introduced}
    most = max([_SHORT, *(getattr(row, name) for row in rows.values() for name in _BARS)])
    parts: list[Markup] = []
    for place, (key, row) in enumerate(rows.items()):
        top = place * 78 + 14
        parts.append(words(2, top, title(key), kind="strong"))
        for number, (name, bar) in enumerate(_BARS.items()):
            n, y = getattr(row, name), top + 8 + number * 19
            long = 240 * n / most
            parts.append(filled([(2, y, long, 13)] if n else [], bar.pattern))
            parts.append(words(long + 10 if n else 2, y + 11, f"{n} {bar.told}"))
    sums = {name: sum(getattr(row, name) for row in rows.values()) for name in _BARS}
    caption = (
        f"Damage is introduced {sums['introduced']}, shared {sums['shared']} and repaired {sums['repaired']} "
        "times; what "
        "was repaired never makes up for what was introduced."
    )
    told = " ".join(
        f"{title(key)}: {', '.join(f'{getattr(row, name)} {bar.told}' for name, bar in _BARS.items())}."
        for key, row in rows.items()
    )
    name = "Damage introduced, shared and repaired"
    return Picture("bars", "damage", name, caption, svg("bars", name, told, len(rows) * 78 + 6, parts))


def strata(memo: Memo) -> Picture:
    """Return the share of introduced damage by stratum with its interval, all on one scale."""
    rates = {"All items": memo.primary} | {title(key): each for key, each in memo.primary.by_stratum.items()}
    limits = [interval[1] for each in rates.values() if (interval := best_interval(each.introduced)[0])]
    worst = [each.introduced_counting_unresolved.value or 0 for each in rates.values()]
    most = next((scale for scale in _SCALES if scale >= max([*limits, *worst, 0.01])), 1.0)
    parts: list[Markup] = []
    for place, (name, each) in enumerate(rates.items()):
        parts += _stratum(name, each.introduced, each.introduced_counting_unresolved, place * 48 + 14, most)
    bottom = len(rates) * 48 + 2
    parts += [line([(_along(0, most), bottom), (_along(most, most), bottom)])]
    for share in (0, most / 2, most):
        parts += [line([(_along(share, most), bottom), (_along(share, most), bottom + 5)])]
        parts += [words(_along(share, most), bottom + 18, f"{100 * share:g}%", "middle", "quiet")]
    caption = (
        "Dots are shares of introduced damage, empty squares the same with every unresolved item counted as damaged; a "
        f"full line is the interval by {cluster(memo)}, a dashed one takes items as independent, for want of a better."
    )
    told = " ".join(f"{shortened(name)}: {_told(each.introduced)}." for name, each in rates.items())
    heading = "Introduced damage by stratum"
    return Picture("strata", "by-stratum", heading, caption, svg("strata", heading, told, bottom + 24, parts))


def _stratum(name: str, rate: Rate, worst: Rate, top: float, most: float) -> Iterator[Markup]:
    yield words(2, top, shortened(name), kind="strong" if top < 20 else "")  # noqa: PLR2004 - the first row is the whole
    yield words(WIDTH - 2, top, _counts(rate), "end", "quiet")
    y = top + 16
    yield line([(_along(0, most), y), (_along(most, most), y)], "faint")
    interval, clustered = best_interval(rate)
    if interval:
        low, high = (_along(limit, most) for limit in interval)
        yield line([(low, y), (high, y)], "thick" if clustered else "dashed")
        yield line([(low, y - 5), (low, y + 5)])
        yield line([(high, y - 5), (high, y + 5)])
    if worst.value is not None and worst.value != rate.value:
        yield filled([(_along(worst.value, most) - 4, y - 4, 8, 8)], "empty")
    if rate.value is not None:
        yield Markup('<circle class="memo-solid" cx="{:.1f}" cy="{:.1f}" r="4.5"/>').format(_along(rate.value, most), y)


def _along(share: float, most: float) -> float:
    return 14 + (WIDTH - 28) * share / most


def _counts(rate: Rate) -> str:
    return f"{rate.numerator} of {rate.denominator}" if rate.denominator else "no item to count"


def _told(rate: Rate) -> str:
    interval, clustered = best_interval(rate)
    end = whole_percent if clustered and few(rate.clusters) else percent
    return _counts(rate) + (f", interval to {end(interval[1])}" if interval else "")


def shortened(name: str) -> str:
    """Return a name as a picture has room for it."""
    return name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"


def marks(memo: Memo) -> Picture:
    """Return the two reviewers' marks of introduced damage as four fields."""
    both, first, second, neither = memo.agreement.introduced.counts
    wide, high, left, top = 122, 60, 100, 46
    parts = [
        words(left + wide, 14, "Second reviewer", "middle", "strong"),
        words(2, 14, "First reviewer", kind="strong"),
    ]
    for place, told in enumerate(("marked", "not marked")):
        parts.append(words(left + wide * (place + 0.5) + place * 8, 34, told, "middle", "quiet"))
        parts.append(words(2, top + high * (place + 0.5) + place * 8 + 4, told, kind="quiet"))
    for number, n in enumerate((both, first, second, neither)):
        row, column = divmod(number, 2)
        box: Box = (left + column * (wide + 8), top + row * (high + 8), wide, high)
        parts.append(filled([box], "empty"))
        if row != column:
            parts.append(filled([(box[0], box[1], 16, high)], "lines"))
        parts.append(words(box[0] + wide / 2, box[1] + high / 2 + 6, str(n), "middle", "large"))
    caption = (
        f"Of {count(memo.agreement.n, 'item')} both reviewers marked introduced damage on {both} and neither "
        f"on {neither}; "
        f"in the two hatched fields, {first + second} in all, they differ."
    )
    name = "Introduced damage, as two reviewers saw it"
    told = f"Marked by the first reviewer alone: {first}; by the second alone: {second}."
    drawn = svg("marks", name, told, top + 2 * high + 12, parts)
    return Picture("marks", "agreement-introduced", name, caption, drawn)
