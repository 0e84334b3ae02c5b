"""The memo's tables on word errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from app.domain.memo import Absent, Difference, Memo, SapComparison, SapRate, StratumWords, WordComparison, WordRate
from app.report.cells import Cell, Column, Table, by_cluster, rough_note, units_column
from app.report.wording import cluster, confidence, title, why

Compared: TypeAlias = StratumWords | SapComparison

_REFERENCES: Final = {
    "verbatim": "Against the verbatim reference",
    "semantic": "Against the semantic reference",
    "sap2025": "Scoring of the SAP challenge 2025",
}
_ARMS: Final = {"off": "Filter off", "on": "Filter on"}
_NEARER: Final = {
    "with_disfluencies": "Nearer to the reference with disfluencies",
    "without_disfluencies": "Nearer to the one without",
    "neither": "As near to either",
}
_REFERENCE: Final = (Column("Reference"), Column("Key", "key"))
_SCORED: Final = (Column("Items scored", "count"), Column("Of", "count"))


def _about_words(memo: Memo, rows: tuple[tuple[Cell, ...], ...]) -> str:
    told = (
        "Edits into an empty reference count, its utterance is not scored. The verbatim reference holds the "
        "disfluencies: a filter that removes them scores worse against it even where nothing is lost. Neither rate "
        "says whether the meaning survived."
    )
    if isinstance(memo.wer.sap2025, SapComparison):
        told += (
            " The challenge takes the nearer reference of each utterance, so off and on have different words; where "
            "both are as near it takes half of each. Its edits are never more than the words of that reference, and "
            "are not split into kinds."
        )
    return told + rough_note(memo, rows)


def word_errors(memo: Memo) -> Table:
    rows = tuple(row for key, name in _REFERENCES.items() for row in _rows(key, name, getattr(memo.wer, key)))
    return Table(
        "word-errors",
        "Word error rate, filter off and on",
        "All edits over all words of the reference, never a mean of rates.",
        (*_REFERENCE, Column("Text"), *_rate_columns(memo), *_SCORED, Column("Why there is no value or interval")),
        rows,
        _about_words(memo, rows),
    )


def word_differences(memo: Memo) -> Table:
    return Table(
        "word-differences",
        "Word error rate, on minus off",
        "Of the same items, in percentage points. Below zero: the text with the filter on is nearer to the reference.",
        (*_REFERENCE, *_difference_columns(memo)),
        tuple((name, key, *_difference(found.difference)) for key, name, found in _compared(memo)),
    )


def word_strata(memo: Memo) -> Table:
    rows = tuple(
        (
            name,
            key,
            title(stratum),
            stratum,
            part.off.clusters,
            part.off.value,
            part.on.value,
            *_difference(part.difference),
            part.scored,
            part.eligible,
        )
        for key, name, found in _compared(memo)
        if isinstance(found, WordComparison)
        for stratum, part in found.by_stratum.items()
    )
    return Table(
        "word-errors-by-stratum",
        "Word error rate by stratum",
        "The same within each stratum.",
        (
            *_REFERENCE,
            Column("Stratum"),
            Column("Stratum key", "key"),
            units_column(memo),
            *(Column(f"{arm}, word error rate", "share") for arm in _ARMS.values()),
            *_difference_columns(memo),
            *_SCORED,
        ),
        rows,
    )


def preferences(memo: Memo) -> Table:
    found = memo.wer.sap2025
    rows: tuple[tuple[Cell, ...], ...] = ()
    if isinstance(found, SapComparison):
        rows = tuple(
            (_ARMS[arm], _NEARER[key], key, rate.numerator, rate.denominator, rate.value)
            for arm in _ARMS
            for key, rate in getattr(found, arm).nearer.items()
        )
    return Table(
        "sap-preferences",
        "To which reference the texts are nearer",
        "By the scoring of the SAP challenge, which takes the nearer reference of each utterance.",
        (
            Column("Text"),
            Column("Reference"),
            Column("Key", "key"),
            Column("Number", "count"),
            Column("Out of", "count"),
            Column("Share", "share"),
        ),
        rows,
    )


def _compared(memo: Memo) -> Iterator[tuple[str, str, Compared]]:
    for key, name in _REFERENCES.items():
        found = getattr(memo.wer, key)
        if not isinstance(found, Absent):
            yield key, name, found


def _rate_columns(memo: Memo) -> tuple[Column, ...]:
    return (
        Column("Edits", "tally"),
        Column("Words", "tally"),
        Column("Word error rate", "share"),
        Column(f"{confidence(memo)} interval, by {cluster(memo)} (jackknife)", "range"),
        *(Column(kind, "count") for kind in ("Substitutions", "Deletions", "Insertions")),
    )


def _rows(key: str, name: str, found: Compared | Absent) -> Iterator[tuple[Cell, ...]]:
    if isinstance(found, Absent):
        yield (name, key, "", *(None,) * 9, why(found.null_reason))
        return
    for arm, text in _ARMS.items():
        rate: WordRate | SapRate = getattr(found, arm)
        kinds = (
            (rate.substitutions, rate.deletions, rate.insertions) if isinstance(rate, WordRate) else (None, None, None)
        )
        reason = why(rate.null_reason or rate.interval_null_reason)
        numbers = (rate.numerator, rate.denominator, rate.value, by_cluster(rate.interval, rate.clusters))
        yield (name, key, text, *numbers, *kinds, found.scored, found.eligible, reason)


def _difference_columns(memo: Memo) -> tuple[Column, ...]:
    return (
        Column("Difference", "points"),
        Column(f"{confidence(memo)} interval of the difference, by {cluster(memo)} (jackknife)", "between"),
        Column("Why there is no interval"),
    )


def _difference(found: Difference) -> tuple[Cell, ...]:
    return found.value, found.interval, why(found.null_reason or found.interval_null_reason)
