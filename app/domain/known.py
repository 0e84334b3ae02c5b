"""Which words of a memo are accounted for: the program writes them, somebody entered them, or the record has them.

Where all are, nothing that was not entered can have come into the memo, so nothing else need be looked for in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.domain.encodings import marks
from app.domain.privacy import parts, tokens, words_of

# Counts, dates, versions and shares; a longer row of digits may be text in hexadecimal.
_NUMBER: Final = re.compile(r"(?!.*\d{16})[\d.,]+|\d\.\d+(?:e-?\d+)?")


@dataclass(frozen=True)
class Known:
    """The words that are accounted for, and the signs by which somebody's own text says that it is encoded."""

    words: frozenset[str]
    marks: frozenset[str]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Known:
        """Take in the words of some texts."""
        kept = list(texts)
        return cls(frozenset(words_of(kept)), frozenset(mark for text in kept for mark in marks(text)))

    def __or__(self, other: Known) -> Known:
        """Return what either accounts for."""
        return Known(self.words | other.words, self.marks | other.marks)

    def covers(self, leaf: str) -> bool:
        """Tell whether every word of a piece of text is accounted for, whole or as punctuation divides it.

        >>> known = Known.of(["A small pilot", "FAIL", "ends"])
        >>> [known.covers(leaf) for leaf in ("FAIL: a small pilot, 5%", "the pilot", "&#112;ilot", "FAIL/ends-5")]
        [True, False, False, True]
        """
        return marks(leaf) <= self.marks and all(self._has(word) for word in tokens(leaf))

    def _has(self, word: str) -> bool:
        return self._is(word) or all(self._is(part) for part in parts(word))

    def _is(self, word: str) -> bool:
        return word in self.words or _NUMBER.fullmatch(word) is not None
