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


def pace(moments: Iterable[float], done: int, total: int) -> Pace | None:
    """Return a judge's pace so far; None while too little is answered for one.

    >>> pace([0, 40, 80, 2000, 2040, 2080], done=5, total=20)
    Pace(each=32.0, left=480.0)
    """
    spent = at_work(moments)
    if done < ENOUGH or not spent:
        return None
    return Pace(spent / done, spent / done * (total - done))


def stretch(moments: Iterable[float], now: float) -> float:
    """Return the seconds for which somebody has been at work without a pause; 0 where the last moment is a pause ago.

    >>> stretch([0, 1000, 1200, 1400], now=1500)
    500
    """
    began = now
    for moment in sorted((each for each in moments if each <= now), reverse=True):
        if began - moment > PAUSE:
            break
        began = moment
    return now - began


def break_due(moments: Iterable[float], now: float) -> int | None:
    """Return the minutes at work without a pause, once they are so many that a break is suggested."""
    lasted = stretch(moments, now)
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
