"""Selection: which candidates a study takes, before any outcome exists, and the record of it.

A candidate is put aside for a reason, or sorted into one stratum; who of a stratum is taken,
`draw.py` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from app.domain.columns import AMBIGUOUS, NO_AGREEMENT, NOT_PLANNED, OWN_REASONS, Columns
from app.domain.draw import DRAW, Drawn, Eligible, in_line, listing, take
from app.domain.errors import InvalidInput, Problem
from app.domain.manifest import bytes_digest, canonical
from app.domain.pool import Candidate
from app.domain.protocol import Protocol

SCHEMA: Final = "evenhand-selection/1"
DEFAULT_PLAN: Final = {"sound_repetition": 40, "word_repetition": 40, "interjection": 40, "fluent": 40}
SILENT: Final = ("block", "prolongation")  # heard and rarely written: strata of an extension alone


@dataclass(frozen=True)
class Rules:
    """What a protocol says about the draw; `plan` has the strata of `extension` too."""

    study: str
    seed: str
    k: int
    n: int
    plan: Mapping[str, int]
    controls: frozenset[str]
    extension: frozenset[str]
    precedence: tuple[str, ...]
    cap: int
    unit: str
    planned_by: str

    @property
    def majority(self) -> int:
        """More than half of the annotators."""
        return self.n // 2 + 1


def rules(protocol: Protocol, where: str) -> Rules:
    """Read a protocol's rules of the draw; one without strata gets the default plan. Raises InvalidInput."""
    seed, plan = protocol["selection.seed"], dict(protocol.strata)
    problems = [] if seed else [Problem("a draw needs a seed: any text, chosen once", where, field="selection.seed")]
    problems += [
        Problem(f"“{name}” is heard, and rarely written: declare it in selection.extension", where, field=_STRATA)
        for name in plan
        if name.casefold() in SILENT and name not in protocol["selection.extension"]
    ]
    if problems:
        raise InvalidInput(problems)
    return Rules(
        study=protocol.id,
        seed=seed,
        k=protocol["selection.agreement"]["k"],
        n=protocol["selection.agreement"]["n"],
        plan=plan or DEFAULT_PLAN,
        controls=protocol.controls,
        extension=frozenset(protocol["selection.extension"]),
        precedence=tuple(protocol["selection.precedence"]),
        cap=protocol["selection.cluster_cap"],
        unit=protocol["selection.cluster_unit"],
        planned_by="protocol" if plan else "default",
    )


_STRATA: Final = "selection.strata"
_PRECEDENCE: Final = "selection.precedence"


def fitted(columns: Columns, wanted: Rules, where: str) -> Columns:
    """Return a list's columns with labels named as the rules name them.

    `where`: the protocol's file. Raises InvalidInput for a stratum, or a name of the precedence, that no column counts.
    """
    found = columns.named([*wanted.plan, *wanted.precedence])
    known = "the list has " + ", ".join(found.labels)
    problems = [
        Problem(f"no column counts “{name}”: {known}", where, field=field)
        for field, names in ((_STRATA, wanted.plan), (_PRECEDENCE, wanted.precedence))
        for name in names
        if name not in found.labels
    ]
    problems += [
        Problem(f"at_least is {each.at_least}, and there are {wanted.n} annotators", field=f"exclude.{reason}")
        for reason, each in found.exclude.items()
        if (each.at_least or 0) > wanted.n
    ]
    if problems:
        raise InvalidInput(problems)
    return found


class Sieve:
    """Sorts one candidate after another into a stratum, or puts it aside for a reason."""

    def __init__(self, wanted: Rules, columns: Columns) -> None:
        fluent = columns.fluent | wanted.controls
        self._k, self._plan = wanted.k, wanted.plan
        self._labels = tuple(columns.labels)
        self._speaking = [number for number, label in enumerate(self._labels) if label not in fluent]
        self._fluent = [number for number, label in enumerate(self._labels) if label in fluent]
        self._rank = {label: place for place, label in enumerate(wanted.precedence)}
        self._least = [each.at_least or wanted.majority for each in columns.exclude.values()]
        self._reasons = tuple(columns.exclude)

    def __call__(self, candidate: Candidate) -> tuple[str | None, str]:
        """Return a stratum and no reason, or no stratum and the first reason that holds."""
        for count, least, reason in zip(candidate.exclusions, self._least, self._reasons, strict=True):
            if count >= least:
                return None, reason
        qualified = self._qualified(candidate, self._speaking) or self._qualified(candidate, self._fluent)
        if not qualified:
            return None, NO_AGREEMENT
        if len(qualified) > 1:
            qualified = sorted(filter(self._rank.__contains__, qualified), key=self._rank.__getitem__)[:1]
            if not qualified:
                return None, AMBIGUOUS
        return (qualified[0], "") if qualified[0] in self._plan else (None, NOT_PLANNED)

    def _qualified(self, candidate: Candidate, of: Sequence[int]) -> list[str]:
        """Return the labels that enough annotators gave."""
        return [self._labels[number] for number in of if candidate.labels[number] >= self._k]


@dataclass(frozen=True)
class Selection:
    """A draw: those taken, by name, and the record, which names none of them."""

    items: tuple[Drawn, ...]
    extension: tuple[Drawn, ...]
    record: Mapping[str, Any]

    def files(self) -> dict[str, bytes]:
        """Return what is written, by name; those of an extension stand in a file of their own."""
        found = {"selected.jsonl": listing(self.items), "selection.json": canonical(self.record)}
        return found | ({"extension.jsonl": listing(self.extension)} if self.record["extension"] else {})

    @property
    def sha256(self) -> str:
        """The digest of the record as written."""
        return bytes_digest(canonical(self.record))


def select(candidates: Sequence[Candidate], columns: Columns, wanted: Rules, software: str) -> Selection:
    """Draw from candidates with different names. `columns`: as `fitted` returns them."""
    sieve = Sieve(wanted, columns)
    excluded: Counter[str] = Counter(dict.fromkeys((*columns.exclude, *OWN_REASONS), 0))
    eligible: list[Eligible] = []
    for candidate in candidates:
        stratum, reason = sieve(candidate)
        if stratum is None:
            excluded[reason] += 1
        else:
            eligible.append((candidate, stratum))
    line = in_line(eligible, wanted.seed)
    # The extension comes after everything else, so that to declare one changes nothing in the study's own sample.
    core = {name: planned for name, planned in wanted.plan.items() if name not in wanted.extension}
    apart = {name: planned for name, planned in wanted.plan.items() if name in wanted.extension}
    clusters: Counter[str] = Counter()
    items, strata = take(line, core, wanted.cap, clusters)
    extension, aside = take(line, apart, wanted.cap, clusters)
    record = {
        "schema": SCHEMA,
        "draw": DRAW,
        "software": software,
        "study": wanted.study,
        "rules": _printed(wanted, columns),
        "pool": _pool(candidates),
        "excluded": dict(excluded),
        "strata": {name: asdict(each) for name, each in strata.items()},
        "extension": {name: asdict(each) for name, each in aside.items()},
        "selected": _summary(items),
        "selected_extension": _summary(extension) if aside else None,
    }
    return Selection(tuple(items), tuple(extension), record)


def _printed(wanted: Rules, columns: Columns) -> dict[str, Any]:
    return {
        "agreement": {"k": wanted.k, "n": wanted.n},
        "precedence": list(wanted.precedence),
        "cluster_cap": wanted.cap,
        "cluster_unit": wanted.unit,
        "seed": wanted.seed,
        "planned_by": wanted.planned_by,
        "labels": dict(columns.labels),
        "fluent": sorted(name for name in columns.labels if name in columns.fluent | wanted.controls),
        "exclude": {
            reason: {"column": each.column, "at_least": each.at_least or wanted.majority}
            for reason, each in columns.exclude.items()
        },
    }


def _pool(candidates: Sequence[Candidate]) -> dict[str, Any]:
    lines = b"".join(each.line() for each in sorted(candidates, key=lambda each: each.item_id))
    return {
        "candidates": len(candidates),
        "clusters": len({each.cluster for each in candidates}),
        "sources": len({each.source for each in candidates}),
        "sha256": bytes_digest(lines),
    }


def _summary(drawn: Sequence[Drawn]) -> dict[str, Any]:
    return {
        "items": len(drawn),
        "clusters": len({each.cluster for each in drawn}),
        "sources": len({each.source for each in drawn}),
        "sha256": bytes_digest(listing(drawn)),
    }
