"""The memo's shape: aggregates only. These models are the source of the published JSON Schema.

A value that does not exist is null and its `null_reason` says why, never 0, 1 or NaN.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA = "evenhand-memo/1"

NullReason = Literal[
    "no_items",
    "no_variation",
    "label_unused",
    "one_cluster",
    "few_clusters",
    "zero_variance",
    "no_reference",
    "no_event_annotation",
    "identical_not_judged",
    "not_enabled",
    "no_adjudicator",
    "pool",
    "not_permitted",
    "small_cell",
]
Judging = Literal["reviewer", "adjudicator"]
FurtherDecision = Literal["none", "design_change", "decision_record", "human_study"]
Interval = tuple[float, float]


class Shape(BaseModel):
    """Base of every part: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Rate(Shape):
    """A share with its counts. `intervals` maps a method to its low and high limit.

    `interval_null_reason`: why the interval that respects clusters is not among them. `clusters`: how many hold items
    of the denominator; such an interval rests on these. Null where none were told apart.
    """

    numerator: int | None
    denominator: int | None
    value: float | None
    null_reason: NullReason | None = None
    deff: float | None = None
    n_eff: float | None = None
    intervals: dict[str, Interval] = Field(default_factory=dict)
    interval_null_reason: NullReason | None = None
    clusters: int | None = None


class Resampled(Shape):
    """The bootstrap's interval, a second opinion; `undefined`: the share of resamples without a value."""

    interval: Interval | None
    null_reason: NullReason | None
    undefined: float | None


class Coefficient(Shape):
    """An agreement coefficient over n items; `expected` is the agreement expected by chance.

    `interval`: the cluster jackknife's, which rests on `clusters`. `bootstrap`: null within a stratum.
    """

    value: float | None
    null_reason: NullReason | None
    interval: Interval | None
    interval_null_reason: NullReason | None
    n: int
    observed: float | None
    expected: float | None
    bootstrap: Resampled | None
    clusters: int | None = None


class Difference(Shape):
    """On minus off, with the cluster jackknife's interval, which rests on `clusters`."""

    value: float | None
    null_reason: NullReason | None
    interval: Interval | None
    interval_null_reason: NullReason | None
    clusters: int | None = None


class Absent(Shape):
    """A part that this study, or this version, does not compute; it says why."""

    value: None = None
    null_reason: NullReason


class Study(Shape):
    """What was asked, and under which frozen rules."""

    id: str
    title: str
    scope: str | None
    question: str | None
    parent: str | None
    registration: str | None
    manifest_sha256: str | None
    manifest_null_reason: NullReason | None
    protocol_sha256: str
    codebook_version: str
    pairing: Literal["verified", "imported_unverified"]


class Seats(Shape):
    """The judges of one role: how many, of how many the qualification was attested, how many left before the end.

    `informed`: who led the study, or one that it follows, or imported its items. `by_lead`: whose account a lead of the
    study made, or gave a code, before the close.
    """

    judges: int
    attested: int
    left: int
    informed: int = 0
    by_lead: int = 0


class Conduct(Shape):
    """When the study was frozen and closed, by how many it was judged, and by which of the protocol's rules."""

    frozen_at: str | None
    closed_at: str | None
    judges: dict[Judging, Seats]
    comparator: str
    identical_pairs: str
    references_shown: list[str]
    own_judgement_first: bool
    max_unassessable: int
    min_cell: int = 0


class Reason(Shape):
    """One condition of the gate that holds."""

    code: str
    text: str
    count: int


class Verdict(Shape):
    """The gate's result with its reasons, and the decision that the lead draws from it."""

    status: str
    reasons: list[Reason]
    further_decision: FurtherDecision


class SampleCounts(Shape):
    """Items by state; imported is the sum of withdrawn to pending."""

    imported: int
    withdrawn: int
    auto_coded: int
    reviewed: int
    agreed: int
    adjudicated: int
    disputed: int
    pending: int
    unassessable: int


class Clusters(Shape):
    """The independent units: how many, and how many items the smallest and largest hold."""

    unit: str
    count: int
    smallest: int | None
    largest: int | None


class Sample(SampleCounts):
    """The sample, whole and by stratum; `shortages`: planned minus imported, where more than 0."""

    by_stratum: dict[str, SampleCounts]
    shortages: dict[str, int]
    clusters: Clusters


class Damage(Shape):
    """Items on which final codings put one class of damage: brought in, taken away, in both."""

    introduced: int
    repaired: int
    shared: int


class StratumRates(Shape):
    """The primary rates within one stratum."""

    introduced: Rate
    introduced_counting_unresolved: Rate
    introduced_among_changed: Rate


class Sensitivity(Shape):
    """The zero-event bounds if two items of a cluster resembled each other by `rho`, and the design effects."""

    rho: float
    deff_all: float
    among_all: float
    deff_changed: float | None
    among_changed: float | None


class ZeroEvent(Shape):
    """Upper bounds where no introduced edit was confirmed.

    `among_all` and `among_changed`: one-sided, if items were independent. The Korn-Graubard ones are the upper ends of
    two-sided intervals, which know the number of clusters; `sensitivity` says what resemblance would make of the first.
    """

    among_all: float | None
    among_changed: float | None
    korn_graubard_among_all: float | None
    korn_graubard_among_changed: float | None
    sensitivity: list[Sensitivity]
    confidence: float
    null_reason: NullReason | None


class OffOn(Shape):
    """Damage in each text, of the items that the primary rate counts. `counts`: both, on only, off only, neither.

    McNemar's exact p and Newcombe's interval take items as independent.
    """

    counts: tuple[int, int, int, int]
    difference: Difference
    newcombe: Interval | None
    mcnemar_p: float | None


class Primary(Shape):
    """The primary outcome: confirmed destructive edits that the filter introduced.

    `seen_by_both`: of the introduced ones those on which both reviews record it; the adjudicator settled the others.
    A null among severities or groups: the count is small, or left out so that a small one cannot be worked out; the
    null reason beside them says so.
    """

    introduced: Rate
    introduced_counting_unresolved: Rate
    introduced_among_changed: Rate
    by_label: dict[str, Damage]
    by_stratum: dict[str, StratumRates]
    zero_event: ZeroEvent
    damaged: OffOn
    clusters_with_event: int
    seen_by_both: int | None = None
    reasons: dict[str, int]
    severities: dict[str, int | None]
    severities_null_reason: NullReason | None = None
    groups: dict[str, int | None]
    groups_null_reason: NullReason | None = None


class Arms(Shape):
    """How often final codings of one label name an arm, both, or none."""

    on: int
    off: int
    both: int
    none: int


class Controls(Shape):
    """What became of the items declared fluent."""

    changed: Rate
    safe: int
    destructive: int
    other: int


class Cleanup(Shape):
    """What became of the disfluent items apart from damage; `other` are those that no rate here counts."""

    safe_cleanup: Rate
    unchanged: Rate
    retained: Rate
    events: Absent
    other: int | None = None


class TwoByTwo(Shape):
    """Two reviewers, marked or not. `counts`: both, first only, second only, neither.

    The indices are Byrt's: 1 where both always marked, and above 0 where the first marked more often.
    """

    positive: Rate
    negative: Rate
    counts: tuple[int, int, int, int]
    prevalence_index: float | None
    bias_index: float | None


class StratumAgreement(Shape):
    """Agreement within one stratum."""

    n: int
    observed: Rate
    ac1: Coefficient
    alpha: Coefficient
    kappa: Coefficient
    brennan_prediger: Coefficient
    introduced: TwoByTwo
    destructive: TwoByTwo


class Agreement(Shape):
    """Agreement of the two signed reviews before adjudication, over the declared labels.

    `clusters`: those with such items. `resamples`: how many the bootstrap drew, or was asked for where it drew none.
    `seed`: of its draw.
    """

    n: int
    labels: list[str]
    matrix: list[list[int]]
    observed: Rate
    ac1: Coefficient
    alpha: Coefficient
    kappa: Coefficient
    brennan_prediger: Coefficient
    routing: Rate
    specific: dict[str, Rate]
    introduced: TwoByTwo
    destructive: TwoByTwo
    by_stratum: dict[str, StratumAgreement]
    clusters: int
    resamples: int
    seed: int


class Disputed(Shape):
    """Disputed items of one kind: what the two reviews said, and why it was not settled."""

    one: str
    other: str
    reason: str
    count: int


class Adjudication(Shape):
    """What the third judge did; routed = confirmed + changed + unresolved + pending.

    `disputed`: every disputed item by kind, for escalation. Its `reason` is the
    adjudicator's, or `no_adjudicator`.
    """

    routed: int
    confirmed: int
    changed: int
    unresolved: int
    pending: int
    dissent: int
    first_judgement_stood: Rate
    audit_agreed: Rate
    disputed: list[Disputed]


class Apart(Shape):
    """A stratum of the extension. The verdict counts it, and what is told of the judging itself; no other rate does."""

    planned: int
    sample: SampleCounts
    rates: StratumRates
    by_label: dict[str, Damage] = Field(default_factory=dict)
    reasons: dict[str, int] = Field(default_factory=dict)
    dissent: int = 0
    disputed: list[Disputed] = Field(default_factory=list)


class Sentinels(Shape):
    """Detection of items with a known answer."""

    destructive: Rate
    clean: Rate


class SideBias(Shape):
    """How often answers name text A and text B, the share of A, and the exact p that both are as likely."""

    a: int
    b: int
    value: float | None
    null_reason: NullReason | None
    p: float | None
    interval: Interval | None


class BlindingIndex(Shape):
    """Bang's index of one role: (right - wrong) / all guesses of which text was filtered."""

    right: int
    wrong: int
    cannot_tell: int
    value: float | None
    null_reason: NullReason | None
    interval: Interval | None
    interval_null_reason: NullReason | None
    independent: Interval | None
    judges: int | None = None


class ActiveMinutes(Shape):
    """The median over the judges of one role of the minutes in which they were at work."""

    judges: int
    median: float | None
    null_reason: NullReason | None


class Quality(Shape):
    """How well the judging itself went."""

    repeats: Rate
    sentinels: Sentinels
    side_bias: SideBias
    blinding_index: dict[Judging, BlindingIndex]
    active_minutes: dict[Judging, ActiveMinutes]
    references_equal_one_panel: Rate


class WordRate(Shape):
    """Edits over words of the reference, in all: insertions into an empty reference are edits too."""

    numerator: int
    denominator: int
    value: float | None
    null_reason: NullReason | None
    interval: Interval | None
    interval_null_reason: NullReason | None
    substitutions: int
    deletions: int
    insertions: int
    clusters: int | None = None


class StratumWords(Shape):
    """Word errors of both texts against one kind of reference.

    `eligible`: items not withdrawn. `scored`: of these, with a reference that has words.
    """

    off: WordRate
    on: WordRate
    difference: Difference
    scored: int
    eligible: int
    empty_references: int


class WordComparison(StratumWords):
    """The same of the whole study, and by stratum."""

    by_stratum: dict[str, StratumWords]


class SapRate(Shape):
    """The challenge's word error rate; counts may be halves. `nearer`: to which reference utterances are nearer."""

    numerator: float
    denominator: float
    value: float | None
    null_reason: NullReason | None
    interval: Interval | None
    interval_null_reason: NullReason | None
    nearer: dict[str, Rate]
    clusters: int | None = None


class SapComparison(Shape):
    """Both texts by the scoring of the SAP challenge. `scored`: items both of whose references have words."""

    off: SapRate
    on: SapRate
    difference: Difference
    scored: int
    eligible: int
    empty_references: int


class WordErrors(Shape):
    """Word error rates against each kind of reference."""

    verbatim: WordComparison | Absent
    semantic: WordComparison | Absent
    sap2025: SapComparison | Absent


class RightsEntry(Shape):
    """One source's summary; who decided never enters a memo."""

    source: str
    kind: str
    version: str
    licence: str
    decision: str


class Deviation(Shape):
    """A departure from the protocol, as logged when it happened."""

    at: str
    text: str


class Memo(Shape):
    """The exported decision document."""

    schema_: Literal["evenhand-memo/1"] = Field(default="evenhand-memo/1", alias="schema")
    study: Study
    conduct: Conduct
    verdict: Verdict
    sample: Sample
    primary: Primary
    extension: dict[str, Apart] = Field(default_factory=dict)
    taxonomy: dict[str, Arms]
    controls: Controls
    cleanup: Cleanup
    agreement: Agreement
    adjudication: Adjudication
    quality: Quality
    wer: WordErrors
    rights: list[RightsEntry]
    deviations: list[Deviation]
    software: dict[str, str]
    audit_head: str | None
