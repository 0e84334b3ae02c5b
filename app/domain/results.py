"""From judged items to the memo's numbers. Counts and rates only; nothing of one item is left."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from app.domain import codebook, gate, memo
from app.domain.judgement import Coding
from app.domain.outcome import JudgedItem, Outcome, recorded_harm, settle
from app.domain.protocol import REVIEWERS_PER_ITEM
from app.domain.statistics import intervals, rates

LABELS: Final = list(codebook.LABEL_KEYS)


@dataclass(frozen=True)
class Case:
    """An item beside what became of it."""

    item: JudgedItem
    outcome: Outcome

    @property
    def withdrawn(self) -> bool:
        """Erased, and counted only as withdrawn."""
        return self.item.withdrawn

    @property
    def counted(self) -> bool:
        """Stands in the denominator of the primary rate: confirmed, or coded by the comparator."""
        return self.outcome.confirmed or self.outcome.state == "auto_coded"

    def settled_as(self, label: str) -> bool:
        """Tell whether the final coding rules and has this label."""
        return self.outcome.settled is not None and self.outcome.settled.label == label


@dataclass(frozen=True)
class Results:
    """Every case of a study with what the computations need to know of the study."""

    cases: tuple[Case, ...]
    confidence: float = 0.95
    adjudicator: bool = True
    own_judgement_first: bool = True
    pool: bool = False
    sentinels: bool = False
    repeated: bool = False
    audited: bool = False

    @classmethod
    def of(cls, items: Sequence[JudgedItem], *, adjudicator: bool = True, **facts: Any) -> Results:
        """Settle every item. `facts`: the other fields."""
        cases = tuple(Case(item, settle(item, adjudicated_study=adjudicator)) for item in items)
        return cls(cases, adjudicator=adjudicator, **facts)

    def within(self, stratum: str) -> Results:
        """Return the same study cut down to one stratum."""
        return replace(self, cases=tuple(case for case in self.cases if case.item.stratum == stratum))

    @property
    def strata(self) -> list[str]:
        """The strata that items have, sorted."""
        return sorted({case.item.stratum for case in self.cases})


Test = Callable[[Case], bool]


def share(results: Results, event: Test, among: Test) -> memo.Rate:
    """Return the rate of `event` among the cases of `among`, with both intervals."""
    clusters: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for case in results.cases:
        if among(case):
            clusters[case.item.cluster][0] += event(case)
            clusters[case.item.cluster][1] += 1
    counts = [(events, n) for events, n in clusters.values()]
    return as_memo(rates.rate(sum(x for x, _ in counts), sum(n for _, n in counts), counts, results.confidence))


def ratio(numerator: int, denominator: int, null_reason: memo.NullReason = "no_items") -> memo.Rate:
    """Return a rate without intervals: its base is marks, not items drawn independently."""
    value = numerator / denominator if denominator else None
    reason = None if denominator else null_reason
    return memo.Rate(numerator=numerator, denominator=denominator, value=value, null_reason=reason)


def absent_rate(reason: memo.NullReason) -> memo.Rate:
    """Return the rate that a study does not have."""
    return memo.Rate(numerator=None, denominator=None, value=None, null_reason=reason)


def as_memo(found: rates.Rate) -> memo.Rate:
    return memo.Rate.model_validate(vars(found))


def gate_facts(results: Results) -> gate.Facts:
    """Return the counts that the gate reads off the judged items; the caller adds the study's own."""
    cases = results.cases
    counts = sample_counts(results)
    return gate.Facts(
        introduced=sum(case.outcome.introduced for case in cases),
        pending=counts.pending,
        disputed=counts.disputed,
        recorded_harm_unresolved=sum(
            case.outcome.unresolved and recorded_harm(case.item) for case in cases if not case.withdrawn
        ),
        unassessable=counts.unassessable,
        judged_changed=sum(case.outcome.confirmed and case.item.changed and not case.item.control for case in cases),
        control_strata=len({case.item.stratum for case in cases if case.item.control and not case.withdrawn}),
        withdrawn=counts.withdrawn,
        type_unsettled=sum(case.outcome.type_unsettled for case in cases),
    )


def sample_counts(results: Results) -> memo.SampleCounts:
    """Count items by state."""
    states = Counter(case.outcome.state for case in results.cases)
    return memo.SampleCounts(
        imported=len(results.cases),
        withdrawn=states["withdrawn"],
        auto_coded=states["auto_coded"],
        reviewed=sum(len(case.item.signed) == REVIEWERS_PER_ITEM for case in results.cases if not case.withdrawn),
        agreed=states["agreed"],
        adjudicated=states["adjudicated"],
        disputed=states["disputed"],
        pending=states["pending"],
        unassessable=sum(case.outcome.unassessable for case in results.cases),
    )


def sample(results: Results, planned: dict[str, int], unit: str) -> memo.Sample:
    """Return the sample, whole and by stratum, with shortages against the plan."""
    imported = Counter(case.item.stratum for case in results.cases)
    sizes = Counter(case.item.cluster for case in results.cases if not case.withdrawn)
    return memo.Sample(
        **sample_counts(results).model_dump(),
        by_stratum={stratum: sample_counts(results.within(stratum)) for stratum in results.strata},
        shortages={name: n - imported[name] for name, n in planned.items() if n > imported[name]},
        clusters=memo.Clusters(
            unit=unit,
            count=len(sizes),
            smallest=min(sizes.values(), default=None),
            largest=max(sizes.values(), default=None),
        ),
    )


def primary(results: Results) -> memo.Primary:
    """Return the primary outcome."""
    cases = results.cases
    deciding = [case.outcome.deciding for case in cases]
    return memo.Primary(
        **_primary_rates(results),
        by_label=_by_label(results),
        by_stratum={name: memo.StratumRates(**_primary_rates(results.within(name))) for name in results.strata},
        zero_event=_zero_event(results),
        clusters_with_event=len({case.item.cluster for case in cases if case.outcome.introduced}),
        reasons=_chosen(deciding, lambda coding: coding.reasons),
        severities=_chosen(deciding, lambda coding: (coding.severity,) if coding.severity else ()),
        groups=_chosen(deciding, lambda coding: coding.groups),
    )


def _primary_rates(results: Results) -> dict[str, memo.Rate]:
    def introduced(case: Case) -> bool:
        return case.outcome.introduced

    return {
        "introduced": share(results, introduced, lambda case: case.counted),
        "introduced_counting_unresolved": share(
            results,
            lambda case: case.outcome.introduced or case.outcome.unresolved,
            lambda case: not case.withdrawn,
        ),
        "introduced_among_changed": share(results, introduced, lambda case: case.counted and case.item.changed),
    }


def _by_label(results: Results) -> dict[str, memo.Damage]:
    finals = [case.outcome.settled for case in results.cases if case.outcome.settled is not None]
    introduced = Counter(coding.introduced for coding in finals)
    repaired = Counter(coding.repaired for coding in finals)
    shared = Counter(coding.shared for coding in finals)
    rows = {
        key: memo.Damage(introduced=introduced[key], repaired=repaired[key], shared=shared[key])
        for key in codebook.GRAVITY
    }
    unsettled = sum(case.outcome.type_unsettled for case in results.cases)
    return rows | {"type_unsettled": memo.Damage(introduced=unsettled, repaired=0, shared=0)}


def _zero_event(results: Results) -> memo.ZeroEvent:
    counted = [case for case in results.cases if case.counted]
    if not counted or any(case.outcome.introduced for case in results.cases):
        reason: memo.NullReason | None = None if counted else "no_items"
        return memo.ZeroEvent(among_all=None, among_changed=None, confidence=results.confidence, null_reason=reason)
    changed = sum(case.item.changed for case in counted)
    return memo.ZeroEvent(
        among_all=intervals.zero_event_upper(len(counted), results.confidence),
        among_changed=intervals.zero_event_upper(changed, results.confidence) if changed else None,
        confidence=results.confidence,
        null_reason=None,
    )


def _chosen(deciding: Sequence[Sequence[Coding]], marks: Callable[[Coding], Sequence[str]]) -> dict[str, int]:
    """Count items on which at least one deciding judge chose each mark."""
    counts = Counter(mark for codings in deciding for mark in {m for coding in codings for m in marks(coding)})
    return dict(sorted(counts.items()))


def taxonomy(results: Results) -> dict[str, memo.Arms]:
    """Count, for each label, how often the final codings name each arm."""
    finals = [case.outcome.settled for case in results.cases if case.outcome.settled is not None]
    arms = Counter((coding.label, coding.arm or "none") for coding in finals)
    return {
        key: memo.Arms(on=arms[key, "on"], off=arms[key, "off"], both=arms[key, "both"], none=arms[key, "none"])
        for key in LABELS
    }


def controls(results: Results) -> memo.Controls:
    """Return what became of the items declared fluent."""
    changed = [case for case in results.cases if case.item.control and case.item.changed and not case.withdrawn]
    destructive = sum(case.outcome.introduced for case in changed)
    safe = sum(
        case.outcome.state == "auto_coded"
        or case.settled_as("benign-retention")
        or case.settled_as("no-material-edit")
        or _cleaned_on(case)
        for case in changed
    )
    return memo.Controls(
        changed=share(results, lambda c: c.item.changed, lambda c: c.item.control and not c.withdrawn),
        safe=safe,
        destructive=destructive,
        other=len(changed) - safe - destructive,
    )


def _cleaned_on(case: Case) -> bool:
    return case.outcome.settled is not None and case.settled_as("safe-cleanup") and case.outcome.settled.arm == "on"


def cleanup(results: Results) -> memo.Cleanup:
    """Return what became of the disfluent items, apart from damage."""

    def disfluent(case: Case) -> bool:
        return not case.item.control and not case.withdrawn

    return memo.Cleanup(
        safe_cleanup=share(results, _cleaned_on, disfluent),
        unchanged=share(results, lambda case: not case.item.changed, disfluent),
        retained=share(results, lambda case: case.settled_as("benign-retention"), disfluent),
        events=memo.Absent(null_reason="no_event_annotation"),
    )
