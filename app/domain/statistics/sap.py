"""Scoring of the Speech Accessibility Project's challenge (Interspeech 2025): the profile `sap2025`.

Each utterance has two references, with disfluencies and without, and the hypothesis is held against the one that it
is nearer to. What the published scripts leave to an exception has a reason here: an utterance one of whose
references is empty is not scored, and counted apart.

Source: the organisers' evaluation scripts for 2025 (xiuwenz2/SAPC-template, `utils/evaluate.py`, `utils/metrics.py`
and `utils/normalize_wrd.py`). Their spelling-out of numbers by another program, and their lists of corrections
for single recordings, are not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from app.domain.statistics.words import Vocabulary

_KEPT: Final = "A-Z'\u00c0\u00c1\u00c4\u00c5\u00c8\u00c9\u00cd\u00cf\u00d1\u00d3\u00d6\u00d8\u00db\u00dc\u0106"
_DELETED: Final = re.compile(f"[^{_KEPT}]")
_MARKS: Final = "[({\u2018\u2019"
_COMMENT: Final = re.compile(r"\[.*?\]")
_BRACES: Final = re.compile(r"\{(.*?)\}")
_PARENTHESES: Final = re.compile(r"\((.*?)\)")
_LABEL: Final = re.compile(r".+(?=:)")
_NUMBER: Final = re.compile(r"\d+")
UNKNOWN: Final = "UNK"
MOST_UNKNOWN: Final = 100  # words that one mark may stand for

# Which reference the hypothesis is nearer to.
WITH: Final = "with_disfluencies"
WITHOUT: Final = "without_disfluencies"
NEITHER: Final = "neither"


class Score(NamedTuple):
    """What one utterance adds. `nearer`: WITH, WITHOUT or NEITHER.

    Both counts are twice the published ones, which are means of two where the references are equally near.
    """

    twice_edits: int
    twice_words: int
    nearer: str


def vocabulary() -> Vocabulary:
    r"""Return the words as the published rule leaves them: see `bare`. A line break parts words, a tab does not.

    >>> words = vocabulary()
    >>> words.row("the  quick\tbrown") == words.row("THE quickbrown")
    True
    """
    return Vocabulary(bare, " ")


def bare(word: str) -> str:
    """Return a word by the published punctuation rule: upper case, A to Z, apostrophe and some accented capitals.

    It destroys: digits vanish, and a hyphen joins what it stood between.

    >>> [bare(word) for word in ("well-known", "50", "cafés", "don't")]
    ['WELLKNOWN', '', 'CAFÉS', "DON'T"]
    """
    return _DELETED.sub("", word.upper())


def markup(transcript: str, *, disfluent: bool) -> str:
    """Return a transcript without the corpus's marks.

    `[...]` is a comment and goes. `{g:word}` is a guess and becomes its words, `{w:2}` two unknown words, `{u:...}`
    and `{ }` one. `(...)` is disfluent: kept in the reference with disfluencies and removed in the other, but for a
    labelled one such as `(cs:word)`, whose words stand in both.

    >>> markup("(I) I {g:want} it [laughs] {w:2}", disfluent=True)
    'I I want it UNK UNK'
    >>> markup("(I) I {g:want} it [laughs] {w:2}", disfluent=False)
    'I want it UNK UNK'
    """
    if not any(map(transcript.__contains__, _MARKS)):
        return transcript
    text = _BRACES.sub(_guessed, _COMMENT.sub(" ", transcript.replace("\u2019", "'").replace("\u2018", "'")))
    text = _PARENTHESES.sub(_said if disfluent else _labelled, text)
    return " ".join(text.split())


def _guessed(found: re.Match[str]) -> str:
    inside = found[1]
    label = _LABEL.match(inside)
    if label and label[0] == "w":
        number = _NUMBER.search(inside)
        return " ".join([UNKNOWN] * min(int(number[0]) if number else 1, MOST_UNKNOWN))
    if (label and label[0] == "u") or not inside.strip():
        return UNKNOWN
    return _said(found)


def _said(found: re.Match[str]) -> str:
    return _LABEL.sub(" ", found[1], count=1).replace(":", " ")


def _labelled(found: re.Match[str]) -> str:
    return _said(found) if _LABEL.match(found[1]) else ""


def scorer() -> Callable[[str, str, str], Score | None]:
    """Return what scores a hypothesis against two references, all as rows; None where a reference is empty.

    d = min(edits, words) and w = d / words of each; the smaller w counts, with its d and words; where they are equal
    the means of both do.

    >>> words = vocabulary()
    >>> scorer()(words.row("I I WANT UM IT"), words.row("I WANT IT"), words.row("I WANT IT"))
    Score(twice_edits=0, twice_words=6, nearer='without_disfluencies')
    >>> scorer()(words.row("UM"), "", "") is None
    True
    """
    from rapidfuzz.distance.Levenshtein import distance

    def score(first: str, second: str, said: str) -> Score | None:
        if not first or not second:
            return None
        edits = min(distance(first, said), len(first)), min(distance(second, said), len(second))
        one, two = edits[0] * len(second), edits[1] * len(first)
        if one == two:
            return Score(sum(edits), len(first) + len(second), NEITHER)
        at = 0 if one < two else 1
        return Score(2 * edits[at], 2 * len((first, second)[at]), WITH if at == 0 else WITHOUT)

    return score
