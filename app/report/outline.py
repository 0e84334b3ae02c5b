"""The memo's order and running text, once; Markdown and HTML only set it."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain import codebook
from app.domain.memo import Memo
from app.report import wording
from app.report.cells import Table
from app.report.tables import tables


@dataclass(frozen=True)
class Section:
    """One section: running text, then points, then tables for reading, then terms with their meaning."""

    key: str
    title: str
    paragraphs: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()


def outline(memo: Memo) -> tuple[Section, ...]:
    """Return the sections after the verdict. Tables without rows are left out here; the CSV files have them."""
    made = {name: table.for_reading() for name, table in tables(memo).items() if table.rows}

    def some(*names: str) -> tuple[Table, ...]:
        return tuple(made[name] for name in names if name in made)

    return (
        Section("claims", "What may be claimed", points=wording.may_claim(memo)),
        Section("no-claims", "What may not be claimed", points=wording.may_not_claim(memo)),
        Section(
            "follows",
            "What follows",
            points=(*wording.what_follows(memo), wording.decision(memo)),
        ),
        Section("study", "Question and protocol", _study(memo), tables=some("study", "deviations")),
        Section("sample", "Sample", tables=some("sample")),
        Section("rights", "Rights", tables=some("rights")),
        Section(
            "primary",
            "Primary outcome",
            tables=some("primary", "zero-event", "damage", "by-stratum", "reasons", "severities", "groups"),
        ),
        Section("secondary", "Secondary outcomes", tables=some("taxonomy", "controls", "cleanup")),
        Section(
            "agreement",
            "Agreement",
            tables=some(
                "agreement-introduced",
                "agreement-destructive",
                "agreement",
                "coefficients",
                "disagreements",
                "specific",
                "confusion",
            ),
        ),
        Section("adjudication", "Adjudication", tables=some("adjudication", "disputed")),
        Section("quality", "Blinding, quality and effort", tables=some("quality")),
        Section("word-errors", "Word errors", tables=some("word-errors")),
        Section("software", "Software", tables=some("software")),
        Section("glossary", "Words", terms=_glossary(memo)),
    )


def _study(memo: Memo) -> tuple[str, ...]:
    question = (memo.study.question,) if memo.study.question else ("No question was declared.",)
    return question if memo.deviations else (*question, "No deviation from the protocol was logged.")


def _glossary(memo: Memo) -> tuple[tuple[str, str], ...]:
    unit = wording.cluster(memo)
    terms = (
        ("Item", "One utterance: the same recognised text with the filter off and with it on."),
        ("Changed", "The two texts differ in bytes, whatever anybody says of the difference."),
        ("Control", "An item of a stratum that was declared fluent before the freeze."),
        ("Stratum", "A declared group of items."),
        ("Independent unit", f"Here the {unit}: items of one {unit} may resemble each other."),
        ("Coded by the comparator", "The texts are equal under the protocol's comparator; nobody judged them."),
        ("Introduced", "Damage with the filter on that is not there with it off. What the study counts."),
        ("Repaired", "Damage with the filter off that is not there with it on."),
        ("Shared", "The same class of damage in both texts."),
        ("Confirmed", "Two people agreed, or a third settled it; or two both recorded introduced damage."),
        ("Disputed", "Two people disagreed, and nobody settled it."),
        ("Pending", "Not judged to the end when the study was closed."),
        ("Unresolved", "Disputed, pending or not assessable."),
    )
    return terms + tuple((label.title, label.detail) for label in codebook.LABELS)
