"""How a file is put down in bytes: in words for the user, what is there in place of UTF-8 with ordinary line ends."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from typing import Final

BYTE_ORDER_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
UTF_16: Final = "not UTF-8, it looks like UTF-16: save the file as UTF-8"
JOINED: Final = "this line begins with a byte order mark, which only the first may: were files joined?"
CARRIAGE_RETURN: Final = "a carriage return without a line feed ends no line: save with ordinary line ends"

UTF_8_MARKED: Final = "utf-8-sig"
ENCODINGS: Final = {
    "utf-8": "UTF-8",
    UTF_8_MARKED: "UTF-8 with a byte order mark",
    "utf-16": "UTF-16 with a byte order mark",
    "cp1252": "Windows-1252 (cp1252)",
}
_MARKS: Final = {BOM_UTF8: UTF_8_MARKED, BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}
_UTF_32: Final = (BOM_UTF32_LE, BOM_UTF32_BE)
# What Windows-1252 leaves undefined, and control characters that no table has.
_NOT_CP1252: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
# Letters and marks as UTF-8 writes them, but for what Windows-1252 may write too: ß or é and a closing quotation mark.
_UTF_8_LETTER: Final = re.compile(rb"[\xc2\xc3\xc5\xce-\xd0][\x80-\xbf]|\xe2\x80[\x80-\xbf]|\xf0\x9f[\x80-\xbf]{2}")


def encoding_of(data: bytes) -> str | None:
    """Tell one of ENCODINGS by the bytes, or None where a file is in none of them for sure or nearly so.

    A mark says it; without one, whatever reads as UTF-8 is UTF-8. `cp1252` is a likeness alone: Mac Roman and its
    like read as Windows-1252 too, with other letters, so a person must look at the letters first. Where some of the
    letters are written as UTF-8 and others are not, files were joined, and no one encoding reads them all.
    """
    if data.startswith(_UTF_32):
        return None
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    if marked is not None:
        return marked if _reads(data, marked) else None
    if b"\0" in data[:4]:
        return None
    if _reads(data, "utf-8"):
        return "utf-8"
    return None if _NOT_CP1252.search(data) or _UTF_8_LETTER.search(data) else "cp1252"


def marked_utf_16(data: bytes) -> bool:
    """Whether a byte order mark says that a file is in UTF-16."""
    return data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and not data.startswith(_UTF_32)


def _reads(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def like_utf_16(data: bytes) -> bool:
    """Whether a file begins as UTF-16 or UTF-32 does, with or without a byte order mark."""
    return b"\0" in data[:4] or data.startswith((b"\xff\xfe", b"\xfe\xff"))


def not_utf8(line: bytes, at: int) -> str:
    """Name the first byte of a line that is not UTF-8, and what to do."""
    # UTF-8 writes a letter beyond ASCII as two bytes or more, Windows-1252 as one.
    alone = (line[max(at - 1, 0) : at] + line[at + 1 : at + 2]).isascii()
    looks = "it looks like Windows-1252, cp1252" if alone else "it may be in Windows-1252, cp1252, or in UTF-16"
    return f"byte {at + 1:,} of the line is not UTF-8: save the file as UTF-8 ({looks})"
