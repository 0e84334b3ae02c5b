"""Word errors of a study's two texts: from texts to counts, item by item, and from counts to the memo's numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from app.domain import memo
from app.domain.item import Item
from app.domain.protocol import REFERENCES
from app.domain.statistics import jackknife, sap, wer
from app.domain.statistics.numeric import settled

ARMS: Final = ("off", "on")
Arms: TypeAlias = tuple[wer.Edits, wer.Edits]
Scores: TypeAlias = tuple[sap.Score, sap.Score]
Sums: TypeAlias = dict[str, list[int]]


class Spoken(NamedTuple):
    """What is counted of one item's texts: numbers and no word.

    `edits`: off and on against each reference that it has. `sap`: off and on scored against both; None where it has
    not both, or one is empty. `references`: those it has.
    """

    stratum: str
    cluster: str
    references: tuple[str, ...] = ()
    edits: Mapping[str, Arms] = MappingProxyType({})
    sap: Scores | None = None

    def facts(self) -> dict[str, Any]:
        """Return the same as JSON, without stratum and cluster, which the store keeps itself."""
        return {
            "references": list(self.references),
            "edits": {kind: [list(each) for each in arms] for kind, arms in self.edits.items()},
            "sap": None if self.sap is None else [list(each) for each in self.sap],
        }

    @classmethod
    def of_facts(cls, stratum: str, cluster: str, facts: Mapping[str, Any]) -> Spoken:
        """Return it from JSON; what an earlier version kept has references and no counts."""
        kept = facts.get("sap")
        return cls(
            stratum,
            cluster,
            tuple(facts.get("references", ())),
            {kind: (wer.Edits(*off), wer.Edits(*on)) for kind, (off, on) in facts.get("edits", {}).items()},
            None if kept is None else (sap.Score(*kept[0]), sap.Score(*kept[1])),
        )


def listener() -> Callable[[Item, str], Spoken]:
    """Return what counts an item's word errors; its second argument is the item's cluster, as a number in words."""
    words, marked = wer.vocabulary(), sap.vocabulary()
    count, score = wer.counter(), sap.scorer()

    def listen(item: Item, cluster: str) -> Spoken:
        words.tidy()
        marked.tidy()
        there = {kind: text for kind in REFERENCES if (text := item.reference(kind)) is not None}
        if not there:
            return Spoken(item.stratum, cluster)
        # Texts are often the same; each is read once, and each pair is counted once.
        off = words.row(item.off)
        on = words.row(item.on) if item.changed else off
        edits = {}
        for kind, text in there.items():
            reference = off if text == item.off else on if text == item.on else words.row(text)
            found = count(reference, off)
            edits[kind] = found, count(reference, on) if item.changed else found
        return Spoken(item.stratum, cluster, tuple(there), edits, scores_of(item, there))

    def scores_of(item: Item, there: Mapping[str, str]) -> Scores | None:
        if len(there) < len(REFERENCES):
            return None
        first = marked.row(sap.markup(there["verbatim"], disfluent=True))
        second = marked.row(sap.markup(there["semantic"], disfluent=False))
        off = score(first, second, marked.row(item.off))
        on = score(first, second, marked.row(item.on)) if item.changed else off
        return None if off is None or on is None else (off, on)

    return listen


def word_errors(items: Sequence[Spoken], confidence: float = 0.95) -> memo.WordErrors:
    """Return every word error rate of a study; `items` are those that were not withdrawn before the close."""
    return memo.WordErrors(
        verbatim=_against("verbatim", items, confidence),
        semantic=_against("semantic", items, confidence),
        sap2025=_sap(items, confidence),
    )


def absent(reason: memo.NullReason) -> memo.WordErrors:
    """Return that there is none, and why."""
    return memo.WordErrors(**{name: memo.Absent(null_reason=reason) for name in memo.WordErrors.model_fields})


def _against(kind: str, items: Sequence[Spoken], confidence: float) -> memo.WordComparison | memo.Absent:
    if not any(kind in each.edits for each in items):
        return memo.Absent(null_reason="no_reference" if items else "no_items")
    sums: dict[tuple[str, str], list[int]] = {}
    # Few items differ in all of these, however many there are.
    alike = Counter((each.stratum, each.cluster, each.edits[kind]) for each in items if kind in each.edits)
    for (stratum, cluster, (off, on)), times in alike.items():
        row = sums.setdefault((stratum, cluster), [0] * (2 + len(off) + len(on)))
        for at, n in enumerate((off.words > 0, off.words == 0, *off, *on)):
            row[at] += n * times
    eligible = Counter(each.stratum for each in items)
    by_stratum = {
        name: memo.StratumWords(**_compared([row for (of, _), row in sums.items() if of == name], n, confidence))
        for name, n in sorted(eligible.items())
    }
    whole: dict[str, list[int]] = {}
    for (_, cluster), row in sums.items():
        whole[cluster] = [a + b for a, b in zip(whole.get(cluster, [0] * len(row)), row, strict=True)]
    return memo.WordComparison(**_compared(list(whole.values()), len(items), confidence), by_stratum=by_stratum)


def _compared(clusters: Sequence[list[int]], eligible: int, confidence: float) -> dict[str, Any]:
    """Return the rates of summed (scored, empty, edits off in four numbers, edits on in four) by cluster."""
    counted = [(wer.Edits(*row[2:6]), wer.Edits(*row[6:])) for row in clusters]
    return {
        **{arm: _word_rate([edits[at] for edits in counted], confidence) for at, arm in enumerate(ARMS)},
        "difference": difference([(off.total, off.words, on.total, on.words) for off, on in counted], confidence),
        "scored": sum(row[0] for row in clusters),
        "eligible": eligible,
        "empty_references": sum(row[1] for row in clusters),
    }


def _word_rate(clusters: Sequence[wer.Edits], confidence: float) -> memo.WordRate:
    return memo.WordRate(
        **rate([(each.total, each.words) for each in clusters], confidence),
        substitutions=sum(each.substitutions for each in clusters),
        deletions=sum(each.deletions for each in clusters),
        insertions=sum(each.insertions for each in clusters),
    )


def _sap(items: Sequence[Spoken], confidence: float) -> memo.SapComparison | memo.Absent:
    counted = [(each.cluster, each.sap) for each in items if each.sap is not None]
    if not counted:
        return memo.Absent(null_reason="no_reference" if items else "no_items")
    sums: Sums = defaultdict(lambda: [0, 0, 0, 0])
    for cluster, (off, on) in counted:
        row = sums[cluster]
        row[0] += off.twice_edits
        row[1] += off.twice_words
        row[2] += on.twice_edits
        row[3] += on.twice_words
    clusters = list(sums.values())
    both = sum(len(each.references) == len(REFERENCES) for each in items)
    return memo.SapComparison(
        **{
            arm: sap_rate(
                [(row[2 * at], row[2 * at + 1]) for row in clusters],
                Counter(scores[at].nearer for _, scores in counted),
                confidence,
            )
            for at, arm in enumerate(ARMS)
        },
        difference=difference([(row[0], row[1], row[2], row[3]) for row in clusters], confidence),
        scored=len(counted),
        eligible=len(items),
        empty_references=both - len(counted),
    )


def sap_rate(clusters: Sequence[tuple[int, int]], nearer: Counter[str], confidence: float) -> memo.SapRate:
    """Return the challenge's word error rate of summed (twice edits, twice words) by cluster, and the preferences."""
    found = rate(clusters, confidence)
    return memo.SapRate(
        **found | {"numerator": found["numerator"] / 2, "denominator": found["denominator"] / 2},
        nearer={name: preference(nearer[name], nearer.total()) for name in (sap.WITH, sap.WITHOUT, sap.NEITHER)},
    )


def preference(numerator: int, denominator: int) -> memo.Rate:
    """Return the share of utterances nearer to a reference, without an interval."""
    value = numerator / denominator if denominator else None
    return memo.Rate(
        numerator=numerator, denominator=denominator, value=value, null_reason=None if denominator else "no_items"
    )


def rate(clusters: Sequence[tuple[int, int]], confidence: float) -> dict[str, Any]:
    """Return total edits over total words of (edits, words) by cluster, with the jackknife's interval."""
    edits, words = sum(x for x, _ in clusters), sum(n for _, n in clusters)
    value = edits / words if words else None
    without = [_ratio(edits - x, words - n) for x, n in clusters]
    found = jackknife.jackknife(value, without, jackknife.RATIO, confidence)
    return {
        "numerator": edits,
        "denominator": words,
        "value": value,
        "null_reason": None if words else "no_reference",
        "interval": found.interval,
        "interval_null_reason": found.null_reason,
        "clusters": sum(n > 0 for _, n in clusters),
    }


def difference(clusters: Sequence[tuple[int, int, int, int]], confidence: float) -> memo.Difference:
    """Return on minus off, of (edits off, words off, edits on, words on) by cluster, with the jackknife's interval."""
    x, n, y, m = (sum(each) for each in zip(*clusters, strict=True)) if clusters else (0, 0, 0, 0)
    value = _minus(x, n, y, m)
    without = [_minus(x - a, n - b, y - c, m - d) for a, b, c, d in clusters]
    found = jackknife.jackknife(value, without, jackknife.ANYTHING, confidence)
    return memo.Difference(
        value=None if value is None else settled(value),
        null_reason=None if value is not None else "no_reference",
        interval=found.interval,
        interval_null_reason=found.null_reason,  # type: ignore[arg-type]  # one of the jackknife's
        clusters=sum(n > 0 for _, n, _, _ in clusters),
    )


def _ratio(x: int, n: int) -> float | None:
    return x / n if n else None


def _minus(x: int, n: int, y: int, m: int) -> float | None:
    if not n or not m:
        return None
    return (y - x) / n if n == m else y / m - x / n
