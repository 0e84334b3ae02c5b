"""Withdrawing items from a study: what may be withdrawn, what that does at each stage, what is kept of an item."""

from __future__ import annotations

from typing import Any, Final

from app.domain.errors import InvalidInput, Refused
from app.domain.item import Item
from app.domain.word_errors import listener

# What is named, and how the key of the import format is called for it.
KINDS: Final = {"item": "item_id", "cluster": "cluster", "source": "source"}

REMOVED: Final = "removed"  # from a draft: as if it had never been imported
WITHDRAWN: Final = "withdrawn"  # after the freeze: content erased, counted as withdrawn
ERASED: Final = "erased"  # after the close: content erased, and no count moves


def effect(*, frozen: bool, closed: bool) -> str:
    """Return what a withdrawal does to a study: REMOVED, WITHDRAWN or ERASED.

    >>> effect(frozen=True, closed=False)
    'withdrawn'
    """
    if not frozen:
        return REMOVED
    return ERASED if closed else WITHDRAWN


def key_of(kind: str) -> str:
    """Return the key by which items of a kind are named. Raises InvalidInput."""
    if kind not in KINDS:
        raise InvalidInput.of("expected one of: " + ", ".join(KINDS), field="kind")
    return KINDS[kind]


def check(kind: str, *, there: int, ever: int, revoked: bool) -> None:
    """Raise InvalidInput where there is nothing of that name, Refused where its rights were revoked before.

    `there`: items of that name with their content; `ever`: those of a source that were
    withdrawn too, for a source whose items are all gone can still be revoked.
    """
    if kind == "source" and revoked:
        message = "The rights of this source were revoked before. Nothing of it is left in the study."
        raise Refused("revoked", message)
    if not (there or (kind == "source" and ever)):
        told = {
            "item": "no item of this study has this id; the id of one that was withdrawn is erased too",
            "cluster": "no item of this study is of this cluster; what was withdrawn is not known by it any more",
            "source": "no item of this study is of this source",
        }
        raise InvalidInput.of(told[kind], field=kind)


def kept(item: Item) -> dict[str, Any]:
    """Return the facts of an item that the memo of a closed study goes on counting once its content is erased.

    A statistic that reads texts must add what it needs here: numbers and flags, never words.
    """
    facts = listener()(item, "").facts()
    if item.expected is not None:
        facts["expected"] = {"label": item.expected.label, "arm": item.expected.arm}
    return facts
