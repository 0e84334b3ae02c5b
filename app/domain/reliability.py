"""How well the judging went: agreement of the two reviews, the third judge's part, quality."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from app.domain import memo
from app.domain.judgement import Coding
from app.domain.measured import JUDGES, Measured
from app.domain.outcome import Adjudication
from app.domain.protocol import REVIEWERS_PER_ITEM
from app.domain.results import LABELS, Case, Results, absent_rate, as_memo, count, disputed, ratio
from app.domain.statistics import agreement as coefficients
from app.domain.statistics import bootstrap, jackknife, rates, stacks
from app.domain.statistics import quality as measures
from app.domain.statistics.numeric import Array
from app.domain.statistics.quality import Answered

_COEFFICIENTS: Final = {
    "ac1": coefficients.gwet_ac1,
    "alpha": coefficients.krippendorff_alpha,
    "kappa": coefficients.cohen_kappa,
    "brennan_prediger": coefficients.brennan_prediger,
}


class _Said(NamedTuple):
    """All that agreement reads off the two reviews of an item, in the order of the reviewers."""

    labels: tuple[int, int]
    introduced: tuple[bool, bool]
    destructive: tuple[bool, bool]
    routed: bool


Groups: TypeAlias = Counter[tuple[str, _Said]]


def agreement(results: Results) -> memo.Agreement:
    """Return the agreement of the two first-signed reviews, before any adjudication."""
    groups = _said(results)
    whole: Groups = Counter()
    for part in groups.values():
        whole.update(part)
    pairs = _Pairs.of(whole)
    again = pairs.resampled(results.seed, results.resamples)
    table, matrix = pairs.table(), pairs.table()
    if results.pool:
        matrix = [[cell + table[j][i] for j, cell in enumerate(row)] for i, row in enumerate(table)]
    return memo.Agreement(
        n=pairs.n,
        labels=LABELS,
        matrix=matrix,
        observed=pairs.share(lambda said: said.labels[0] == said.labels[1], results),
        **pairs.corrected(results, again, second=True),
        routing=pairs.share(lambda said: not said.routed, results),
        specific={key: pairs.specific(pairs.labels, k, results) for k, key in enumerate(LABELS)},
        **pairs.headline(results),
        by_stratum={name: _stratum(_Pairs.of(groups[name]), results) for name in results.strata},
        clusters=pairs.clusters,
        resamples=results.resamples if again is None else len(again),
        seed=results.seed,
    )


def _stratum(pairs: _Pairs, results: Results) -> memo.StratumAgreement:
    return memo.StratumAgreement(
        n=pairs.n,
        observed=pairs.share(lambda said: said.labels[0] == said.labels[1], results),
        **pairs.corrected(results),
        **pairs.headline(results),
    )


def _said(results: Results) -> defaultdict[str, Groups]:
    """Count items by stratum, cluster and what was said: few kinds of answers, however many items there are."""
    groups: defaultdict[str, Groups] = defaultdict(Counter)
    known: dict[tuple[str | None, ...], _Said] = {}
    for case in results.cases:
        if _compared(case):
            one, two = case.item.first_signed
            key = (one.label, one.arm, one.also, two.label, two.arm, two.also)
            if key not in known:
                known[key] = _Said(
                    (LABELS.index(one.label), LABELS.index(two.label)),
                    (one.introduced is not None, two.introduced is not None),
                    (one.destructive, two.destructive),
                    one != two,
                )
            groups[case.item.stratum][case.item.cluster, known[key]] += case.times
    return groups


@dataclass(frozen=True)
class _Pairs:
    """Both reviews of each item that two people judged, counted by kind; clusters are numbers from 0."""

    kinds: list[tuple[int, _Said, int]]
    clusters: int

    @classmethod
    def of(cls, groups: Groups) -> _Pairs:
        # Sorted, so that the order of the items is of no account to the bootstrap's draw.
        number = {name: place for place, name in enumerate(sorted({cluster for cluster, _ in groups}))}
        return cls([(number[cluster], said, n) for (cluster, said), n in groups.items()], len(number))

    @property
    def n(self) -> int:
        """How many items there are."""
        return sum(n for _, _, n in self.kinds)

    def share(self, event: Callable[[_Said], bool], results: Results) -> memo.Rate:
        """Return the rate of an event among all items, with both intervals."""
        counts = [[0, 0] for _ in range(self.clusters)]
        for cluster, said, n in self.kinds:
            counts[cluster][0] += n * event(said)
            counts[cluster][1] += n
        events = sum(x for x, _ in counts)
        return as_memo(rates.rate(events, self.n, [(x, n) for x, n in counts], results.confidence))

    @cached_property
    def labels(self) -> Array:
        """The reviews as one table of labels a cluster."""
        return self._stack(lambda said: said.labels, len(LABELS))

    def _stack(self, answers: Callable[[_Said], tuple[int, int]], q: int) -> Array:
        return stacks.by_cluster(((cluster, *answers(said), n) for cluster, said, n in self.kinds), self.clusters, q)

    def table(self) -> list[list[int]]:
        """Return the labels of all clusters in one table."""
        return [[int(cell) for cell in row] for row in self.labels.sum(axis=0)]

    def corrected(self, results: Results, again: Array | None = None, *, second: bool = False) -> dict[str, Any]:
        """Return each coefficient of the memo with its intervals; `second`: with the bootstrap's, of `again`."""
        table = self.table()
        return {
            name: self._pooled(second=second)
            if name == "kappa" and results.pool
            else memo.Coefficient.model_validate(
                vars(of(table))
                | self._interval(self.labels, stacks.COEFFICIENTS[name], of(table).value, results)
                | {
                    "bootstrap": self._second(again, name, of(table), results) if second else None,
                    "clusters": self.clusters,
                }
            )
            for name, of in _COEFFICIENTS.items()
        }

    def _pooled(self, *, second: bool) -> memo.Coefficient:
        """Return kappa where reviewers are a pool: rows and columns are nobody's."""
        found = coefficients.cohen_kappa(self.table())
        none = memo.Resampled(interval=None, null_reason="pool", undefined=None)
        return memo.Coefficient(
            value=None,
            null_reason="pool",
            interval=None,
            interval_null_reason="pool",
            n=found.n,
            observed=found.observed,
            expected=None,
            bootstrap=none if second else None,
            clusters=self.clusters,
        )

    def resampled(self, seed: int, resamples: int) -> Array | None:
        """Return the labels of each resample of clusters, as many as are drawn; None where there is no bootstrap."""
        if bootstrap.why_none(self.clusters, resamples) is not None:
            return None
        return bootstrap.resampled(self.labels, resamples, seed)

    def _second(
        self, again: Array | None, name: str, found: coefficients.Coefficient, results: Results
    ) -> memo.Resampled:
        """Return the bootstrap's interval of a coefficient, or why there is none."""
        if found.value is None or again is None:
            reason = found.null_reason or bootstrap.why_none(self.clusters, results.resamples)
            return memo.Resampled.model_validate({"interval": None, "null_reason": reason, "undefined": None})
        return memo.Resampled.model_validate(
            vars(bootstrap.percentile(stacks.COEFFICIENTS[name](again), results.confidence))
        )

    def _interval(
        self, stack: Array, of: stacks.Statistic, value: float | None, results: Results, undefined: str = "no_variation"
    ) -> dict[str, Any]:
        """Return the jackknife's interval of a statistic of a stack, or why there is none."""
        share_of_marks = undefined == "label_unused"
        without = [None if math.isnan(each) else each for each in of(stack.sum(axis=0) - stack).tolist()]
        bounds = jackknife.SHARE if share_of_marks else jackknife.COEFFICIENT
        found = jackknife.jackknife(value, without, bounds, results.confidence, undefined)
        return {"interval": found.interval, "interval_null_reason": found.null_reason}

    def specific(self, stack: Array, k: int, results: Results) -> memo.Rate:
        """Return the specific agreement on one label of a stack; its base is marks, two an item."""
        whole = [[int(cell) for cell in row] for row in stack.sum(axis=0)]
        found = ratio(*coefficients.specific_agreement(whole, k), "label_unused" if self.kinds else "no_items")
        if found.value is None:
            return found
        told = self._interval(stack, stacks.specific(k), found.value, results, "label_unused")
        intervals = {} if told["interval"] is None else {"cluster_jackknife": told["interval"]}
        return found.model_copy(
            update={
                "intervals": intervals,
                "interval_null_reason": told["interval_null_reason"],
                "clusters": self.clusters,
            }
        )

    def headline(self, results: Results) -> dict[str, Any]:
        """Return introduced / not and destructive / not."""
        return {
            "introduced": self._two_by_two(lambda said: said.introduced, results),
            "destructive": self._two_by_two(lambda said: said.destructive, results),
        }

    def _two_by_two(self, marks: Callable[[_Said], tuple[bool, bool]], results: Results) -> memo.TwoByTwo:
        # Yes comes first, as in the counts: both, first only, second only, neither.
        stack = self._stack(lambda said: (int(not marks(said)[0]), int(not marks(said)[1])), 2)
        both, first, second, neither = (int(cell) for cell in stack.sum(axis=0).ravel())
        counts = (both, first, second, neither)
        return memo.TwoByTwo(
            positive=self.specific(stack, 0, results),
            negative=self.specific(stack, 1, results),
            counts=counts,
            prevalence_index=coefficients.prevalence_index(counts),
            bias_index=None if results.pool else coefficients.bias_index(counts),
        )


def _compared(case: Case) -> bool:
    return len(case.item.first_signed) == REVIEWERS_PER_ITEM and not case.item.auto_coded and not case.withdrawn


def adjudication(results: Results) -> memo.Adjudication:
    """Return what the third judge did with the items on which the reviews differ."""
    routed = [case for case in results.cases if case.outcome.routed]
    done = [
        case for case in routed if case.item.adjudication is not None and case.item.adjudication.decision is not None
    ]
    confirmed = count(case for case in done if case.outcome.final in case.item.signed)
    unresolved = count(case for case in done if case.outcome.final is None)
    return memo.Adjudication(
        routed=count(routed),
        confirmed=confirmed,
        changed=count(done) - confirmed - unresolved,
        unresolved=unresolved,
        pending=count(routed) - count(done),
        dissent=count(case for case in routed if case.outcome.dissent),
        first_judgement_stood=_first_stood(done, results),
        audit_agreed=_audits_upheld(results),
        disputed=disputed(results.cases),
    )


def _first_stood(done: Sequence[Case], results: Results) -> memo.Rate:
    if not results.adjudicator:
        return absent_rate("no_adjudicator")
    if not results.own_judgement_first:
        return absent_rate("not_enabled")
    stood = count(case for case in done if _stood(case.item.adjudication))
    return as_memo(rates.rate(stood, count(done), None, results.confidence))


def _stood(step: Adjudication | None) -> bool:
    return step is not None and step.final is not None and step.final == step.first


def _audits_upheld(results: Results) -> memo.Rate:
    """Return the share of audited items on which the adjudicator came to what the two reviews agree on."""
    if not results.audited:
        return absent_rate("not_enabled")
    if not results.adjudicator:
        return absent_rate("no_adjudicator")
    audits = (case for case in results.cases for _ in range(case.times) if case.item.audit is not None)
    steps = [(case.item.signed[0], case.item.audit) for case in audits if case.item.audit is not None]
    # One that was left unresolved has no final answer, and is not upheld.
    done = [(agreed, step.final or Coding("")) for agreed, step in steps if step.decision is not None]
    return as_memo(measures.audit_upheld([Answered("", *pair) for pair in done], results.confidence))


def quality(results: Results, measured: Measured, equal_one_panel: int) -> memo.Quality:
    """Return what is known of the judging itself. `equal_one_panel`: see the check page; less those withdrawn."""
    level, off = results.confidence, absent_rate("not_enabled")
    known = measured.sentinels
    return memo.Quality(
        repeats=as_memo(measures.repeats(measured.repeats, level)) if results.repeated else off,
        sentinels=memo.Sentinels(
            destructive=as_memo(measures.sentinels_destructive(known, level)) if results.sentinels else off,
            clean=as_memo(measures.sentinels_clean(known, level)) if results.sentinels else off,
        ),
        side_bias=memo.SideBias.model_validate(vars(measures.side_bias(measured.panels, level))),
        blinding_index={role: _blinding_index(results, measured, role) for role in JUDGES},
        active_minutes={
            role: memo.ActiveMinutes.model_validate(vars(measures.active_minutes(measured.moments.get(role, ()))))
            for role in JUDGES
        },
        references_equal_one_panel=ratio(
            equal_one_panel, count(case for case in (*results.cases, *results.apart) if not case.withdrawn)
        ),
    )


def _blinding_index(results: Results, measured: Measured, role: str) -> memo.BlindingIndex:
    found = memo.BlindingIndex.model_validate(vars(measures.blinding_index(measured.guesses, role, results.confidence)))
    return found if results.guessed else found.model_copy(update={"null_reason": "not_enabled"})


def detection(measured: Measured) -> float | None:
    """Return the share of damage found in sentinels, which the gate reads; None where there is none to find."""
    return measures.sentinels_destructive(measured.sentinels).value
