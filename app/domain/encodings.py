"""What a piece of text says once what is encoded in it is decoded."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import unquote_plus

_DEPTH: Final = 3  # encodings within each other
_HEX: Final = re.compile(r"(?:0x|\\x)?[0-9a-fA-F]{2}(?:[\s:,-]?(?:0x|\\x)?[0-9a-fA-F]{2}){2,}")
_DECIMAL: Final = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
_BASE64: Final = (re.compile(r"[A-Za-z0-9+/]{4,}"), re.compile(r"[A-Za-z0-9_-]{4,}"))  # as such, and for addresses
_ESCAPE: Final = re.compile(
    r"\\u\{([0-9a-fA-F]{1,6})\}|\\U([0-9a-fA-F]{8})|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|[Uu]\+([0-9a-fA-F]{4,6})\s?"
)
_DIGESTS: Final = {16, 20, 32, 64}  # bytes of a digest, which base64 holds as such


def decoded(text: str) -> Iterator[str]:
    """Yield what the text says when decoded: references, per cent, escapes, hexadecimal, base64, one within another.

    >>> list(decoded("see I%20want%20it")), list(decoded("&#73; want it")), list(decoded("nothing here"))
    (['see I want it'], ['I want it'], [])
    """
    seen = {text}
    front = [] if _DECIMAL.fullmatch(text) else [text]  # of whose digits some would always spell something
    for _ in range(_DEPTH):
        front = [found for each in front for way in _WAYS for found in way(each) if found not in seen]
        front = list(dict.fromkeys(front))
        seen.update(front)
        yield from front


def _references(text: str) -> Iterator[str]:
    if "&" in text:
        yield html.unescape(text)


def _per_cent(text: str) -> Iterator[str]:
    if "%" in text:
        yield unquote_plus(text)


def _escapes(text: str) -> Iterator[str]:
    if "\\" in text or "+" in text:
        found = _ESCAPE.sub(_character, text)
        yield found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(match: re.Match[str]) -> str:
    point = int(next(filter(None, match.groups())), 16)
    return chr(point) if point <= 0x10FFFF else match.group()  # noqa: PLR2004 - the last code point


def _hexadecimal(text: str) -> Iterator[str]:
    for match in _HEX.finditer(text):
        digits = re.sub(r"0x|\\x|[\s:,-]", "", match.group())
        yield from _as_text(bytes.fromhex(digits))


def _base64(text: str) -> Iterator[str]:
    for digits in dict.fromkeys(match.group() for way in _BASE64 for match in way.finditer(text)):
        try:
            raw = base64.b64decode(digits + "=" * (-len(digits) % 4), b"-_" if {*"-_"} & {*digits} else None)
        except binascii.Error:
            continue
        yield from _as_text(raw)
        if len(raw) in _DIGESTS:
            yield raw.hex()


def _as_text(raw: bytes) -> Iterator[str]:
    """Yield the bytes as text, if that is what they are."""
    for encoding in ("utf-16-le", "utf-8") if b"\0" in raw else ("utf-8",):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.strip() and all(character.isprintable() or character.isspace() for character in text):
            yield text
            return


_WAYS: Final[tuple[Callable[[str], Iterator[str]], ...]] = (_references, _per_cent, _escapes, _hexadecimal, _base64)
