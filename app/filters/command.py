"""Any program as the filter under test: it reads one JSON object a line, and answers each with one.

What it may say is in docs/file-formats.md. Its answers are private: no message repeats any.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from app.domain.errors import TextFailed
from app.domain.pairing import MAX_CONFIG, Filter
from app.filters.child import Child, printable

PROTOCOL: Final = 1
MAX_NAME: Final = 200


@contextmanager
def started(words: Sequence[str], seconds: float) -> Iterator[Command]:
    """Start a program, without a shell. `seconds`: how long it may take to start, and for each text.

    Raises FilterFailed.
    """
    child = Child(words, seconds)
    try:
        yield Command(child)
        child.finish()
    finally:
        child.stop()


class Command:
    """A program that runs and has said what it is."""

    def __init__(self, child: Child) -> None:
        self._child, self._asked = child, 0
        self.filter = _described(child, _object(child, child.ask(_line({"evenhand": PROTOCOL}))))

    def answer(self, text: str, *, enabled: bool) -> str:
        """Return what becomes of a text. Raises TextFailed, FilterFailed."""
        self._asked += 1
        asked = {"id": self._asked, "enabled": enabled, "text": text}
        said = _object(self._child, self._child.ask(_line(asked)))
        if type(said.get("id")) is not int or said["id"] != self._asked:
            raise self._child.failed(f"answered with another id than {self._asked}")
        kind = "error" if "error" in said else "text"
        _only(self._child, said, {"id", kind})
        if not isinstance(said[kind], str):
            raise self._child.failed(f"answered with a “{kind}” that is no text")
        if kind == "error":
            raise TextFailed(f"the filter says: {printable(said['error'])}")
        return str(said["text"])


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def _object(child: Child, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line.decode(), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError:
        raise child.failed("answered with bytes that are not UTF-8") from None
    except (ValueError, RecursionError):
        raise child.failed(f"answered with {len(line):,} bytes that are not one JSON object on one line") from None
    if not isinstance(found, dict):
        raise child.failed("answered with JSON that is no object")
    return found


def _without_repeats(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    given = list(pairs)
    found = dict(given)
    if len(found) < len(given):
        raise ValueError
    return found


def _only(child: Child, said: dict[str, Any], keys: set[str]) -> None:
    if set(said) != keys:
        raise child.failed(f"answered with other keys than {', '.join(sorted(keys))}")


def _described(child: Child, said: dict[str, Any]) -> Filter:
    """Return what a program says of itself. Raises FilterFailed."""
    _only(child, said, {"name", "version", "config"})
    for key in ("name", "version"):
        value = said[key]
        short = isinstance(value, str) and 0 < len(value) <= MAX_NAME and value == value.strip()
        if not short or not value.isprintable():
            raise child.failed(f"gave a “{key}” that is no text of 1 to {MAX_NAME} printable characters")
    if not isinstance(said["config"], dict):
        raise child.failed("gave a “config” that is no object")
    try:
        found = Filter.of(said["name"], said["version"], said["config"])
    except (ValueError, RecursionError):
        raise child.failed("gave a “config” with a number or a character that cannot be recorded") from None
    if len(found.config.encode()) > MAX_CONFIG:
        raise child.failed(f"gave a “config” of more than {MAX_CONFIG:,} bytes")
    return found
