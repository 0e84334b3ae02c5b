"""Pair the demo's utterances with the real filter: off and on, from the same text.

Writes `app/content/demo/items.jsonl`. With `--check` it writes nothing and compares.
Needs only the filter, whose own dependencies (audio, hotkeys) its text pass never loads:

    pip install --no-deps yazses==2.46.0
    python -m scripts.make_demo_items [--check]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from importlib import import_module, metadata
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

DEMO: Final = Path(__file__).resolve().parent.parent / "app" / "content" / "demo"
UTTERANCES: Final = DEMO / "utterances.jsonl"
ITEMS: Final = DEMO / "items.jsonl"
PACKAGE: Final = "yazses"
VERSION: Final = "2.46.0"

Pairing = Callable[[str], tuple[str, str]]


class WrongFilterError(Exception):
    """The filter is not installed, or not in the version that the demo is made with."""


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
    """Return the items file: each utterance with `off` and `on` after its raw hypothesis."""
    rows = [_with_arms(json.loads(line), pair) for line in utterances.splitlines()]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


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


def main(argv: Sequence[str] | None = None) -> int:
    """Write the items, or check them. Returns the exit code: 1 on a difference or without the filter."""
    parser = argparse.ArgumentParser(description="Make the demo's items with the real filter.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the committed file differs")
    check: bool = parser.parse_args(argv).check
    try:
        made = items_bytes(UTTERANCES.read_bytes(), load_filter())
    except WrongFilterError as error:
        print(f"make_demo_items: {error}", file=sys.stderr)
        return 1
    count = made.count(b"\n")
    if not check:
        ITEMS.write_bytes(made)
        print(f"{ITEMS.name}: {count} items written")
        return 0
    found = difference(ITEMS.read_bytes() if ITEMS.exists() else b"", made)
    if found is not None:
        print(f"make_demo_items: {ITEMS.name} is not what {PACKAGE} {VERSION} makes, {found}", file=sys.stderr)
        return 1
    print(f"{ITEMS.name}: {count} items, as {PACKAGE} {VERSION} makes them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
