"""What this study shows and what it does not, each sentence from a fact of the memo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.domain import gate
from app.domain.memo import BlindingIndex, Memo
from app.domain.statistics.quality import FEWEST_GUESSES
from app.report.extension import Extension, extension
from app.report.wording import (
    UNVERIFIED,
    cluster,
    confidence,
    contradicted,
    count,
    few,
    filter_named,
    half_up,
    percent,
    rule,
    synthetic,
)

_FEW_MARKS: Final = 10  # with fewer items marked by anybody, agreement on damage is an anecdote
_ROLES: Final = {"reviewer": "reviewers", "adjudicator": "adjudicators"}


def shows(memo: Memo) -> tuple[str, ...]:
    """Return what was found."""
    if rule(memo) == gate.BLOCKED:
        return ("Why the study is blocked. Of the filter it shows nothing.",)
    if not (memo.primary.introduced_counting_unresolved.denominator or extension(memo)):
        return ("Nothing of the filter: there is no item left to count.",)
    return (*_judged(memo), *_damage(memo), *contradicted(memo), *_rest(memo), *_agreement(memo), *_guesses(memo))


def does_not_show(memo: Memo) -> tuple[str, ...]:
    """Return what stays open."""
    counted = memo.primary.introduced_counting_unresolved.denominator or extension(memo)
    found = list(_open(memo)) if counted and rule(memo) != gate.BLOCKED else []
    if memo.study.pairing == "imported_unverified":
        found.append(UNVERIFIED)
    found.append("Whether the filter helps anybody: that was not asked.")
    found.append(
        "What the filter does to real speech: the texts are invented."
        if synthetic(memo)
        else "How often it happens in other speech, or with another version or setting of the filter."
    )
    return tuple(found)


def _judged(memo: Memo) -> Iterator[str]:
    sample = memo.sample
    equal = f"; {sample.auto_coded} were equal under the comparator and judged by nobody" if sample.auto_coded else ""
    gone = f"; {sample.withdrawn} were withdrawn" if sample.withdrawn else ""
    apart = f"; {reported_apart(beside)}" if (beside := extension(memo)) else ""
    yield f"Of {count(sample.imported, 'item')}, two people judged {sample.reviewed}{equal}{gone}{apart}."


def reported_apart(beside: Extension) -> str:
    """Say how many items no pooled number counts."""
    are = "is" if beside.imported == 1 else "are"
    return f"{count(beside.imported, 'more item')} of an extension ({beside.names}) {are} reported apart"


def _damage(memo: Memo) -> Iterator[str]:
    introduced, changed = memo.primary.introduced, memo.primary.introduced_among_changed
    units = count(memo.sample.clusters.count, cluster(memo), cluster(memo, 2))
    if introduced.numerator:
        share = f" ({percent(changed.value)})" if changed.value is not None and not few(changed.clusters) else ""
        yield (
            f"The filter introduced confirmed damage on {count(introduced.numerator, 'item')}, in "
            f"{memo.primary.clusters_with_event} of {units}: {changed.numerator} of {changed.denominator} "
            "items that it "
            f"changed and that have a final answer{share}."
        )
        yield from _how_confirmed(introduced.numerator, memo.primary.seen_by_both)
    else:
        outside = " outside the extension" if extension(memo) else ""
        yield (
            f"No item of {introduced.denominator}{outside} with a final answer has confirmed introduced damage; the "
            f"filter changed {changed.denominator} of these, in a sample of {units}."
        )
    if beside := extension(memo):
        found = f"on {beside.introduced} of {beside.answered}" if beside.introduced else f"on none of {beside.answered}"
        yield f"In the extension it introduced confirmed damage {found} items with a final answer."
    both, _on, off, _neither = memo.primary.damaged.counts
    if both or off:
        together, alone = count(both, "item") if both else "no item", count(off, "item") if off else "none"
        yield f"Both texts of {together} were damaged, and of {alone} the off text alone."


def _how_confirmed(confirmed: int, by_both: int | None) -> Iterator[str]:
    """Yield on how many confirmed edits two people saw the damage: what one person settled is less sure."""
    if by_both is None:  # a memo of before
        return
    if by_both == confirmed:
        yield f"Both reviewers marked introduced damage on {'it' if confirmed == 1 else 'each of them'}."
    elif not by_both:
        none, each = ("It was not", "it") if confirmed == 1 else ("None of them was", "each")
        yield f"{none} marked by both reviewers: the adjudicator settled {each}."
    else:
        others = confirmed - by_both
        were = "was" if by_both == 1 else "were"
        yield f"{by_both} of them {were} marked by both reviewers; the adjudicator settled the other {others}."


def _rest(memo: Memo) -> Iterator[str]:
    changed, clean = memo.controls.changed, memo.cleanup.safe_cleanup
    if changed.denominator:
        parts = (
            f": {memo.controls.safe} safely, {memo.controls.destructive} with damage, {memo.controls.other} otherwise"
        )
        yield (
            f"Of {count(changed.denominator, 'control')}, where there was nothing to tidy, the filter changed "
            f"{changed.numerator}"
            f"{parts if changed.numerator else ''}."
        )
    if clean.denominator:
        yield (
            f"With the filter on a disfluency was gone and the meaning intact on {clean.numerator} of "
            f"{clean.denominator} "
            "disfluent items."
        )


def _agreement(memo: Memo) -> Iterator[str]:
    same, (both, first, second, _) = memo.agreement.observed, memo.agreement.introduced.counts
    if same.denominator:
        yield (
            f"Before adjudication two reviewers gave {same.numerator} of {same.denominator} items the same label. "
            f"Introduced damage was marked by both on {both}, by one alone on {first + second}."
        )


def _guesses(memo: Memo) -> Iterator[str]:
    for role, each in memo.quality.blinding_index.items():
        asked = each.right + each.wrong + each.cannot_tell
        if each.value is not None:
            who = f"the one {role} was" if each.judges == 1 else f"{_ROLES[role]} were"
            told = f"Asked which text was filtered, {who} right {each.right} and wrong {each.wrong} times of {asked}"
            yield f"{told}: {_index(memo, each)}."


def _index(memo: Memo, found: BlindingIndex) -> str:
    """Return the index with how far it may be trusted; few guesses have none that is worth a number."""
    if found.right + found.wrong + found.cannot_tell < FEWEST_GUESSES:
        return "too few to say"
    told = f"a blinding index of {half_up(found.value or 0, 2)}, where 0 is chance"
    limits = found.interval or found.independent
    if limits is None:
        return f"{told}; no interval can be given"
    how = "by judge" if found.interval else "as if guesses were independent"
    return f"{told}; {confidence(memo)} interval {how} {half_up(limits[0], 2)} to {half_up(limits[1], 2)}"


def _open(memo: Memo) -> Iterator[str]:
    sample, primary = memo.sample, memo.primary
    unresolved = (primary.introduced_counting_unresolved.numerator or 0) - (primary.introduced.numerator or 0)
    if beside := extension(memo):
        unresolved += beside.worst - beside.introduced
    if unresolved:
        yield f"What the filter did on {count(unresolved, 'item')}: disputed, pending or not assessable."
    units = count(sample.clusters.count, cluster(memo), cluster(memo, 2))
    are = "is" if sample.clusters.count == 1 else "are"
    if few(sample.clusters.count):
        yield (
            f"How far one {cluster(memo)} differs from another: there {are} {units} only, so that every interval "
            f"by {cluster(memo)} is rough."
        )
    if short := sum(sample.shortages.values()):
        yield f"What the plan wanted of {count(short, 'more item')}: the sample is short of them."
    marked = sum(memo.agreement.introduced.counts[:3])
    if memo.agreement.n and marked < _FEW_MARKS:
        yield (
            "How well two people agree on introduced damage: one of them or both marked it on "
            f"{count(marked, 'item')}, too "
            "few to say."
        )
    yield from _unmeasured(memo)


def _unmeasured(memo: Memo) -> Iterator[str]:
    if all(each.value is None for each in memo.quality.blinding_index.values()):
        yield "Whether judges could guess which text was filtered: it was not measured."
    if told := memo.quality.references_equal_one_panel.numerator:
        yield f"How {count(told, 'item')} would be judged blind: there a shown reference equals exactly one text."
    seats = memo.conduct.judges.values()
    judges, attested, informed = (sum(getattr(s, n) for s in seats) for n in ("judges", "attested", "informed"))
    if informed:
        yield f"How blind {informed} of {judges} judges were: they had led the study or imported items."
    if attested < judges:
        yield f"What qualifies {judges - attested} of {judges} judges: nobody attested it."
    if not filter_named(memo):
        yield "Which filter this was: the protocol names none."
