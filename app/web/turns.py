"""Requests that take turns, away from the threads that answer everybody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from anyio.to_thread import run_sync
from starlette.responses import Response

from app.security import AT_ONCE


class Turns:
    """So many requests of a kind at once; the others wait, without a thread."""

    def __init__(self, kind: str, at_once: int) -> None:
        self.at_once = at_once
        self._limiter = RunVar[CapacityLimiter](f"evenhand_{kind}")  # one an event loop, of which a server has one

    def limiter(self) -> CapacityLimiter:
        """Return what counts them. Call it on the event loop."""
        try:
            return self._limiter.get()
        except LookupError:
            self._limiter.set(CapacityLimiter(self.at_once))
            return self._limiter.get()


# Of requests that hash a password. Forty sign-ins would else hold all of the forty threads that answer requests,
# each waiting for the two that hash.
HASHING: Final = Turns("hashing", AT_ONCE)
# Of judges' answers and drafts, which are written one by one. Where something holds them up for seconds, a freeze or
# another program, they would else be in all the forty threads, and no page would come.
ANSWERING: Final = Turns("answering", 32)


async def in_turn(turns: Turns, work: Callable[[], Response]) -> Response:
    """Run a handler in a thread when its turn has come."""
    return await run_sync(work, limiter=turns.limiter())
