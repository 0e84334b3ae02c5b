"""The protocol: the rules of a study, fixed before anybody sees an outcome.

`FIELDS` is the whole file format: parsing, defaults, the frozen copy and the
documentation all follow from it. A draft may be partial; `missing` says what a freeze
still needs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.domain.entered import EXPECTED, MAX_TEXT, fit_to_enter
from app.domain.errors import InvalidInput, Problem
from app.domain.explanation import EXPLANATIONS, Explanation
from app.domain.rights import KINDS
from app.domain.text import COMPARATORS, is_plain

ID_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SCOPES: Final = KINDS
REVIEWERS_PER_ITEM: Final = 2  # agreement, routing and confirmation are defined for two
REFERENCES: Final = ("verbatim", "semantic")

Check = Callable[[Any], str | None]


@dataclass(frozen=True)
class Field:
    """One key of the protocol file.

    `check` returns what was expected where the value is not it. `needed`: a freeze
    needs it (`corpus`: only of a corpus study).
    """

    section: str
    key: str
    check: Check
    about: str
    default: Any = None
    needed: str = ""

    @property
    def name(self) -> str:
        """The dotted name used in messages, e.g. `review.comparator`."""
        return f"{self.section}.{self.key}"

    @property
    def explanation(self) -> Explanation:
        """What it means for people, and how it is entered."""
        return EXPLANATIONS[self.name]


def _text(value: Any) -> str | None:
    expected = f"text of 1 to {MAX_TEXT:,} characters, without control characters"
    return None if isinstance(value, str) and 0 < len(value.strip()) <= MAX_TEXT and is_plain(value) else expected


def _study_id(value: Any) -> str | None:
    expected = "1 to 64 letters a to z, digits, dots, hyphens or underscores, beginning with a letter or digit"
    return None if isinstance(value, str) and ID_PATTERN.fullmatch(value) else expected


def _bool(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _integer(low: int, high: int) -> Check:
    def check(value: Any) -> str | None:
        ok = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return None if ok else f"a whole number from {low} to {high}"

    return check


def _number(low: float, high: float) -> Check:
    def check(value: Any) -> str | None:
        ok = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return None if ok and low <= value <= high else f"a number from {low:g} to {high:g}"

    return check


def _one_of(*allowed: str) -> Check:
    def check(value: Any) -> str | None:
        return None if value in allowed else "one of: " + ", ".join(allowed)

    return check


def _names(value: Any) -> str | None:
    ok = isinstance(value, list) and all(isinstance(v, str) and v.strip() for v in value)
    return None if ok and len(set(value)) == len(value) else "a list of different names"


def _references(value: Any) -> str | None:
    expected = "a list of: " + ", ".join(REFERENCES)
    return expected if _names(value) or set(value) - set(REFERENCES) else None


items_planned: Final = _integer(1, 1_000_000)  # of one stratum


def _strata(value: Any) -> str | None:
    ok = isinstance(value, dict) and value and all(isinstance(k, str) and k.strip() for k in value)
    if ok and all(items_planned(n) is None for n in value.values()):
        return None
    return "a table of stratum names with their planned number of items, e.g. { fluent = 40 }"


def _at_least(value: Any) -> str | None:
    ok = (
        isinstance(value, dict)
        and set(value) == {"k", "n"}
        and all(_integer(1, 100)(v) is None for v in value.values())
    )
    return None if ok and value["k"] <= value["n"] else "k and n, k not larger than n, e.g. { k = 2, n = 3 }"


def _plain(value: Any) -> str | None:
    """Engine facts are recorded, not interpreted: any plain value, or the text "none"."""
    return None if value != "" and _is_plain(value) else 'a plain value (no date), or "none"'


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(each) for each in value.values())
    if isinstance(value, list):
        return all(_is_plain(each) for each in value)
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


_share: Final = _number(0, 0.5)
_pair: Final = _integer(REVIEWERS_PER_ITEM, REVIEWERS_PER_ITEM)
_ENGINE_KEYS: Final = {
    "repo_commit": "commit of the dictation program",
    "lockfile_sha256": "digest of its lock file",
    "python": "version of Python it ran on",
    "backend": "recognition backend",
    "model": "recognition model",
    "model_sha256": "digest of the model",
    "quantization": "quantisation of the model",
    "device": "device it ran on",
    "language": "language setting",
    "beam": "beam size",
    "prompt": "initial prompt",
    "chunk_policy": "how audio was cut",
    "decoding": "decoding options",
    "filter": "name of the filter under test",
    "filter_version": "its version",
    "filter_config": "its whole effective configuration",
}

FIELDS: Final = (
    Field("study", "id", _study_id, "short name of the study, used in commands and addresses", needed="all"),
    Field("study", "title", _text, "title on pages and in the memo", needed="all"),
    Field("study", "scope", _one_of(*SCOPES), "synthetic (invented text) or corpus (real speech)", needed="all"),
    Field("study", "question", _text, "the question that the study answers", needed="all"),
    Field("study", "parent", _study_id, "the study that this one replaces"),
    Field("study", "registration", _text, "reference of a registration made before the study"),
    Field("selection", "strata", _strata, "planned number of items of each stratum", needed="all"),
    Field("selection", "controls", _names, "strata that are declared fluent", default=[], needed="corpus"),
    Field("selection", "extension", _names, "strata reported apart, never pooled", default=[]),
    Field("selection", "agreement", _at_least, "annotators who must agree", default={"k": 2, "n": 3}),
    Field("selection", "precedence", _names, "which label wins where an item has several", default=[]),
    Field("selection", "cluster_cap", _integer(0, 1_000_000), "items per cluster at most, 0 for no cap", default=0),
    Field("selection", "cluster_unit", _one_of("speaker", "episode"), "what a cluster is", default="episode"),
    Field("selection", "seed", _text, "seed of the draw, recorded with the study"),
    Field("references", "shown", _references, "references that judges see", default=["semantic"]),
    Field("references", "required", _bool, "every item must have each shown reference", default=False),
    Field("references", "verbatim_policy", _text, "how verbatim references were made"),
    Field("references", "semantic_policy", _text, "how semantic references were made"),
    Field("review", "reviewers_per_item", _pair, "reviewers per item: two", default=REVIEWERS_PER_ITEM),
    Field("review", "comparator", _one_of(*COMPARATORS), "when two texts count as equal", default="exact"),
    Field("review", "identical_pairs", _one_of("auto", "review"), "who codes equal pairs", default="auto"),
    Field("review", "highlight", _bool, "mark the differences", default=True),
    Field("review", "practice", _bool, "a practice round first", default=False),
    Field("review", "practice_pass", _number(0, 1), "share of the round that must be as expected", default=0.0),
    Field("review", "sentinels", _bool, "items with a known answer, mixed in", default=False),
    Field("review", "repeats", _share, "share of items shown again", default=0.0),
    Field("review", "audit_agreed", _share, "share of agreed items that are adjudicated too", default=0.0),
    Field("review", "blinding_check", _share, "share of items asked about after sign-off", default=0.0),
    Field("adjudication", "own_judgement_first", _bool, "own judgement before the reviews are seen", default=True),
    Field("gate", "max_unassessable", _integer(0, 1_000_000), "unassessable items that a PASS tolerates", default=0),
    Field("gate", "min_sentinel_detection", _number(0, 1), "smallest share of damage found in sentinels"),
    Field("statistics", "confidence", _number(0.5, 0.999), "confidence of the intervals", default=0.95),
    Field("statistics", "resamples", _integer(0, 1_000_000), "resamples of the bootstrap", default=10_000),
    Field("statistics", "seed", _integer(0, 2**53 - 1), "seed of the bootstrap", default=1),
    Field("statistics", "min_cell", _integer(0, 1_000), "smallest count of a tag or severity that is shown", default=5),
    *(Field("engine", key, _plain, about, needed="corpus") for key, about in _ENGINE_KEYS.items()),
    Field("engine", "off_equals_raw", _bool, "with the filter off the text is the raw hypothesis", default=True),
)
_BY_NAME: Final = {field.name: field for field in FIELDS}
SECTIONS: Final = tuple(dict.fromkeys(field.section for field in FIELDS))
BY_SECTION: Final = {name: [field for field in FIELDS if field.section == name] for name in SECTIONS}
# What judges read at the close, and not before. What filtered the texts, and how: who has the same program can run it,
# and see which text it makes of the other. How the judging itself is measured; the planned numbers too, for a list
# that is longer than planned tells that something is mixed in.
UNANNOUNCED: Final = (
    *(field.name for field in BY_SECTION["engine"]),
    "selection.seed",
    "selection.controls",
    "selection.strata",
    "review.sentinels",
    "review.repeats",
    "review.audit_agreed",
    "review.blinding_check",
    "gate.min_sentinel_detection",
)
FOR_JUDGES: Final = {
    name: announced
    for name, fields in BY_SECTION.items()
    if (announced := [field for field in fields if field.name not in UNANNOUNCED])
}


@dataclass(frozen=True)
class Protocol:
    """A protocol with every default spelt out; `values` maps dotted names to values."""

    values: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        """Return the value of a key by its dotted name, e.g. `protocol["review.comparator"]`."""
        return self.values[name]

    @property
    def id(self) -> str:
        """The study's id."""
        return str(self.values["study.id"])

    @property
    def title(self) -> str:
        """The study's title, or its id while it has none."""
        return str(self.values["study.title"] or self.id)

    @property
    def synthetic(self) -> bool:
        """Whether the texts are invented: verdicts then prove nothing about speakers."""
        return bool(self.values["study.scope"] == "synthetic")

    @property
    def strata(self) -> Mapping[str, int]:
        """The planned number of items by stratum, in declared order."""
        return self.values["selection.strata"] or {}

    @property
    def controls(self) -> frozenset[str]:
        """The strata that are declared fluent."""
        return frozenset(self.values["selection.controls"])

    def as_data(self) -> dict[str, dict[str, Any]]:
        """Return the protocol as nested plain data, defaults spelt out, unset keys left out."""
        return {
            section: {
                field.key: self.values[field.name]
                for field in FIELDS
                if field.section == section and self.values[field.name] is not None
            }
            for section in SECTIONS
        }


def parse(data: Mapping[str, Any], where: str = "") -> Protocol:
    """Check a decoded protocol file and fill in the defaults.

    Raises InvalidInput naming every unknown key and wrong value.

    >>> parse({"study": {"id": "pilot"}})["review.comparator"]
    'exact'
    """
    given, problems = _flatten(data, where)
    for name, value in given.items():
        expected = _BY_NAME[name].check(value)
        if expected is not None:
            problems.append(Problem(f"expected {expected}", where=where, field=name))
    if "study.id" not in given:
        problems.append(Problem("every protocol needs it", where=where, field="study.id"))
    if not problems:
        problems = _undeclared(given, where)
    if problems:
        raise InvalidInput(problems)
    return Protocol({field.name: given.get(field.name, field.default) for field in FIELDS})


def _flatten(data: Mapping[str, Any], where: str) -> tuple[dict[str, Any], list[Problem]]:
    given: dict[str, Any] = {}
    problems = []
    for section, content in data.items():
        if section not in SECTIONS:
            known = ", ".join(f"[{name}]" for name in SECTIONS)
            problems.append(Problem(f"unknown section; known are {known}", where=where, field=section[:60]))
        elif not isinstance(content, dict):
            problems.append(Problem("expected a section in square brackets", where=where, field=section))
        else:
            for key, value in content.items():
                name = f"{section}.{key}"
                if name in _BY_NAME:
                    given[name] = value
                else:
                    problems.append(Problem("unknown key", where=where, field=name[:80]))
    return given, problems


def _undeclared(given: Mapping[str, Any], where: str) -> list[Problem]:
    """Controls and extension must be strata that the protocol declares, and different ones."""
    controls, extension = "selection.controls", "selection.extension"
    problems = [
        Problem(f"“{name}” is not one of selection.strata", where=where, field=field)
        for field in (controls, extension)
        for name in sorted(set(given.get(field, [])) - set(given.get("selection.strata", {})))
    ]
    both = sorted(set(given.get(controls, [])) & set(given.get(extension, [])))
    told = "“{}” is a control, which the verdict needs: it cannot be reported apart"
    return problems + [Problem(told.format(name), where=where, field=extension) for name in both]


def unreadable(rules: Protocol, where: str = "") -> list[Problem]:
    """List the fields of a new protocol in whose words there is nothing to see, or too much.

    Not in `parse`, which reads what earlier versions took, too.
    """
    return [
        Problem(f"expected {EXPECTED}", where=where, field=name)
        for name, value in rules.values.items()
        if not all(map(fit_to_enter, _words(name, value)))
    ]


def _words(name: str, value: Any) -> list[str]:
    """Return what a field holds of somebody's own words."""
    if isinstance(value, str):
        return [value]
    return list(value) if name in {"selection.strata", "selection.controls", "selection.extension"} and value else []


def missing(protocol: Protocol, references_in_use: Sequence[str] = ()) -> list[Problem]:
    """List what a freeze still needs of the protocol.

    `references_in_use`: the kinds of reference (`verbatim`, `semantic`) that items have;
    a corpus study needs the policy of each.
    """
    corpus = protocol["study.scope"] == "corpus"
    needed = [field.name for field in FIELDS if field.needed == "all" or (field.needed == "corpus" and corpus)]
    if corpus:
        needed += [f"references.{kind}_policy" for kind in references_in_use]
    told = "the freeze needs it: add it to the file, and replace the protocol"
    return [Problem(told, field=name) for name in needed if protocol[name] in (None, [], {})]
