"""What was measured of the judging itself, joined to the arms: no text, no name, no item."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.expected import Expected
from app.domain.judgement import Coding


@dataclass(frozen=True)
class Guessed:
    """One answer of the blinding check. `right`: whether the filtered text was named, None for cannot tell."""

    role: str
    judge: int
    right: bool | None


@dataclass(frozen=True)
class Measured:
    """The raw material of the memo's quality section.

    `repeats`: an item's first answer, as it stood when the repeat opened, and the repeat's.
    `sentinels`: a known answer, and a review of it. `guesses`: see Guessed.
    """

    repeats: tuple[tuple[Coding, Coding], ...] = ()
    sentinels: tuple[tuple[Expected, Coding], ...] = ()
    guesses: tuple[Guessed, ...] = ()

    @property
    def damaged(self) -> list[bool]:
        """Of each review of a sentinel with damage: whether damage was seen where it is."""
        return [
            all(given.damage(arm) is not None for arm in ("off", "on") if known.coding.damage(arm) is not None)
            for known, given in self.sentinels
            if known.coding.destructive
        ]

    @property
    def clean(self) -> list[bool]:
        """Of each review of a sentinel without damage: whether it was judged, and left clean."""
        return [
            given.assessable and not given.destructive
            for known, given in self.sentinels
            if not known.coding.destructive
        ]

    @property
    def detection(self) -> float | None:
        """The share of damage found in sentinels, which the gate reads; None where there is none to find."""
        return sum(self.damaged) / len(self.damaged) if self.damaged else None
