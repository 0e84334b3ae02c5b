"""Characters that look alike: other letters in the shape of these, and quotes and dashes of several kinds."""

from __future__ import annotations

import unicodedata
from typing import Final

from app.domain.text import only_invisible, without_invisibles

# Latin, Greek and Cyrillic letters, quotes and dashes that have one shape in most faces, each with its look-alikes.
# A choice from confusables.txt of Unicode Technical Standard 39, Unicode Security Mechanisms; not taken are pairs
# that only some faces draw alike (a and alpha, l and 1), and every other script.
_SHAPES: Final = {
    "A": "\u0391\u0410",
    "B": "\u0392\u0412",
    "C": "\u0421",
    "E": "\u0395\u0415",
    "F": "\u03dc",
    "G": "\u050c",
    "H": "\u0397\u041d",
    "I": "\u0399\u0406\u04c0",
    "J": "\u037f\u0408",
    "K": "\u039a\u041a",
    "M": "\u039c\u041c",
    "N": "\u039d",
    "O": "\u039f\u041e",
    "P": "\u03a1\u0420",
    "S": "\u0405",
    "T": "\u03a4\u0422",
    "V": "\u0474",
    "W": "\u051c",
    "X": "\u03a7\u0425",
    "Y": "\u03a5\u0423",
    "Z": "\u0396",
    "a": "\u0430",
    "c": "\u0441",
    "d": "\u0501",
    "e": "\u0435",
    "h": "\u04bb",
    "i": "\u0456",
    "j": "\u0458\u03f3",
    "o": "\u03bf\u043e",
    "p": "\u03c1\u0440",
    "q": "\u051b",
    "s": "\u0455",
    "u": "\u03c5",
    "v": "\u03bd\u0475",
    "w": "\u051d",
    "x": "\u0445",
    "y": "\u0443\u04af",
    "\u0393": "\u0413",
    "\u03a0": "\u041f",
    "\u03a6": "\u0424",
    "\u03c6": "\u0444",
    "\u03ba": "\u043a",
    "\u03a8": "\u0470",
    "\u03c8": "\u0471",
    "'": "\u2018\u2019\u201b\u2032\u02bc\u02b9",
    '"': "\u201c\u201d\u201f",
    "-": "\u2010\u2012\u2013\u2043\u2212",
    "\u2015": "\u2014",
}
_SHAPE: Final = str.maketrans({ch: shape for shape, others in _SHAPES.items() for ch in others})


def same_shape(text: str) -> str:
    """Return the text with one character for all that look alike, and without what cannot be seen.

    >>> same_shape("\u0440\u0435n") == same_shape("pen")
    True
    """
    seen = without_invisibles(text, "NFKC").translate(_SHAPE)
    return " ".join(unicodedata.normalize("NFKD", seen).translate(_SHAPE).split())


# Letters, digits and capitals of one shape in most faces without serifs: names are compared by these too.
_NAME_SHAPE: Final = str.maketrans({"1": "l", "I": "l", "0": "o"})
_EAST_ASIAN: Final = frozenset(
    {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC", "BOPOMOFO", "HANGUL"}
)


def mixes_scripts(name: str) -> bool:
    """Tell whether the letters of a name are of several scripts, but for those that are written together in East Asia.

    >>> [mixes_scripts(name) for name in ("sam.a", "s\u0430m.a", "\u0441\u0430\u043c", "\u5c71\u7530-a")]
    [False, True, False, False]
    """
    scripts = {unicodedata.name(ch, "").partition(" ")[0] for ch in name if ch.isalpha()}
    return len(scripts - _EAST_ASIAN) > (0 if scripts & _EAST_ASIAN and "LATIN" not in scripts else 1)


def shapes_of_name(name: str) -> frozenset[str]:
    """Return what a name looks like, in small letters and as it is written: names that share one look alike.

    >>> (
    ...     bool(shapes_of_name("BOB") & shapes_of_name("\u0412\u041e\u0412")),
    ...     bool(shapes_of_name("al1") & shapes_of_name("all")),
    ... )
    (True, True)
    """
    seen = {same_shape(form.translate(_NAME_SHAPE)) for form in (name, name.casefold())}
    return frozenset(shape.casefold().translate(_NAME_SHAPE) for shape in seen)


def only_look_alike(a: str, b: str) -> bool:
    """Whether two texts differ, and in characters that look alike and nothing else that can be seen.

    >>> only_look_alike("pen", "\u0440en"), only_look_alike("pen", "ten"), only_look_alike("pen", "pe\u200bn")
    (True, False, False)
    """
    return a != b and same_shape(a) == same_shape(b) and not only_invisible(a, b)


def look_alikes(a: str, b: str) -> tuple[tuple[str, str], ...]:
    """Return the names of what looks alike where two such texts differ, sorted: the same whichever comes first.

    >>> look_alikes("\u0440en", "pen")
    (('LATIN SMALL LETTER P', 'CYRILLIC SMALL LETTER ER'),)
    """
    if not only_look_alike(a, b):
        return ()
    left, right = (unicodedata.normalize("NFKD", without_invisibles(text, "NFKC")) for text in (a, b))
    found = zip("".join(left.split()), "".join(right.split()), strict=True)
    pairs = sorted({(min(pair), max(pair)) for pair in found if pair[0] != pair[1]})
    return tuple((unicodedata.name(one), unicodedata.name(other)) for one, other in pairs)
