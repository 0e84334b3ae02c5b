"""How a file is put down in bytes: in words for the user, what is there in place of UTF-8 with ordinary line ends."""

from __future__ import annotations

from typing import Final

BYTE_ORDER_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
UTF_16: Final = "not UTF-8, it looks like UTF-16: save the file as UTF-8"
JOINED: Final = "this line begins with a byte order mark, which only the first may: were files joined?"
CARRIAGE_RETURN: Final = "a carriage return without a line feed ends no line: save with ordinary line ends"


def like_utf_16(data: bytes) -> bool:
    """Whether a file begins as UTF-16 or UTF-32 does, with or without a byte order mark."""
    return b"\0" in data[:4] or data.startswith((b"\xff\xfe", b"\xfe\xff"))


def not_utf8(line: bytes, at: int) -> str:
    """Name the first byte of a line that is not UTF-8, and what to do."""
    # UTF-8 writes a letter beyond ASCII as two bytes or more, Windows-1252 as one.
    alone = (line[max(at - 1, 0) : at] + line[at + 1 : at + 2]).isascii()
    looks = "it looks like Windows-1252, cp1252" if alone else "it may be in Windows-1252, cp1252, or in UTF-16"
    return f"byte {at + 1:,} of the line is not UTF-8: save the file as UTF-8 ({looks})"
