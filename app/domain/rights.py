"""The rights ledger: what may be done with each source. `unknown` means no."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any, Final

from app.domain.entered import EXPECTED, fit_to_enter
from app.domain.errors import InvalidInput, Problem

KINDS: Final = ("synthetic", "corpus")
DECISIONS: Final = ("approved", "refused", "unknown")
OPERATIONS: Final = (
    "download",
    "store",
    "play",
    "transcribe",
    "derive",
    "retain",
    "publish_aggregate",
    "publish_manifest_hash",
    "publish_excerpt",
)
NEEDED: Final = ("store", "derive", "publish_aggregate")
NEEDED_TO_HEAR: Final = "play"
NOT_KNOWN: Final = "not known yet"  # what an entry says of which nobody has settled anything


@dataclass(frozen=True)
class Source:
    """One source's entry in the ledger. `decided_by` never enters a memo."""

    source: str
    kind: str
    version: str
    publisher: str
    audio_owner: str
    reference_owner: str
    licence: str
    permitted_operations: tuple[str, ...]
    consent: str
    distribution: str
    removal: str
    decision: str
    decided_by: str
    decided_at: str
    retain_until: str | None = None

    def as_data(self) -> dict[str, Any]:
        """Return the entry as plain data, for store and manifest."""
        return asdict(self) | {"permitted_operations": list(self.permitted_operations)}


FIELDS: Final = {
    "source": "the name that items use",
    "kind": "synthetic or corpus",
    "version": "version of the source",
    "publisher": "who published it",
    "audio_owner": "who owns the audio",
    "reference_owner": "who owns annotations and references",
    "licence": "licence or agreement",
    "permitted_operations": "list of what may be done with it",
    "consent": "constraints of consent or ethics",
    "distribution": "what may be passed on",
    "removal": "how something is removed",
    "decision": "approved, refused or unknown",
    "decided_by": "who decided; never enters a memo",
    "decided_at": "when it was decided",
    "retain_until": "until when it may be kept",
}
_CHOICES: Final = {"kind": KINDS, "decision": DECISIONS}


def parse(data: Mapping[str, Any], where: str = "") -> list[Source]:
    """Check a decoded ledger file (`[[source]]` tables).

    Raises InvalidInput with every problem; its field counts the tables: `source 2, licence`.
    """
    problems = [
        Problem("unknown key; a ledger is a list of [[source]]", where=where, field=key[:60])
        for key in data
        if key != "source"
    ]
    tables = data.get("source")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        problems.append(Problem("expected at least one [[source]] table", where=where, field="source"))
        raise InvalidInput(problems)
    sources = []
    for number, table in enumerate(tables, start=1):
        found = _source(table, where, number)
        if isinstance(found, Source):
            sources.append(found)
        else:
            problems += found
    names = [each.source for each in sources]
    problems += [
        Problem(f"“{name}” has two entries", where=where, field="source")
        for name in sorted(set(names))
        if names.count(name) > 1
    ]
    if problems:
        raise InvalidInput(problems)
    return sources


def entry(values: Mapping[str, Any]) -> Source:
    """Check one entry as a form gives it. Raises InvalidInput with every problem, by field."""
    found = _source(values)
    if isinstance(found, Source):
        return found
    raise InvalidInput(found)


def _source(table: Mapping[str, Any], where: str = "", number: int | None = None) -> Source | list[Problem]:
    """Check one entry; `number`: of which table in a file, so that its fields can be told apart."""
    place = f"source {number}, " if number is not None else ""

    def problem(key: str, message: str) -> Problem:
        return Problem(message, where=where, field=f"{place}{key[:60]}")

    problems = [problem(key, "unknown key") for key in table if key not in FIELDS]
    values: dict[str, Any] = {}
    for key in FIELDS:
        value = table.get(key)
        if isinstance(value, date | datetime):
            value = value.isoformat()
        if value is None:
            if key != "retain_until":
                problems.append(problem(key, 'every source needs it; write "none" where there is nothing'))
            continue
        expected = _expected(key, value)
        if expected is None:
            values[key] = tuple(value) if key == "permitted_operations" else value
        else:
            problems.append(problem(key, f"expected {expected}"))
    return problems or Source(**values)


def _expected(key: str, value: Any) -> str | None:
    if key == "permitted_operations":
        ok = isinstance(value, list) and all(isinstance(each, str) for each in value) and set(value) <= set(OPERATIONS)
        return None if ok else "a list of: " + ", ".join(OPERATIONS)
    if key in _CHOICES:
        return None if value in _CHOICES[key] else "one of: " + ", ".join(_CHOICES[key])
    return None if fit_to_enter(value) else EXPECTED


def shortfalls(
    in_use: Iterable[str], ledger: Iterable[Source], scope: str | None, heard: Collection[str] = ()
) -> list[Problem]:
    """List why the sources in use may not be used: each one blocks the study.

    `scope`: `synthetic` or `corpus`; a source of the other kind is refused, and so are
    mixed kinds. `heard`: the sources of which judges are to hear recordings.
    """
    entries = {entry.source: entry for entry in ledger}
    problems = []
    for name in sorted(set(in_use)):
        entry = entries.get(name)
        if entry is None:
            told = "has no entry in the rights ledger"
        elif entry.decision != "approved":
            told = f"rights are {entry.decision}; unknown means no"
        elif absent := [each for each in _needed(name in heard) if each not in entry.permitted_operations]:
            told = "the ledger does not permit: " + ", ".join(absent)
        elif scope is not None and entry.kind != scope:
            told = f"it is {entry.kind}, the study's scope is {scope}; kinds are never mixed"
        else:
            continue
        problems.append(Problem(f"source “{name}”: {told}", field="rights"))
    return problems


def unsettled(in_use: Collection[str], ledger: Iterable[Source]) -> list[str]:
    """Say of each source in use that is approved which of its fields still say that nothing is known."""
    told = []
    for entry in ledger:
        open_ = [key.replace("_", " ") for key in FIELDS if getattr(entry, key) == NOT_KNOWN]
        if open_ and entry.source in in_use and entry.decision == "approved":
            told.append(f"“{entry.source}” is approved, and the ledger says “{NOT_KNOWN}” of: {', '.join(open_)}.")
    return told


def _needed(heard: bool) -> tuple[str, ...]:  # noqa: FBT001 - one fact, named where it is asked
    return (*NEEDED, NEEDED_TO_HEAR) if heard else NEEDED


def revoked(entry: Source, by: str, at: str) -> Source:
    """Return the entry that says that the rights were revoked. `at`: a moment as the store writes it."""
    return replace(entry, decision="refused", decided_by=by, decided_at=at[:10])


def permits(in_use: Iterable[str], ledger: Iterable[Source], operation: str) -> bool:
    """Tell whether every source in use is approved for an operation."""
    allowed = {each.source for each in ledger if each.decision == "approved" and operation in each.permitted_operations}
    return set(in_use) <= allowed
