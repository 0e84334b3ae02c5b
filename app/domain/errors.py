"""The one error tree. Every message says what is wrong, where, and what to do next.

Messages never repeat private text: a problem names file, line and field, and
describes what was found (its type or length), not its content.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

MOST_PROBLEMS: Final = 1_000  # of one input: nobody reads more


@dataclass(frozen=True)
class Problem:
    """One thing wrong with an input, at one place in it.

    `where` is a file name or form name; `line` counts from 1 (None where lines
    mean nothing); `field` is the key as the input spells it. `expected` and `found` are
    the two halves of a message that has them, for a table of problems.
    """

    message: str
    where: str = ""
    line: int | None = None
    field: str | None = None
    expected: str = ""
    found: str = ""

    @classmethod
    def unlike(
        cls, expected: str, found: str, where: str = "", line: int | None = None, field: str | None = None
    ) -> Problem:
        """Build the problem of a value that is not as expected. `found` describes it and never repeats it."""
        return cls(f"expected {expected}, found {found}", where, line, field, expected, found)

    def __str__(self) -> str:
        """One line, e.g. `items.jsonl, line 3, field on: must be text`."""
        place = [self.where] if self.where else []
        if self.line is not None:
            place.append(f"line {self.line}")
        if self.field is not None:
            place.append(f"field {self.field}")
        return f"{', '.join(place)}: {self.message}" if place else self.message

    def as_dict(self) -> dict[str, str | int | None]:
        """Return the parts under their own names, for --json."""
        return asdict(self)


class EvenhandError(Exception):
    """Base of every error that a user can cause or must hear about."""


class InvalidInput(EvenhandError):
    """Input that breaks the contract; carries every problem, and nothing was stored."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        shown, more = tuple(problems[:MOST_PROBLEMS]), len(problems) - MOST_PROBLEMS
        self.problems = (*shown, Problem(f"and {more:,} problems more")) if more > 0 else shown
        count = len(self.problems)
        head = "1 problem" if count == 1 else f"{count} problems"
        super().__init__(f"{head}, nothing was stored:\n" + "\n".join(f"  {p}" for p in self.problems))

    @classmethod
    def of(cls, message: str, field: str | None = None, where: str = "") -> InvalidInput:
        """Build the error for a single problem."""
        return cls([Problem(message, where=where, field=field)])


class NotFound(EvenhandError):
    """What was asked for does not exist, or is not for this person."""


class Refused(EvenhandError):
    """A well-formed request that the rules do not allow now; `code` names the rule."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


class TooSoon(EvenhandError):
    """An attempt to sign in that nobody looked at, because wrong ones came shortly before."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        unit = "second" if seconds == 1 else "seconds"
        super().__init__(
            f"Wrong attempts came shortly before, so this one was not looked at. Try again in {seconds} {unit}. "
            "The wait never grows beyond half a minute."
        )


class FilterFailed(EvenhandError):
    """The filter under test cannot be started, or does not answer as it must; nothing that it said is used."""


class TextFailed(FilterFailed):
    """The filter could not treat one text; it goes on with the next."""


class UnfitRecording(EvenhandError):
    """A file that cannot be taken as a recording; the message says why, and the caller which file."""


class StaleVersion(EvenhandError):
    """The stored version moved on since the form was opened."""

    def __init__(self, stored: int, submitted: int) -> None:
        self.stored = stored
        self.submitted = submitted
        super().__init__(
            f"This item was saved elsewhere in the meantime (version {stored}; this form was opened at {submitted})."
        )


class StoreUnavailable(EvenhandError):
    """The store cannot be opened or written; says why and what to do."""
