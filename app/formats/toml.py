"""TOML in, plain data out, what is wrong is one InvalidInput; and plain data out as TOML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from app.domain.errors import MOST_PROBLEMS, InvalidInput, Problem
from app.formats.encoding import UTF_16, like_utf_16, not_utf8
from app.formats.values import MOST_DEPTH, TOO_DEEP, faults

MOST_BYTES: Final = 1 << 20
MOST_MESSAGE: Final = 120

_PLACE: Final = re.compile(r"(?s)(.*) \(at (?:line (\d+), column (\d+)|end of document)\)")
# tomllib takes the square of a dotted key's length, an hour for 1 MiB of `a.a.a`: look for one outside text first.
_TEXT: Final = re.compile(
    r"""(?s)"{3}(?:[^\\]|\\.)*?(?:"{3,5}|\Z)|'{3}.*?(?:'{3,5}|\Z)"""
    r"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|'[^'\n]*'?|[#][^\n]*"""
)
_LONG_KEY: Final = re.compile(rf"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){{{MOST_DEPTH}}}")
_DIGITS: Final = re.compile(r"[0-9_]{4000}")
_PLAINER: Final = {"Cannot overwrite a value": "a key stands twice (it may be a line above)"}


def read_toml(data: bytes, name: str) -> dict[str, object]:
    r"""Read a TOML file in UTF-8. `name` is the file's, for the problems; raises InvalidInput.

    >>> read_toml(b'[study]\nid = "pilot"', "protocol.toml")
    {'study': {'id': 'pilot'}}
    >>> read_toml(b"[study]\nid = pilot", "protocol.toml")
    Traceback (most recent call last):
    ...
    app.domain.errors.InvalidInput: 1 problem, nothing was stored:
      protocol.toml, line 2: not TOML at column 6: Invalid value
    """
    text = _text(data, name)
    try:
        found: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput([_broken(str(error), text, name)]) from None
    except RecursionError:
        raise InvalidInput([Problem(TOO_DEEP, name)]) from None
    except ValueError:  # int() refuses 4,301 digits
        message = "a number with too many digits"
        raise InvalidInput([Problem(message, name, _line(text, _DIGITS.search(text)))]) from None
    problems = [Problem(message, name, field=field) for field, message in islice(faults(found), MOST_PROBLEMS)]
    if problems:
        raise InvalidInput(problems)
    return found


def write_toml(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """Return sections of plain values as a file that `read_toml` reads back equal.

    >>> print(write_toml({"study": {"id": "pilot", "strata": {"fluent": 2}, "rare": True}}), end="")
    [study]
    id = "pilot"
    strata = { fluent = 2 }
    rare = true
    """
    parts = ["\n".join([f"[{name}]", *(_pair(*each) for each in keys.items())]) for name, keys in sections.items()]
    return "\n\n".join(parts) + "\n"


_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def _pair(key: str, value: Any) -> str:
    return f"{key if _BARE.fullmatch(key) else _quoted(key)} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_pair(*each) for each in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    """JSON's quoting is TOML's, but for one control character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _text(data: bytes, name: str) -> str:
    if len(data) > MOST_BYTES:
        raise InvalidInput([Problem(f"this file has {len(data):,} bytes; at most {MOST_BYTES:,} can be read", name)])
    if like_utf_16(data):
        raise InvalidInput([Problem(UTF_16, name, 1)])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        start = before.rfind(b"\n") + 1
        line = error.object[start : error.end + 1]
        problem = Problem(not_utf8(line, error.start - start), name, before.count(b"\n") + 1)
        raise InvalidInput([problem]) from None
    if not text.strip():
        raise InvalidInput([Problem("this file is empty", name)])
    bare = _TEXT.sub(lambda found: "q" + "\n" * found.group().count("\n"), text)
    if long := _LONG_KEY.search(bare):
        raise InvalidInput([Problem(TOO_DEEP, name, _line(bare, long))])
    return text


def _line(text: str, at: re.Match[str] | None) -> int | None:
    return text.count("\n", 0, at.start()) + 1 if at else None


def _broken(message: str, text: str, name: str) -> Problem:
    """Turn tomllib's message, which ends with the place, into a problem there; no place is the file's end."""
    place = _PLACE.fullmatch(message)
    reason, line, column = place.groups() if place else (message, None, None)
    reason = _PLAINER.get(reason, reason)[:MOST_MESSAGE]
    if line is None:
        return Problem(f"not TOML at the end of the file: {reason}", name, text.rstrip().count("\n") + 1)
    return Problem(f"not TOML at column {column}: {reason}", name, int(line))
