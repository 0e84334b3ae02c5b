"""The parts of the SAP challenge's SemScore that need no model: its phonetic part, and how the three are joined.

The two models (entailment, BERTScore) are not run by this version; their figures come in from outside. What PHON
sees is a first letter and three consonant codes of the whole string: a dropped NOT can score 1.

Source: the organisers' script for 2025 (xiuwenz2/SAPC-template, `utils/metrics.py`); American Soundex by the rules of
the US National Archives; Winkler (1990), Proc Sect Surv Res Methods, Am Stat Assoc, 354-359.
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import Final

_WEIGHTS: Final = (0.4012, 0.2785, 0.3201)  # entailment, BERTScore, phonetic
_ENTAILMENT: Final = (0.0028752246871590614, 0.9661698341369629)
_BERTSCORE: Final = (-0.1180, 1.0)
_PHONETIC: Final = (0.5, 1.0)
_CODES: Final = {
    letter: code
    for letters, code in (("BFPV", "1"), ("CGJKQSXZ", "2"), ("DT", "3"), ("L", "4"), ("MN", "5"), ("R", "6"))
    for letter in letters
}
_SILENT: Final = "HW"  # they do not part two letters of the same code
_LENGTH: Final = 4


def soundex(text: str) -> str:
    """Return the Soundex code of a whole string, nothing of an empty one.

    >>> [soundex(name) for name in ("Robert", "Ashcraft", "Tymczak")]
    ['R163', 'A261', 'T522']
    """
    letters = unicodedata.normalize("NFKD", text.strip()).upper()
    if not letters:
        return ""
    heard = letters[0] + "".join(letter for letter in letters[1:] if letter not in _SILENT)
    codes = [_CODES.get(letter, "") for letter in heard]
    kept = [code for before, code in pairwise(codes) if code and code != before]
    return (letters[0] + "".join(kept) + "000")[:_LENGTH]


def similarity(one: str, other: str) -> float:
    """Return the Jaro-Winkler similarity, 0 where either is empty.

    >>> round(similarity("MARTHA", "MARHTA"), 3)
    0.961
    """
    from rapidfuzz.distance import JaroWinkler

    return float(JaroWinkler.similarity(one, other)) if one and other else 0.0


def phonetic(reference: str, hypothesis: str) -> float:
    """Return PHON before scaling: the similarity of the two codes.

    >>> phonetic("THE PATIENT DID NOT TAKE IT", "THE PATIENT DID TAKE IT")
    1.0
    >>> round(phonetic("UM I WANT TO GO", "I WANT TO GO"), 3)
    0.667
    """
    return similarity(soundex(hypothesis), soundex(reference))


def scaled(value: float, limits: tuple[float, float] = _PHONETIC) -> float:
    """Return a value as a share of its range, clipped."""
    low, high = limits
    return max(0.0, min(1.0, (value - low) / (high - low)))


def semscore(entailed: tuple[float, float], bertscore: float, phon: float) -> float:
    """Return the score of one utterance against one reference, from entailment in both directions."""
    parts = (scaled(sum(entailed) / 2, _ENTAILMENT), scaled(bertscore, _BERTSCORE), scaled(phon))
    return sum(weight * part for weight, part in zip(_WEIGHTS, parts, strict=True))
