"""A column map: what the columns of a list of candidates mean.

SEP-28k's columns are known; for another list the lead writes a column map, whose format is
`KEYS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from app.domain.errors import InvalidInput, Problem
from app.domain.item import FIELDS, Check

KEYS: Final = {
    "item_id": "column with the unique name of a candidate, or a list of columns, joined by underscores",
    "cluster": "column or columns with its speaker or episode, whichever the protocol's `cluster_unit` says",
    "source": 'column or columns with its source, as the rights ledger names it, or { constant = "name" }',
    "labels": "table: stratum = the column that counts the annotators who heard it",
    "fluent": "list of labels that say that no other holds; the protocol's controls always do",
    "exclude": "table: reason = a column of counts, or { column, at_least }",
}
NO_AGREEMENT, AMBIGUOUS, NOT_PLANNED = OWN_REASONS = ("no_agreement", "several_labels", "label_not_planned")

_NEEDED: Final = ("item_id", "cluster", "source", "labels")
_REASON: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
NAMES: Final = {field.key: field.check for field in FIELDS if field.key in ("item_id", "cluster", "source")}


@dataclass(frozen=True)
class Exclusion:
    """A column of counts that puts a candidate aside from so many annotators on; None: from more than half on."""

    column: str
    at_least: int | None = None


@dataclass(frozen=True)
class Columns:
    """What the columns of a list mean.

    `labels` maps strata to columns. `fluent`: those of them that say that no other holds.
    `constant` is the source of every candidate where no column has it.
    """

    item_id: tuple[str, ...]
    cluster: tuple[str, ...]
    source: tuple[str, ...]
    labels: Mapping[str, str]
    fluent: frozenset[str]
    exclude: Mapping[str, Exclusion]
    constant: str = ""

    @property
    def needed(self) -> frozenset[str]:
        """Every column that a list must have."""
        counted = {*self.labels.values(), *(each.column for each in self.exclude.values())}
        return frozenset({*self.item_id, *self.cluster, *self.source, *counted})

    def named(self, strata: Iterable[str]) -> Columns:
        """Return the same with a label under its column's name, where that is what the protocol calls it."""
        own = {column: column for column in set(self.labels.values()) & (set(strata) - set(self.labels))}
        labels = {own.get(column, label): column for label, column in self.labels.items()}
        fluent = frozenset(own.get(self.labels[label], label) for label in self.fluent)
        return replace(self, labels=labels, fluent=fluent)


SEP28K_LABELS: Final = {
    "sound_repetition": "SoundRep",
    "word_repetition": "WordRep",
    "interjection": "Interjection",
    "block": "Block",
    "prolongation": "Prolongation",
    "fluent": "NoStutteredWords",
}
# What makes a clip unfit to be judged by its text. A natural pause does not.
SEP28K_EXCLUSIONS: Final = {
    "no_speech": "NoSpeech",
    "music": "Music",
    "poor_audio": "PoorAudioQuality",
    "difficult_to_understand": "DifficultToUnderstand",
    "unsure": "Unsure",
}
_SEP28K_EPISODE: Final = ("Show", "EpId")
_SEP28K_CLIP: Final = (*_SEP28K_EPISODE, "ClipId")
_SEP28K_SPEAKER: Final = "speaker"  # in SEP-28k-Extended alone


def sep28k(header: Sequence[str], unit: str, where: str) -> Columns:
    """Return what SEP-28k's columns mean, as far as a list has them. `unit`: what a cluster is.

    A list without one of the columns that only exclude is read without that exclusion: FluencyBank's has no music.
    Raises InvalidInput for a list that is not SEP-28k's.
    """
    absent = [name for name in (*_SEP28K_CLIP, *SEP28K_LABELS.values()) if name not in header]
    if absent:
        told = f"these are not SEP-28k's columns ({', '.join(absent)} missing): say with a column map what they mean"
        raise InvalidInput.of(told, where=where)
    if unit == "speaker" and _SEP28K_SPEAKER not in header:
        told = "the list has no column “speaker” (SEP-28k-Extended has); with cluster_unit = “episode” none is needed"
        raise InvalidInput.of(told, field="selection.cluster_unit", where=where)
    return Columns(
        item_id=_SEP28K_CLIP,
        cluster=(_SEP28K_SPEAKER,) if unit == "speaker" else _SEP28K_EPISODE,
        source=_SEP28K_EPISODE[:1],
        labels=SEP28K_LABELS,
        fluent=frozenset({"fluent"}),
        exclude={reason: Exclusion(column) for reason, column in SEP28K_EXCLUSIONS.items() if column in header},
    )


class Needing(Protocol):
    """What needs columns: any column map."""

    @property
    def needed(self) -> frozenset[str]:
        """The columns that a list must have."""


def absent(columns: Needing, header: Iterable[str], where: str) -> list[Problem]:
    """List the columns that a list lacks."""
    lacking = sorted(columns.needed - set(header))
    return [Problem("the list has no such column", where=where, field=name[:60]) for name in lacking]


def parse(data: Mapping[str, Any], where: str) -> Columns:
    """Check a decoded column map. Raises InvalidInput with every problem.

    >>> parse({"item_id": "clip", "cluster": ["show", "ep"], "source": "show", "labels": {"um": "Um"}}, "").cluster
    ('show', 'ep')
    """
    problems = [Problem("unknown key", where=where, field=key[:60]) for key in data if key not in KEYS]
    problems += [Problem("every column map needs it", where=where, field=key) for key in _NEEDED if key not in data]
    problems += [
        Problem(f"expected {expected}", where=where, field=field)
        for key, value in data.items()
        if key in _EXPECTED
        for field, expected in _EXPECTED[key](value, key)
    ]
    if not problems:
        unknown = [label for label in data.get("fluent", []) if label not in data["labels"]]
        problems = [Problem(f"“{label}” is not one of [labels]", where=where, field="fluent") for label in unknown]
    if problems:
        raise InvalidInput(problems)
    constant = data["source"]["constant"] if isinstance(data["source"], dict) else ""
    return Columns(
        item_id=listed(data["item_id"]),
        cluster=listed(data["cluster"]),
        source=() if constant else listed(data["source"]),
        labels=dict(data["labels"]),
        fluent=frozenset(data.get("fluent", [])),
        exclude={reason: _exclusion(value) for reason, value in data.get("exclude", {}).items()},
        constant=constant,
    )


Faults = list[tuple[str, str]]  # a field, and what was expected there


def listed(value: str | list[str]) -> tuple[str, ...]:
    """Return the columns that a map names, one or several."""
    return (value,) if isinstance(value, str) else tuple(value)


def _exclusion(value: str | Mapping[str, Any]) -> Exclusion:
    return Exclusion(value) if isinstance(value, str) else Exclusion(value["column"], value.get("at_least"))


def _is_column(value: Any) -> bool:
    return isinstance(value, str) and value.strip() == value != ""


def of_columns(value: Any, key: str) -> Faults:
    """Check the name of a column, or a list of such names."""
    names = value if isinstance(value, list) else [value]
    ok = names and all(map(_is_column, names)) and len(set(names)) == len(names)
    return [] if ok else [(key, "the name of a column, or a list of different ones")]


def of_named(value: Any, key: str, check: Check) -> Faults:
    """Check what is a column, a list of columns, or the same for every row."""
    if not isinstance(value, dict):
        return of_columns(value, key)
    ok = set(value) == {"constant"} and check(value["constant"]) is None
    return [] if ok else [(key, f'a column, or {{ constant = "name" }} with the name of the {key}')]


def _of_source(value: Any, key: str) -> Faults:
    return of_named(value, key, NAMES["source"])


def _of_labels(value: Any, key: str) -> Faults:
    if not isinstance(value, dict) or not value:
        return [(key, 'a table of strata and columns, e.g. word_repetition = "WordRep"')]
    found = [(f"{key}.{label}"[:60], "the name of a column") for label, name in value.items() if not _is_column(name)]
    if not found and len(set(value.values())) < len(value):
        found = [(key, "different columns; one is named twice")]
    return found


def _of_fluent(value: Any, key: str) -> Faults:
    ok = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return [] if ok else [(key, "a list of labels")]


def _of_exclude(value: Any, key: str) -> Faults:
    if not isinstance(value, dict):
        return [(key, 'a table of reasons and columns, e.g. music = "Music"')]
    names = [f"{key}.{reason}"[:60] for reason in value if not _REASON.fullmatch(reason) or reason in OWN_REASONS]
    told = f"a reason of small letters, digits and underscores, and none of: {', '.join(OWN_REASONS)}"
    wanted = "a column, or { column, at_least } with a whole number from 1"
    return [(name, told) for name in names] + [
        (f"{key}.{reason}"[:60], wanted) for reason, each in value.items() if not _is_exclusion(each)
    ]


def _is_exclusion(value: Any) -> bool:
    if not isinstance(value, dict):
        return _is_column(value)
    least = value.get("at_least", 1)
    whole = isinstance(least, int) and not isinstance(least, bool) and least >= 1
    return set(value) <= {"column", "at_least"} and _is_column(value.get("column")) and whole


_EXPECTED: Final = {
    "item_id": of_columns,
    "cluster": of_columns,
    "source": _of_source,
    "labels": _of_labels,
    "fluent": _of_fluent,
    "exclude": _of_exclude,
}
