"""An item: one utterance with its texts. `FIELDS` is the import format, whatever the file type."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.domain import expected as answers
from app.domain.errors import Problem
from app.domain.expected import Expected
from app.domain.protocol import Protocol
from app.domain.recording import EXPECTED_NAME, fit_name
from app.domain.text import equivalent, has_visible

MAX_TEXT: Final = 20_000
MAX_NAME: Final = 200
MADE: Final = ("off", "on")  # what a filter makes of a raw hypothesis
ANSWER: Final = 'an object in JSON, e.g. {"label": "safe-cleanup", "arm": "on"}'  # what a known answer looks like
MOST_UNKNOWN: Final = 20  # keys of one line that are named
PROVENANCES: Final = ("speaker", "annotator", "author")
STUDY, SENTINEL, PRACTICE = ROLES = ("study", "sentinel", "practice")


@dataclass(frozen=True)
class Item:
    """One utterance as imported. Texts are kept exactly as they came.

    `role`: study, sentinel or practice; `expected`: the known answer of the latter two.
    """

    item_id: str
    stratum: str
    cluster: str
    source: str
    raw_hypothesis: str
    off: str
    on: str
    verbatim_reference: str | None = None
    semantic_reference: str | None = None
    semantic_provenance: str = "annotator"
    semantic_ambiguous: bool = False
    lang: str | None = None
    tags: tuple[str, ...] = ()
    raw_sha256: str | None = None
    audio: str | None = None
    role: str = STUDY
    expected: Expected | None = None

    @property
    def changed(self) -> bool:
        """Whether off and on differ in bytes, whatever a comparator or a label says."""
        return self.off != self.on

    def reference(self, kind: str) -> str | None:
        """Return the `verbatim` or `semantic` reference."""
        return self.verbatim_reference if kind == "verbatim" else self.semantic_reference

    def as_data(self) -> dict[str, Any]:
        """Return the item as plain data, for its digest.

        A recording, a role of its own and a known answer stand in it only where there are such:
        the digests of items that were frozen before there were any stay as they are.
        """
        data = vars(self) | {"tags": list(self.tags)}  # asdict copies each text: a third of an import's time
        del data["role"], data["expected"]
        if self.audio is None:
            del data["audio"]
        if self.expected is not None:
            data |= {"role": self.role, "expected": self.expected.as_data()}
        return data

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Item:
        """Return the item that plain data holds."""
        known = data.get("expected")
        return cls(**{**data, "tags": tuple(data["tags"]), "expected": Expected.of(known) if known else None})


Check = Callable[[Any], str | None]


def _name(value: Any) -> str | None:
    expected = f"text of 1 to {MAX_NAME} characters, without line breaks or spaces at its ends"
    ok = isinstance(value, str) and 0 < len(value) <= MAX_NAME and value == value.strip() and value.isprintable()
    return None if ok and has_visible(value) else expected


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) and len(value) <= MAX_TEXT else f"text of at most {MAX_TEXT:,} characters"


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _provenance(value: Any) -> str | None:
    return None if value in PROVENANCES else "one of: " + ", ".join(PROVENANCES)


def _file_name(value: Any) -> str | None:
    return None if fit_name(value) else EXPECTED_NAME


def _tags(value: Any) -> str | None:
    ok = isinstance(value, list) and len(value) <= MAX_NAME and all(_name(tag) is None for tag in value)
    return None if ok else "a list of short texts"


def _digest(value: Any) -> str | None:
    ok = isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")  # noqa: PLR2004
    return None if ok else "a SHA-256 digest: 64 lower-case hexadecimal digits"


def _answer(value: Any) -> str | None:
    return None if isinstance(value, dict) else ANSWER


def _role(value: Any) -> str | None:
    return None if value in ROLES else "one of: " + ", ".join(ROLES)


@dataclass(frozen=True)
class Field:
    """One key of the import format."""

    key: str
    check: Check
    about: str
    required: bool = False


FIELDS: Final = (
    Field("item_id", _name, "unique name of the item", required=True),
    Field("stratum", _name, "declared group of the item", required=True),
    Field("cluster", _name, "speaker or episode", required=True),
    Field("source", _name, "where it is from, as the rights ledger names it", required=True),
    Field("raw_hypothesis", _text, "what the recogniser heard", required=True),
    Field("off", _text, "the text with the filter off", required=True),
    Field("on", _text, "the text with the filter on", required=True),
    Field("verbatim_reference", _text, "what was said"),
    Field("semantic_reference", _text, "what was meant"),
    Field("semantic_provenance", _provenance, "who wrote down what was meant; never a recogniser"),
    Field("semantic_ambiguous", _flag, "whether the meaning is open to doubt"),
    Field("audio", _file_name, "file name of the recording"),
    Field("lang", _name, "language tag (BCP 47)"),
    Field("tags", _tags, "free tags, e.g. kinds of disfluency"),
    Field("role", _role, "study, sentinel or practice"),
    Field("expected", _answer, "the known answer of a sentinel or practice item, in JSON"),
    Field("raw_sha256", _digest, "digest of the raw hypothesis's UTF-8 bytes"),
)
_BY_KEY: Final = {field.key: field for field in FIELDS}


def parse(row: Mapping[str, Any], where: str, line: int | None) -> Item | list[Problem]:
    """Turn one decoded row into an Item, or into all that is wrong with it.

    A null value counts as left out.
    """
    given = {key: value for key, value in row.items() if value is not None}

    def problem(key: str, message: str, expected: str = "", found: str = "") -> Problem:
        return Problem(message, where, line, key[:60], expected, found)

    unknown = [key for key in given if key not in _BY_KEY]
    problems = [problem(key, "unknown key", "a key of items", "unknown key") for key in unknown[:MOST_UNKNOWN]]
    problems += [
        problem(f.key, "every item needs it", f.about, "empty") for f in FIELDS if f.required and f.key not in given
    ]
    for key, value in given.items():
        if key in _BY_KEY and (expected := _BY_KEY[key].check(value)) is not None:
            problems.append(Problem.unlike(expected, _found(value), where, line, key[:60]))
    if not problems and not _raw_matches(given):
        told = "is not the digest of raw_hypothesis"
        problems.append(problem("raw_sha256", told, "the digest of raw_hypothesis", "another digest"))
    known = None if problems else _known_answer(given)
    if isinstance(known, dict):
        problems += [problem(key, message, message, "something else") for key, message in known.items()]
    if problems:
        return problems
    return Item(**given | {"tags": tuple(given.get("tags", ())), "expected": known})


def _known_answer(given: Mapping[str, Any]) -> Expected | dict[str, str] | None:
    """Return the known answer of an item that has one, or messages by field."""
    role, stated = given.get("role", STUDY), given.get("expected")
    if role == STUDY:
        return None if stated is None else {"expected": "only a sentinel or practice item has a known answer"}
    if stated is None:
        return {"expected": f"every {role} item needs its known answer"}
    # Raw texts that a filter has still to pair come with two empty ones, which say nothing yet.
    found = answers.parse(stated, identical=given["off"] == given["on"] != "")
    if role == PRACTICE and isinstance(found, Expected) and not has_visible(found.explanation):
        return {"expected.explanation": "every practice item needs it: it is shown when the item was answered"}
    return found


def parse_raw(row: Mapping[str, Any], where: str, line: int | None) -> Item | list[Problem]:
    """Turn a row without off and on into an Item whose two texts are still empty, or into all that is wrong with it."""
    made = [key for key in MADE if row.get(key) is not None]
    told = "the filter makes this text: leave it out, or import the pairs as they are"
    problems = [Problem(told, where=where, line=line, field=key) for key in made]
    found = parse({**row, **dict.fromkeys(MADE, "")}, where, line)
    return found if isinstance(found, Item) and not problems else problems + (found if isinstance(found, list) else [])


def _raw_matches(given: Mapping[str, Any]) -> bool:
    stated = given.get("raw_sha256")
    return stated is None or stated == hashlib.sha256(given["raw_hypothesis"].encode()).hexdigest()


def _found(value: Any) -> str:
    """Describe a value without repeating it: it may be private."""
    if isinstance(value, str):
        return f"text of {len(value):,} characters" if value else "empty text"
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


def compared(item: Item, rules: Protocol) -> tuple[bool, bool]:
    """Return whether off and on are equal under the comparator, and whether it codes the pair itself."""
    equal = equivalent(item.off, item.on, rules["review.comparator"])
    return equal, equal and rules["review.identical_pairs"] == "auto"


def duplicates(rows: Iterable[tuple[Item, int]], where: str, known: Iterable[Item] = ()) -> list[Problem]:
    """Find ids used twice, and pairs that stand a second time with off and on swapped.

    `rows`: items with their lines. `known`: the items that the study already has. A
    swapped duplicate is nearly always a mistake, and tells a judge who notices it that
    one of the two has the sides exchanged.
    """
    ids = {item.item_id: "in the study already" for item in known}
    pairs = {(item.off, item.on): "in the study already" for item in known}
    problems = []
    for item, line in rows:
        if item.item_id in ids:
            told = f"this name stands {ids[item.item_id]}"
            problems.append(Problem(told, where, line, "item_id", "a name that no other item has", told))
        if item.changed and (item.on, item.off) in pairs:
            told = f"this pair stands {pairs[item.on, item.off]} with off and on swapped"
            problems.append(Problem(told, where, line, "on", "off and on the same way round in every row", told))
        ids.setdefault(item.item_id, f"on line {line} too")
        pairs.setdefault((item.off, item.on), f"on line {line}")
    return problems
