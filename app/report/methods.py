"""A methods section ready to paste, written from the facts of the memo, with its references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.domain.memo import Absent, Memo
from app.report.wording import cluster, confidence, count, synthetic

_COMPARATORS: Final = {
    "exact": "equal in every character",
    "whitespace": "equal but for white space",
    "whitespace-case": "equal but for white space and case",
}
_SHOWN: Final = {"semantic": "what was meant", "verbatim": "what was said"}
_SOURCES: Final = {
    "clopper": "Clopper CJ, Pearson ES (1934). Biometrika 26:404-413.",
    "korn": "Korn EL, Graubard BI (1998). Survey Methodology 24:193-201.",
    "cicchetti": "Cicchetti DV, Feinstein AR (1990). J Clin Epidemiol 43:551-558. Specific agreement.",
    "gwet": "Gwet KL (2008). Br J Math Stat Psychol 61:29-48. AC1.",
    "krippendorff": "Krippendorff K (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.",
    "brennan": "Brennan RL, Prediger DJ (1981). Educ Psychol Meas 41:687-699.",
    "cohen": "Cohen J (1960). Educ Psychol Meas 20:37-46.",
    "shao": "Shao J, Tu D (1995). The Jackknife and Bootstrap. Springer.",
    "efron": "Efron B, Tibshirani RJ (1993). An Introduction to the Bootstrap. Chapman and Hall.",
    "mcnemar": "McNemar Q (1947). Psychometrika 12:153-157.",
    "newcombe": "Newcombe RG (1998). Stat Med 17:2635-2650. Method 10.",
    "bang": "Bang H, Ni L, Davis CE (2004). Control Clin Trials 25:143-156.",
}


def methods(memo: Memo) -> tuple[str, ...]:
    """Return the paragraphs; nothing before a freeze, for then nothing was done."""
    if memo.conduct.frozen_at is None:
        return ()
    return " ".join(_design(memo)), " ".join(_judging(memo)), " ".join(_numbers(memo))


def sources(memo: Memo) -> tuple[str, ...]:
    """Return the references of all methods that the paragraphs name."""
    left_out = set() if _guessed(memo) else {"bang"}
    return tuple(told for key, told in _SOURCES.items() if key not in left_out) if methods(memo) else ()


def _design(memo: Memo) -> Iterator[str]:
    sample, conduct = memo.sample, memo.conduct
    units = count(sample.clusters.count, cluster(memo), cluster(memo, 2))
    yield (
        f"{count(sample.imported, 'invented utterance' if synthetic(memo) else 'recognised utterance')} from "
        f"{units} went through the filter switched off and switched "
        "on; the two texts of each made one item."
    )
    made = "by one run of the filter within Evenhand" if memo.study.pairing == "verified" else "before the import"
    yield f"The pairs were made {made}."
    registered = f", after registration ({memo.study.registration})," if memo.study.registration else ""
    yield (
        f"Protocol, codebook, guidelines and items were frozen on {_day(conduct.frozen_at)}{registered} before "
        "anybody saw "
        f"an outcome, and the study was closed on {_day(conduct.closed_at)}."
    )
    if sample.withdrawn:
        yield f"{count(sample.withdrawn, 'item')} withdrawn before the close count in no rate."


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
        own = ", first with a judgement of their own," if conduct.own_judgement_first else ""
        yield f"An adjudicator, also blind and with sides drawn anew{own} settled items on which the two differed."
    else:
        yield "There was no adjudicator: items on which the two differed stayed disputed."
    yield (
        "An item has confirmed introduced damage where the settled coding finds the meaning changed with the "
        "filter on and "
        "not, in that way, with it off, or where both reviewers signed that it did. One such item fails the filter."
    )
    tolerated = conduct.max_unassessable
    items = "item" if tolerated == 1 else "items"
    yield f"The protocol tolerated {tolerated or 'no'} {items} that could not be judged."


def _numbers(memo: Memo) -> Iterator[str]:
    level, unit = confidence(memo), cluster(memo)
    yield (
        f"Shares have {level} intervals by {unit} (Korn and Graubard 1998) and, as if items were independent, "
        "exact ones "
        "(Clopper and Pearson 1934); they are sample proportions under the protocol's allocation."
    )
    yield (
        "Agreement of the two reviews as first signed is given as counts, as specific agreement (Cicchetti and "
        "Feinstein "
        "1990), and over all labels of the codebook as Krippendorff's alpha, Gwet's AC1, Brennan and "
        "Prediger's coefficient "
        f"and Cohen's kappa, with jackknife intervals by {unit} (Shao and Tu 1995) and {memo.agreement.resamples:,} "
        f"bootstrap resamples as a second opinion (seed {memo.agreement.seed}; Efron and Tibshirani 1993)."
    )
    yield "Damage off and on was compared by McNemar's exact test (1947) and the interval of Newcombe (1998)."
    if not all(isinstance(each, Absent) for each in (memo.wer.verbatim, memo.wer.semantic)):
        yield f"Word error rates are all edits over all words of the references, with jackknife intervals by {unit}."
    if _guessed(memo):
        yield "Blinding was measured by Bang's index (Bang and others 2004)."
    yield f"Numbers were computed by Evenhand {memo.software.get('evenhand', '')}."


def _guessed(memo: Memo) -> bool:
    return any(each.value is not None for each in memo.quality.blinding_index.values())
