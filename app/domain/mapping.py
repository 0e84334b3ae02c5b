"""A column map for an import: which column of a table holds which key of items, and a first guess at it.

It is written like the column map of a list of candidates (`columns.py`), with other keys.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from app.domain.columns import listed, of_columns, of_named
from app.domain.errors import InvalidInput, Problem
from app.domain.item import FIELDS, STUDY, Item
from app.domain.protocol import Protocol

CONSTANTS: Final = ("stratum", "cluster", "source")  # may be the same for all items, and stand in no column
NAMES: Final = ("item_id", *CONSTANTS)  # may be put together of several columns
MAPPED: Final = tuple(sorted(FIELDS, key=lambda each: not each.required))
_CHECKS: Final = {each.key: each.check for each in FIELDS}

# What such columns are often called, the surest first; with case, accents and all but letters and digits left out.
# Nothing here that could as well mean the other arm: a wrong guess between off and on would turn the outcome round.
_SYNONYMS: Final = {
    "item_id": (
        *("item", "id", "itemnumber", "itemno", "utteranceid", "uttid", "utterance", "sentenceid", "segmentid"),
        *("clipid", "clip", "number", "no", "nr", "nummer", "name"),
    ),
    "stratum": ("strata", "group", "category", "class", "condition", "type", "kind", "gruppe", "kategorie"),
    "cluster": (
        *("speaker", "speakerid", "participant", "participantid", "subject", "person", "episode", "episodeid"),
        *("epid", "session", "sprecher", "sprecherin", "folge"),
    ),
    "source": ("corpus", "dataset", "collection", "origin", "show", "quelle", "korpus"),
    "raw_hypothesis": (
        *("raw", "rawtext", "hypothesis", "hyp", "rawhyp", "asr", "asroutput", "asrtext", "recognised", "recognized"),
        *("recognisedtext", "recognizedtext", "transcript", "erkannt", "rohtext"),
    ),
    "off": (
        *("textoff", "offtext", "filteroff", "withoutfilter", "nofilter", "unfiltered", "filterdisabled"),
        *("textwithoutfilter", "ohnefilter", "textohnefilter", "ungefiltert", "filteraus"),
    ),
    "on": (
        *("texton", "ontext", "filteron", "withfilter", "filtered", "filterenabled", "textwithfilter"),
        *("mitfilter", "textmitfilter", "gefiltert", "filteran"),
    ),
    "verbatim_reference": ("verbatim", "verbatimtranscript", "verbatimtext", "wassaid", "whatwassaid", "wortlaut"),
    "semantic_reference": (
        *("semantic", "meaning", "intended", "intendedtext", "intendedmeaning", "meant", "whatwasmeant", "gemeint"),
    ),
    "semantic_provenance": ("provenance", "referenceby", "writtenby"),
    "semantic_ambiguous": ("ambiguous", "ambiguity", "unclear"),
    "lang": ("language", "locale", "sprache"),
    "tags": ("tag", "disfluencies", "disfluency", "disfluencytypes"),
    "role": ("rolle", "itemrole", "sentinel", "itemtype"),
    "expected": ("erwartet", "expectedanswer", "knownanswer", "goldanswer", "erwarteteantwort"),
    "raw_sha256": ("sha256", "rawdigest"),
}


@dataclass(frozen=True)
class ItemColumns:
    """What the columns of a table mean: keys of items by column or columns, and what is the same for all items.

    `encoding`: the table's, where the file does not say it and somebody has looked at how its letters read.
    """

    columns: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None

    @property
    def needed(self) -> frozenset[str]:
        """Every column that the table must have."""
        return frozenset(name for names in self.columns.values() for name in names)

    def spelt(self, key: str | None) -> str | None:
        """Return what the table calls a key of items, for its problems."""
        return " + ".join(self.columns.get(key or "", ()))[:60] or key

    def respelt(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return problems of items with the table's own names of their fields."""
        return [replace(each, field=self.spelt(each.field)) for each in problems]

    def fitted(self, header: Iterable[str]) -> ItemColumns:
        """Return the same, with each key left out taken from the column of its own name, where the table has it."""
        left = {each.key for each in MAPPED} - set(self.columns) - set(self.constants)
        return replace(self, columns={**self.columns, **{name: (name,) for name in header if name in left}})


def parse(data: Mapping[str, Any], where: str = "") -> ItemColumns:
    """Check a decoded column map for items. Raises InvalidInput with every problem.

    >>> parse({"off": "text_off", "source": {"constant": "pilot"}})
    ItemColumns(columns={'off': ('text_off',)}, constants={'source': 'pilot'}, encoding=None)
    """
    known = [each.key for each in MAPPED]
    problems = [Problem("unknown key", where=where, field=key[:60]) for key in data if key not in known]
    for key, value in data.items():
        if key in known:
            problems += [Problem(f"expected {told}", where=where, field=name) for name, told in _faults(key, value)]
    if problems:
        raise InvalidInput(problems)
    constants = {key: value["constant"] for key, value in data.items() if isinstance(value, dict)}
    return ItemColumns({key: listed(value) for key, value in data.items() if key not in constants}, constants)


def _faults(key: str, value: Any) -> list[tuple[str, str]]:
    if key in CONSTANTS:
        return of_named(value, key, _CHECKS[key])
    if key in NAMES:
        return of_columns(value, key)
    return [] if isinstance(value, str) and value.strip() == value != "" else [(key, "the name of one column")]


def lacking(mapping: ItemColumns, where: str = "") -> list[Problem]:
    """List what is wrong with a map as a whole: what every item needs and it does not name, one text for both arms."""
    given = {**mapping.columns, **mapping.constants}
    problems = [
        Problem("every item needs it: say which column has it", where, None, each.key, each.about, "no column")
        for each in MAPPED
        if each.required and each.key not in given
    ]
    if mapping.columns.get("off", "off") == mapping.columns.get("on", "on"):
        problems.append(Problem("the same column as for off: the two texts would be one", where, field="on"))
    for key, value in mapping.constants.items():
        if (expected := _CHECKS[key](value)) is not None:
            problems.append(Problem(f"expected {expected}", where, field=key))
    return problems


def guess(header: Sequence[str]) -> dict[str, str]:
    """Guess by their names which columns hold which keys; each column is guessed once, the surest name wins.

    >>> guess(["Nr.", "Text_OFF", "mit Filter", "Sprecher"])
    {'item_id': 'Nr.', 'cluster': 'Sprecher', 'off': 'Text_OFF', 'on': 'mit Filter'}
    """
    plain: dict[str, str] = {}
    for name in header:
        plain.setdefault(_plain(name), name)
    own = {each.key: plain.pop(_plain(each.key)) for each in MAPPED if _plain(each.key) in plain}
    found = {}
    for each in MAPPED:
        called = next((name for name in _SYNONYMS.get(each.key, ()) if name in plain), None)
        if each.key in own:
            found[each.key] = own[each.key]
        elif called is not None:
            found[each.key] = plain.pop(called)
    return found


def _plain(name: str) -> str:
    """Leave out of a name what people write differently: case, accents, spaces, underscores and other marks."""
    return "".join(each for each in unicodedata.normalize("NFKD", name.casefold()) if each.isalnum())


@dataclass(frozen=True)
class Census:
    """What was found among items: how many of each stratum and source, and how many clusters."""

    items: int
    strata: Mapping[str, int]
    sources: Mapping[str, int]
    clusters: int


def census(items: Iterable[Item]) -> Census:
    """Count study items by stratum, and the sources of all, in the order in which these first appear."""
    strata: dict[str, int] = {}
    sources: dict[str, int] = {}
    clusters = set()
    for item in items:
        sources[item.source] = sources.get(item.source, 0) + 1
        if item.role == STUDY:
            strata[item.stratum] = strata.get(item.stratum, 0) + 1
            clusters.add(item.cluster)
    return Census(sum(strata.values()), strata, sources, len(clusters))


def plan_of(found: Census, rules: Protocol) -> dict[str, int] | None:
    """Return planned numbers that are those of the items, or None where they are that already, or there are none.

    Declared strata keep their order. One without items goes, unless the protocol names it among its controls or its
    extension: then it keeps its number, and the check its shortage.
    """
    named = {*rules.controls, *rules["selection.extension"]}
    offered = {
        name: found.strata.get(name, number)
        for name, number in rules.strata.items()
        if name in found.strata or name in named
    }
    offered |= {name: number for name, number in found.strata.items() if name not in offered}
    return None if not found.items or offered == dict(rules.strata) else offered
