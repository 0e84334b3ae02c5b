"""A value of JSON, strictly decoded, and what in it no store can keep.

Messages never repeat a value, which may be private: they say where it stands and of what kind it is.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from app.formats.encoding import BYTE_ORDER_MARK

MOST_DEPTH: Final = 20
MOST_WHOLE: Final = 2**53 - 1  # RFC 7493: beyond, a number need not survive being read
MOST_NAME: Final = 60

Fault = tuple[str | None, str]  # a field, or None for the whole value, and what is wrong with it

NUL: Final = "NUL, which no text may hold"
TOO_DEEP: Final = f"nested deeper than {MOST_DEPTH} levels"

_TWICE: Final = object()  # stands for the value of a key that is given twice, until `faults` meets it
_KINDS: Final = {
    list: "a list", str: "text", int: "a number", float: "a number", bool: "true or false", type(None): "null",
}  # fmt: skip
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
# What stands where JSON wants something else, and was meant well.
_MEANT: Final = {
    BYTE_ORDER_MARK: "a byte order mark, which only the first line may have",
    "'": "JSON has double quotation marks, not single ones",
    "#": "JSON has no comments",
    "/": "JSON has no comments",
} | dict.fromkeys("‘’‚“”„‹›«»", "JSON has straight quotation marks, not typographic ones")  # noqa: RUF001, these are the typographic ones


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        found.update((key, _TWICE) for key in times if times[key] > 1)
    return found


def _whole(digits: str) -> float:
    return int(digits) if len(digits) <= len(str(-MOST_WHOLE)) else math.inf  # int() refuses 4,301 digits


DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole)


def reason(error: json.JSONDecodeError) -> str:
    """Say why something is not JSON, without the place."""
    meant = _MEANT.get(error.doc[error.pos : error.pos + 1])
    return meant or error.msg.partition(": ")[0].removesuffix(" at")


def cut_off(error: json.JSONDecodeError) -> bool:
    """Whether the JSON goes on where the text ends."""
    return error.msg.startswith("Unterminated string") or not error.doc[error.pos :].strip()


def no_object(value: object) -> str:
    """Say what stands there in place of an object."""
    return f"expected an object, {{...}}, found {_KINDS[type(value)]}"


def faults(value: object, field: str | None = None, depth: int = 0) -> Iterator[Fault]:
    """Find what no store can keep, anywhere in a decoded value; `field` is its key, dotted where nested."""
    if not isinstance(value, dict | list):
        if (message := _fault(value)) is not None:
            yield field, message
    elif depth >= MOST_DEPTH:
        yield field, TOO_DEEP
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict | list) or _fault(inner) is not None:
                yield from faults(inner, field, depth + 1)
    else:
        sound = _fault("".join(value)) is None
        for key, inner in value.items():
            wrong = None if sound else _fault(key)
            if wrong is None and not isinstance(inner, dict | list) and _fault(inner) is None:
                continue
            path = printable(key if field is None else f"{field}.{key}")
            if wrong is not None:
                yield path, f"in this key, {wrong}"
            yield from faults(inner, path, depth + 1)


def _fault(value: object) -> str | None:
    if isinstance(value, str):
        found = None if _sound(value) else _UNSTORABLE.search(value)
        what = NUL if found and found.group() == "\0" else "half of a surrogate pair, which is no character"
        return f"character {found.start() + 1:,} is {what}" if found else None
    if isinstance(value, int) and abs(value) > MOST_WHOLE:
        return f"a whole number beyond {MOST_WHOLE:,}: write it as text"
    if isinstance(value, float) and not math.isfinite(value):
        return "expected a finite number, found infinity, NaN or too many digits"
    return "this key stands more than once" if value is _TWICE else None


def _sound(text: str) -> bool:
    """Whether a text can be stored: the same question as `_UNSTORABLE`, several times as fast."""
    try:
        return "\0" not in text and (text.isascii() or bool(text.encode()))
    except UnicodeEncodeError:
        return False


def printable(key: str) -> str:
    """Return a key fit for a message: at most 60 characters, the invisible ones escaped."""
    if len(key) <= MOST_NAME and key.isprintable():
        return key
    return "".join(ch if ch.isprintable() else f"\\u{ord(ch):04x}" for ch in key[:MOST_NAME])[:MOST_NAME]
