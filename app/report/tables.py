"""The memo's tables, each once: CSV, Markdown and HTML show the same values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from app.domain.memo import Memo, SampleCounts
from app.domain.pairing import for_reading
from app.domain.statistics.disclosure import MIN_CLUSTERS
from app.report import apart, reliability, words
from app.report.cells import (
    LABEL,
    Cell,
    Column,
    RoughShare,
    Table,
    csv_bytes,
    rate_cells,
    rate_columns,
    rough_note,
    units_column,
)
from app.report.extension import extension
from app.report.findings import reported_apart
from app.report.outcomes import outcomes
from app.report.wording import NO_POPULATION_RATE, cluster, confidence, few, title, why

__all__ = ["Table", "csv_bytes", "tables"]

_STATES: Final = {
    "imported": "Imported",
    "withdrawn": "Withdrawn",
    "auto_coded": "Coded by the comparator",
    "agreed": "Agreed",
    "adjudicated": "Adjudicated",
    "disputed": "Disputed",
    "pending": "Pending",
    "reviewed": "With two signed reviews",
    "unassessable": "Not assessable",
}
_PRIMARY: Final = {
    "introduced": "Introduced",
    "introduced_counting_unresolved": "Introduced, counting unresolved items as damaged",
    "introduced_among_changed": "Introduced, among changed items",
}


def tables(memo: Memo) -> dict[str, Table]:
    """Return every table by name, in the order of the memo; those without rows too."""
    made = (
        verdict_reasons(memo),
        study(memo),
        conduct(memo),
        deviations(memo),
        outcomes(memo),
        sample(memo),
        rights(memo),
        primary(memo),
        zero_event(memo),
        damaged(memo),
        damage_difference(memo),
        damage(memo),
        by_stratum(memo),
        apart.extension(memo),
        *marks(memo),
        taxonomy(memo),
        controls(memo),
        cleanup(memo),
        reliability.two_by_two(memo, "introduced", memo.agreement.introduced),
        reliability.two_by_two(memo, "destructive", memo.agreement.destructive),
        reliability.headline(memo),
        reliability.agreement(memo),
        reliability.coefficients(memo),
        reliability.by_stratum(memo),
        reliability.specific(memo),
        reliability.confusion(memo),
        reliability.disagreements(memo),
        reliability.disputed(memo),
        reliability.adjudication(memo),
        reliability.quality(memo),
        reliability.judges(memo),
        words.word_errors(memo),
        words.word_differences(memo),
        words.word_strata(memo),
        words.preferences(memo),
        software(memo),
    )
    return {table.name: table for table in made}


def verdict_reasons(memo: Memo) -> Table:
    return Table(
        "verdict-reasons",
        "Reasons",
        "Everything that stands against a PASS, whatever the verdict.",
        (Column("Reason"), Column("Code", "key"), Column("Items or sources", "count")),
        tuple((reason.text, reason.code, reason.count or None) for reason in memo.verdict.reasons),
    )


def study(memo: Memo) -> Table:
    asked = memo.study
    absent = why("not_permitted") if asked.manifest_null_reason == "not_permitted" else "the study is not frozen"
    pairing = {"verified": "verified", "imported_unverified": "imported, not verified"}[asked.pairing]
    rows: list[tuple[Cell, ...]] = [
        ("Study", asked.id),
        ("Scope", {"synthetic": "invented texts", "corpus": "real speech"}.get(asked.scope or "", "not declared")),
        ("Replaces", asked.parent or "no earlier study"),
        ("Registration", f"preregistered: {asked.registration}" if asked.registration else "none"),
        ("Pairing", pairing),
        ("Codebook", f"version {asked.codebook_version}"),
        ("Manifest, SHA-256", asked.manifest_sha256 or f"none: {absent}"),
        ("Protocol, SHA-256", asked.protocol_sha256),
        ("Head of the audit chain at the close", memo.audit_head or "none: the study is not closed"),
    ]
    return Table(
        "study",
        "The study",
        "What was fixed before anybody judged an item, and how to check it.",
        (Column("What"), Column("Value", "long")),
        tuple(rows),
    )


def conduct(memo: Memo) -> Table:
    """Return when and by how many; names are nobody's business outside."""
    found = memo.conduct
    roles = {"reviewer": "Reviewers", "adjudicator": "Adjudicators"}
    rows: list[tuple[Cell, ...]] = [
        ("Frozen", _moment(found.frozen_at) or "not frozen"),
        ("Closed", _moment(found.closed_at) or "not closed"),
    ]
    for role, seats in found.judges.items():
        left = f"; {seats.left} left before the end" if seats.left else ""
        attested = f"; the lead attested the qualification of {seats.attested}" if seats.judges else ""
        knew = f"; {seats.informed} had led the study or imported items" if seats.informed else ""
        made = f"; for {seats.by_lead} a lead made the account or gave a code" if seats.by_lead else ""
        rows.append((roles[role], f"{seats.judges or 'none'}{attested}{left}{knew}{made}"))
    return Table(
        "conduct",
        "When, and by how many",
        "Evenhand showed no outcome between the freeze and the close.",
        (Column("What"), Column("Value", "long")),
        tuple(rows),
    )


def _moment(stamp: str | None) -> str:
    return f"{stamp[:10]}, {stamp[11:16]} UTC" if stamp else ""


def deviations(memo: Memo) -> Table:
    return Table(
        "deviations",
        "Deviations from the protocol",
        "As logged when they happened.",
        (Column("When"), Column("What", "long")),
        tuple((_moment(each.at), each.text) for each in memo.deviations),
    )


def sample(memo: Memo) -> Table:
    found = memo.sample
    short = found.shortages
    total = SampleCounts(**{name: getattr(found, name) for name in _STATES})
    nothing = SampleCounts(**dict.fromkeys(_STATES, 0))
    strata = dict.fromkeys([*found.by_stratum, *short], nothing) | found.by_stratum
    rows: list[tuple[Cell, ...]] = [("All items", "all", *_states(total), sum(short.values()))]
    rows += [(title(name), name, *_states(counts), short.get(name, 0)) for name, counts in strata.items()]
    size = found.clusters
    spread = f"; the smallest holds {size.smallest}, the largest {size.largest}" if size.count else ""
    beside = extension(memo)
    apart = f" {_sentence(reported_apart(beside))}" if beside else ""
    return Table(
        "sample",
        "Items by state",
        "Imported items are those withdrawn, coded by the comparator, agreed, adjudicated, disputed and pending.",
        (
            Column("Stratum"),
            Column("Key", "key"),
            *(Column(title, "count") for title in _STATES.values()),
            Column("Short of the plan", "count"),
        ),
        tuple(rows),
        f"Independent units: {size.count} {cluster(memo, size.count)}{spread}. Items not assessable are among those "
        f"agreed and adjudicated. A shortage is never topped up from elsewhere.{apart}",
    )


def _sentence(told: str) -> str:
    return f"{told[:1].upper()}{told[1:]}."


def _states(counts: SampleCounts) -> tuple[int, ...]:
    return tuple(getattr(counts, name) for name in _STATES)


def rights(memo: Memo) -> Table:
    return Table(
        "rights",
        "Sources in use",
        "What the rights ledger says of each source; unknown means no.",
        (Column("Source"), Column("Kind"), Column("Version"), Column("Licence"), Column("Decision")),
        tuple((each.source, each.kind, each.version, each.licence, each.decision) for each in memo.rights),
    )


def primary(memo: Memo) -> Table:
    rates = {title: getattr(memo.primary, name) for name, title in _PRIMARY.items()}
    rows = tuple((title, *rate_cells(rate), rate.deff, rate.n_eff) for title, rate in rates.items())
    return Table(
        "primary",
        "Destructive edits that the filter introduced",
        "Confirmed introduced damage, by three ways of counting.",
        (Column("Rate"), *rate_columns(memo), Column("Design effect", "index"), Column("Effective items", "size")),
        rows,
        f"Each share is a {NO_POPULATION_RATE}. An interval is left out where it is not defined."
        f"{rough_note(memo, rows)}{_effective(memo)}",
    )


def _effective(memo: Memo) -> str:
    if memo.primary.introduced.deff is None:
        return ""
    return (
        " The design effect is never taken below 1. Effective items are fewer also because there are few "
        f"{cluster(memo, 2)}."
    )


def _end(limit: float | None, clusters: int | None) -> float | None:
    return RoughShare(limit) if limit is not None and few(clusters) else limit


def zero_event(memo: Memo) -> Table:
    bounds = memo.primary.zero_event
    independent = "if items were independent (one-sided, exact)"
    rows: list[tuple[Cell, ...]] = [
        (independent, None, bounds.among_all, None, bounds.among_changed),
        (
            f"by the number of {cluster(memo, 2)} (end of the two-sided Korn-Graubard interval)",
            None,
            _end(bounds.korn_graubard_among_all, memo.primary.introduced.clusters),
            None,
            _end(bounds.korn_graubard_among_changed, memo.primary.introduced_among_changed.clusters),
        ),
        *(
            (
                f"if items of one {cluster(memo)} resembled each other by {each.rho} (intraclass correlation)",
                each.deff_all,
                each.among_all,
                each.deff_changed,
                each.among_changed,
            )
            for each in bounds.sensitivity
        ),
    ]
    return Table(
        "zero-event",
        f"Upper bounds {'outside the extension, ' if extension(memo) else ''}where nothing was found",
        f"How often the filter may still do it, at {confidence(memo)} confidence.",
        (
            Column("Upper bound"),
            Column("Design effect, all items", "index"),
            Column("Among all items with a final answer", "share"),
            Column("Design effect, changed items", "index"),
            Column("Among changed items alone", "share"),
        ),
        tuple(row for row in rows if row[2] is not None or row[4] is not None),
        " ".join((f"Variation between {cluster(memo, 2)} cannot be estimated from zero events.", *_no_bound(memo)))
        + rough_note(memo, rows),
    )


def _no_bound(memo: Memo) -> Iterator[str]:
    """Yield why a bound is missing where there are others; that by cluster needs two clusters."""
    bounds, one = memo.primary.zero_event, cluster(memo)
    if bounds.among_all is not None and bounds.korn_graubard_among_all is None:
        yield f"There is no bound by the number of {cluster(memo, 2)}: all items are of one {one}."
    if bounds.among_all is not None and bounds.among_changed is None:
        yield "There is no bound among changed items: none of those with a final answer was changed."
    elif bounds.korn_graubard_among_all is not None and bounds.korn_graubard_among_changed is None:
        yield f"Among changed items there is no bound by the number of {cluster(memo, 2)}: they are of one {one}."


def damaged(memo: Memo) -> Table:
    both, on, off, neither = memo.primary.damaged.counts
    return Table(
        "damaged-off-on",
        "Damage in each text",
        "Of the items of the primary rate. Damage repaired never makes up for damage introduced.",
        (Column("Items damaged in"), Column("Items", "count")),
        (
            ("both texts", both),
            ("the text with the filter on alone", on),
            ("the text with the filter off alone", off),
            ("neither", neither),
        ),
        _in_both(memo),
    )


def _in_both(memo: Memo) -> str:
    """Say why more items count as introduced than are damaged with the filter on alone."""
    other_kind = (memo.primary.introduced.numerator or 0) - memo.primary.damaged.counts[1]
    if not other_kind:
        return ""
    are, its = ("counts", "its damage is") if other_kind == 1 else ("count", "their damage is")
    items = "item" if other_kind == 1 else "items"
    return f"{other_kind} {items} damaged in both texts {are} as introduced: {its} of another kind with the filter on."


def damage_difference(memo: Memo) -> Table:
    found = memo.primary.damaged
    return Table(
        "damage-difference",
        "Damaged texts, on minus off",
        "The share of items damaged with the filter on less that with it off, of the same items.",
        (
            Column("Compared"),
            Column("Difference", "points"),
            Column(f"{confidence(memo)} interval, by {cluster(memo)} (jackknife)", "between"),
            Column(f"{confidence(memo)} interval, assumes independent items (Newcombe)", "between"),
            Column("McNemar's exact p, assumes independent items", "p"),
            Column("Why there is no interval by cluster"),
        ),
        (
            (
                "on minus off",
                found.difference.value,
                found.difference.interval,
                found.newcombe,
                found.mcnemar_p,
                why(found.difference.interval_null_reason),
            ),
        ),
    )


def damage(memo: Memo) -> Table:
    events = memo.primary.clusters_with_event
    return Table(
        "damage",
        "By kind of damage",
        "Introduced: damage of this kind with the filter on alone. Repaired: with it off alone; the item may be "
        "damaged in another way with it on. Shared: in both.",
        (
            Column("Kind"),
            Column("Key", "key"),
            *(Column(title, "count") for title in ("Introduced", "Repaired", "Shared")),
        ),
        tuple(
            (title(key), key, row.introduced, row.repaired, row.shared) for key, row in memo.primary.by_label.items()
        ),
        f"{cluster(memo, 2).capitalize()} with introduced damage: {events} of {memo.sample.clusters.count}.",
    )


def by_stratum(memo: Memo) -> Table:
    rows = [
        (title(name), name, heading, getattr(rates, key).clusters, *rate_cells(getattr(rates, key)))
        for name, rates in memo.primary.by_stratum.items()
        for key, heading in _PRIMARY.items()
    ]
    return Table(
        "by-stratum",
        "By stratum",
        "The same rates within each stratum.",
        (Column("Stratum"), Column("Key", "key"), Column("Rate"), units_column(memo), *rate_columns(memo)),
        tuple(rows),
        f"Each share is a {NO_POPULATION_RATE}.{rough_note(memo, rows)}",
    )


def marks(memo: Memo) -> Iterable[Table]:
    """Yield reasons, severities and groups: items on which a deciding judge chose each."""
    counted: Mapping[str, tuple[str, Mapping[str, int | None]]] = {
        "reasons": ("Reasons given", memo.primary.reasons),
        "severities": ("Severities given", memo.primary.severities),
        "groups": ("Groups given", memo.primary.groups),
    }
    for name, (heading, counts) in counted.items():
        rows = tuple((title(key), key, n, "" if n is not None else why("small_cell")) for key, n in counts.items())
        bears = "; severity never bears on the verdict" if name == "severities" else ""
        caption = f"Items on which at least one deciding judge chose it{bears}."
        columns = (Column("Chosen"), Column("Key", "key"), Column("Items", "count"), Column("Why there is no value"))
        yield Table(name, heading, caption, columns, rows, _small(memo) if None in counts.values() else "")


def _small(memo: Memo) -> str:
    return (
        f"Left out by the protocol: counts under {memo.conduct.min_cell} and those that come from fewer than "
        f"{MIN_CLUSTERS} {cluster(memo, 2)}, but for zero; with them every zero of this table, or else one more count, "
        "so that none can be worked out. No rate and no verdict is made of what is left out."
    )


def taxonomy(memo: Memo) -> Table:
    sums = [sum(getattr(arms, name) for arms in memo.taxonomy.values()) for name in ("on", "off", "both", "none")]
    rows = tuple((title(key), key, arms.on, arms.off, arms.both, arms.none) for key, arms in memo.taxonomy.items())
    return Table(
        "taxonomy",
        "Settled answers",
        "How often the answer that stands has each label, by the text that it names.",
        (
            *LABEL,
            Column("Filter on", "count"),
            Column("Filter off", "count"),
            Column("Both", "count"),
            Column("Names no text", "count"),
        ),
        (*rows, ("All", "all", *sums)) if any(sums) else rows,
        _settled(memo, sum(sums)),
    )


def _settled(memo: Memo, here: int) -> str:
    """Say where every item is that people were to judge, for not all have an answer that stands."""
    found, dissent = memo.sample, memo.adjudication.dissent
    judged = found.imported - found.withdrawn - found.auto_coded
    told = f"Of {judged} items for people to judge: {here} here"
    told += f", {found.disputed} disputed" if found.disputed else ""
    told += f", {found.pending} pending" if found.pending else ""
    told += f", {dissent} on which the adjudicator's answer does not rule (dissent)" if dissent else ""
    equal = f" {found.auto_coded} coded by the comparator are left out." if found.auto_coded else ""
    return f"{told}.{equal}" if judged else ""


def controls(memo: Memo) -> Table:
    found = memo.controls
    changed = found.changed.numerator
    parts = {
        "of these: changed safely": found.safe,
        "of these: damaged": found.destructive,
        "of these: anything else": found.other,
    }
    return Table(
        "controls",
        "Controls",
        "What became of items declared fluent, where there was nothing to tidy.",
        (Column("Controls"), *rate_columns(memo)),
        (
            ("Changed by the filter", *rate_cells(found.changed)),
            *((title, n, changed, "", "", "", "") for title, n in parts.items()),
        ),
    )


def cleanup(memo: Memo) -> Table:
    found = memo.cleanup
    return Table(
        "cleanup",
        "Clean-up of disfluencies",
        "What became of the disfluent items apart from damage; it never averages damage away.",
        (Column("Items"), *rate_columns(memo)),
        (
            ("Disfluency gone with the filter on, meaning intact", *rate_cells(found.safe_cleanup)),
            ("Left as they were", *rate_cells(found.unchanged)),
            ("Changed, disfluency still there, meaning intact", *rate_cells(found.retained)),
            ("Damaged, unresolved or not counted here", found.other, found.safe_cleanup.denominator, *("",) * 4),
            ("Single disfluencies removed", None, None, None, None, None, why(found.events.null_reason)),
        ),
    )


def _software(name: str, value: str) -> Iterable[tuple[str, str]]:
    return for_reading(value).items() if name == "filter_config" else [(name, value)]


def software(memo: Memo) -> Table:
    return Table(
        "software",
        "What made the texts and the numbers",
        "Names, versions and settings.",
        (Column("Name"), Column("Value", "long")),
        tuple(row for name, value in memo.software.items() for row in _software(name, value)),
    )
