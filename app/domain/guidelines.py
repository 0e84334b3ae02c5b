"""The guidelines as values: the way to an answer, each answer with its examples, and pairs at the edges.

They are data (`app/content/guidelines.toml`), frozen with a study. Those of a study that was frozen by an earlier
version have sections alone; what they lack is empty here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.domain.judgement import Judgement


@dataclass(frozen=True)
class Step:
    """One question on the way to an answer. `short`: the same as a statement, for where room is scarce."""

    label: str
    question: str
    short: str
    more: str


@dataclass(frozen=True)
class Worked:
    """A pair with its answer and why. `meant`: the reference, where the pair is shown with one."""

    a: str
    b: str
    answer: Judgement
    why: str
    meant: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class Told:
    """What is said of one answer."""

    why: tuple[str, ...] = ()
    pairs: tuple[Worked, ...] = ()


@dataclass(frozen=True)
class Section:
    title: str
    paragraphs: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    pairs: tuple[Worked, ...] = ()


@dataclass(frozen=True, eq=False)
class Guidelines:
    """The whole of them. `path`: the first step that holds decides, `otherwise` where none does.

    Two are the same where they are one object, so that what is made of one can be kept by it.
    """

    title: str
    intro: tuple[str, ...] = ()
    path: tuple[Step, ...] = ()
    otherwise: Step | None = None
    answers: Mapping[str, Told] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    edges: tuple[Worked, ...] = ()

    def first_step(self, label: str) -> int | None:
        """Return the number of the first step that leads to an answer, or None."""
        return next((number for number, step in enumerate(self.path, start=1) if step.label == label), None)


def read(data: Mapping[str, Any]) -> Guidelines:
    """Return the guidelines that their file holds."""
    return Guidelines(
        title=data["title"],
        intro=tuple(data.get("intro", ())),
        path=tuple(Step(**each) for each in data.get("path", ())),
        otherwise=Step(**data["otherwise"]) if "otherwise" in data else None,
        answers={label: _told(each) for label, each in data.get("answers", {}).items()},
        reasons=data.get("reasons", {}),
        tags=data.get("tags", {}),
        sections=tuple(_section(each) for each in data.get("sections", ())),
        edges=_pairs(data.get("edges", ())),
    )


def _told(data: Mapping[str, Any]) -> Told:
    return Told(tuple(data.get("why", ())), _pairs(data.get("pairs", ())))


def _section(data: Mapping[str, Any]) -> Section:
    paragraphs, examples = (tuple(data.get(key, ())) for key in ("paragraphs", "examples"))
    return Section(data["title"], paragraphs, examples, _pairs(data.get("pairs", ())))


def _pairs(rows: Iterable[Mapping[str, Any]]) -> tuple[Worked, ...]:
    return tuple(
        Worked(
            a=row["a"],
            b=row["b"],
            answer=Judgement(row["label"], row.get("panel"), row.get("also"), tuple(row.get("reasons", ()))),
            why=row["why"],
            meant=row.get("meant"),
            name=row.get("name"),
        )
        for row in rows
    )
