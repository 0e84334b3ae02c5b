"""What the memo says in plain words, from its facts alone. No verdict is ever worded as proof of safety."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from app.domain import codebook, gate
from app.domain.memo import Memo, Rate
from app.report.extension import Extension, extension, introduced_by_kind, reasons

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
    "zero_variance": "every cluster gives the same value, so no interval can be estimated",
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


def half_up(number: float, places: int) -> Decimal:
    """Round as people do on paper: what the digits show as a half goes up.

    >>> str(half_up(21.25, 1)), str(half_up(-0.125, 2))
    ('21.3', '-0.13')
    """
    return Decimal(repr(float(number))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def why_by_judge(reason: str | None, judges: int | None) -> str:
    """Say the same where a cluster is a judge, whose number is known.

    >>> why_by_judge("few_clusters", 2), why_by_judge("one_cluster", 1)
    ('two judges only: an interval by judge needs four', 'one judge only')
    """
    if reason == "one_cluster":
        return "one judge only"
    if reason == "few_clusters":
        few_judges = {2: "two judges only", 3: "three judges only"}.get(judges or 0, "too few judges")
        return f"{few_judges}: an interval by judge needs four"
    return why(reason).replace("cluster", "judge")


def percent(share: float) -> str:
    """Return a share for reading with one decimal; a small one keeps two significant digits.

    >>> percent(1 / 3), percent(0.2125), percent(0.5), percent(0.00015), percent(1e-17), percent(0.99997)
    ('33.3%', '21.3%', '50.0%', '0.015%', 'under 0.01%', 'over 99.9%')
    """
    if 0 < share < 0.0001:  # noqa: PLR2004 - beyond what anybody reads
        return "under 0.01%"
    if 0 < share < 0.01:  # noqa: PLR2004 - one per cent
        return f"{_two_digits(share)}%"
    if 0.9995 <= share < 1:  # noqa: PLR2004 - would round to all
        return "over 99.9%"
    return f"{_hundredfold(share, 1)}%"


def _hundredfold(share: float, places: int) -> Decimal:
    """Return a share in per cent; by its digits, for 100 times 0.2125 need not be 21.25 in binary."""
    return (Decimal(repr(float(share))).scaleb(2)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _two_digits(share: float) -> str:
    places = 1 - Decimal(repr(float(share))).scaleb(2).adjusted()
    told = str(_hundredfold(share, places))
    return told[:-1] if told.endswith("0") and places > 1 else told


def count(n: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> count(1, "item"), count(2, "item")
    ('1 item', '2 items')
    """
    return f"{n} {one if n == 1 else many or one + 's'}"


FEW_CLUSTERS: Final = 12  # with fewer an interval by cluster is a rough one, and is not printed to the digit


def few(clusters: int | None) -> bool:
    """Tell whether an interval by cluster that rests on so many rests on few."""
    return clusters is not None and clusters < FEW_CLUSTERS


def resting_on(memo: Memo, clusters: int | None) -> str:
    """Say in words what an interval by cluster rests on, where that is little; else nothing."""
    return f"rough, for it rests on {count(clusters or 0, cluster(memo), cluster(memo, 2))}" if few(clusters) else ""


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
    return f"{100 * memo.primary.zero_event.confidence:g}%"


def headline(memo: Memo) -> str:
    """Return the verdict in one sentence."""
    introduced = memo.primary.introduced
    holding = sum(reason.code in _RESOLVES for reason in memo.verdict.reasons)
    match rule(memo):
        case gate.PASS:
            apart = f"; nor in the extension, {_apart_of(beside)}" if (beside := extension(memo)) else ""
            return (
                f"No confirmed destructive edit observed in this sample ({_of(introduced)} items{apart}); were items "
                f"independent, the true share could still be as high as {_bound(memo.primary.zero_event.among_all)}."
            )
        case gate.FAIL:
            where = _harmed(introduced, extension(memo))
            return f"The filter introduced a confirmed destructive edit on {where}; one is enough to fail."
        case gate.BLOCKED:
            return "Rights or references that the study needs are missing or revoked: nothing is said of the filter."
    open_because = f"the question is held open by {count(holding, 'condition')}."
    return f"This study cannot say whether the filter destroys meaning: {open_because}"


def _harmed(rate: Rate, beside: Extension | None) -> str:
    """Say on how many items there is confirmed damage, in the extension too: there alone it fails a study as well."""
    if beside is None:
        return f"{_of(rate)} items with a final answer"
    if not rate.numerator:
        where = f"{_apart_of(beside)} items of the extension ({beside.names})"
        others = f"and on none of the {rate.denominator} others" if rate.denominator else "the only ones with an answer"
        return f"{where}, {others}"
    pooled = f"{_of(rate)} with a final answer"
    if not beside.introduced:
        return f"{_of(rate)} items with a final answer, and on none of {beside.answered} in the extension"
    whole = count(rate.numerator + beside.introduced, "item")
    return f"{whole}: {pooled}, and {_apart_of(beside)} in the extension, reported apart"


def _apart_of(beside: Extension) -> str:
    return f"{beside.introduced} of {beside.answered}"


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
    beside = extension(memo)
    unassessable = memo.sample.unassessable + (beside.unassessable if beside else 0)
    if rule(memo) != gate.BLOCKED and unassessable:
        found.append(f"{count(unassessable, 'item')} could not be judged, which never counts as safe.")
    if rule(memo) == gate.FAIL:
        found += contradicted(memo)
    return tuple(found)


def contradicted(memo: Memo) -> list[str]:
    """Say of how many confirmed edits the adjudicator saw no damage; nothing where of none."""
    beside = extension(memo)
    n = memo.adjudication.dissent + (beside.dissent if beside else 0)
    if not n:
        return []
    all_of_them = (memo.primary.introduced.numerator or 0) + (beside.introduced if beside else 0)
    told = "the confirmed edits" if n > 1 or all_of_them > n else "the confirmed edit"
    where = f"{'one' if n == 1 else n} of the confirmed edits" if all_of_them > n else told
    stands = "it counts, and its kind is not settled" if n == 1 else "they count, and their kinds are not settled"
    return [f"On {where} both reviewers saw introduced damage and the adjudicator none: {stands}."]


def _pass_bounds(memo: Memo) -> list[str]:
    zero, rate = memo.primary.zero_event, memo.primary.introduced
    exact = f"The bound is exact, one-sided and at {confidence(memo)} confidence."
    bounds = [f"{exact} It takes items as independent, which items of one {cluster(memo)} need not be."]
    if zero.among_changed is not None:
        bounds.append(f"Among changed items alone it is {percent(zero.among_changed)}.")
    if (clustered := rate.intervals.get("korn_graubard")) is not None:
        resting = resting_on(memo, rate.clusters)
        end = whole_percent(clustered[1]) if resting else percent(clustered[1])
        rough = f"; it is {resting}" if resting else ""
        bounds.append(f"The two-sided interval by {cluster(memo)} (Korn-Graubard) ends at {end}{rough}.")
    bounds.append(f"Variation between {cluster(memo, 2)} cannot be estimated from zero events.")
    return bounds


def subject(memo: Memo) -> str:
    """Name what was judged and when the study was closed, as far as either is known."""
    named = filter_named(memo)
    closed = memo.conduct.closed_at
    parts = [f"Filter: {named}"] if named else []
    parts += [f"closed on {closed[:10]}" if parts else f"Closed on {closed[:10]}"] if closed else ["not closed"]
    return f"{'; '.join(parts)[:1].upper()}{'; '.join(parts)[1:]}."


def filter_named(memo: Memo) -> str:
    """Return the filter's name and version as far as they are known; a protocol may say that there is none."""
    told = (memo.software.get(key, "") for key in ("filter", "filter_version"))
    return " ".join(each for each in told if each not in {"", "none"})


def may_claim(memo: Memo) -> tuple[str, ...]:
    """Return all that may be claimed."""
    rate, unresolved = memo.primary.introduced, memo.primary.introduced_counting_unresolved
    where = "on these invented texts" if synthetic(memo) else "in this sample"
    beside = extension(memo)
    apart = f", and {_apart_of(beside)} in the extension" if beside else ""
    match rule(memo):
        case gate.PASS:
            seen = f"{_of(rate)} items{apart}"
            return (f"This, with every caveat: no confirmed destructive edit observed {where} ({seen}).",)
        case gate.FAIL:
            seen = f"{_of(rate)} items{apart}"
            worst = f", and {beside.worst} of {beside.there} in the extension" if beside else ""
            return (
                f"That the filter, as configured, introduced confirmed destructive edits {where} ({seen}).",
                f"That with every unresolved item counted as damaged it would be {_of(unresolved)}{worst}.",
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
                "The verdict blocks every claim that the filter was validated.",
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
    kinds = {key: n for key, n in introduced_by_kind(memo).items() if n}
    of_damage = {key for label in codebook.LABELS if label.destructive for key in label.reason_keys()}
    given = {key: n for key, n in reasons(memo).items() if key in of_damage}
    found = [f"To investigate, by kind of damage: {_listed(kinds)}."] if kinds else []
    told = "Reasons that deciding judges gave for damage, introduced or not"
    return found + ([f"{told}: {_listed(given)}."] if given else [])


def _listed(counts: Mapping[str, int]) -> str:
    """Name each with its count, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda each: -each[1])
    return "; ".join(f"{title(key)} ({count(n, 'item')})" for key, n in ordered)


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
        Figure(
            "Introduced",
            _counts(primary.introduced),
            _share(memo, primary.introduced)
            + (f"; in the extension, apart: {_apart_of(beside)}" if (beside := extension(memo)) else ""),
        ),
        Figure(
            "Counting unresolved items as damaged",
            _counts(primary.introduced_counting_unresolved),
            _share(memo, primary.introduced_counting_unresolved)
            + (f"; in the extension, apart: {beside.worst} of {beside.there}" if beside else ""),
        ),
        Figure(
            "Agreement on introduced damage",
            _met(memo.agreement.n, both, both + first + second),
            f"marked by both reviewers, of all that either marked; by neither {neither}; positive and negative "
            "specific "
            f"agreement {_only_share(pair.positive)} and {_only_share(pair.negative)}",
        ),
    )


def _met(judged: int, both: int, marked: int) -> str:
    if not judged:
        return NOTHING
    return f"{both} of {marked}" if marked else "nobody marked any"


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
    limits = span(clustered, rough=few(rate.clusters))
    rough = f" ({resting_on(memo, rate.clusters)})" if few(rate.clusters) else ""
    return f"{percent(rate.value)}; {confidence(memo)} interval by {cluster(memo)} {limits}{rough}"


def span(interval: tuple[float, float], *, rough: bool = False) -> str:
    """Return an interval of shares for reading; a rough one in whole per cents.

    >>> span((0.018153439, 0.8593112537)), span((0.0018, 0.8593112537), rough=True)
    ('1.8% to 85.9%', 'under 1% to 86%')
    >>> span((0.00011, 0.039)), span((0.01, 0.27)), span((0.00011, 0.0015))
    ('under 0.1% to 3.9%', '1.0% to 27.0%', '0.011% to 0.15%')
    """
    told = whole_percent if rough else tenth if interval[1] >= 0.01 else percent  # noqa: PLR2004 - one per cent
    return f"{told(interval[0])} to {told(interval[1])}"


def tenth(share: float) -> str:
    """Return a share with one decimal, however small."""
    if 0 < share < 0.0005:  # noqa: PLR2004 - would round to none
        return "under 0.1%"
    return percent(share) if share >= 0.01 else f"{_hundredfold(share, 1)}%"  # noqa: PLR2004 - one per cent


def whole_percent(share: float) -> str:
    """Return a share that is known so roughly that decimals would claim too much."""
    if 0 < share < 0.005:  # noqa: PLR2004 - would round to none
        return "under 1%"
    return "over 99%" if 0.995 <= share < 1 else f"{_hundredfold(share, 0)}%"  # noqa: PLR2004 - would round to all
