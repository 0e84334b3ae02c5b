"""Which new passwords are refused: short ones, and those that somebody would guess first.

Compared whole, after NIST SP 800-63B, section 3.1.1.2: a list of common passwords, the words at hand
(the name, the program), repetitions and sequences. No rule asks for kinds of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Final

MIN_LENGTH: Final = 15
MAX_LENGTH: Final = 1_024
LIST: Final = "common_passwords.txt"
AT_HAND: Final = ("evenhand", "study", "pilot", "password", "reviewer", "adjudicator", "lead", "localhost")

# What keyboards and counting put side by side, each also read backwards and from its start again.
_ROWS: Final = (
    "01234567890",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiopü",
    "azertyuiop",
    "йцукенгшщзхъ",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "1q2w3e4r5t6y7u8i9o0p",
    "qwertyuiopasdfghjklzxcvbnm",
    "qazwsxedcrfvtgbyhnujmikolp",
)
_LEAST_RUN: Final = 4
_SHORT: Final = 3
_BETTER: Final = "choose a few unrelated words."
_JOINTS: Final = re.compile(r"[\W_]+")
_ENDS: Final = re.compile(r"^\d+|\d+$")


def normal(password: str) -> str:
    """Return a password in NFC, the form whose UTF-8 bytes are hashed: the same keys give the same bytes everywhere.

    Not NFKC, which NIST names as the other choice: it makes different things that somebody typed the same.
    """
    return unicodedata.normalize("NFC", password)


def folded(password: str) -> str:
    """Return a password as it is compared: without case, spaces, marks, and compatible forms.

    >>> folded("  Correct-Horse_BATTERY staple! ")
    'correcthorsebatterystaple'
    """
    return _JOINTS.sub("", unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", password).casefold()))


def fault(password: str, names: Iterable[str], common: Collection[str]) -> str | None:
    """Say what is wrong with a new password, or None.

    `names`: of the account and its studies; `common`: the list, folded.

    >>> fault("rosa rosa rosa rosa", ["rosa"], ())
    'This password is made of names and words that are easy to guess here: choose a few unrelated words.'
    >>> fault("four unlikely words indeed", ["rosa"], ())
    """
    length = len(normal(password))
    if length < MIN_LENGTH:
        return f"At least {MIN_LENGTH} characters, please: a few words in a row are easy to remember."
    if length > MAX_LENGTH:
        return f"At most {MAX_LENGTH:,} characters, please."
    if len(set(password)) < 4:  # noqa: PLR2004 - 800-63B speaks of repetitive characters
        return f"This password repeats one thing: {_BETTER}"
    bare = folded(password)
    # What is left of marks alone is nothing, and nobody's first guess.
    return _easy(bare, [folded(name) for name in names], common) if bare else None


def _easy(bare: str, names: Iterable[str], common: Collection[str]) -> str | None:
    without_ends = _ENDS.sub("", bare)
    if len(repeated(bare)) <= _SHORT:
        return f"This password repeats one thing: {_BETTER}"
    if is_sequence(bare):
        return f"This password follows a row of keys, letters or digits: {_BETTER}"
    if made_of(bare, (*names, *AT_HAND)):
        return f"This password is made of names and words that are easy to guess here: {_BETTER}"
    if any(each in common or repeated(each) in common for each in (bare, without_ends)):
        return f"This password is among those that are guessed first: {_BETTER}"
    return None


def repeated(text: str) -> str:
    """Return the piece that a text is made of, over and over, the last time perhaps cut short; else the text.

    >>> [repeated(text) for text in ("abcabcabc", "password1password1", "aabaabaa", "abcdefabc")]
    ['abc', 'password1', 'aab', 'abcdefabc']
    """
    # Laid over itself and moved by that piece, such a text fits.
    steps = range(1, len(text) // 2 + 1)
    return text[: next((step for step in steps if text.startswith(text[step:])), len(text))]


def is_sequence(text: str) -> bool:
    """Tell whether a text is nothing but runs along rows of keys, letters or digits.

    >>> [is_sequence(text) for text in ("123456789012345", "qwertyuiop12345", "zyxwvutsrqponml", "abcdwords1234")]
    [True, True, True, False]
    """
    at = 0
    while at < len(text):
        length = max(_run(text[at:], row) for row in _ways())
        if length < min(_LEAST_RUN, len(text)):
            return False
        at += length
    return True


def _ways() -> Iterable[str]:
    return (way for row in _ROWS for way in (row * 2, row[::-1] * 2))


def _run(text: str, way: str) -> int:
    """Return how many characters at the start of a text stand side by side in a row."""
    length = 0
    while length < len(text) and text[: length + 1] in way:
        length += 1
    return length


def made_of(text: str, words: Iterable[str]) -> bool:
    """Tell whether a text holds some of these words, and without them nothing but digits.

    >>> made_of("rosarosa2026", ["rosa"]), made_of("rosalikesademo", ["rosa"])
    (True, False)
    """
    left = text
    for word in sorted(filter(None, words), key=len, reverse=True):
        left = left.replace(word, " ")
    return left != text and not left.replace(" ", "").strip("0123456789")
