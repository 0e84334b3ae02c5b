"""What the memo says in plain words, from its facts alone. No verdict is ever worded as proof of safety."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.domain import codebook, gate
from app.domain.memo import Memo, Rate

NOTHING: Final = "—"  # where a value does not exist
NO_POPULATION_RATE: Final = "sample proportion under the protocol's allocation, not a population rate"
SYNTHETIC: Final = "The texts are invented. Whatever this says of the filter, it proves nothing about speakers."
UNVERIFIED: Final = (
    "The pairs were imported, or not all made here by one filter: that the filter named made them is not verified."
)

NULL_REASONS: Final = {
    "no_items": "no item to count",
    "no_variation": "every answer was the same, so chance explains all agreement",
    "label_unused": "neither reviewer used it",
    "one_cluster": "one cluster only",
    "few_clusters": "too few clusters",
    "zero_variance": "no variance between clusters",
    "no_reference": "no reference to score against",
    "no_event_annotation": "single disfluencies were not annotated",
    "identical_not_judged": "identical pairs were not judged by people",
    "not_enabled": "not part of this study",
    "no_adjudicator": "the study had no adjudicator",
    "pool": "not defined for a pool of reviewers",
    "not_permitted": "the rights ledger does not permit it",
    "small_cell": "left out, so that no small count points at anybody",
}
DECISIONS: Final = {
    "none": "none recorded",
    "design_change": "change the design of the filter, then ask again in a new study",
    "decision_record": "write a new decision record",
    "human_study": "propose a human study, which needs co-design and ethics review first",
}
_TITLES: Final = codebook.titles() | {
    "type_unsettled": "Kind of damage not settled",
    "no_adjudicator": "The study has no adjudicator",
}
_RESOLVES: Final = {
    "pending": "{items} pending: two signed reviews, or the adjudication, would settle each.",
    "disputed": "{items} disputed: a better source, a clearer codebook or a decision on policy would settle each.",
    "recorded_harm_unresolved": "{items} unresolved on which a judge recorded introduced damage: only a settled answer "
    "resolves this, and no tolerance covers it.",
    "unassessable": "{items} not assessable: a reference or a recording would let people judge each.",
    "nothing_to_judge": "A sample in which the filter changes something outside the controls.",
    "no_controls": "A control stratum, declared fluent before the freeze.",
    "sentinel_detection": "Reviews that find enough of the items with a known answer.",
}


def rule(memo: Memo) -> str:
    """Return PASS, FAIL, INCONCLUSIVE or BLOCKED."""
    return memo.verdict.status.removesuffix("_SYNTHETIC")


def synthetic(memo: Memo) -> bool:
    """Tell whether the texts are invented."""
    return memo.verdict.status.endswith("_SYNTHETIC") or memo.study.scope == "synthetic"


def title(key: str) -> str:
    """Return the codebook's title of a key, and so of a stratum named after one; an unknown key as it is."""
    return _TITLES.get(key, key)


def why(reason: str | None) -> str:
    """Say in words why a value is null; nothing where it is not."""
    return NULL_REASONS[reason] if reason else ""


def percent(share: float) -> str:
    """Return a share for reading; a small one keeps two significant digits.

    >>> percent(1 / 3), percent(0.00015), percent(1e-17), percent(0.0), percent(0.99997)
    ('33.3%', '0.015%', 'under 0.01%', '0%', 'over 99.9%')
    """
    if 0 < share < 0.0001:  # noqa: PLR2004 - beyond what anybody reads
        return "under 0.01%"
    if 0 < share < 0.01:  # noqa: PLR2004 - one per cent
        return f"{100 * share:.2g}%"
    if 0.9995 <= share < 1:  # noqa: PLR2004 - would round to all
        return "over 99.9%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def count(n: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> count(1, "item"), count(2, "item")
    ('1 item', '2 items')
    """
    return f"{n} {one if n == 1 else many or one + 's'}"


FEW_CLUSTERS: Final = 12  # with fewer an interval by cluster is a rough one, and is not printed to the digit


def few(memo: Memo) -> bool:
    """Tell whether intervals by cluster rest on few clusters."""
    return memo.sample.clusters.count < FEW_CLUSTERS


def resting_on(memo: Memo) -> str:
    """Say in words what intervals by cluster rest on, where that is little; else nothing."""
    n = memo.sample.clusters.count
    return f"rough, for it rests on {count(n, cluster(memo), cluster(memo, 2))}" if few(memo) else ""


def best_interval(rate: Rate) -> tuple[tuple[float, float] | None, bool]:
    """Return the interval by cluster, or for want of it the one as if items were independent; and which it is."""
    clustered = rate.intervals.get("korn_graubard")
    return clustered or rate.intervals.get("clopper_pearson"), clustered is not None


def cluster(memo: Memo, n: int = 1) -> str:
    """Return the noun for the independent unit: speaker only where the protocol says so."""
    unit = memo.sample.clusters.unit
    noun = unit if unit in {"speaker", "episode"} else "cluster"
    return noun if n == 1 else f"{noun}s"


def confidence(memo: Memo) -> str:
    """Return the confidence of the intervals, e.g. 95%."""
    return percent(memo.primary.zero_event.confidence)


def headline(memo: Memo) -> str:
    """Return the verdict in one sentence."""
    introduced = memo.primary.introduced
    holding = sum(reason.code in _RESOLVES for reason in memo.verdict.reasons)
    match rule(memo):
        case gate.PASS:
            return (
                f"No confirmed destructive edit observed in this sample ({_of(introduced)} items); were items "
                f"independent, the true share could still be as high as {_bound(memo.primary.zero_event.among_all)}."
            )
        case gate.FAIL:
            return (
                f"The filter introduced a confirmed destructive edit on {_of(introduced)} items with a final answer; "
                "one is enough to fail."
            )
        case gate.BLOCKED:
            return "Rights or references that the study needs are missing or revoked: nothing is said of the filter."
    open_because = f"the question is held open by {count(holding, 'condition')}."
    return f"This study cannot say whether the filter destroys meaning: {open_because}"


def _of(rate: Rate) -> str:
    return f"{rate.numerator} of {rate.denominator}"


def _bound(value: float | None) -> str:
    return "any value (there was nothing to bound it with)" if value is None else percent(value)


def caveats(memo: Memo) -> tuple[str, ...]:
    """Return what must be read together with the headline."""
    found = [SYNTHETIC] if synthetic(memo) else []
    if rule(memo) == gate.PASS:
        found += ["This is not proof of safety.", *_pass_bounds(memo)]
        if memo.study.pairing == "imported_unverified":
            found.append(UNVERIFIED)
    if rule(memo) != gate.BLOCKED and memo.sample.unassessable:
        left_out = count(memo.sample.unassessable, "item", "items")
        found.append(f"{left_out} could not be judged, which never counts as safe.")
    return tuple(found)


def _pass_bounds(memo: Memo) -> list[str]:
    zero, rate = memo.primary.zero_event, memo.primary.introduced
    exact = f"The bound is exact, one-sided and at {confidence(memo)} confidence."
    bounds = [f"{exact} It takes items as independent, which items of one {cluster(memo)} need not be."]
    if zero.among_changed is not None:
        bounds.append(f"Among changed items alone it is {percent(zero.among_changed)}.")
    if (clustered := rate.intervals.get("korn_graubard")) is not None:
        end = _whole(clustered[1]) if few(memo) else percent(clustered[1])
        rough = f"; it is {resting_on(memo)}" if few(memo) else ""
        bounds.append(f"The two-sided interval by {cluster(memo)} (Korn-Graubard) ends at {end}{rough}.")
    bounds.append(f"Variation between {cluster(memo, 2)} cannot be estimated from zero events.")
    return bounds


def may_claim(memo: Memo) -> tuple[str, ...]:
    """Return all that may be claimed."""
    rate, unresolved = memo.primary.introduced, memo.primary.introduced_counting_unresolved
    where = "on these invented texts" if synthetic(memo) else "in this sample"
    match rule(memo):
        case gate.PASS:
            return (f"This, with every caveat: no confirmed destructive edit observed {where} ({_of(rate)} items).",)
        case gate.FAIL:
            return (
                f"That the filter, as configured, introduced confirmed destructive edits {where} ({_of(rate)} items).",
                f"That with every unresolved item counted as damaged it would be {_of(unresolved)}.",
            )
        case gate.BLOCKED:
            return ("That the study is blocked, and why.",)
    return ("That the study did not settle the question, and why. The counts below may be quoted with that.",)


def may_not_claim(memo: Memo) -> tuple[str, ...]:
    """Return what may never be claimed, whatever the verdict."""
    found = [
        "That the filter is safe, or was shown to be harmless.",
        "That the filter helps: benefit was not asked.",
        f"A rate among people: each share is a {NO_POPULATION_RATE}.",
        "That safe clean-ups or fewer word errors make up for a destructive edit.",
        "Anything about another version or configuration of the filter, or about other speech.",
        "Anything about one person, or about anybody's health.",
    ]
    if synthetic(memo):
        found.insert(0, "Anything about speakers: the texts are invented.")
    return tuple(found)


def what_follows(memo: Memo) -> tuple[str, ...]:
    """Return what the verdict blocks, allows and asks for."""
    match rule(memo):
        case gate.PASS:
            return (
                "This authorises no claim of benefit.",
                "Whether to switch the filter on by default is another question.",
            )
        case gate.FAIL:
            return (
                "This blocks every claim that the filter was validated.",
                "It blocks any proposal to switch the filter on by default.",
                *_to_investigate(memo),
            )
        case gate.BLOCKED:
            closed = memo.audit_head is not None
            return (
                "Nothing may be concluded about the filter.",
                "The study is closed: a new study, without what was withdrawn, may ask again and names this one as its "
                "parent."
                if closed
                else "What would unblock it: the reasons above, put right.",
            )
    return (
        *(
            _RESOLVES[reason.code].format(items=count(reason.count, "item"))
            for reason in memo.verdict.reasons
            if reason.code in _RESOLVES
        ),
        "The study is closed, so what would resolve it takes a new study that names this one as its parent.",
    )


def decision(memo: Memo) -> str:
    """Return the further decision that the lead picked."""
    return f"Further decision by the lead: {DECISIONS[memo.verdict.further_decision]}."


def _to_investigate(memo: Memo) -> list[str]:
    kinds = {title(key): row.introduced for key, row in memo.primary.by_label.items() if row.introduced}
    of_damage = {key for label in codebook.LABELS if label.destructive for key in label.reason_keys()}
    reasons = {title(key): n for key, n in memo.primary.reasons.items() if key in of_damage}
    found = [f"To investigate, by kind of damage: {_listed(kinds)}."] if kinds else []
    return found + ([f"Reasons that deciding judges gave: {_listed(reasons)}."] if reasons else [])


def _listed(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{title} ({count(n, 'item')})" for title, n in counts.items())


@dataclass(frozen=True)
class Figure:
    """One of the few numbers to see first."""

    title: str
    value: str
    detail: str


def figures(memo: Memo) -> tuple[Figure, ...]:
    """Return the headline numbers: what was introduced, at worst, and on how much of it two people agreed.

    None where there was no item to count.
    """
    if not memo.primary.introduced_counting_unresolved.denominator:
        return ()
    primary, pair = memo.primary, memo.agreement.introduced
    both, first, second, neither = pair.counts
    return (
        Figure("Introduced", _counts(primary.introduced), _share(memo, primary.introduced)),
        Figure(
            "Counting unresolved items as damaged",
            _counts(primary.introduced_counting_unresolved),
            _share(memo, primary.introduced_counting_unresolved),
        ),
        Figure(
            "Agreement on introduced damage",
            f"{both} of {both + first + second}" if both + first + second else NOTHING,
            f"marked by both reviewers, of all that either marked; by neither {neither}; positive and negative "
            "specific "
            f"agreement {_only_share(pair.positive)} and {_only_share(pair.negative)}",
        ),
    )


def _counts(rate: Rate) -> str:
    return _of(rate) if rate.denominator else NOTHING


def _only_share(rate: Rate) -> str:
    return NOTHING if rate.value is None else percent(rate.value)


def _share(memo: Memo, rate: Rate) -> str:
    if rate.value is None:
        return why(rate.null_reason)
    clustered = rate.intervals.get("korn_graubard")
    if not clustered:
        return percent(rate.value)
    limits = span(clustered, rough=few(memo))
    rough = f" ({resting_on(memo)})" if few(memo) else ""
    return f"{percent(rate.value)}; {confidence(memo)} interval by {cluster(memo)} {limits}{rough}"


def span(interval: tuple[float, float], *, rough: bool = False) -> str:
    """Return an interval of shares for reading; a rough one in whole per cents.

    >>> span((0.018153439, 0.8593112537)), span((0.0018, 0.8593112537), rough=True)
    ('1.8% to 85.9%', 'under 1% to 86%')
    >>> span((0.00011, 0.039)), span((0.00011, 0.0015))
    ('under 0.1% to 3.9%', '0.011% to 0.15%')
    """
    told = _whole if rough else _tenth if interval[1] >= 0.01 else percent  # noqa: PLR2004 - one per cent
    return f"{told(interval[0])} to {told(interval[1])}"


def _tenth(share: float) -> str:
    return "under 0.1%" if 0 < share < 0.001 else f"{round(100 * share, 1):g}%" if share < 0.01 else percent(share)  # noqa: PLR2004 - likewise


def _whole(share: float) -> str:
    if 0 < share < 0.005:  # noqa: PLR2004 - would round to none
        return "under 1%"
    return "over 99%" if 0.995 <= share < 1 else f"{100 * share:.0f}%"  # noqa: PLR2004 - would round to all
