"""A methods section ready to paste, written from the facts of the memo, with its references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.domain.memo import Absent, Memo
from app.report.extension import extension
from app.report.wording import cluster, confidence, count, filter_named, synthetic

_COMPARATORS: Final = {
    "exact": "equal in every character",
    "whitespace": "equal but for white space",
    "whitespace-case": "equal but for white space and case",
}
_SHOWN: Final = {"semantic": "what was meant", "verbatim": "what was said"}
_SOURCES: Final = {  # by the words of the paragraphs that cite each
    "Clopper and": "Clopper CJ, Pearson ES (1934). Biometrika 26:404-413.",
    "Korn and": "Korn EL, Graubard BI (1998). Survey Methodology 24:193-201.",
    "Cicchetti and": "Cicchetti DV, Feinstein AR (1990). J Clin Epidemiol 43:551-558. Specific agreement.",
    "Gwet's AC1": "Gwet KL (2008). Br J Math Stat Psychol 61:29-48. AC1.",
    "Krippendorff's alpha": "Krippendorff K (2011). Computing Krippendorff's alpha-reliability. Univ of Pennsylvania.",
    "Brennan and": "Brennan RL, Prediger DJ (1981). Educ Psychol Meas 41:687-699.",
    "Cohen's kappa": "Cohen J (1960). Educ Psychol Meas 20:37-46.",
    "Shao and": "Shao J, Tu D (1995). The Jackknife and Bootstrap. Springer.",
    "Efron and": "Efron B, Tibshirani RJ (1993). An Introduction to the Bootstrap. Chapman and Hall.",
    "McNemar's": "McNemar Q (1947). Psychometrika 12:153-157.",
    "Newcombe's": "Newcombe RG (1998). Stat Med 17:2635-2650. Method 10.",
    "Bang and": "Bang H, Ni L, Davis CE (2004). Control Clin Trials 25:143-156.",
    "Hanley and": "Hanley JA, Lippman-Hand A (1983). JAMA 249:1743-1745.",
    "(Interspeech": "The Interspeech 2025 Speech Accessibility Project Challenge (2025). arXiv 2507.22047.",
    "(Kish": "Kish L (1965). Survey Sampling, section 5.4. Wiley.",
}


def methods(memo: Memo) -> tuple[str, ...]:
    """Return the paragraphs; nothing before a freeze, for then nothing was done."""
    if memo.conduct.frozen_at is None:
        return ()
    return " ".join(_design(memo)), " ".join(_judging(memo)), " ".join(_numbers(memo))


def sources(memo: Memo) -> tuple[str, ...]:
    """Return the references of all methods that the paragraphs name."""
    told = " ".join(methods(memo))
    return tuple(source for words, source in _SOURCES.items() if words in told)


def _design(memo: Memo) -> Iterator[str]:
    sample, conduct = memo.sample, memo.conduct
    units = count(sample.clusters.count, cluster(memo), cluster(memo, 2))
    yield (
        f"{count(sample.imported, 'invented utterance' if synthetic(memo) else 'recognised utterance')} from "
        f"{units} went through the filter{_named(memo)} switched off and switched "
        "on; the two texts of each made one item."
    )
    made = "by one run of the filter within Evenhand" if memo.study.pairing == "verified" else "before the import"
    yield f"The pairs were made {made}."
    registered = f", after registration ({memo.study.registration})," if memo.study.registration else ""
    yield (
        f"Protocol, codebook, guidelines and items were frozen on {_day(conduct.frozen_at)}{registered} before "
        f"anybody judged an item, and the study was closed on {_day(conduct.closed_at)}."
    )
    if beside := extension(memo):
        further = "One further utterance" if beside.imported == 1 else f"A further {beside.imported} utterances"
        strata = "a stratum" if len(memo.extension) == 1 else "strata"
        were, are = ("was", "is") if beside.imported == 1 else ("were", "are")
        yield (
            f"{further} of {strata} declared as an extension {were} judged in the same lists and {are} reported apart."
        )
    if sample.withdrawn:
        yield f"{count(sample.withdrawn, 'item')} withdrawn before the close count in no rate."


def _named(memo: Memo) -> str:
    return f" ({named})" if (named := filter_named(memo)) else ""


def _day(moment: str | None) -> str:
    return (moment or "")[:10]


def _judging(memo: Memo) -> Iterator[str]:
    conduct = memo.conduct
    reviewers, third = conduct.judges["reviewer"], conduct.judges["adjudicator"]
    alike = _COMPARATORS.get(conduct.comparator, conduct.comparator)
    yield (
        f"Texts {alike} were coded as not differing and shown to nobody."
        if conduct.identical_pairs == "auto"
        else f"Texts {alike} were judged like all others."
    )
    pool = f"two of {reviewers.judges} reviewers" if memo.agreement.kappa.null_reason == "pool" else "two reviewers"
    yield (
        f"Each other item was coded by {pool} on their own, who saw the texts as A and B, sides drawn at "
        "random for each "
        "item and reviewer and balanced within strata, in random order, with a codebook of "
        f"{len(memo.agreement.labels)} "
        f"labels (version {memo.study.codebook_version})."
    )
    if conduct.references_shown:
        yield f"Beside them stood {' and '.join(_SHOWN[kind] for kind in conduct.references_shown)}, where known."
    if third.judges:
        own = " first with a judgement of their own," if conduct.own_judgement_first else ""
        yield (
            f"An adjudicator, also blind and with sides drawn anew,{own} judged the items on which the two differed, "
            "and settled those that could be settled."
        )
    else:
        yield "There was no adjudicator: items on which the two differed stayed disputed."
    yield from _of_the_judges(memo)
    yield (
        "An item has confirmed introduced damage where the settled coding finds the meaning changed with the "
        "filter on and "
        "not, in that way, with it off, or where both reviewers signed that it did. One such item fails the filter."
    )
    yield from _of_the_judging(memo)
    tolerated = conduct.max_unassessable
    items = "item" if tolerated == 1 else "items"
    yield f"The protocol tolerated {tolerated or 'no'} {items} that could not be judged."


def _of_the_judges(memo: Memo) -> Iterator[str]:
    """Yield what a reader must know of who judged, where there is something."""
    seats = memo.conduct.judges.values()
    judges, informed, by_lead = (sum(getattr(each, n) for each in seats) for n in ("judges", "informed", "by_lead"))
    if informed:
        yield f"Of {judges} judges {informed} had led the study or imported items, and may have known both texts."
    if by_lead:
        yield f"For {by_lead} of {judges} judges a lead of the study made the account, or gave a code."


def _of_the_judging(memo: Memo) -> Iterator[str]:
    """Yield what was asked beside the items themselves, where the protocol had it."""
    found = memo.quality
    known = (found.sentinels.destructive.denominator or 0) + (found.sentinels.clean.denominator or 0)
    if known:
        yield (
            f"Items with a known answer were mixed in; {count(known, 'answer')} {'was' if known == 1 else 'were'} held "
            f"against them, and {'counts' if known == 1 else 'count'} in no rate of the filter."
        )
    if again := found.repeats.denominator:
        yield (
            f"{count(again, 'item was', 'items were')} shown to the same person again, late in the list and with sides "
            "swapped; the second answer counts in no rate of the filter."
        )
    if audited := memo.adjudication.audit_agreed.denominator:
        yield (
            f"{count(audited, 'item')} on which the two agreed went to the adjudicator too, whose answer there changes "
            "nothing."
        )


def _numbers(memo: Memo) -> Iterator[str]:
    yield _shares(memo)
    yield from _no_event(memo)
    yield _agreement(memo)
    if memo.primary.damaged.newcombe is not None:
        yield _paired(memo)
    if not all(isinstance(each, Absent) for each in (memo.wer.verbatim, memo.wer.semantic)):
        told = f", with jackknife intervals by {cluster(memo)}" if _words_bounded(memo) else ""
        yield f"Word error rates are all edits over all words of the references{told}."
        yield (
            "Words were compared in one Unicode form (NFC), without case or punctuation at their edges; fillers and "
            "repetitions stayed."
        )
    if not isinstance(memo.wer.sap2025, Absent):
        yield (
            "They are also given by the scoring of the Speech Accessibility Project's challenge (Interspeech 2025), "
            "which takes the nearer of the two references."
        )
    if _guessed(memo):
        yield (
            "After they had signed off, judges were asked of some items which text was filtered; the answers are "
            "summed up by Bang's index (Bang and others 2004)."
        )
    yield f"Numbers were computed by Evenhand {memo.software.get('evenhand', '')}."


def _shares(memo: Memo) -> str:
    level, unit = confidence(memo), cluster(memo)
    clustered = f"intervals by {unit} (Korn and Graubard 1998) and, as if items were independent, exact ones "
    plain = "exact intervals, as if items were independent "
    told = clustered if "korn_graubard" in memo.primary.introduced.intervals else plain
    return (
        f"Shares have {level} {told}(Clopper and Pearson 1934); they are sample proportions under the protocol's "
        "allocation."
    )


def _no_event(memo: Memo) -> Iterator[str]:
    found = memo.primary.zero_event
    if found.among_all is None:
        return
    unit = cluster(memo)
    yield (
        "Where nothing was found the upper bound is exact and one-sided, as if items were independent (Hanley and "
        f"Lippman-Hand 1983), and is given again for the design effect (Kish 1965) of two assumed correlations within "
        f"one {unit}."
    )


def _agreement(memo: Memo) -> str:
    found, unit = memo.agreement, cluster(memo)
    pooled = found.kappa.null_reason == "pool"
    last = (
        "and Brennan and Prediger's coefficient" if pooled else "Brennan and Prediger's coefficient and Cohen's kappa"
    )
    named = f"Krippendorff's alpha, Gwet's AC1 {last}" if pooled else f"Krippendorff's alpha, Gwet's AC1, {last}"
    each = (found.alpha, found.ac1, found.brennan_prediger, found.kappa)
    bounded = any(one.interval is not None for one in each)
    again = any(one.bootstrap is not None and one.bootstrap.interval is not None for one in each)
    intervals = f", with jackknife intervals by {unit} (Shao and Tu 1995)" if bounded else ", without intervals"
    second = (
        f" and, as a second opinion, a bootstrap of {found.resamples:,} resamples (seed {found.seed}; Efron and "
        "Tibshirani 1993)"
    )
    return (
        "Agreement of the two reviews as first signed is given as counts, as specific agreement (Cicchetti and "
        f"Feinstein 1990), and over all labels of the codebook as {named}{intervals}{second if again else ''}."
    )


def _paired(memo: Memo) -> str:
    bounded = memo.primary.damaged.difference.interval is not None
    first = f"a jackknife interval by {cluster(memo)} and" if bounded else f"no interval by {cluster(memo)} but"
    return (
        f"The difference in damage, on minus off, has {first}, as if items were independent, Newcombe's "
        "interval (1998, method 10) and McNemar's exact p (1947)."
    )


def _words_bounded(memo: Memo) -> bool:
    found = (each for each in (memo.wer.verbatim, memo.wer.semantic) if not isinstance(each, Absent))
    return any(each.off.interval is not None or each.on.interval is not None for each in found)


def _guessed(memo: Memo) -> bool:
    return any(each.value is not None for each in memo.quality.blinding_index.values())
