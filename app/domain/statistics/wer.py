"""Word errors: how many words of a reference a hypothesis changed, dropped or added.

The smallest number of edits is unique, how it splits into kinds is not. The split here has the fewest substitutions,
so the most words right: with K above any number of edits, one weighted distance K E + S gives both E and S, and
from the two lengths follow I and D. Corpus figures are total edits over total words, never a mean of rates.

Levenshtein (1966), Sov Phys Dokl 10:707-710; Morris, Maier and Green (2004), Interspeech, for the counts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Final, NamedTuple

from app.domain.statistics.words import Vocabulary

# Of a word's edges: these stand for words.
_SPOKEN: Final = frozenset("%‰&@#§")


def _falls_off(character: str) -> bool:
    return unicodedata.category(character).startswith("P") and character not in _SPOKEN


# Those of them that a word in ASCII can have: most words are, and such a one is folded by making it small.
_PLAIN_EDGES: Final = "".join(filter(_falls_off, map(chr, range(128))))


class Edits(NamedTuple):
    """Edits of one utterance or many. `words`: of the reference; hits are words - substitutions - deletions."""

    words: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def total(self) -> int:
        """All edits."""
        return self.substitutions + self.deletions + self.insertions


def counter() -> Callable[[str, str], Edits]:
    """Return what counts the edits from a reference to a hypothesis, both as rows of one `Vocabulary`.

    >>> words = vocabulary()
    >>> counter()(words.row("i i i want to go"), words.row("i want to go"))
    Edits(words=6, substitutions=0, deletions=2, insertions=0)
    >>> counter()(words.row("a b"), words.row("b c"))  # two edits: not two substitutions
    Edits(words=2, substitutions=0, deletions=1, insertions=1)
    """
    from rapidfuzz.distance.Levenshtein import distance

    def count(reference: str, hypothesis: str) -> Edits:
        words, said = len(reference), len(hypothesis)
        if reference == hypothesis:
            return Edits(words, 0, 0, 0)
        weight = words + said + 1
        edits, substitutions = divmod(distance(reference, hypothesis, weights=(weight, weight, weight + 1)), weight)
        insertions = (edits - substitutions - words + said) // 2
        return Edits(words, substitutions, insertions + words - said, insertions)

    return count


def vocabulary() -> Vocabulary:
    """Return the words as they are compared: see `bare`."""
    return Vocabulary(bare)


def bare(word: str) -> str:
    """Return a word in NFC, case folded, without punctuation at its edges.

    Fillers, repetitions and hyphenated stutters stay: they are what is measured.

    >>> [bare(word) for word in "“Um, I- I w-want 50% of 'em!” --".split()]
    ['um', 'i', 'i', 'w-want', '50%', 'of', 'em', '']
    """
    if word.isascii():
        return word.lower().strip(_PLAIN_EDGES)
    # Folding may undo the composed form.
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold())
    start, end = 0, len(folded)
    while start < end and _falls_off(folded[start]):
        start += 1
    while end > start and _falls_off(folded[end - 1]):
        end -= 1
    return folded[start:end]
