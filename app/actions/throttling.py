"""Slowing down whoever guesses: where an attempt is counted, and how long it has to wait.

A browser in which an account has signed in before is counted on its own, so that a stranger who
hammers a name cannot keep its owner out (OWASP's device cookies).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app import security
from app.domain.errors import TooSoon
from app.domain.throttle import PACES, Pace, Paces
from app.store import throttle
from app.store.db import Connection
from app.world import World

NAME: Final = "name"  # of the sign-in page
CODE: Final = "code"  # one-time codes
CURRENT: Final = "current"  # the password of before, in the form that changes it
BROWSER: Final = "browser"
EVERYBODY: Final = "everybody"
MOST_KNOWN: Final = 6  # people who take turns at one browser


@dataclass(frozen=True)
class Attempt:
    """An attempt to sign in: what is tried, as whom, at a browser that brought what it was given before."""

    kind: str
    name: str
    account_id: int = 0  # 0 where there is no such account
    brought: str = ""
    paces: Paces = PACES


def prepare(connection: Connection, world: World) -> None:
    """Draw the key for counting, unless there is one. For a write."""
    throttle.key(connection, world)


def wait(connection: Connection, world: World, attempt: Attempt) -> int:
    """Return how many seconds the attempt has to wait; 0 where it may be looked at now."""
    now = world.now()
    key = throttle.known_key(connection)
    return max(throttle.count(connection, where).wait(pace, now) for where, pace in _places(key, attempt))


def refuse_haste(connection: Connection, world: World, attempt: Attempt) -> None:
    """Refuse an attempt that comes too soon, unseen. Raises TooSoon."""
    seconds = wait(connection, world, attempt)
    if seconds:
        raise TooSoon(seconds)


def failed(connection: Connection, world: World, attempt: Attempt) -> int:
    """Count a wrong password or code (not audited); return how many seconds the next one has to wait."""
    now, delay = world.now(), 0
    key = throttle.key(connection, world)
    for where, pace in _places(key, attempt):
        counted = throttle.count(connection, where).more(pace, now)
        throttle.put(connection, where, counted)
        delay = max(delay, pace.delay(counted.failures))
    return delay


def succeeded(connection: Connection, world: World, attempt: Attempt) -> str:
    """Count anew, and return what the browser brings the next time (not audited).

    What is counted for all names together stays: else whoever has an account could clear it.
    """
    key = throttle.key(connection, world)
    for where, _ in _places(key, attempt):
        if where != EVERYBODY:
            throttle.clear(connection, where)
    known = [each for each in attempt.brought.split("~") if "." in each]
    if _known(key, attempt) is None:
        nonce = world.token(12)
        known.append(f"{nonce}.{throttle.mark(key, BROWSER, attempt.account_id, nonce)}")
    return "~".join(known[-MOST_KNOWN:])


def _places(key: str, attempt: Attempt) -> Iterator[tuple[str, Pace]]:
    nonce = _known(key, attempt)
    if nonce is not None:
        yield throttle.place(key, f"{BROWSER}.{attempt.kind}", nonce), attempt.paces.one
        return
    yield throttle.place(key, attempt.kind, attempt.name), attempt.paces.one
    if attempt.kind != CURRENT:  # there somebody is signed in, who must not slow down others
        yield EVERYBODY, attempt.paces.everybody


def _known(key: str, attempt: Attempt) -> str | None:
    """Return by what a browser is known to have signed in as this account before; None for any other.

    For a name that does not exist as much is computed as for one that does.
    """
    found = None
    for each in attempt.brought.split("~")[-MOST_KNOWN:]:
        nonce, _, proof = each.partition(".")
        fits = security.same(proof, throttle.mark(key, BROWSER, attempt.account_id, nonce))
        found = nonce if fits and key and attempt.account_id else found
    return found
