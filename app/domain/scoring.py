"""Scoring of one or more systems' texts against references, row by row, without a study.

Nothing of a row is kept but counts, so that any number of rows can be scored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from app.domain import word_errors
from app.domain.errors import InvalidInput, Problem
from app.domain.item import FIELDS, MAX_NAME, MAX_TEXT
from app.domain.protocol import REFERENCES
from app.domain.statistics import sap, wer

OWN: Final = "words"
SAP2025: Final = "sap2025"
PROFILES: Final = (OWN, SAP2025)
OFF: Final = "off"
TEXTS: Final = (OFF, "on", "hypothesis")
MOST_SYSTEMS: Final = 50
CONFIDENCE: Final = 0.95
KNOWN: Final = frozenset({*(field.key for field in FIELDS), "hypothesis", "hypotheses"})

Sums: TypeAlias = dict[tuple[str, str], list[int]]
_COUNTS: Final = {OWN: ("words", "substitutions", "deletions", "insertions"), SAP2025: ("with", "without", "neither")}


@dataclass(frozen=True)
class Utterance:
    """One row: what systems made of one utterance, and its references where it has them."""

    item_id: str
    texts: Mapping[str, str]
    references: Mapping[str, str]
    stratum: str = ""
    cluster: str = ""


def parse(row: Mapping[str, Any], where: str, line: int | None) -> Utterance | list[Problem]:
    """Turn one decoded row into an Utterance, or into all that is wrong with it. A null value counts as left out.

    A row of an items file will do: its off and on are two systems.
    """
    given = {key: value for key, value in row.items() if value is not None}
    problems = [Problem("unknown key", where, line, key[:MAX_NAME]) for key in given if key not in KNOWN]
    if not _is_name(given.get("item_id")):
        problems.append(Problem(_NAME, where, line, "item_id"))
    problems += [
        Problem(_NAME, where, line, key) for key in ("stratum", "cluster") if key in given and not _is_name(given[key])
    ]
    texts: dict[str, Any] = {key: given[key] for key in TEXTS if key in given}
    others = given.get("hypotheses", {})
    if isinstance(others, dict) and all(_is_name(name) for name in others):
        twice = others.keys() & texts.keys()
        problems += [Problem(f"“{name}” stands beside it too", where, line, "hypotheses") for name in sorted(twice)]
        texts |= others
    else:
        problems.append(Problem("expected an object of texts by the name of a system", where, line, "hypotheses"))
    references = {kind: given[key] for kind in REFERENCES if (key := f"{kind}_reference") in given}
    problems += [
        Problem(f"expected text of at most {MAX_TEXT:,} characters", where, line, name)
        for name, text in (*texts.items(), *((f"{kind}_reference", text) for kind, text in references.items()))
        if not isinstance(text, str) or len(text) > MAX_TEXT
    ]
    if not texts and not problems:
        told = "there is no text to score: give hypothesis, hypotheses, or off and on"
        problems.append(Problem(told, where, line, "hypothesis"))
    if problems:
        return problems
    return Utterance(given["item_id"], texts, references, given.get("stratum", ""), given.get("cluster", ""))


_NAME: Final = f"expected text of 1 to {MAX_NAME} characters"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME and value.isprintable()


@dataclass(frozen=True)
class Line:
    """One system against one kind of reference, in one stratum or (None) in all.

    `edits` and `words` may be halves by the challenge's rule. `kinds`: substitutions, deletions and insertions, or
    to which reference utterances are nearer. `difference`: from the baseline, this system minus that one.
    """

    system: str
    reference: str
    stratum: str | None
    utterances: int
    scored: int
    empty_references: int
    edits: float
    words: float
    value: float | None
    null_reason: str | None
    interval: tuple[float, float] | None
    interval_null_reason: str | None
    kinds: Mapping[str, int]
    difference: float | None = None
    difference_interval: tuple[float, float] | None = None
    difference_null_reason: str | None = None


@dataclass(frozen=True)
class Scored:
    """Every line, and what they are of."""

    profile: str
    baseline: str | None
    utterances: int
    clusters: int
    systems: tuple[str, ...]
    lines: tuple[Line, ...]


class Board:
    """Takes utterances one by one and adds up. `where`: the file's name, for its problems."""

    def __init__(self, profile: str, where: str) -> None:
        self._profile, self._where = profile, where
        self._vocabulary = wer.vocabulary() if profile == OWN else sap.vocabulary()
        self._count, self._score = wer.counter(), sap.scorer()
        self._ids: dict[str, int] = {}
        self._systems: tuple[str, ...] = ()
        self._rows: dict[tuple[str, str], int] = defaultdict(int)
        self._sums: dict[tuple[str, str], Sums] = {}

    def take(self, said: Utterance, line: int) -> list[Problem]:
        """Add one utterance, or return what keeps it out."""
        names = tuple(said.texts)
        self._systems = self._systems or names
        problems = []
        if said.item_id in self._ids:
            told = f"this name stands on line {self._ids[said.item_id]} too"
            problems.append(Problem(told, self._where, line, "item_id"))
        if set(names) != set(self._systems):
            told = "the systems are not those of the first row; each row needs a text of each, empty if need be"
            problems.append(Problem(told, self._where, line, "hypotheses"))
        if len(names) > MOST_SYSTEMS:
            problems.append(Problem(f"at most {MOST_SYSTEMS} systems can be scored", self._where, line, "hypotheses"))
        if not problems:
            self._ids[said.item_id] = line
            self._rows[said.stratum, said.cluster] += 1
            self._vocabulary.tidy()
            (self._by_words if self._profile == OWN else self._by_challenge)(said)
        return problems

    def _by_words(self, said: Utterance) -> None:
        rows = {name: self._vocabulary.row(text) for name, text in said.texts.items()}
        for kind, text in said.references.items():
            reference = self._vocabulary.row(text)
            for name, row in rows.items():
                edits = self._count(reference, row)
                self._add(kind, name, said, bool(reference), (edits.total, edits.words, *edits[1:]))

    def _by_challenge(self, said: Utterance) -> None:
        if len(said.references) < len(REFERENCES):
            return
        first = self._vocabulary.row(sap.markup(said.references["verbatim"], disfluent=True))
        second = self._vocabulary.row(sap.markup(said.references["semantic"], disfluent=False))
        for name, text in said.texts.items():
            found = self._score(first, second, self._vocabulary.row(text))
            if found is None:
                self._add(_NEARER, name, said, False, (0,) * 5)  # noqa: FBT003 - whether it is scored
            else:
                nearer = (found.nearer == side for side in (sap.WITH, sap.WITHOUT, sap.NEITHER))
                self._add(_NEARER, name, said, True, (found.twice_edits, found.twice_words, *nearer))  # noqa: FBT003

    def _add(self, kind: str, system: str, said: Utterance, scored: bool, counts: Sequence[int]) -> None:  # noqa: FBT001
        sums = self._sums.setdefault((kind, system), {})
        row = sums.setdefault((said.stratum, said.cluster), [0] * (len(counts) + 2))
        row[0] += scored
        row[1] += not scored
        for at, count in enumerate(counts, start=2):
            row[at] += count

    def result(self, baseline: str | None = None) -> Scored:
        """Return everything. Raises InvalidInput where nothing can be scored, or no system is called `baseline`."""
        if not self._rows:
            raise InvalidInput.of("there is no utterance in this file", where=self._where)
        if not any(row[0] for sums in self._sums.values() for row in sums.values()):
            raise InvalidInput.of(_NOTHING[self._profile], where=self._where)
        if baseline is not None and baseline not in self._systems:
            told = "this is none of the systems, which are: " + ", ".join(self._systems)
            raise InvalidInput.of(told, field="baseline")
        if baseline is None and OFF in self._systems and len(self._systems) > 1:
            baseline = OFF
        strata = sorted({stratum for stratum, _ in self._rows})
        wanted = [None, *strata] if len(strata) > 1 else [None]
        clusters = len({cluster for _, cluster in self._rows if cluster})
        lines = tuple(self._lines(wanted, baseline))
        return Scored(self._profile, baseline, sum(self._rows.values()), clusters, self._systems, lines)

    def _lines(self, strata: Sequence[str | None], baseline: str | None) -> Iterator[Line]:
        for kind in (*REFERENCES, _NEARER):
            for stratum in strata:
                for system in self._systems:
                    if (kind, system) in self._sums:
                        yield self._line(kind, system, stratum, baseline)

    def _line(self, kind: str, system: str, stratum: str | None, baseline: str | None) -> Line:
        clusters = self._clusters(kind, system, stratum)
        halves = 1 if self._profile == OWN else 2
        found = word_errors.rate([(row[2], row[3]) for row in clusters.values()], CONFIDENCE)
        whole = [sum(column) for column in zip(*clusters.values(), strict=True)] or [0] * 7
        names = _COUNTS[self._profile][-3:]
        line = Line(
            system=system,
            reference=kind,
            stratum=stratum,
            utterances=sum(n for (group, _), n in self._rows.items() if stratum in {None, group}),
            scored=whole[0],
            empty_references=whole[1],
            edits=found["numerator"] if halves == 1 else found["numerator"] / halves,
            words=found["denominator"] if halves == 1 else found["denominator"] / halves,
            value=found["value"],
            null_reason=found["null_reason"],
            interval=found["interval"],
            interval_null_reason=found["interval_null_reason"],
            kinds=dict(zip(names, whole[-3:], strict=True)),
        )
        return line if baseline is None or system == baseline else self._beside(line, kind, clusters, baseline)

    def _beside(self, line: Line, kind: str, clusters: Mapping[str, list[int]], baseline: str) -> Line:
        """Return a line with its difference from the baseline."""
        base = self._clusters(kind, baseline, line.stratum)
        found = word_errors.difference(
            [(*base[cluster][2:4], *row[2:4]) for cluster, row in clusters.items()],  # type: ignore[misc]  # two and two
            CONFIDENCE,
        )
        told = {
            "difference": found.value,
            "difference_interval": found.interval,
            "difference_null_reason": found.null_reason or found.interval_null_reason,
        }
        return Line(**vars(line) | told)

    def _clusters(self, kind: str, system: str, stratum: str | None) -> dict[str, list[int]]:
        """Return the sums of a system by cluster; rows that name no cluster are of one, for nothing is known."""
        merged: dict[str, list[int]] = {}
        for (group, cluster), row in self._sums[kind, system].items():
            if stratum in {None, group}:
                known = merged.get(cluster)
                merged[cluster] = row if known is None else [a + b for a, b in zip(known, row, strict=True)]
        return merged


_NEARER: Final = "nearer"
_NOTHING: Final = {
    OWN: "no utterance has a reference with words in it: give verbatim_reference, semantic_reference or both",
    SAP2025: "no utterance has two references with words in them: this profile needs verbatim_reference (with "
    "disfluencies) and semantic_reference (without)",
}
