"""Texts as rows of words, each word one character: so two texts are compared word by word as fast as letters are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

MOST_WORDS: Final = 0x110000 - 1  # as many characters as there are


class Vocabulary:
    r"""Gives each word a character, and remembers. `bare` says what of a written word is compared; nothing drops it.

    `between`: what parts words, None for white space of any kind.

    >>> words = Vocabulary(lambda word: word.strip(".").lower())
    >>> words.row("Well . well.") == words.row("well well")
    True
    """

    def __init__(self, bare: Callable[[str], str], between: str | None = None) -> None:
        self._between = between
        self._signs = _Signs(bare)
        self._sign = self._signs.__getitem__

    def row(self, text: str) -> str:
        """Return a text as one character a word."""
        return "".join(map(self._sign, text.split(self._between)))

    def tidy(self) -> None:
        """Forget all words once there is hardly a character left; rows made before mean nothing after."""
        if len(self._signs.of_bare) > MOST_WORDS // 2:
            self._signs.clear()
            self._signs.of_bare.clear()


class _Signs(dict[str, str]):
    """From a written word to its character."""

    def __init__(self, bare: Callable[[str], str]) -> None:
        super().__init__()
        self._bare = bare
        self.of_bare: dict[str, str] = {}

    def __missing__(self, written: str) -> str:
        bare = self._bare(written)
        sign = self.of_bare.setdefault(bare, chr(1 + len(self.of_bare))) if bare else ""
        self[written] = sign
        return sign
