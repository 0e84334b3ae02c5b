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
]
FurtherDecision = Literal["none", "design_change", "decision_record", "human_study"]
Interval = tuple[float, float]


class Shape(BaseModel):
    """Base of every part: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Rate(Shape):
    """A share with its counts. `intervals` maps a method to its low and high limit."""

    numerator: int | None
    denominator: int | None
    value: float | None
    null_reason: NullReason | None = None
    deff: float | None = None
    n_eff: float | None = None
    intervals: dict[str, Interval] = Field(default_factory=dict)


class Coefficient(Shape):
    """An agreement coefficient over n items; `expected` is the agreement expected by chance."""

    value: float | None
    null_reason: NullReason | None
    interval: Interval | None
    n: int
    observed: float | None
    expected: float | None


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


class ZeroEvent(Shape):
    """One-sided upper bounds where no introduced edit was confirmed, if items were independent."""

    among_all: float | None
    among_changed: float | None
    confidence: float
    null_reason: NullReason | None


class Primary(Shape):
    """The primary outcome: confirmed destructive edits that the filter introduced."""

    introduced: Rate
    introduced_counting_unresolved: Rate
    introduced_among_changed: Rate
    by_label: dict[str, Damage]
    by_stratum: dict[str, StratumRates]
    zero_event: ZeroEvent
    clusters_with_event: int
    reasons: dict[str, int]
    severities: dict[str, int]
    groups: dict[str, int]


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
    """What became of the disfluent items apart from damage."""

    safe_cleanup: Rate
    unchanged: Rate
    retained: Rate
    events: Absent


class TwoByTwo(Shape):
    """Two reviewers, marked or not. `counts`: both, first only, second only, neither."""

    positive: Rate
    negative: Rate
    counts: tuple[int, int, int, int]


class Agreement(Shape):
    """Agreement of the two signed reviews before adjudication, over the declared labels."""

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


class Sentinels(Shape):
    """Detection of items with a known answer."""

    destructive: Rate
    clean: Rate


class Quality(Shape):
    """How well the judging itself went."""

    repeats: Rate
    sentinels: Sentinels
    side_bias: Absent
    blinding_index: Absent
    active_minutes: Absent
    references_equal_one_panel: Rate


class WordErrors(Shape):
    """Word error rates against each kind of reference."""

    verbatim: Absent
    semantic: Absent
    sap2025: Absent


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
    verdict: Verdict
    sample: Sample
    primary: Primary
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
