"""What was refused, for whoever reads the server's log: so many lines a minute of each kind, the rest counted."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, Final

from starlette.types import Scope

from app.world import World

_LOG: Final = logging.getLogger("evenhand")
MOST: Final = 10
MINUTE: Final = timedelta(minutes=1)
NOT_THEIRS: Final = "an account that is not theirs to change"
KINDS: Final = {
    403: "a form without its token",
    404: "not there, or not theirs",
    429: "too soon after wrong attempts",
}
AT_THE_DOOR: Final = {
    "host": "another host",
    "origin": "a form from elsewhere",
    "worker": "by way of a service worker",
    "method": "another method",
    "size": "too large, or of no known length",
}
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")


@dataclass
class _Minute:
    began: datetime
    lines: int = 0
    left_out: int = 0


class Refusals:
    """How many lines each kind of refusal had within its minute."""

    def __init__(self) -> None:
        self._minutes: dict[str, _Minute] = {}
        self._lock = Lock()

    def room(self, kind: str, now: datetime) -> int | None:
        """Return how many of this kind were left out before this one; None where it is to be left out too."""
        with self._lock:
            minute = self._minutes.setdefault(kind, _Minute(now))
            left_out = minute.left_out
            if abs(now - minute.began) >= MINUTE:  # also after a clock set back
                minute = self._minutes[kind] = _Minute(now)
            if minute.lines == MOST:
                minute.left_out += 1
                return None
            minute.lines += 1
            return left_out


def note(refusals: Refusals, world: World, scope: Scope, status: int, code: str | None) -> None:
    """Write how a request was refused, if it is of a kind that is told and there is room.

    `code`: why the guard turned it away. Addresses hold tokens and names of studies: what is written is the route's
    pattern, and of whoever asks the number of the account.
    """
    kind = _kind(scope, status, code)
    if kind is None:
        return
    now = world.now()
    left_out = refusals.room(kind, now)
    if left_out is None:
        return
    more = f"; {left_out} more of this kind before it were only counted" if left_out else ""
    stamp = now.isoformat(timespec="seconds")
    _LOG.warning("%s refused (%s): %s, %s%s", stamp, kind, _where(scope), _who(scope), more)


def _kind(scope: Scope, status: int, code: str | None) -> str | None:
    if code is not None:
        return AT_THE_DOOR[code]
    if status == 404 and "route" not in scope:  # noqa: PLR2004 - nothing is behind such an address
        return None
    found = _state(scope, "refused") or KINDS.get(status)
    return None if found is None else str(found)


def _where(scope: Scope) -> str:
    method = scope["method"] if scope["method"] in METHODS else "another method"
    pattern = getattr(scope.get("route"), "path", "")
    return f"{method} {pattern}".rstrip()


def _who(scope: Scope) -> str:
    visitor = _state(scope, "visitor")
    return "nobody known" if visitor is None else f"account {visitor.account_id}"


def _state(scope: Scope, name: str) -> Any:
    return scope.get("state", {}).get(name)
