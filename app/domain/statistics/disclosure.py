"""Small cells: which counts of a table by tag are left out, so that none of them points at a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

MIN_CLUSTERS: Final = 3  # a count that fewer stand behind may point at one of them, however large it is


@dataclass(frozen=True)
class Cell:
    """Items that carry a tag, and from how many clusters they come."""

    items: int
    clusters: int

    def small(self, smallest: int) -> bool:
        """Tell whether the count points at somebody: it is not zero, and either it or its clusters are few."""
        return self.items > 0 and (self.items < smallest or self.clusters < MIN_CLUSTERS)


_NONE: Final = Cell(0, 0)


def hidden(cells: Mapping[str, Cell], keys: Collection[str], smallest: int) -> frozenset[str]:
    """Return those of all `keys` of a table whose count is left out; `smallest` 0 leaves out none.

    Where one is left out every zero is too, and if there is none the smallest other count: what is left out may then be
    nothing, so that neither a total known from elsewhere nor the rule itself gives a count back.

    >>> clinical, legal = Cell(2, 2), Cell(9, 4)
    >>> sorted(hidden({"clinical": clinical, "legal": legal}, ["clinical", "cosmetic", "legal"], 5))
    ['clinical', 'cosmetic']
    >>> sorted(hidden({"clinical": clinical, "legal": legal}, ["clinical", "legal"], 5))
    ['clinical', 'legal']
    >>> sorted(hidden({"legal": legal}, ["clinical", "legal"], 5))
    []
    """
    found = {key: cells.get(key, _NONE) for key in keys}
    small = {key for key, cell in found.items() if smallest and cell.small(smallest)}
    if not small:
        return frozenset()
    out = small | {key for key, cell in found.items() if not cell.items}
    if len(out) == 1:
        out |= set(sorted(found.keys() - out, key=lambda key: (found[key].items, key))[:1])
    return frozenset(out)


def shown(cells: Mapping[str, Cell], keys: Collection[str], smallest: int) -> dict[str, int | None]:
    """Return the counts as they are printed, sorted by key: those that are not zero, and None for each left out.

    >>> shown({"block": Cell(7, 3), "fluent": Cell(1, 1)}, ["block", "fluent", "prolongation"], 5)
    {'block': 7, 'fluent': None, 'prolongation': None}
    """
    out = hidden(cells, keys, smallest)
    named = out | {key for key, cell in cells.items() if cell.items}
    return {key: None if key in out else cells[key].items for key in sorted(named)}
