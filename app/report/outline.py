"""The memo's order and running text, once; Markdown and HTML only set it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from app.domain import codebook
from app.domain.memo import Absent, Memo
from app.report import findings, wording
from app.report.cells import Table
from app.report.methods import methods, sources
from app.report.pictures import Picture, pictures
from app.report.tables import tables


@dataclass(frozen=True)
class Section:
    """One section: running text, then points, then tables for reading, then terms with their meaning.

    `pictures`: by the name of the table that each stands beside. `aside`: short, and set next to others of its kind.
    """

    key: str
    title: str
    paragraphs: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    aside: bool = False


def outline(memo: Memo) -> tuple[Section, ...]:
    """Return the sections after the verdict. Tables without rows are left out here; the CSV files have them."""
    made = {name: table.for_reading() for name, table in tables(memo).items() if table.rows}

    def some(*names: str) -> tuple[Table, ...]:
        return tuple(made[name] for name in names if name in made)

    drawn = pictures(memo)
    return tuple(
        replace(section, pictures={table.name: drawn[table.name] for table in section.tables if table.name in drawn})
        for section in (*_asides(memo), *_parts(memo, some))
    )


def _asides(memo: Memo) -> tuple[Section, ...]:
    return (
        Section("shows", "What this shows", points=findings.shows(memo), aside=True),
        Section("shows-not", "What this does not show", points=findings.does_not_show(memo), aside=True),
        Section("claims", "What may be claimed", points=wording.may_claim(memo), aside=True),
        Section("no-claims", "What may not be claimed", points=wording.may_not_claim(memo), aside=True),
        Section("follows", "What follows", points=(*wording.what_follows(memo), wording.decision(memo)), aside=True),
    )


def _parts(memo: Memo, some: Callable[..., tuple[Table, ...]]) -> tuple[Section, ...]:
    return (
        Section("study", "Question and protocol", _study(memo), tables=some("study", "conduct", "deviations")),
        Section("sample", "Sample", tables=some("outcomes", "sample")),
        Section("rights", "Rights", tables=some("rights")),
        Section(
            "primary",
            "Primary outcome",
            tables=some(
                "primary",
                "zero-event",
                "damage",
                "damaged-off-on",
                "damage-difference",
                "by-stratum",
                "extension",
                "reasons",
                "severities",
                "groups",
            ),
        ),
        Section("secondary", "Secondary outcomes", tables=some("taxonomy", "controls", "cleanup")),
        Section(
            "agreement",
            "Agreement",
            tables=some(
                "agreement-introduced",
                "agreement-destructive",
                "agreement-specific",
                "agreement",
                "coefficients",
                "agreement-by-stratum",
                "disagreements",
                "specific",
                "confusion",
            ),
        ),
        Section("adjudication", "Adjudication", tables=some("adjudication", "disputed")),
        Section("quality", "Blinding, quality and effort", tables=some("quality", "judges")),
        Section(
            "word-errors",
            "Word errors",
            tables=some("word-errors", "word-differences", "word-errors-by-stratum", "sap-preferences"),
        ),
        Section("software", "Software", tables=some("software")),
        *_methods(memo),
        Section("glossary", "Words", terms=_glossary(memo)),
    )


def _methods(memo: Memo) -> tuple[Section, ...]:
    told = methods(memo)
    return (Section("methods", "Methods, ready to paste", told, points=sources(memo)),) if told else ()


def _study(memo: Memo) -> tuple[str, ...]:
    question = (memo.study.question,) if memo.study.question else ("No question was declared.",)
    return question if memo.deviations else (*question, "No deviation from the protocol was logged.")


def _glossary(memo: Memo) -> tuple[tuple[str, str], ...]:
    unit = wording.cluster(memo)
    terms: tuple[tuple[str, str], ...] = (
        ("Item", "One utterance: the same recognised text with the filter off and with it on."),
        ("Changed", "The two texts differ in bytes, whatever anybody says of the difference."),
        ("Control", "An item of a stratum that was declared fluent before the freeze."),
        ("Stratum", "A declared group of items."),
        (
            "Independent unit, or cluster",
            f"Here the {unit}: items of one {unit} may resemble each other.",
        ),
        ("Coded by the comparator", "The texts are equal under the protocol's comparator; nobody judged them."),
        ("Introduced", "Damage with the filter on that is not there with it off. What the study counts."),
        ("Repaired", "Damage with the filter off that is not there with it on."),
        ("Shared", "The same class of damage in both texts."),
        (
            "Confirmed",
            "Two people agreed on it, a third settled it, or two both recorded introduced damage; nothing else.",
        ),
        ("Final answer", "A confirmed one that could be judged, or that of the comparator."),
        ("Disputed", "Two people disagreed, and nobody settled it."),
        ("Pending", "Not judged to the end when the study was closed."),
        ("Unresolved", "Disputed, pending or not assessable."),
    )
    terms += (
        (
            "Interval",
            f"Values that the data do not rule out ({wording.confidence(memo)}); with fewer {unit}s it is wider.",
        ),
        ("Specific agreement", "Of the times that one person gave an answer, how often the other gave it too."),
        ("Design effect", f"How many times the variance is what it would be if items of one {unit} were independent."),
        ("Effective items", "So many independent items would tell as much."),
        ("Prevalence index", "1 where both reviewers marked everything, -1 where both marked nothing."),
        ("Blinding index", "0 where guesses of the filtered text are no better than chance, 1 where all are right."),
    )
    return (*terms, *_of_words(memo), *((label.title, label.detail) for label in codebook.LABELS))


def _of_words(memo: Memo) -> tuple[tuple[str, str], ...]:
    if all(isinstance(getattr(memo.wer, name), Absent) for name in ("verbatim", "semantic", "sap2025")):
        return ()
    return (
        ("Verbatim reference", "What was said, disfluencies and all, as people wrote it down."),
        ("Semantic reference", "What was meant: the same without disfluencies."),
        ("Word error rate", "Words put in, left out or replaced, over the words of the reference; it can exceed 100%."),
        ("SAP", "The Speech Accessibility Project, whose challenge of 2025 has a scoring of its own."),
    )
