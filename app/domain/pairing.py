"""Which filter made a study's pairs, and whether that is known here or only said."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.domain.errors import Problem
from app.domain.item import Item
from app.domain.manifest import canonical, digest
from app.domain.protocol import Protocol

MAX_CONFIG: Final = 65_536  # bytes of a filter's configuration in canonical form
STATES: Final = ("off", "on")


@dataclass(frozen=True)
class Filter:
    """The filter under test as it describes itself. `config`: its whole effective configuration, canonical JSON."""

    name: str
    version: str
    config: str

    @classmethod
    def of(cls, name: str, version: str, config: Mapping[str, Any]) -> Filter:
        """Take a configuration as plain data. Raises ValueError where it has no canonical form."""
        return cls(name, version, canonical(config).decode())

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    def as_data(self) -> dict[str, Any]:
        """Return what is recorded of the filter, as plain data."""
        return {"filter": self.name, "version": self.version, "config": json.loads(self.config)}

    def as_software(self) -> dict[str, str]:
        """Return the same as the memo prints it."""
        return {"filter": self.name, "filter_version": self.version, "filter_config": self.config}


def for_reading(config: str) -> dict[str, str]:
    """Return a recorded configuration as tables show it: what is the same off and on stands there once.

    >>> for_reading('{"off":{"drop":[],"run":3},"on":{"drop":["um"],"run":3}}')
    {'filter_config, on': '{"drop":["um"],"run":3}', 'filter_config, off where it differs': '{"drop":[]}'}
    >>> for_reading('{"drop":["um"]}')
    {'filter_config': '{"drop":["um"]}'}
    """
    states = json.loads(config)
    off, on = states.get("off"), states.get("on")
    if set(states) != set(STATES) or not isinstance(off, dict) or not isinstance(on, dict) or set(off) != set(on):
        return {"filter_config": config}
    unlike = {key: value for key, value in off.items() if canonical(value) != canonical(on[key])}
    return {
        "filter_config, on": canonical(on).decode(),
        "filter_config, off where it differs": canonical(unlike).decode(),
    }


@dataclass(frozen=True)
class Pairing:
    """One run of a filter over a file of raw texts, as recorded.

    `raw_sha256`: of the file that was read; `sha256`: of the file that was written;
    `texts_sha256`: of the texts themselves, see `texts_digest`.
    """

    filter: Filter
    raw_sha256: str
    sha256: str
    texts_sha256: str
    items: int

    def digest(self) -> str:
        """Return the digest that the audit event of the pairing carries."""
        return digest(vars(self) | {"filter": self.filter.as_data()})


def texts_digest(items: Iterable[Item]) -> str:
    """Return the SHA-256 over the digests of each item's raw hypothesis, off and on, in their order."""
    whole = hashlib.sha256()
    for item in items:
        for text in (item.raw_hypothesis, item.off, item.on):
            whole.update(hashlib.sha256(text.encode()).digest())
    return whole.hexdigest()


@dataclass(frozen=True)
class Origin:
    """Where a study's pairs come from.

    `filter`: the one that made every pair here, or None. `files`: the digests of the files
    it wrote. `here`: pairs made here; `imported`: pairs that were not; `otherwise`: pairs
    made here by another filter, version or configuration than most of them.
    """

    filter: Filter | None = None
    files: tuple[str, ...] = ()
    here: int = 0
    imported: int = 0
    otherwise: int = 0

    @property
    def verified(self) -> bool:
        """Whether every pair was made here, by one filter in one configuration."""
        return self.filter is not None

    def as_data(self) -> dict[str, Any] | None:
        """Return what the manifest holds of a verified pairing; None of any other."""
        return None if self.filter is None else self.filter.as_data() | {"files": list(self.files)}


def origin(items: Sequence[Item], marks: Sequence[int | None], pairings: Mapping[int, Pairing]) -> Origin:
    """Say where pairs come from. `marks`: for each item, the pairing whose file it was imported from.

    A mark alone proves nothing: the texts under it must be those that the pairing recorded.
    """
    marked: defaultdict[int, list[Item]] = defaultdict(list)
    for item, mark in zip(items, marks, strict=True):
        if mark is not None:
            marked[mark].append(item)
    made = [
        (pairings[mark], len(found))
        for mark, found in marked.items()
        if mark in pairings and pairings[mark].texts_sha256 == texts_digest(found)
    ]
    by_filter: Counter[Filter] = Counter()
    for pairing, count in made:
        by_filter[pairing.filter] += count
    here = by_filter.total()
    if here == len(items) and len(by_filter) == 1:
        return Origin(next(iter(by_filter)), tuple(sorted({pairing.sha256 for pairing, _ in made})), here)
    return Origin(None, (), here, len(items) - here, here - max(by_filter.values(), default=0))


def frozen_filter(manifest: Mapping[str, Any]) -> Filter | None:
    """Return the filter of a verified pairing from a manifest; an older manifest does not know the key."""
    found = manifest.get("pairing")
    return None if found is None else Filter.of(found["filter"], found["version"], found["config"])


def contradictions(rules: Protocol, made: Filter) -> list[Problem]:
    """List the [engine] keys of a protocol that say otherwise than the recorded pairing; "none" says nothing.

    A table is compared key by key with the recorded configuration, or with its `on`; a
    configuration in words cannot be compared.
    """
    stated = {key: rules[f"engine.{key}"] for key in ("filter", "filter_version", "filter_config")}
    told = "the pairs were made here with {}: write that, or pair with what the protocol names"
    wrong = []
    if _says(stated["filter"]) and str(stated["filter"]).casefold() != made.name.casefold():
        wrong.append(("filter", f"“{made.name}”"))
    if _says(stated["filter_version"]) and str(stated["filter_version"]) != made.version:
        wrong.append(("filter_version", f"version “{made.version}”"))
    if isinstance(stated["filter_config"], dict) and not _configured(stated["filter_config"], made):
        wrong.append(("filter_config", "another configuration"))
    return [Problem(told.format(what), field=f"engine.{key}") for key, what in wrong]


def _says(value: object) -> bool:
    return value not in {None, "none"} if isinstance(value, str | None) else True


def _configured(stated: Mapping[str, Any], made: Filter) -> bool:
    config = json.loads(made.config)
    return _agrees(stated, config) or _agrees(stated, config.get("on"))


def _agrees(stated: object, recorded: object) -> bool:
    """Tell whether everything that a protocol states is recorded with the same value."""
    if isinstance(stated, dict) and isinstance(recorded, dict):
        return all(key in recorded and _agrees(value, recorded[key]) for key, value in stated.items())
    return canonical(stated) == canonical(recorded)
