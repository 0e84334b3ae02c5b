"""The memo's tables on the judging itself: agreement, adjudication, quality."""

from __future__ import annotations

from app.domain.memo import Coefficient, Memo, Rate, TwoByTwo
from app.domain.statistics.bootstrap import FEWEST_CLUSTERS
from app.domain.statistics.quality import FEWEST_GUESSES
from app.report.cells import (
    LABEL,
    PLAIN_RATE,
    Cell,
    Column,
    Table,
    by_cluster,
    exact_cells,
    exact_columns,
    rate_cells,
    rate_columns,
    units_column,
)
from app.report.extension import extension
from app.report.wording import cluster, confidence, count, title, why, why_by_judge


def two_by_two(memo: Memo, name: str, pair: TwoByTwo) -> Table:
    both, first_only, second_only, neither = pair.counts
    titles = {"introduced": "introduced damage", "destructive": "damage in either text"}
    return Table(
        f"agreement-{name}",
        f"Two reviewers on {titles[name]}",
        f"Of {memo.agreement.n} items with two signed reviews; “cannot be judged” counts as not marked.",
        (Column("First reviewer"), Column("Second: marked", "count"), Column("Second: not marked", "count")),
        (("Marked", both, first_only), ("Not marked", second_only, neither)),
    )


def headline(memo: Memo) -> Table:
    found = memo.agreement
    return Table(
        "agreement-specific",
        "Specific agreement on damage",
        "How often one reviewer's answer met the same answer from the other: the figures to read first.",
        (
            Column("Agreement"),
            *_specific_columns(memo),
            Column("Prevalence index", "index"),
            Column("Bias index", "index"),
        ),
        (
            (
                "Introduced damage marked (positive)",
                *_specific(found.introduced.positive),
                found.introduced.prevalence_index,
                found.introduced.bias_index,
            ),
            (
                "Introduced damage not marked, “cannot be judged” included (negative)",
                *_specific(found.introduced.negative),
                None,
                None,
            ),
            (
                "Damage in either text marked (positive)",
                *_specific(found.destructive.positive),
                found.destructive.prevalence_index,
                found.destructive.bias_index,
            ),
            (
                "Damage in either text not marked, “cannot be judged” included (negative)",
                *_specific(found.destructive.negative),
                None,
                None,
            ),
        ),
        "Specific agreement counts marks, two an item, not items. Prevalence: 1 where both marked everything, -1 where "
        "both marked nothing. Bias: above 0 where the first reviewer marked more often.",
    )


def agreement(memo: Memo) -> Table:
    found = memo.agreement
    return Table(
        "agreement",
        "Agreement before adjudication",
        "Of the two first-signed reviews; items coded by the comparator are left out.",
        (Column("Agreement"), *rate_columns(memo)),
        (
            ("Same label", *rate_cells(found.observed)),
            ("Same label and same text: not routed to adjudication", *rate_cells(found.routing)),
        ),
    )


def coefficients(memo: Memo) -> Table:
    found = memo.agreement
    named: dict[str, Coefficient] = {
        "Krippendorff's alpha": found.alpha,
        "Gwet's AC1": found.ac1,
        "Brennan-Prediger": found.brennan_prediger,
        "Cohen's kappa": found.kappa,
    }
    return Table(
        "coefficients",
        "Agreement corrected for chance",
        f"Over all {len(found.labels)} labels of the codebook, used or not.",
        (
            Column("Coefficient"),
            Column("Value", "index"),
            Column(f"{confidence(memo)} interval, by {cluster(memo)} (jackknife)", "indexes"),
            Column(f"{confidence(memo)} interval, second opinion (bootstrap)", "indexes"),
            Column("Items", "count"),
            Column("Observed", "index"),
            Column("Expected by chance", "index"),
            Column("Why there is no value or interval"),
        ),
        tuple(
            (
                title,
                each.value,
                each.interval,
                None if each.bootstrap is None else each.bootstrap.interval,
                each.n,
                each.observed,
                each.expected,
                why(each.null_reason or each.interval_null_reason),
            )
            for title, each in named.items()
        ),
        f"{_second_opinion(memo)} Where a label is rare, these can be near 1 or near 0 for the same reviews: "
        "read the counts above first.",
    )


def _second_opinion(memo: Memo) -> str:
    found = memo.agreement
    if not found.resamples:
        return "No bootstrap: the protocol has it off."
    if found.clusters < FEWEST_CLUSTERS:
        are = "is" if found.clusters == 1 else "are"
        return f"No bootstrap: it needs {FEWEST_CLUSTERS} {cluster(memo, 2)}, and there {are} {found.clusters}."
    resting = count(found.clusters, cluster(memo), cluster(memo, 2))
    return f"The second opinion is a bootstrap: {found.resamples:,} resamples of {resting}, seed {found.seed}."


def by_stratum(memo: Memo) -> Table:
    rows = tuple(
        (
            title(name),
            name,
            heading,
            found.n,
            each.clusters,
            each.value,
            each.interval,
            why(each.null_reason or each.interval_null_reason),
        )
        for name, found in memo.agreement.by_stratum.items()
        for heading, each in (
            ("Krippendorff's alpha", found.alpha),
            ("Gwet's AC1", found.ac1),
            ("Brennan-Prediger", found.brennan_prediger),
            ("Cohen's kappa", found.kappa),
        )
    )
    return Table(
        "agreement-by-stratum",
        "Agreement corrected for chance, by stratum",
        "The same within each stratum, where counts are smaller and intervals longer.",
        (
            Column("Stratum"),
            Column("Key", "key"),
            Column("Coefficient"),
            Column("Items", "count"),
            units_column(memo),
            Column("Value", "index"),
            Column(f"{confidence(memo)} interval, by {cluster(memo)} (jackknife)", "indexes"),
            Column("Why there is no value or interval"),
        ),
        rows,
    )


def specific(memo: Memo) -> Table:
    return Table(
        "specific",
        "Agreement label by label",
        "How often one reviewer's use of a label met the same label from the other.",
        (*LABEL, *_specific_columns(memo)),
        tuple((title(key), key, *_specific(rate)) for key, rate in memo.agreement.specific.items()),
    )


def _specific_columns(memo: Memo) -> tuple[Column, ...]:
    number, of, share, _reason = PLAIN_RATE
    interval = Column(f"{confidence(memo)} interval, by {cluster(memo)} (jackknife)", "range")
    return number, of, share, interval, Column("Why there is no value or interval")


def _specific(rate: Rate) -> tuple[Cell, ...]:
    interval = by_cluster(rate.intervals.get("cluster_jackknife"), rate.clusters)
    return rate.numerator, rate.denominator, rate.value, interval, why(rate.null_reason or rate.interval_null_reason)


def confusion(memo: Memo) -> Table:
    found = memo.agreement
    pooled = found.kappa.null_reason == "pool"
    who = (
        "A pool of reviewers, so each pair of answers stands in both orders."
        if pooled
        else "A row is the first reviewer's answer, a column the second's."
    )
    return Table(
        "confusion",
        "All answers of two reviewers",
        f"{who} Columns are numbered as rows are.",
        (
            Column("Answer"),
            Column("Key", "key"),
            *(Column(str(number), "count") for number in range(1, len(found.labels) + 1)),
        ),
        tuple(
            (f"{number} {title(key)}", key, *row)
            for number, (key, row) in enumerate(zip(found.labels, found.matrix, strict=True), start=1)
        ),
    )


def disagreements(memo: Memo) -> Table:
    found = memo.agreement
    pooled = found.kappa.null_reason == "pool"
    pairs = [
        (one, other, found.matrix[i][j] + (0 if pooled else found.matrix[j][i]))
        for i, one in enumerate(found.labels)
        for j, other in enumerate(found.labels[i + 1 :], start=i + 1)
    ]
    return Table(
        "disagreements",
        "Where two reviewers differ in the label",
        "Pairs of labels, in either order: what a decision on policy would have to settle.",
        (
            Column("One said"),
            Column("Key", "key"),
            Column("The other said"),
            Column("Other key", "key"),
            Column("Items", "count"),
        ),
        tuple((title(one), one, title(other), other, n) for one, other, n in pairs if n),
    )


def disputed(memo: Memo) -> Table:
    beside = extension(memo)
    kinds = [("", kind) for kind in memo.adjudication.disputed]
    kinds += [("in the extension", kind) for kind in (beside.disputed if beside else ())]
    return Table(
        "disputed",
        "Disputed items",
        "What the two reviews said, and why it was not settled: for whoever must decide.",
        (
            Column("One said"),
            Column("Key", "key"),
            Column("The other said"),
            Column("Other key", "key"),
            Column("Not settled because"),
            Column("Reason key", "key"),
            Column("Where"),
            Column("Items", "count"),
        ),
        tuple(
            (
                title(kind.one),
                kind.one,
                title(kind.other),
                kind.other,
                title(kind.reason),
                kind.reason,
                where,
                kind.count,
            )
            for where, kind in kinds
        ),
    )


def adjudication(memo: Memo) -> Table:
    found = memo.adjudication
    counts = {
        "Settled as one of the reviews has it": found.confirmed,
        "Settled as neither has it": found.changed,
        "Unresolved": found.unresolved,
        "Pending": found.pending,
        "Dissent: both reviewers saw introduced damage, the adjudicator none": found.dissent,
    }
    return Table(
        "adjudication",
        "What the third judge did",
        "Of the items on which two reviews differ, and of agreed ones that were audited.",
        (Column("Items"), *exact_columns(memo)),
        (
            ("Routed to adjudication", found.routed, "", "", "", ""),
            *((title, n, found.routed, "", "", "") for title, n in counts.items()),
            ("First own judgement stood", *exact_cells(found.first_judgement_stood)),
            ("Agreed items audited and upheld", *exact_cells(found.audit_agreed)),
        ),
        "Items of the extension are left out." if extension(memo) else "",
    )


def quality(memo: Memo) -> Table:
    found = memo.quality
    rates = {
        "Repeated items answered alike": found.repeats,
        "Damage found in items with a known answer": found.sentinels.destructive,
        "Clean items with a known answer left clean": found.sentinels.clean,
        "Items whose shown reference equals exactly one text": found.references_equal_one_panel,
    }
    side = found.side_bias
    return Table(
        "quality",
        "How well the judging went",
        "A shown reference that equals one text gives the filter away.",
        (Column("Measure"), *exact_columns(memo)),
        (
            *((title, *exact_cells(rate)) for title, rate in rates.items()),
            (
                "Text A among reviews that name one text",
                side.a,
                side.a + side.b,
                side.value,
                side.interval,
                why(side.null_reason),
            ),
        ),
        ""
        if side.p is None
        else f"If both sides were as likely, a share as far from one half, or farther, has p = {side.p:.3f}.",
    )


def judges(memo: Memo) -> Table:
    """Return what is measured of the judges, by role."""
    found, roles = memo.quality, {"reviewer": "Reviewers", "adjudicator": "Adjudicator"}
    guesses = (
        (
            "Blinding index",
            roles[role],
            each.value,
            each.interval,
            each.independent,
            each.right + each.wrong + each.cannot_tell or None,
            each.judges or None,
            why(each.null_reason) or why_by_judge(each.interval_null_reason, each.judges),
        )
        for role, each in found.blinding_index.items()
    )
    minutes = (
        (
            "Active minutes, median",
            roles[role],
            each.median,
            None,
            None,
            None,
            each.judges or None,
            why(each.null_reason),
        )
        for role, each in found.active_minutes.items()
    )
    return Table(
        "judges",
        "Blinding and effort",
        "Blinding index: 0 where guesses of the filtered text are no better than chance, 1 where all are right.",
        (
            Column("Measure"),
            Column("Of whom"),
            Column("Value", "index"),
            Column(f"{confidence(memo)} interval, by judge", "indexes"),
            Column(f"{confidence(memo)} interval, assumes independent guesses", "indexes"),
            Column("Guesses", "count"),
            Column("Judges", "count"),
            Column("Why a figure is missing"),
        ),
        (*guesses, *minutes),
        f"With fewer than {FEWEST_GUESSES} guesses there is no interval that takes them as independent. Active: "
        "between first sight of an item and its answer, and from answer to answer; breaks of more than five minutes "
        "are left out.",
    )
