"""Pieces of private texts: a run of words, the words in another order, a text that is divided between two places.

What is looked at is words that are folded already (`privacy.tokens`, `privacy.parts`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

Words: TypeAlias = tuple[str, ...]

RUN: Final = 5  # of so many words in a row nobody says the same by chance; measured in decision 21

_NUMBER: Final = re.compile(r"[\d.,]+")


def runs(words: Sequence[str]) -> Iterator[Words]:
    """Yield every run of five words.

    >>> list(runs(["a", "b", "c", "d", "e", "f"]))
    [('a', 'b', 'c', 'd', 'e'), ('b', 'c', 'd', 'e', 'f')]
    """
    return (tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1))


def in_a_row(known: Sequence[bool]) -> bool:
    """Tell whether so many words in a row as make a piece are known."""
    return any(all(known[start : start + RUN]) for start in range(len(known) - RUN + 1))


def uncounted(run: Sequence[str]) -> Words:
    """Return the words with every number alike: the program's sentences differ in their counts.

    >>> uncounted(("of", "160", "items"))
    ('of', '0', 'items')
    """
    return tuple("0" if _NUMBER.fullmatch(word) else word for word in run)


@dataclass(frozen=True)
class Fragments:
    """Words of all places that are looked at, made for many texts. `own`: runs that tell nothing, without counts."""

    places: Sequence[Words]
    words: frozenset[str]
    runs: frozenset[Words]
    ends: frozenset[Words]
    starts: frozenset[Words]
    own: Collection[Words]

    @classmethod
    def of(cls, places: Iterable[Words], own: Collection[Words] = ()) -> Fragments:
        """Take in the words of each place."""
        kept = [words for words in dict.fromkeys(places) if words]
        return cls(
            places=kept,
            words=frozenset(word for words in kept for word in words),
            runs=frozenset(run for words in kept for run in runs(words) if _telling(run, own)),
            ends=frozenset(words[-length:] for words in kept for length in range(1, min(len(words), _LONGEST) + 1)),
            starts=frozenset(words[:length] for words in kept for length in range(1, min(len(words), _LONGEST) + 1)),
            own=own,
        )

    def hold(self, text: Words) -> bool:
        """Tell whether a piece of the text stands in one of the places, or the whole of it divided between two.

        >>> said = tuple("i want the blue pen now please".split())
        >>> def told(*places):
        ...     return Fragments.of([tuple(place.split()) for place in places]).hold(said)
        >>> told("they want the blue pen now"), told("please pen the want i now blue")
        (True, True)
        >>> told("so i want the blue", "pen now please and more"), told("i want the pen", "now please")
        (True, False)
        """
        if len(text) < RUN:
            return False
        known = [word in self.words for word in text]
        if not in_a_row(known):
            return False
        return any(run in self.runs for run in runs(text)) or (
            all(known) and (self._moved(text) or self._divided(text))
        )

    def _moved(self, text: Words) -> bool:
        sought, length = Counter(text), len(text)
        return any(
            _telling(window, self.own) and Counter(window) == sought
            for words in self.places
            if length <= len(words) and sought <= Counter(words)
            for window in (words[start : start + length] for start in range(len(words) - length + 1))
        )

    def _divided(self, text: Words) -> bool:
        return any(text[:cut] in self.ends and text[cut:] in self.starts for cut in range(1, len(text)))


_LONGEST: Final = 60  # words of half a text


def _telling(words: Words, own: Collection[Words]) -> bool:
    """Tell whether words are not all counts, and not all from sentences of the program's own."""
    plain = uncounted(words)
    return any(word != "0" for word in plain) and not all(run in own for run in runs(plain))
