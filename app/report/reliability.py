"""The memo's tables on the judging itself: agreement, adjudication, quality."""

from __future__ import annotations

from app.domain.memo import Coefficient, Memo, TwoByTwo
from app.report.cells import LABEL, PLAIN_RATE, Column, Table, plain_rate, rate_cells, rate_columns
from app.report.wording import confidence, title, why


def two_by_two(memo: Memo, name: str, pair: TwoByTwo) -> Table:
    both, first_only, second_only, neither = pair.counts
    titles = {"introduced": "introduced damage", "destructive": "damage in either text"}
    return Table(
        f"agreement-{name}",
        f"Two reviewers on {titles[name]}",
        f"Of {memo.agreement.n} items with two signed reviews; “cannot be judged” counts as not marked, never as safe.",
        (Column("First reviewer"), Column("Second: marked", "count"), Column("Second: not marked", "count")),
        (("Marked", both, first_only), ("Not marked", second_only, neither)),
    )


def agreement(memo: Memo) -> Table:
    found = memo.agreement
    return Table(
        "agreement",
        "Agreement before adjudication",
        "Of the two first-signed reviews; items coded by the comparator are left out.",
        (Column("Agreement"), *rate_columns(memo)),
        (
            ("That damage was introduced (positive specific agreement)", *rate_cells(found.introduced.positive)),
            ("That no damage was introduced (negative specific agreement)", *rate_cells(found.introduced.negative)),
            ("That a text is damaged (positive specific agreement)", *rate_cells(found.destructive.positive)),
            ("That no text is damaged (negative specific agreement)", *rate_cells(found.destructive.negative)),
            ("Same label", *rate_cells(found.observed)),
            ("Same label and same text: not routed to adjudication", *rate_cells(found.routing)),
        ),
        "Specific agreement counts marks, two an item, not items.",
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
            Column("Value", "number"),
            Column(f"{confidence(memo)} interval", "bounds"),
            Column("Items", "count"),
            Column("Observed", "number"),
            Column("Expected by chance", "number"),
            Column("Why there is no value"),
        ),
        tuple(
            (title, each.value, each.interval, each.n, each.observed, each.expected, why(each.null_reason))
            for title, each in named.items()
        ),
        "Where a label is rare, these can be near 1 or near 0 for the same reviews: read the counts above first.",
    )


def specific(memo: Memo) -> Table:
    return Table(
        "specific",
        "Agreement label by label",
        "How often one reviewer's use of a label met the same label from the other.",
        (*LABEL, *PLAIN_RATE),
        tuple((title(key), key, *plain_rate(rate)) for key, rate in memo.agreement.specific.items()),
    )


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
            Column("Items", "count"),
        ),
        tuple(
            (title(kind.one), kind.one, title(kind.other), kind.other, title(kind.reason), kind.reason, kind.count)
            for kind in memo.adjudication.disputed
        ),
    )


def adjudication(memo: Memo) -> Table:
    found = memo.adjudication
    counts = {
        "Confirmed: the final answer is one of the reviews": found.confirmed,
        "Changed: it is neither": found.changed,
        "Unresolved": found.unresolved,
        "Pending": found.pending,
        "Dissent: both reviewers saw introduced damage, the adjudicator none": found.dissent,
    }
    return Table(
        "adjudication",
        "What the third judge did",
        "Of the items on which two reviews differ.",
        (Column("Items"), *PLAIN_RATE),
        (
            ("Routed to adjudication", found.routed, "", "", ""),
            *((title, n, found.routed, "", "") for title, n in counts.items()),
            ("First own judgement stood", *plain_rate(found.first_judgement_stood)),
            ("Agreed items audited and upheld", *plain_rate(found.audit_agreed)),
        ),
    )


def quality(memo: Memo) -> Table:
    found = memo.quality
    rates = {
        "Repeated items answered alike": found.repeats,
        "Damage found in items with a known answer": found.sentinels.destructive,
        "Clean items with a known answer left clean": found.sentinels.clean,
        "Items whose shown reference equals exactly one text": found.references_equal_one_panel,
    }
    absent = {
        "Bias towards one side": found.side_bias,
        "Blinding index": found.blinding_index,
        "Active minutes": found.active_minutes,
    }
    return Table(
        "quality",
        "How well the judging went",
        "A shown reference that equals one text gives the filter away.",
        (Column("Measure"), *PLAIN_RATE),
        (
            *((title, *plain_rate(rate)) for title, rate in rates.items()),
            *((title, None, None, None, why(each.null_reason)) for title, each in absent.items()),
        ),
    )
