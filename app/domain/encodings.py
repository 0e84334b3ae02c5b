"""What a piece of text says once what is encoded in it is decoded."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote_plus

_DEPTH: Final = 3  # encodings within each other
_HEX: Final = re.compile(r"(?:0x|\\x)?[0-9a-fA-F]{2}(?:[\s:,-]?(?:0x|\\x)?[0-9a-fA-F]{2}){2,}")
_DECIMAL: Final = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
_BASE64: Final = (re.compile(r"[A-Za-z0-9+/]{4,}"), re.compile(r"[A-Za-z0-9_-]{4,}"))  # as such, and for addresses
_ESCAPE: Final = re.compile(
    r"\\u\{([0-9a-fA-F]{1,6})\}|\\U([0-9a-fA-F]{8})|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|[Uu]\+([0-9a-fA-F]{4,6})\s?"
)
_DIGESTS: Final = {16, 20, 32, 64}  # bytes of a digest, which base64 holds as such
FEW: Final = 8  # bytes; fewer are often spelt by chance: "ends" is base64 of "zwl"
_MARK: Final = re.compile(r"&#?\w+|%[0-9a-fA-F]{2}|\\[uUx]|[Uu]\+[0-9a-fA-F]{4}")


class Reading(NamedTuple):
    """What a piece of text says once decoded. `chance`: of so few letters or digits that words spell it by chance."""

    text: str
    chance: bool = False


def decoded(text: str) -> Iterator[Reading]:
    """Yield what the text says when decoded: references, per cent, escapes, hexadecimal, base64, one within another.

    >>> [list(decoded(each)) for each in ("see I%20want%20it", "&#73; want it", "nothing here")]
    [[Reading(text='see I want it', chance=False)], [Reading(text='I want it', chance=False)], []]
    >>> list(decoded("it ends"))
    [Reading(text='zwl', chance=True)]
    """
    seen = {text}
    front = [] if _DECIMAL.fullmatch(text) else [Reading(text)]  # of whose digits some would always spell something
    for _ in range(_DEPTH):
        found = (
            Reading(each.text, each.chance or before.chance)
            for before in front
            for way in _WAYS
            for each in way(before.text)
        )
        front = list({each.text: each for each in found if each.text not in seen}.values())
        seen.update(each.text for each in front)
        yield from front


def marks(text: str) -> frozenset[str]:
    """Return the signs by which a text says that something in it is encoded.

    >>> sorted(marks("R&amp;D, 5%20, 95% of all"))
    ['%20', '&amp']
    """
    return frozenset(_MARK.findall(text))


def _references(text: str) -> Iterator[Reading]:
    if "&" in text:
        yield Reading(html.unescape(text))


def _per_cent(text: str) -> Iterator[Reading]:
    if "%" in text:
        yield Reading(unquote_plus(text))


def _escapes(text: str) -> Iterator[Reading]:
    if "\\" in text or "+" in text:
        found = _ESCAPE.sub(_character, text)
        yield Reading(found.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _character(match: re.Match[str]) -> str:
    point = int(next(filter(None, match.groups())), 16)
    return chr(point) if point <= 0x10FFFF else match.group()  # noqa: PLR2004 - the last code point


def _hexadecimal(text: str) -> Iterator[Reading]:
    for match in _HEX.finditer(text):
        digits = re.sub(r"0x|\\x|[\s:,-]", "", match.group())
        yield from _as_text(bytes.fromhex(digits))


def _base64(text: str) -> Iterator[Reading]:
    for digits in dict.fromkeys(match.group() for way in _BASE64 for match in way.finditer(text)):
        other = b"-_" if {*"-_"} & {*digits} else b"+/"
        try:
            raw = base64.b64decode(digits + "=" * (-len(digits) % 4), other)
        except binascii.Error:
            continue
        if base64.b64encode(raw, other).decode().rstrip("=") != digits:
            continue  # no program encodes so: it is a word
        yield from _as_text(raw)
        if len(raw) in _DIGESTS:
            yield Reading(raw.hex())


def _as_text(raw: bytes) -> Iterator[Reading]:
    """Yield the bytes as text, if that is what they are."""
    for encoding in ("utf-16-le", "utf-8") if b"\0" in raw else ("utf-8",):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.strip() and all(character.isprintable() or character.isspace() for character in text):
            yield Reading(text, len(raw) < FEW)
            return


_WAYS: Final[tuple[Callable[[str], Iterator[Reading]], ...]] = (
    _references,
    _per_cent,
    _escapes,
    _hexadecimal,
    _base64,
)
