"""The one seam to clock and secure randomness. Actions receive a World; tests give a fixed one."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class World:
    """Where time and chance come from.

    `now`: the current time in UTC. `below`: a uniform integer in [0, n).
    `token`: n random bytes as URL-safe text.
    """

    now: Callable[[], datetime]
    below: Callable[[int], int]
    token: Callable[[int], str]

    def stamp(self) -> str:
        """Return the current time as ISO 8601 text in UTC, to the second."""
        return self.now().astimezone(UTC).isoformat(timespec="seconds")


def real() -> World:
    """Return the system's clock and its secure source of randomness."""
    return World(now=lambda: datetime.now(UTC), below=secrets.randbelow, token=secrets.token_urlsafe)
