"""Pair the demo's utterances with the real filter: off and on, from the same text.

    utterances.jsonl  ->  items.jsonl
    answers.jsonl     ->  sentinels.jsonl, practice.jsonl: those with a known answer

Writes them in `app/content/demo`; with `--check` it writes nothing and compares. An
utterance with a known answer may state its pair, where the filter does not give the
case: such a pair is hand-made, and the script names it. It refuses one that the filter
does give. Needs only the filter, whose own dependencies (audio, hotkeys) its text pass
never loads:

    pip install --no-deps yazses==2.46.0
    python -m scripts.make_demo_items [--check]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module, metadata
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

DEMO: Final = Path(__file__).resolve().parent.parent / "app" / "content" / "demo"
UTTERANCES: Final = DEMO / "utterances.jsonl"
ITEMS: Final = DEMO / "items.jsonl"
ANSWERS: Final = DEMO / "answers.jsonl"
SENTINELS: Final = DEMO / "sentinels.jsonl"
PRACTICE: Final = DEMO / "practice.jsonl"
PACKAGE: Final = "yazses"
VERSION: Final = "2.46.0"

Pairing = Callable[[str], tuple[str, str]]


class WrongFilterError(Exception):
    """The filter is not installed, or not in the version that the demo is made with."""


class StatedPairError(Exception):
    """A pair is stated that the filter has to make."""


def load_filter() -> Pairing:
    """Return a function that gives the off and the on text of a raw hypothesis.

    Raises WrongFilterError: another version may tidy differently, so none is accepted.
    """
    wanted = f"install it with: pip install --no-deps {PACKAGE}=={VERSION}"
    try:
        found = metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        told = f"{PACKAGE} is not installed; {wanted}"
        raise WrongFilterError(told) from None
    if found != VERSION:
        told = f"{PACKAGE} {found} is installed, the demo is made with {VERSION}; {wanted}"
        raise WrongFilterError(told)
    disfluency, config = import_module("yazses.stt.filters.disfluency"), import_module("yazses.config")
    off = config.DisfluencyConfig(enabled=False)
    on = config.DisfluencyConfig(enabled=True, collapse_repetitions=True, collapse_prolongations=True)

    def pair(raw: str) -> tuple[str, str]:
        return str(disfluency.filter_transcript(raw, off).text), str(disfluency.filter_transcript(raw, on).text)

    return pair


def items_bytes(utterances: bytes, pair: Pairing) -> bytes:
    """Return the items file: each utterance with `off` and `on` after its raw hypothesis.

    Raises StatedPairError for an utterance that states a pair of its own.
    """
    rows = _rows(utterances)
    if stated := hand_made(rows):
        told = f"{UTTERANCES.name}: {', '.join(stated)}: the filter makes the pairs of the study; leave off and on out"
        raise StatedPairError(told)
    return _bytes(_with_arms(row, pair) for row in rows)


def answers_bytes(answers: bytes, role: str, pair: Pairing) -> bytes:
    """Return the sentinels or practice file: utterances of this role, paired like items unless they state a pair.

    Raises StatedPairError where the stated pair is the one that the filter gives.
    """
    rows = [row for row in _rows(answers) if row["role"] == role]
    needless = [row["item_id"] for row in rows if "off" in row and pair(row["raw_hypothesis"]) == _arms(row)]
    if needless:
        told = f"{ANSWERS.name}: {', '.join(needless)}: the filter gives this pair; leave off and on out"
        raise StatedPairError(told)
    return _bytes(row if "off" in row else _with_arms(row, pair) for row in rows)


def hand_made(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return the ids of the utterances that state their pair."""
    return [row["item_id"] for row in rows if "off" in row or "on" in row]


def _rows(lines: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.splitlines()]


def _bytes(rows: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _arms(row: dict[str, Any]) -> tuple[str, str]:
    return row["off"], row["on"]


def _with_arms(utterance: dict[str, Any], pair: Pairing) -> dict[str, Any]:
    off, on = pair(utterance["raw_hypothesis"])
    item: dict[str, Any] = {}
    for key, value in utterance.items():
        item[key] = value
        if key == "raw_hypothesis":
            item |= {"off": off, "on": on}
    return item


def difference(committed: bytes, made: bytes) -> str | None:
    """Say at which line two items files part, or None where they are equal."""
    if committed == made:
        return None
    pairs = zip_longest(committed.splitlines(keepends=True), made.splitlines(keepends=True), fillvalue=b"nothing")
    line, (old, new) = next((n, pair) for n, pair in enumerate(pairs, start=1) if pair[0] != pair[1])
    return f"line {line}:\n  committed  {old!r}\n  made now   {new!r}"


def everything(pair: Pairing) -> dict[Path, bytes]:
    """Return what each of the files has to be."""
    answers = ANSWERS.read_bytes()
    return {
        ITEMS: items_bytes(UTTERANCES.read_bytes(), pair),
        SENTINELS: answers_bytes(answers, "sentinel", pair),
        PRACTICE: answers_bytes(answers, "practice", pair),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Write the files, or check them. Returns the exit code: 1 on a difference or without the filter."""
    parser = argparse.ArgumentParser(description="Make the demo's items with the real filter.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a committed file differs")
    check: bool = parser.parse_args(argv).check
    try:
        files = everything(load_filter())
    except (WrongFilterError, StatedPairError) as error:
        print(f"make_demo_items: {error}", file=sys.stderr)
        return 1
    for path, made in files.items():
        if not check:
            path.write_bytes(made)
        found = difference(path.read_bytes() if path.exists() else b"", made)
        if found is not None:
            print(f"make_demo_items: {path.name} is not what {PACKAGE} {VERSION} makes, {found}", file=sys.stderr)
            return 1
        count = made.count(b"\n")
        print(f"{path.name}: {count} items, as {PACKAGE} {VERSION} makes them")
    print(f"but for the hand-made pairs: {', '.join(hand_made(_rows(ANSWERS.read_bytes())))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
