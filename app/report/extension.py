"""The extension as the words of the memo need it: what it adds to the verdict, which no pooled rate says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain import codebook
from app.domain.memo import Disputed, Memo, SampleCounts


@dataclass(frozen=True)
class Extension:
    """All strata reported apart together. `introduced` of `answered` items, and `worst` of `there`, as in the rates."""

    names: str
    imported: int
    introduced: int
    answered: int
    worst: int
    there: int
    changed: int
    unassessable: int
    dissent: int
    disputed: tuple[Disputed, ...]


def extension(memo: Memo) -> Extension | None:
    """Return the extension; None where the study has none, or nothing was imported into it."""
    parts = memo.extension
    samples = [part.sample for part in parts.values()]
    if not _summed(samples, "imported"):
        return None
    rates = [part.rates for part in parts.values()]
    titles = codebook.titles()
    return Extension(
        names=", ".join(titles.get(name, name) for name in parts),
        imported=_summed(samples, "imported"),
        introduced=sum(each.introduced.numerator or 0 for each in rates),
        answered=sum(each.introduced.denominator or 0 for each in rates),
        worst=sum(each.introduced_counting_unresolved.numerator or 0 for each in rates),
        there=sum(each.introduced_counting_unresolved.denominator or 0 for each in rates),
        changed=sum(each.introduced_among_changed.denominator or 0 for each in rates),
        unassessable=_summed(samples, "unassessable"),
        dissent=sum(part.dissent for part in parts.values()),
        disputed=tuple(kind for part in parts.values() for kind in part.disputed),
    )


def _summed(samples: list[SampleCounts], name: str) -> int:
    return sum(getattr(each, name) for each in samples)


def introduced_by_kind(memo: Memo) -> Counter[str]:
    """Return confirmed introduced damage by kind wherever it was found, as the verdict counts it."""
    found = Counter({key: row.introduced for key, row in memo.primary.by_label.items()})
    for part in memo.extension.values():
        found.update({key: row.introduced for key, row in part.by_label.items()})
    return found


def reasons(memo: Memo) -> Counter[str]:
    """Return the items on which a deciding judge gave each reason, wherever they are."""
    return _added(memo.primary.reasons, *(part.reasons for part in memo.extension.values()))


def _added(*counts: Mapping[str, int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for each in counts:
        found.update(each)
    return found
