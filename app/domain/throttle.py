"""How long somebody waits after wrong passwords: a delay that grows, and never beyond a bound.

Source: OWASP, Slow Down Online Guessing Attacks with Device Cookies; NIST SP 800-63B, section 5.2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Final


@dataclass(frozen=True)
class Pace:
    """How wrong passwords are slowed down.

    `free`: how many bring no delay; from then on it doubles from one second to `longest`, in seconds.
    `forgotten`: after so long without a wrong one, counting begins anew.
    """

    free: int
    longest: int = 30
    forgotten: timedelta = timedelta(hours=1)

    def delay(self, failures: int) -> int:
        """Return the seconds between the last of some wrong passwords and the next that is looked at.

        >>> [Pace(free=5).delay(failures) for failures in (0, 4, 5, 6, 9, 10, 1_000)]
        [0, 0, 1, 2, 16, 30, 30]
        """
        over = failures - self.free
        # The bound on the exponent keeps the number small: nobody sees beyond `longest`.
        return 0 if over < 0 else min(self.longest, 2 ** min(over, self.longest))


@dataclass(frozen=True)
class Count:
    """Wrong passwords of one kind so far, and when the last of them came."""

    failures: int = 0
    last: datetime | None = None

    def wait(self, pace: Pace, now: datetime) -> int:
        """Return in how many seconds another one is looked at: 0 for at once.

        A last one that lies in the future says that the clock was set back. That must lock nobody out.
        """
        if self.last is None or not self.last <= now < self.last + pace.forgotten:
            return 0
        due = self.last + timedelta(seconds=pace.delay(self.failures))
        return max(0, ceil((due - now).total_seconds()))

    def more(self, pace: Pace, now: datetime) -> Count:
        """Return the count with one more.

        >>> from datetime import UTC
        >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
        >>> Count(7, noon).more(Pace(5), noon).failures, Count(7, noon).more(Pace(5), noon.replace(hour=13)).failures
        (8, 1)
        """
        kept = self.last is not None and now < self.last + pace.forgotten
        return Count(self.failures + 1 if kept else 1, now)


@dataclass(frozen=True)
class Paces:
    """The paces of a server: for one name (or one browser known to a name), and for all names together."""

    one: Pace = Pace(free=5)
    everybody: Pace = Pace(free=60)


PACES: Final = Paces()
OFF: Final = Paces(Pace(free=10**9), Pace(free=10**9))  # for measuring what a check of a password costs
