"""Requests that hash a password take turns, away from the threads that answer everybody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from anyio.to_thread import run_sync
from starlette.responses import Response

from app.security import AT_ONCE

_LIMITER: Final[RunVar[CapacityLimiter]] = RunVar("evenhand_hashing")  # one an event loop, of which a server has one


async def in_turn(work: Callable[[], Response]) -> Response:
    """Run a handler that hashes a password when there is room, in a thread of its own.

    The path not taken: a plain function as route. Forty sign-ins would then hold all of the
    forty threads that answer requests, each waiting for the two that hash.
    """
    try:
        limiter = _LIMITER.get()
    except LookupError:
        limiter = CapacityLimiter(AT_ONCE)
        _LIMITER.set(limiter)
    return await run_sync(work, limiter=limiter)
