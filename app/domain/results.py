"""From judged items to the memo's numbers. Counts and rates only; nothing of one item is left."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeAlias, TypeVar

from app.domain import codebook, gate, memo
from app.domain.judgement import Coding
from app.domain.outcome import JudgedItem, Outcome, recorded_harm, settle
from app.domain.protocol import REVIEWERS_PER_ITEM
from app.domain.statistics import disclosure, intervals, jackknife, paired, rates

RHOS: Final = (0.05, 0.1)  # how alike two items of a cluster might be, where no event can tell
LABELS: Final = list(codebook.LABEL_KEYS)


@dataclass(frozen=True)
class Case:
    """An item beside what became of it. `times`: how many items of its stratum and cluster are just like it."""

    item: JudgedItem
    outcome: Outcome
    times: int = 1

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


_Kind: TypeAlias = tuple[Any, ...]
_JUDGED: Final = 2  # where in a kind that begins on which an outcome depends, after stratum and cluster


def _kind(item: JudgedItem) -> _Kind:
    """Return all that tells one item from another; codings by identity, which is quick, and exact while they live."""
    step, audit = item.adjudication, item.audit
    return (
        item.stratum,
        item.cluster,
        item.control,
        item.changed,
        item.auto_coded,
        item.withdrawn,
        tuple(map(id, item.first_signed)),
        tuple(map(id, item.signed)),
        tuple(map(id, item.recorded)),
        None if step is None else (id(step.first), step.decision, id(step.final), step.unresolved_reason),
        None if audit is None else (id(audit.first), audit.decision, id(audit.final), audit.unresolved_reason),
    )


@dataclass(frozen=True)
class Results:
    """Every kind of case of a study, how often it came, and what the computations need to know of the study.

    `apart`: the cases of extension strata, which are never pooled with the others: no number but their own and the
    verdict's reads them.
    """

    cases: tuple[Case, ...]
    confidence: float = 0.95
    adjudicator: bool = True
    own_judgement_first: bool = True
    pool: bool = False
    resamples: int = 0
    seed: int = 1
    sentinels: bool = False
    repeated: bool = False
    audited: bool = False
    guessed: bool = False
    min_cell: int = 0
    apart: tuple[Case, ...] = ()

    @classmethod
    def of(
        cls,
        items: Sequence[JudgedItem],
        *,
        adjudicator: bool = True,
        extension: Collection[str] = (),
        **facts: Any,
    ) -> Results:
        """Settle every item. `extension`: the strata that are reported apart; `facts`: the other fields.

        Items of one stratum and cluster whose codings are the same objects are one case, so that a large study takes no
        longer than it has kinds of items.
        """
        kinds = [_kind(item) for item in items]
        one_of = dict(zip(kinds, items, strict=True))
        settled: dict[_Kind, Outcome] = {}
        cases = []
        for kind, times in Counter(kinds).items():
            item, judged = one_of[kind], kind[_JUDGED:]
            if judged not in settled:
                settled[judged] = settle(item, adjudicated_study=adjudicator)
            cases.append(Case(item, settled[judged], times))
        pooled = tuple(case for case in cases if case.item.stratum not in extension)
        apart = tuple(case for case in cases if case.item.stratum in extension)
        return cls(pooled, adjudicator=adjudicator, apart=apart, **facts)

    @cached_property
    def strata(self) -> list[str]:
        """The strata that items have, sorted."""
        return sorted({case.item.stratum for case in self.cases})


T = TypeVar("T")
Test = Callable[[Case], bool]
Clusters = defaultdict[str, list[int]]


def tally(cases: Iterable[Case], of: Callable[[Case], T]) -> Counter[T]:
    """Count items by what a function says of their case."""
    counts: defaultdict[T, int] = defaultdict(int)  # a Counter takes long to begin with a new key
    for case in cases:
        counts[of(case)] += case.times
    return Counter(counts)


def count(cases: Iterable[Case]) -> int:
    """Return how many items the cases are."""
    return sum(case.times for case in cases)


def share(results: Results, event: Test, among: Test) -> memo.Rate:
    """Return the rate of `event` among the cases of `among`, with both intervals."""
    return shares(results, event, among)[0]


def shares(results: Results, event: Test, among: Test) -> tuple[memo.Rate, dict[str, memo.Rate]]:
    """Return the same, and within each stratum."""
    counted = filter(among, results.cases)
    found = tally(counted, lambda case: (case.item.stratum, case.item.cluster, event(case)))
    whole: Clusters = defaultdict(lambda: [0, 0])
    parts: dict[str, Clusters] = {name: defaultdict(lambda: [0, 0]) for name in results.strata}
    for (stratum, cluster, happened), n in found.items():
        for clusters in (whole, parts[stratum]):
            clusters[cluster][0] += n * happened
            clusters[cluster][1] += n
    return _rate(whole, results), {name: _rate(clusters, results) for name, clusters in parts.items()}


def _rate(clusters: Clusters, results: Results) -> memo.Rate:
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
    """Return the counts that the gate reads off the judged items; the caller adds the study's own.

    Harm, and what is not settled, count wherever they stand, in an extension too; there being enough to judge does not.
    """
    cases = (*results.cases, *results.apart)
    counts = sample_counts(replace(results, cases=cases))
    return gate.Facts(
        introduced=count(case for case in cases if case.outcome.introduced),
        pending=counts.pending,
        disputed=counts.disputed,
        recorded_harm_unresolved=count(case for case in cases if _harm_unresolved(case)),
        unassessable=counts.unassessable,
        judged_changed=count(
            case for case in results.cases if case.outcome.confirmed and case.item.changed and not case.item.control
        ),
        control_strata=len({case.item.stratum for case in results.cases if case.item.control and not case.withdrawn}),
        withdrawn=counts.withdrawn,
        type_unsettled=count(case for case in cases if case.outcome.type_unsettled),
        apart=_apart_facts(results.apart),
    )


def _apart_facts(cases: Sequence[Case]) -> dict[str, int]:
    """Return how many of what the gate counts lie in the extension, by the code of the reason."""
    states = tally(cases, lambda case: case.outcome.state)
    return {
        "confirmed_introduced": count(case for case in cases if case.outcome.introduced),
        "pending": states["pending"],
        "disputed": states["disputed"],
        "recorded_harm_unresolved": count(case for case in cases if _harm_unresolved(case)),
        "unassessable": count(case for case in cases if case.outcome.unassessable),
        "type_unsettled": count(case for case in cases if case.outcome.type_unsettled),
        "withdrawn": states["withdrawn"],
    }


def _harm_unresolved(case: Case) -> bool:
    return case.outcome.unresolved and recorded_harm(case.item) and not case.withdrawn


def sample_counts(results: Results) -> memo.SampleCounts:
    """Count items by state."""
    return _added_up(tally(results.cases, _standing))


Standing: TypeAlias = tuple[str, str, bool, bool]


def _standing(case: Case) -> Standing:
    """Return stratum and state, whether two people reviewed it, and whether it turned out not to be assessable."""
    reviewed = len(case.item.signed) == REVIEWERS_PER_ITEM and not case.withdrawn
    return case.item.stratum, case.outcome.state, reviewed, case.outcome.unassessable


def _added_up(standing: Counter[Standing]) -> memo.SampleCounts:
    states: Counter[str] = Counter()
    for (_, state, _, _), n in standing.items():
        states[state] += n
    return memo.SampleCounts(
        imported=standing.total(),
        withdrawn=states["withdrawn"],
        auto_coded=states["auto_coded"],
        reviewed=sum(n for (_, _, reviewed, _), n in standing.items() if reviewed),
        agreed=states["agreed"],
        adjudicated=states["adjudicated"],
        disputed=states["disputed"],
        pending=states["pending"],
        unassessable=sum(n for (_, _, _, unassessable), n in standing.items() if unassessable),
    )


def sample(results: Results, planned: dict[str, int], unit: str) -> memo.Sample:
    """Return the sample, whole and by stratum, with shortages against the plan."""
    standing = tally(results.cases, _standing)
    by_stratum = {
        name: _added_up(Counter({key: n for key, n in standing.items() if key[0] == name}))
        for name in sorted({stratum for stratum, *_ in standing})
    }
    sizes = tally((case for case in results.cases if not case.withdrawn), lambda case: case.item.cluster)
    return memo.Sample(
        **_added_up(standing).model_dump(),
        by_stratum=by_stratum,
        shortages={
            name: n - there
            for name, n in planned.items()
            if n > (there := by_stratum[name].imported if name in by_stratum else 0)
        },
        clusters=memo.Clusters(
            unit=unit,
            count=len(sizes),
            smallest=min(sizes.values(), default=None),
            largest=max(sizes.values(), default=None),
        ),
    )


def extension(results: Results, planned: Mapping[str, int]) -> dict[str, memo.Apart]:
    """Return each stratum that is reported apart. `planned`: its number of items, by name."""
    apart = replace(results, cases=results.apart)
    standing = tally(apart.cases, _standing)
    rates = {key: parts for key, (_, parts) in _primary_rates(apart).items()}
    return {
        name: memo.Apart(
            planned=planned.get(name, 0),
            sample=_added_up(Counter({key: n for key, n in standing.items() if key[0] == name})),
            rates=memo.StratumRates(**{key: parts[name] for key, parts in rates.items()}),
            **_apart_damage(replace(apart, cases=tuple(case for case in apart.cases if case.item.stratum == name))),
        )
        for name in apart.strata
    }


def _apart_damage(stratum: Results) -> dict[str, Any]:
    """Return what a reader must know who looks for the cause of a verdict, or of a dispute, in one stratum."""
    return {
        "by_label": _by_label(stratum),
        "reasons": _chosen(stratum.cases, lambda coding: coding.reasons),
        "dissent": count(case for case in stratum.cases if case.outcome.dissent),
        "disputed": disputed(stratum.cases),
    }


def disputed(cases: Iterable[Case]) -> list[memo.Disputed]:
    """Count the disputed items by the pair of labels and the reason why they were not settled."""
    kinds: Counter[tuple[str, str, str]] = Counter()
    for case in cases:
        if case.outcome.state == "disputed":
            one, other = sorted((coding.label for coding in case.item.signed), key=LABELS.index)
            step = case.item.adjudication
            kinds[one, other, (step and step.unresolved_reason) or "no_adjudicator"] += case.times
    return [memo.Disputed(one=a, other=b, reason=why, count=n) for (a, b, why), n in sorted(kinds.items())]


def primary(results: Results) -> memo.Primary:
    """Return the primary outcome."""
    cases = results.cases
    found = _primary_rates(results)
    severities = _shown(results, lambda coding: (coding.severity,) if coding.severity else (), codebook.SEVERITIES)
    groups = _shown(results, lambda coding: coding.groups, codebook.GROUPS)
    return memo.Primary(
        **{key: whole for key, (whole, _) in found.items()},
        by_label=_by_label(results),
        by_stratum={
            name: memo.StratumRates(**{key: parts[name] for key, (_, parts) in found.items()})
            for name in results.strata
        },
        zero_event=_zero_event(results),
        damaged=_damaged(results),
        clusters_with_event=len({case.item.cluster for case in cases if case.outcome.introduced}),
        seen_by_both=count(case for case in cases if case.outcome.introduced and _seen_by_both(case.item)),
        reasons=_chosen(cases, lambda coding: coding.reasons),
        severities=severities,
        severities_null_reason=_left_out(severities),
        groups=groups,
        groups_null_reason=_left_out(groups),
    )


def _seen_by_both(item: JudgedItem) -> bool:
    return all(coding.introduced is not None for coding in item.signed)


def _primary_rates(results: Results) -> dict[str, tuple[memo.Rate, dict[str, memo.Rate]]]:
    """Return each primary rate, whole and by stratum."""

    def introduced(case: Case) -> bool:
        return case.outcome.introduced

    return {
        "introduced": shares(results, introduced, lambda case: case.counted),
        "introduced_counting_unresolved": shares(
            results,
            lambda case: case.outcome.introduced or case.outcome.unresolved,
            lambda case: not case.withdrawn,
        ),
        "introduced_among_changed": shares(results, introduced, lambda case: case.item.changed and case.counted),
    }


def _by_label(results: Results) -> dict[str, memo.Damage]:
    finals = {
        coding: n for coding, n in _finals(results).items() if coding.destructive
    }  # equal in label, arms and `also`, on which alone damage depends
    introduced, repaired, shared = Counter[str | None](), Counter[str | None](), Counter[str | None]()
    for coding, n in finals.items():
        introduced[coding.introduced] += n
        repaired[coding.repaired] += n
        shared[coding.shared] += n
    rows = {
        key: memo.Damage(introduced=introduced[key], repaired=repaired[key], shared=shared[key])
        for key in codebook.GRAVITY
    }
    unsettled = count(case for case in results.cases if case.outcome.type_unsettled)
    return rows | {"type_unsettled": memo.Damage(introduced=unsettled, repaired=0, shared=0)}


def _zero_event(results: Results) -> memo.ZeroEvent:
    counted = [case for case in results.cases if case.counted]
    if not counted or any(case.outcome.introduced for case in results.cases):
        return memo.ZeroEvent(
            among_all=None,
            among_changed=None,
            korn_graubard_among_all=None,
            korn_graubard_among_changed=None,
            sensitivity=[],
            confidence=results.confidence,
            null_reason=None if counted else "no_items",
        )
    everywhere = _sizes(counted)
    changed = _sizes([case for case in counted if case.item.changed])
    return memo.ZeroEvent(
        among_all=intervals.zero_event_upper(sum(everywhere), results.confidence),
        among_changed=intervals.zero_event_upper(sum(changed), results.confidence) if changed else None,
        korn_graubard_among_all=_clustered_upper(everywhere, results.confidence),
        korn_graubard_among_changed=_clustered_upper(changed, results.confidence),
        sensitivity=[_sensitivity(rho, everywhere, changed, results.confidence) for rho in RHOS],
        confidence=results.confidence,
        null_reason=None,
    )


def _sizes(cases: Sequence[Case]) -> list[int]:
    return list(tally(cases, lambda case: case.item.cluster).values())


def _clustered_upper(sizes: Sequence[int], confidence: float) -> float | None:
    found = intervals.korn_graubard([(0, n) for n in sizes], confidence)
    return None if found.interval is None else found.interval[1]


def _sensitivity(rho: float, everywhere: Sequence[int], changed: Sequence[int], confidence: float) -> memo.Sensitivity:
    deff, upper = intervals.sensitivity(everywhere, rho, confidence)
    few = intervals.sensitivity(changed, rho, confidence) if changed else (None, None)
    return memo.Sensitivity(rho=rho, deff_all=deff, among_all=upper, deff_changed=few[0], among_changed=few[1])


def _damaged(results: Results) -> memo.OffOn:
    """Compare the two texts by damage; where only the kind of an introduced edit is open, it stands in on alone."""
    counted = (case for case in results.cases if case.counted)
    found = tally(counted, lambda case: (case.item.cluster, _harmed(case.outcome)))
    sides: defaultdict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)
    for (cluster, harmed), n in found.items():
        sides[cluster][harmed] += n
    whole = sum(sides.values(), Counter())
    counts = _four(whole)
    value = paired.difference(counts)
    without = [paired.difference(_four(whole - each)) for each in sides.values()]
    told = jackknife.jackknife(value, without, jackknife.COEFFICIENT, results.confidence)
    return memo.OffOn(
        counts=counts,
        difference=memo.Difference(
            value=value,
            null_reason=None if value is not None else "no_items",
            interval=told.interval,
            interval_null_reason=told.null_reason,  # type: ignore[arg-type]  # one of the jackknife's
            clusters=len(sides),
        ),
        newcombe=paired.newcombe10(counts, results.confidence),
        mcnemar_p=paired.mcnemar_exact(counts) if value is not None else None,
    )


def _harmed(outcome: Outcome) -> tuple[bool, bool]:
    """Return whether on is damaged, and off."""
    settled = outcome.settled
    if settled is None or not settled.destructive:
        return outcome.introduced, False
    return outcome.introduced or settled.damage("on") is not None, settled.damage("off") is not None


def _four(sides: Counter[tuple[bool, bool]]) -> tuple[int, int, int, int]:
    return sides[True, True], sides[True, False], sides[False, True], sides[False, False]


Marks = Callable[[Coding], Sequence[str]]


def _marked(cases: Sequence[Case], marks: Marks) -> dict[str, disclosure.Cell]:
    """Count items on which at least one deciding judge chose each mark, and their clusters."""
    counts: Counter[str] = Counter()
    clusters: defaultdict[str, set[str]] = defaultdict(set)
    for case in cases:
        for mark in {mark for coding in case.outcome.deciding for mark in marks(coding)}:
            counts[mark] += case.times
            clusters[mark].add(case.item.cluster)
    return {mark: disclosure.Cell(n, len(clusters[mark])) for mark, n in sorted(counts.items())}


def _chosen(cases: Sequence[Case], marks: Marks) -> dict[str, int]:
    return {mark: cell.items for mark, cell in _marked(cases, marks).items()}


def _shown(results: Results, marks: Marks, choices: Sequence[codebook.Choice]) -> dict[str, int | None]:
    """Return the same of tags that may point at a person, without small counts."""
    keys = [choice.key for choice in choices]
    return disclosure.shown(_marked(results.cases, marks), keys, results.min_cell)


def _left_out(counts: Mapping[str, int | None]) -> memo.NullReason | None:
    return "small_cell" if None in counts.values() else None


def _finals(results: Results) -> dict[Coding, int]:
    """Count the final codings that rule."""
    found = tally(results.cases, lambda case: case.outcome.settled)
    return {coding: n for coding, n in found.items() if coding is not None}


def taxonomy(results: Results) -> dict[str, memo.Arms]:
    """Count, for each label, how often the final codings name each arm."""
    arms: Counter[tuple[str, str]] = Counter()
    for coding, n in _finals(results).items():
        arms[coding.label, coding.arm or "none"] += n
    return {
        key: memo.Arms(on=arms[key, "on"], off=arms[key, "off"], both=arms[key, "both"], none=arms[key, "none"])
        for key in LABELS
    }


def controls(results: Results) -> memo.Controls:
    """Return what became of the items declared fluent."""
    changed = [case for case in results.cases if case.item.control and case.item.changed and not case.withdrawn]
    destructive = count(case for case in changed if case.outcome.introduced)
    safe = count(
        case
        for case in changed
        if case.outcome.state == "auto_coded"
        or case.settled_as("benign-retention")
        or case.settled_as("no-material-edit")
        or _cleaned_on(case)
    )
    return memo.Controls(
        changed=share(results, lambda c: c.item.changed, lambda c: c.item.control and not c.withdrawn),
        safe=safe,
        destructive=destructive,
        other=count(changed) - safe - destructive,
    )


def _cleaned_on(case: Case) -> bool:
    return case.outcome.settled is not None and case.settled_as("safe-cleanup") and case.outcome.settled.arm == "on"


def cleanup(results: Results) -> memo.Cleanup:
    """Return what became of the disfluent items, apart from damage."""

    def disfluent(case: Case) -> bool:
        return not case.item.control and not case.withdrawn

    def unchanged(case: Case) -> bool:
        return not case.item.changed

    def retained(case: Case) -> bool:
        return case.settled_as("benign-retention")

    told = (_cleaned_on, unchanged, retained)
    return memo.Cleanup(
        safe_cleanup=share(results, _cleaned_on, disfluent),
        unchanged=share(results, unchanged, disfluent),
        retained=share(results, retained, disfluent),
        events=memo.Absent(null_reason="no_event_annotation"),
        other=count(case for case in results.cases if disfluent(case) and not any(each(case) for each in told)),
    )
