"""What a lead's browser sent and has not finished with: kept in this process's memory, never on the disk.

A file chosen on one page is needed again on the next, and a browser does not send it twice of itself. Paths not
taken: a file beside the store would be private speech outside of it; a hidden field would put all of it into a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

MOST_BYTES: Final = 128 << 20  # of all files together: two of the largest
KEPT: Final = timedelta(minutes=30)


@dataclass(frozen=True)
class Kept:
    """A file as it came. `key` tells it from another that the same person chose in another window."""

    key: str
    study_id: str
    name: str
    data: bytes
    replace: bool
    at: datetime


class Tray:
    """One file a session, for one study. It goes when it is taken in, when another comes, and with the session."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}
        self._lock = Lock()

    def put(self, session: str, kept: Kept) -> None:
        """Keep a file in place of the session's former one; where there is no room, the oldest of others goes."""
        with self._lock:
            self._kept.pop(session, None)
            self._kept[session] = kept
            self._clear(kept.at)
            while sum(len(each.data) for each in self._kept.values()) > MOST_BYTES and len(self._kept) > 1:
                del self._kept[next(iter(self._kept))]

    def get(self, session: str, study_id: str, now: datetime) -> Kept | None:
        """Return the session's file for a study, if it is still kept."""
        with self._lock:
            self._clear(now)
            found = self._kept.get(session)
        return found if found is not None and found.study_id == study_id else None

    def drop(self, session: str) -> None:
        """Forget the session's file."""
        with self._lock:
            self._kept.pop(session, None)

    def clear(self, now: datetime) -> None:
        """Forget what nobody came back to."""
        with self._lock:
            self._clear(now)

    def _clear(self, now: datetime) -> None:
        for session in [each for each, kept in self._kept.items() if now - kept.at > KEPT]:
            del self._kept[session]
