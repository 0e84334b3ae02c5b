"""How well the judging went: agreement of the two reviews, the third judge's part, quality."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence

from app.domain import memo
from app.domain.judgement import Coding
from app.domain.measured import Measured
from app.domain.protocol import REVIEWERS_PER_ITEM
from app.domain.results import LABELS, Case, Results, absent_rate, as_memo, ratio, share
from app.domain.statistics import agreement as coefficients
from app.domain.statistics import rates


def agreement(results: Results) -> memo.Agreement:
    """Return the agreement of the two first-signed reviews, before any adjudication."""
    pairs = [_first_pair(case) for case in results.cases if _compared(case)]
    table = coefficients.contingency([(one.label, two.label) for one, two in pairs], LABELS)
    shown = (
        [[cell + table[j][i] for j, cell in enumerate(row)] for i, row in enumerate(table)] if results.pool else table
    )
    kappa = _coefficient(coefficients.cohen_kappa(table))
    if results.pool:
        kappa = kappa.model_copy(update={"value": None, "null_reason": "pool", "expected": None})
    return memo.Agreement(
        n=len(pairs),
        labels=LABELS,
        matrix=shown,
        observed=share(results, lambda case: _same_label(*_first_pair(case)), _compared),
        ac1=_coefficient(coefficients.gwet_ac1(table)),
        alpha=_coefficient(coefficients.krippendorff_alpha(table)),
        kappa=kappa,
        brennan_prediger=_coefficient(coefficients.brennan_prediger(table)),
        routing=share(results, lambda case: operator.eq(*_first_pair(case)), _compared),
        specific={
            key: ratio(*coefficients.specific_agreement(table, k), "label_unused" if pairs else "no_items")
            for k, key in enumerate(LABELS)
        },
        introduced=_two_by_two([(a.introduced is not None, b.introduced is not None) for a, b in pairs]),
        destructive=_two_by_two([(a.destructive, b.destructive) for a, b in pairs]),
    )


def _compared(case: Case) -> bool:
    return len(case.item.first_signed) == REVIEWERS_PER_ITEM and not case.item.auto_coded and not case.withdrawn


def _first_pair(case: Case) -> tuple[Coding, Coding]:
    one, two = case.item.first_signed
    return one, two


def _same_label(one: Coding, two: Coding) -> bool:
    return one.label == two.label


def _coefficient(found: coefficients.Coefficient) -> memo.Coefficient:
    return memo.Coefficient.model_validate(vars(found) | {"interval": None})


def _two_by_two(marks: Sequence[tuple[bool, bool]]) -> memo.TwoByTwo:
    counted = Counter(marks)
    counts = (counted[True, True], counted[True, False], counted[False, True], counted[False, False])
    unused: memo.NullReason = "label_unused" if marks else "no_items"
    return memo.TwoByTwo(
        positive=ratio(*coefficients.positive(counts), unused),
        negative=ratio(*coefficients.negative(counts), unused),
        counts=counts,
    )


def adjudication(results: Results) -> memo.Adjudication:
    """Return what the third judge did with the items on which the reviews differ."""
    routed = [case for case in results.cases if case.outcome.routed]
    done = [
        case for case in routed if case.item.adjudication is not None and case.item.adjudication.decision is not None
    ]
    confirmed = sum(case.outcome.final in case.item.signed for case in done)
    unresolved = sum(case.outcome.final is None for case in done)
    return memo.Adjudication(
        routed=len(routed),
        confirmed=confirmed,
        changed=len(done) - confirmed - unresolved,
        unresolved=unresolved,
        pending=len(routed) - len(done),
        dissent=sum(case.outcome.dissent for case in routed),
        first_judgement_stood=_first_stood(done, results),
        audit_agreed=_audits_upheld(results),
        disputed=_disputed(results),
    )


def _disputed(results: Results) -> list[memo.Disputed]:
    """Count the disputed items by the pair of labels and the reason why they were not settled."""
    kinds: Counter[tuple[str, str, str]] = Counter()
    for case in results.cases:
        if case.outcome.state == "disputed":
            one, other = sorted((coding.label for coding in case.item.signed), key=LABELS.index)
            step = case.item.adjudication
            kinds[one, other, (step and step.unresolved_reason) or "no_adjudicator"] += 1
    return [memo.Disputed(one=a, other=b, reason=why, count=n) for (a, b, why), n in sorted(kinds.items())]


def _first_stood(done: Sequence[Case], results: Results) -> memo.Rate:
    if not results.adjudicator:
        return absent_rate("no_adjudicator")
    if not results.own_judgement_first:
        return absent_rate("not_enabled")
    steps = [case.item.adjudication for case in done if case.item.adjudication is not None]
    stood = sum(step.final is not None and step.final == step.first for step in steps)
    return as_memo(rates.rate(stood, len(steps), None, results.confidence))


def _audits_upheld(results: Results) -> memo.Rate:
    """Return the share of audited items on which the adjudicator came to what the two reviews agree on."""
    if not results.audited:
        return absent_rate("not_enabled")
    if not results.adjudicator:
        return absent_rate("no_adjudicator")
    done = [case for case in results.cases if case.item.audit is not None and case.item.audit.decision is not None]
    upheld = sum(case.item.audit is not None and case.item.audit.final == case.item.signed[0] for case in done)
    return ratio(upheld, len(done))


def quality(results: Results, measured: Measured, equal_one_panel: int) -> memo.Quality:
    """Return what is known of the judging itself. `equal_one_panel`: see the check page; less those withdrawn."""
    repeats = [one == other for one, other in measured.repeats]
    return memo.Quality(
        repeats=ratio(sum(repeats), len(repeats)) if results.repeated else absent_rate("not_enabled"),
        sentinels=memo.Sentinels(
            destructive=_of_sentinels(results, measured.damaged), clean=_of_sentinels(results, measured.clean)
        ),
        side_bias=memo.Absent(null_reason="not_enabled"),
        blinding_index=memo.Absent(null_reason="not_enabled"),
        active_minutes=memo.Absent(null_reason="not_enabled"),
        references_equal_one_panel=ratio(equal_one_panel, sum(not case.withdrawn for case in results.cases)),
    )


def _of_sentinels(results: Results, hits: Sequence[bool]) -> memo.Rate:
    return ratio(sum(hits), len(hits)) if results.sentinels else absent_rate("not_enabled")
