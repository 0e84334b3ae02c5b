"""What stands between a draft and its freeze: errors, warnings, and what the lead must acknowledge."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.domain import codebook, expected, protocol, rights
from app.domain.custody import KNEW
from app.domain.errors import Problem
from app.domain.item import PRACTICE, SENTINEL, STUDY, Item, compared
from app.domain.pairing import Filter, Origin, contradictions, for_reading
from app.domain.privacy import numeric
from app.domain.protocol import REVIEWERS_PER_ITEM, Protocol

NO_LEAD: Final = "a lead is needed"
ROLES: Final = ("reviewer", "adjudicator", "lead")


@dataclass(frozen=True)
class People:
    """Who is assigned: counts by role, judges without an attested qualification, and others that weaken a study.

    `disabled`: people who cannot sign in. `informed`: judges who led the study, or imported items. `strangely_made`:
    judges whose account had its last code from a lead of other studies.
    """

    reviewers: int = 0
    adjudicators: int = 0
    leads: int = 0
    unattested: int = 0
    disabled: int = 0
    informed: int = 0
    strangely_made: int = 0


@dataclass(frozen=True)
class Acknowledgement:
    """A fact that weakens the study and that the lead must accept by its code."""

    code: str
    text: str
    count: int


@dataclass(frozen=True)
class Readiness:
    """The check's report. No errors: the study can be frozen once all is acknowledged."""

    errors: tuple[Problem, ...]
    warnings: tuple[str, ...]
    acknowledge: tuple[Acknowledgement, ...]
    rights_missing: int
    references_missing: int
    equal_one_panel: int

    @property
    def blocked(self) -> bool:
        """Whether rights or required references are missing: such a draft has a memo that says so."""
        return bool(self.rights_missing or self.references_missing)

    @property
    def lacking(self) -> frozenset[str]:
        """The parts of the study that an error speaks of."""
        return frozenset(part_of(problem) for problem in self.errors)

    def of_part(self, part: str) -> list[Problem]:
        """Return the errors of one part of the study."""
        return [problem for problem in self.errors if part_of(problem) == part]

    def as_data(self) -> dict[str, Any]:
        """Return the report as `study check --json` prints it."""
        return {
            "errors": [str(problem) for problem in self.errors],
            "warnings": list(self.warnings),
            "acknowledge": [vars(each) for each in self.acknowledge],
        }


# By the first word of the field that an error names.
_PROTOCOL: Final = ("study", "selection", "references", "review", "gate", "engine")
_PARTS: Final = dict.fromkeys(_PROTOCOL, "protocol") | {
    "rights": "rights",
    "items": "items",
    "pairing": "items",
    "reviewers": "people",
    "people": "people",
    "lead": "people",
}


def part_of(problem: Problem) -> str:
    """Return the part of the study in which an error of the check is put right."""
    return _PARTS[re.split(r"\W", problem.field or "")[0]]


def assess(
    rules: Protocol,
    items: Sequence[Item],
    ledger: Sequence[rights.Source],
    people: People,
    origin: Origin,
    recorded: Collection[str] = (),
) -> Readiness:
    """Report on a draft. `items`: all, of every role; `recorded`: the ids of those whose recordings are there."""
    study = [item for item in items if item.role == STUDY]
    kinds = [kind for kind in protocol.REFERENCES if any(item.reference(kind) is not None for item in study)]
    heard = {item.source for item in items if item.audio is not None}
    # Practice tells nothing of the study, so that it may be of the other kind; its rights it needs all the same.
    counted = {item.source for item in items if item.role != PRACTICE}
    practised = {item.source for item in items} - counted
    unlicensed = rights.shortfalls(counted, ledger, rules["study.scope"], heard)
    unlicensed += rights.shortfalls(practised, ledger, None, heard)
    unreferenced = [item for item in items if item.role != PRACTICE and _lacks_reference(rules, item)]
    errors = (
        protocol.missing(rules, kinds)
        + (unlicensed if ledger or unlicensed else [Problem("there is no rights ledger yet", field="rights")])
        + _item_errors(rules, items, unreferenced, recorded)
        + _rigour_errors(rules, items, people)
        + _people_errors(people)
        + (contradictions(rules, origin.filter) if origin.filter else [])
    )
    equal = sum(shows_the_arm(rules, item) for item in study)
    return Readiness(
        errors=tuple(errors),
        warnings=(*_warnings(rules, items, people, origin), *rights.unsettled(counted | practised, ledger)),
        acknowledge=tuple(
            each for each in _acknowledgements(rules, items, people, origin, equal, recorded) if each.count
        ),
        rights_missing=len(unlicensed),
        references_missing=len(unreferenced),
        equal_one_panel=equal,
    )


def printed(rules: Protocol, ledger: Sequence[rights.Source]) -> dict[str, str]:
    """Return the lead's own words that a memo prints, by field: none of them may hold anything private."""
    names = ("study.id", "study.title", "study.question", "study.parent", "study.registration")
    engine = ("engine.filter", "engine.filter_version")
    found = {name: str(rules[name]) for name in (*names, *engine) if rules[name] is not None}
    found |= {f"selection.strata ({stratum})": stratum for stratum in rules.strata}
    for source in ledger:
        found |= {f"rights ({source.source}, {key})": getattr(source, key) for key in ("source", "version", "licence")}
    return found


def printed_of_filter(made: Filter) -> dict[str, str]:
    """Return what a memo prints of the filter that made the pairs here, by field."""
    said = {"filter": made.name, "version": made.version, "configuration": made.config} | for_reading(made.config)
    return {f"pairing ({part})": text for part, text in said.items()}


def _lacks_reference(rules: Protocol, item: Item) -> bool:
    if not rules["references.required"]:
        return False
    return any(item.reference(kind) is None for kind in rules["references.shown"])


def shows_the_arm(rules: Protocol, item: Item) -> bool:
    """Tell whether a shown reference equals exactly one panel: text alone gives the arm away there."""
    shown = {item.reference(kind) for kind in rules["references.shown"]} - {None}
    return (item.off in shown) != (item.on in shown)


def _item_errors(
    rules: Protocol, items: Sequence[Item], unreferenced: Sequence[Item], recorded: Collection[str]
) -> list[Problem]:
    errors = []
    if not any(item.role == STUDY for item in items):
        errors.append(Problem("the study has no items yet; import some", field="items"))
    undeclared = sorted({item.stratum for item in items if item.role != PRACTICE} - set(rules.strata))
    told = "items are of stratum “{}”, which the protocol does not declare"
    errors += [Problem(told.format(stratum), field="items") for stratum in undeclared]
    if unreferenced:
        told = f"{len(unreferenced)} items lack a reference that the protocol requires"
        errors.append(Problem(told, field="items"))
    silent = sum(
        item.verbatim_reference is None and item.semantic_reference is None and item.item_id not in recorded
        for item in items
        if item.role != PRACTICE
    )
    if rules["study.scope"] == "corpus" and silent:
        told = f"{silent} items have neither audio nor a reference; a corpus study needs one of them for each item"
        errors.append(Problem(told, field="items"))
    return errors


def _rigour_errors(rules: Protocol, items: Sequence[Item], people: People) -> list[Problem]:
    """List what the options of rigour need and do not have."""
    errors = []
    sentinels = [item for item in items if item.role == SENTINEL]
    if rules["review.sentinels"] and not sentinels:
        told = "sentinels are asked for, and no item has the role sentinel: import some, or switch them off"
        errors.append(Problem(told, field="items"))
    unseen = sum(compared(item, rules)[1] for item in sentinels)
    if rules["review.sentinels"] and unseen:
        told = f"{unseen} sentinels are coded by the comparator, so that nobody would see them: take them out"
        errors.append(Problem(told, field="items"))
    if rules["review.practice"] and not any(item.role == PRACTICE for item in items):
        told = "a practice round is asked for, and no item has the role practice: import some, or switch it off"
        errors.append(Problem(told, field="items"))
    if rules["review.practice_pass"] and not rules["review.practice"]:
        told = "it needs review.practice: switch it on, or leave it out"
        errors.append(Problem(told, field="review.practice_pass"))
    wrong = sum(_answered_wrongly(item, rules) for item in items)
    if wrong:
        told = (
            f"{wrong} sentinels or practice items have a known answer that nobody could give, as the comparator "
            "calls their texts equal: correct or take them out"
        )
        errors.append(Problem(told, field="items"))
    if rules["gate.min_sentinel_detection"] is not None and not rules["review.sentinels"]:
        told = "it needs review.sentinels: switch them on, or leave it out"
        errors.append(Problem(told, field="gate.min_sentinel_detection"))
    elif rules["gate.min_sentinel_detection"] and not any(item.expected.coding.destructive for item in sentinels):  # type: ignore[union-attr]
        told = "no sentinel has damage that could be detected: import such, or leave it out"
        errors.append(Problem(told, field="gate.min_sentinel_detection"))
    if rules["review.audit_agreed"] and not people.adjudicators:
        told = "audits of agreed items need an adjudicator: assign one, or leave review.audit_agreed out"
        errors.append(Problem(told, field="people"))
    return errors


def _answered_wrongly(item: Item, rules: Protocol) -> bool:
    """Tell whether the known answer of texts that differ is refused because the comparator calls them equal."""
    if item.expected is None or not compared(item, rules)[0]:
        return False
    return isinstance(expected.parse(item.expected.as_data(), identical=True), dict)


def _looks(rules: Protocol, item: Item) -> tuple[object, ...]:
    """Return what of an item a judge sees beside its texts: whether it has a recording, references, and a language."""
    return item.audio is not None, *(item.reference(kind) is not None for kind in rules["references.shown"]), item.lang


def _people_errors(people: People) -> list[Problem]:
    errors = []
    if people.reviewers < REVIEWERS_PER_ITEM:
        errors.append(Problem(f"two reviewers are needed, {people.reviewers} assigned", field="reviewers"))
    if people.disabled:
        told = f"{people.disabled} of the people cannot sign in, as their accounts are disabled"
        errors.append(Problem(told, field="people"))
    if people.leads < 1:
        errors.append(Problem(NO_LEAD, field="lead"))
    return errors


def seating(roles: Sequence[tuple[str, str]]) -> list[Problem]:
    """List what is wrong with who shall take part, given as pairs of role and name."""
    problems = [
        Problem("a role is one of: " + ", ".join(ROLES), field="role") for role, _ in roles if role not in ROLES
    ]
    if sum(role == "adjudicator" for role, _ in roles) > 1:
        problems.append(Problem("a study has one adjudicator at most", field="adjudicator"))
    if all(role != "lead" for role, _ in roles):
        problems.append(Problem(NO_LEAD, field="lead"))
    names = [name for _, name in roles]
    told = "“{}” would have two roles; in one study a person has exactly one"
    twice = sorted({name for name in names if names.count(name) > 1})
    return problems + [Problem(told.format(name), field="assign") for name in twice]


def _warnings(rules: Protocol, items: Sequence[Item], people: People, origin: Origin) -> list[str]:
    warnings = [] if origin.verified else [_unverified(origin)]
    for role, option in ((SENTINEL, "review.sentinels"), (PRACTICE, "review.practice")):
        unused = sum(item.role == role for item in items)
        if unused and not rules[option]:
            warnings.append(f"Nobody will see the {role} items ({unused}): {option} is off.")
    if people.adjudicators == 0:
        warnings.append("There is no adjudicator: every disagreement ends disputed, and holds the verdict.")
    if people.strangely_made:
        warnings.append(
            "Judges whose account was made, or last given a code, by somebody who does not lead this study: "
            f"{people.strangely_made}. Whoever gave the code may have used it. Ask the judge to sign in and to choose "
            "a new password."
        )
    if not rules.controls:
        warnings.append("There is no control stratum: the verdict cannot be PASS.")
    elif not any(item.stratum in rules.controls for item in items if item.role == STUDY):
        warnings.append("No item is of a control stratum: the verdict cannot be PASS.")
    numbers = sum(map(numeric, {name for item in items for name in (item.item_id, item.cluster)}))
    if numbers:
        warnings.append(
            f"Item or cluster ids that are numbers alone: {numbers}. Memos are full of numbers, so these are looked "
            "for in memo.json alone. A letter before each makes them findable everywhere."
        )
    return warnings


def _unverified(origin: Origin) -> str:
    so = "the memo will say that the pairing is unverified."
    if not origin.imported and origin.otherwise:
        return f"The pairs were made here by more than one filter, version or configuration: {so}"
    if origin.here:
        return f"Some of the pairs were imported, not made here ({origin.imported}): {so}"
    return f"The pairs were imported, not made here: {so}"


def _acknowledgements(
    rules: Protocol, items: Sequence[Item], people: People, origin: Origin, equal: int, recorded: Collection[str]
) -> list[Acknowledgement]:
    sentinels = [item for item in items if item.role == SENTINEL] if rules["review.sentinels"] else []
    items = [item for item in items if item.role == STUDY]
    have = Counter(item.stratum for item in items)
    shortage = sum(max(0, planned - have[name]) for name, planned in rules.strata.items())
    surplus = sum(max(0, have[name] - planned) for name, planned in rules.strata.items())
    alike = {_looks(rules, item) for item in sentinels} == {_looks(rules, item) for item in items}
    unlike = sum(item.off != item.raw_hypothesis for item in items) if rules["engine.off_equals_raw"] else 0
    disfluent = {group.key for group in codebook.GROUPS} - {"fluent"}
    tagged = sum(item.stratum in rules.controls and bool(disfluent & set(item.tags)) for item in items)
    unheard = sum(item.audio is not None and item.item_id not in recorded for item in items)
    return [
        Acknowledgement("importer_judges", f"Judges who {KNEW}.", people.informed),
        Acknowledgement("unattested", "Judges whose qualification nobody has attested.", people.unattested),
        Acknowledgement(
            "references_equal_one_panel",
            "Items on which a shown reference equals exactly one text: there the text gives the arm away.",
            equal,
        ),
        Acknowledgement(
            "sentinels_differ",
            "Sentinels that can be told from other items by what they have or lack: recordings, references, language.",
            0 if alike else len(sentinels),
        ),
        Acknowledgement("off_unlike_raw", "Items whose text with the filter off is not the raw hypothesis.", unlike),
        Acknowledgement(
            "pairing_mixed",
            "Pairs made here by another filter, version or configuration than most of them.",
            origin.otherwise,
        ),
        Acknowledgement("controls_with_tags", "Items of a control stratum that carry a tag of disfluency.", tagged),
        Acknowledgement(
            "recordings_missing", "Items that name a recording which is not there: judges are told so.", unheard
        ),
        Acknowledgement("shortage", "Items planned and not imported.", shortage),
        Acknowledgement("surplus", "Items imported beyond the plan.", surplus),
    ]
