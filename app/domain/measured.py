"""What was measured of the judging itself, joined to the arms: no text, no name, no item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from app.domain.statistics.quality import Answered, Guess

JUDGES: Final[tuple[Literal["reviewer"], Literal["adjudicator"]]] = ("reviewer", "adjudicator")


@dataclass(frozen=True)
class Measured:
    """The raw material of the memo's quality section; a judge is a number.

    `repeats`: an item's first answer, as it stood when the repeat opened, and the repeat's.
    `sentinels`: a known answer, and a review of it. `guesses`: of the blinding check.
    `panels`: the text that each signed review names, or None. `moments`: by role, the seconds
    at which each judge opened an item or stored an answer.
    """

    repeats: tuple[Answered, ...] = ()
    sentinels: tuple[Answered, ...] = ()
    guesses: tuple[Guess, ...] = ()
    panels: tuple[str | None, ...] = ()
    moments: Mapping[str, tuple[tuple[float, ...], ...]] = field(default_factory=dict)
