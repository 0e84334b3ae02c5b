"""The name of an account: which there can be, and how a message repeats one."""

from __future__ import annotations

import re
from typing import Final

NAME: Final = re.compile(r"\w[\w.@-]{1,63}")
EXPECTED_NAME: Final = "2 to 64 letters, digits, dots, hyphens, underscores or @, not beginning with a dot or hyphen"


def called(name: str) -> str:
    """Return a name as a message repeats it. What can be none may be a password, or what somebody said.

    >>> called("rosa"), called("I want the pen")
    ('“rosa”', 'what was entered')
    """
    return f"“{name}”" if NAME.fullmatch(name) else "what was entered"
