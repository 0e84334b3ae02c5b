"""When somebody was at work, how fast, how much time is left, and when a break would do good.

All of one judge's own moments: seconds at which an item was first opened, or an answer stored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

PAUSE: Final = 300.0  # seconds without an answer after which nobody is taken to be at work
STRETCH: Final = 50 * 60.0  # seconds at work without a pause after which a break is suggested
ENOUGH: Final = 5  # answers without which a pace says nothing
MINUTE: Final = 60.0
_STEPS: Final = ((10, 1), (60, 5), (math.inf, 15))  # below so many minutes they are told in steps of so many


@dataclass(frozen=True)
class Pace:
    """Seconds at work for each answer, and for all that are still to be given."""

    each: float
    left: float


def at_work(moments: Iterable[float], pause: float = PAUSE) -> float:
    """Return the seconds at work: what lies between two moments counts if it is no longer than `pause`.

    >>> at_work([0, 60, 90, 4000, 4090])
    180.0
    """
    gaps = (later - earlier for earlier, later in pairwise(sorted(moments)))
    return math.fsum(gap for gap in gaps if gap <= pause)


@dataclass(frozen=True)
class Work:
    """A judge's own work, kept as it happens: seconds at work, and the moments since the last pause.

    `began`, `ended`: the first and the newest of these moments.
    """

    spent: float
    began: float
    ended: float


def carried_on(work: Work | None, now: float) -> Work:
    """Return the work with one more moment; after a pause a new stretch begins.

    >>> carried_on(Work(200, began=1000, ended=1200), now=1400)
    Work(spent=400, began=1000, ended=1400)
    >>> carried_on(Work(200, began=1000, ended=1200), now=9000)
    Work(spent=200, began=9000, ended=9000)
    """
    if work is None:
        return Work(0, now, now)
    gap = now - work.ended
    if not 0 <= gap <= PAUSE:  # a clock that was set back ends a stretch too
        return Work(work.spent, now, now)
    return Work(work.spent + gap, work.began, now)


def pace(work: Work | None, done: int, total: int) -> Pace | None:
    """Return a judge's pace so far; None while too little is answered for one.

    >>> pace(Work(160, began=0, ended=160), done=5, total=20)
    Pace(each=32.0, left=480.0)
    """
    if work is None or done < ENOUGH or not work.spent:
        return None
    return Pace(work.spent / done, work.spent / done * (total - done))


def break_due(work: Work | None, now: float) -> int | None:
    """Return the minutes at work without a pause, once they are so many that a break is suggested."""
    if work is None or not 0 <= now - work.ended <= PAUSE:
        return None
    lasted = now - work.began
    return int(lasted // MINUTE) if lasted >= STRETCH else None


def stopped_earlier(last: datetime, now: datetime) -> bool:
    """Whether work stopped on an earlier day; whoever works past midnight has not stopped."""
    return last.date() < now.date() and (now - last).total_seconds() > PAUSE


def minutes_told(seconds: float) -> int:
    """Return minutes as they are told to people: the longer, the rounder; never none.

    >>> [minutes_told(each) for each in (20, 200, 2000, 20000)]
    [1, 3, 35, 330]
    """
    minutes = seconds / MINUTE
    step = next(step for below, step in _STEPS if minutes < below)
    return max(1, math.floor(minutes / step + 0.5) * step)


def seconds_told(seconds: float) -> int:
    """Return the seconds of one item as they are told to people: to 5, and at least 5.

    >>> [seconds_told(each) for each in (2, 32, 33)]
    [5, 30, 35]
    """
    return max(5, math.floor(seconds / 5 + 0.5) * 5)
