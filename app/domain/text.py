"""What a judge sees of a text: when two texts count as equal, its invisible characters, its tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import regex  # type: ignore[import-untyped]


def _collapsed(text: str) -> str:
    """Return the text with each run of white space as one space, and none at the ends."""
    return " ".join(text.split())


_FORMS: Final[dict[str, Callable[[str], str]]] = {
    "exact": str,
    "whitespace": _collapsed,
    "whitespace-case": lambda text: _collapsed(text).casefold(),
}
COMPARATORS: Final = tuple(_FORMS)


def equivalent(a: str, b: str, comparator: str) -> bool:
    """Whether two texts count as identical under the study's comparator.

    White space is what `str.split` takes for it, so a no-break space counts and
    a zero width space does not. Raises ValueError for an unknown comparator.

    >>> equivalent("so  it is ", "So it is", "whitespace")
    False
    >>> equivalent("so  it is ", "So it is", "whitespace-case")
    True
    """
    if comparator not in _FORMS:
        message = f"unknown comparator {comparator!r}: must be one of {', '.join(COMPARATORS)}"
        raise ValueError(message)
    form = _FORMS[comparator]
    return form(a) == form(b)


# Beyond control and format characters: whatever Unicode says is drawn as nothing, and what it calls letter or symbol
# and draws blank all the same: the braille pattern without dots, blanks of hieroglyphs, the null notehead.
_BLANK: Final = r"\u2800\U00013441\U00013442\U0001D159"
_INVISIBLE: Final = (
    rf"[[\p{{Cc}}\p{{Cf}}\p{{Zl}}\p{{Zp}}\p{{Variation_Selector}}\p{{Default_Ignorable_Code_Point}}{_BLANK}]"
    r"||[\p{Zs}--[\ ]]]"
)
# An ordinary space is invisible at either end and beside other white space.
_UNSEEN: Final = regex.compile(rf"{_INVISIBLE}|(?<!\S)[ ]|[ ](?!\S)", regex.V1)
_NO_WIDTH: Final = regex.compile(rf"[{_INVISIBLE}--\s]", regex.V1)


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a text: visible characters, or one invisible one with its name.

    On the page an invisible character needs `unicode-bidi: isolate` (else a
    direction control reorders what follows it), and U+000D must be written as
    a character reference (else the parser turns it into U+000A).
    """

    text: str
    invisible: str | None = None


def runs(text: str, start: int = 0, end: int | None = None) -> tuple[Run, ...]:
    r"""Return the runs of `text[start:end]`; what ends the slice does not end the text.

    >>> runs("so\u00ad ")
    (Run(text='so', invisible=None), Run(text='\xad', invisible='SOFT HYPHEN'), Run(text=' ', invisible='SPACE'))
    >>> runs("so it", 0, 3)
    (Run(text='so ', invisible=None),)
    """
    end = len(text) if end is None else end
    found: list[Run] = []
    at = start
    for match in _UNSEEN.finditer(text, start, end + 1):  # one more: a space is judged by what follows
        if match.start() >= end:
            break
        if at < match.start():
            found.append(Run(text[at : match.start()]))
        found.append(Run(match.group(), invisible_name(match.group())))
        at = match.end()
    if at < end:
        found.append(Run(text[at:end]))
    return tuple(found)


_CONTROL_PICTURES: Final = 0x2400  # Unicode names no control character, but names its picture


def invisible_name(ch: str) -> str:
    r"""Return the name to show for one character; no two characters share one.

    >>> [invisible_name(ch) for ch in ("\u200b", "\t", "\x7f", "\x85")]
    ['ZERO WIDTH SPACE', 'HORIZONTAL TABULATION', 'DELETE', 'U+0085']
    """
    if ch == "\n":
        return "NEW LINE"  # nobody but Unicode says line feed
    if ch < " ":
        ch = chr(_CONTROL_PICTURES + ord(ch))
    elif ch == "\x7f":
        ch = "\N{SYMBOL FOR DELETE}"
    return unicodedata.name(ch, f"U+{ord(ch):04X}").removeprefix("SYMBOL FOR ")


def without_invisibles(text: str, form: Literal["NFC", "NFKC"]) -> str:
    r"""Return the normalised text without characters that take no room; white space stays.

    >>> without_invisibles("so\u00adft \ufb01t", "NFKC")
    'soft fit'
    """
    return unicodedata.normalize(form, _NO_WIDTH.sub("", text))


def only_invisible(a: str, b: str) -> bool:
    r"""Whether two texts differ, but only in invisible characters, spacing within lines or normalisation.

    Lines are structure: a list that lost them is no list any more. See `only_lines`.

    >>> only_invisible("so\u200b it", "so  it"), only_invisible("so it", "soit"), only_invisible("so", "so")
    (True, False, False)
    """
    return a != b and _lines(a) == _lines(b)


def only_lines(a: str, b: str) -> bool:
    r"""Whether two texts differ in their lines, and else at most in what cannot be seen.

    >>> only_lines("milk\neggs", "milk eggs"), only_lines("milk\neggs", "milk\neggs "), only_lines("milk", "eggs")
    (True, False, False)
    """
    a, b = without_invisibles(a, "NFKC"), without_invisibles(b, "NFKC")
    return equivalent(a, b, "whitespace") and _lines(a) != _lines(b)


def _lines(text: str) -> list[str]:
    """Return the lines that hold something, without what cannot be seen."""
    lines = map(_collapsed, without_invisibles(text, "NFKC").splitlines())
    return [line for line in lines if line]


_CLUSTER: Final = regex.compile(r"\X")
_SPACELESS: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_KINDS: Final = tuple(
    (kind, regex.compile(pattern, regex.V1 | regex.DOTALL))
    for kind, pattern in (
        ("s", r"\s+\Z"),
        ("o", rf"[\p{{Extended_Pictographic}}\p{{Regional_Indicator}}{_SPACELESS}]"),  # each is a token of its own
        ("d", r".*\p{N}"),
        ("w", r".*[\p{L}\p{M}\p{Sc}\p{C}\p{Default_Ignorable_Code_Point}_%&@#+]"),
        ("j", r"['\u2018\u2019.\u00b7\u2010\u2011-]"),
        ("n", r"[,:/\u066b\u066c]"),
    )
)
# One letter a cluster: a word is joined by j between any two of its characters, by n only between digits.
_TOKEN: Final = re.compile(r"s+|(?:[wd]|(?<=[wd])j(?=[wd])|(?<=d)n(?=d))+|.")


@lru_cache(maxsize=1024)
def _kind(cluster: str) -> str:
    return next((kind for kind, pattern in _KINDS if pattern.match(cluster)), "o")


def tokens(text: str) -> tuple[str, ...]:
    """Split a text into words, punctuation and runs of white space; joined again they are the text.

    No grapheme cluster is split, and words keep the marks they are written with.

    >>> tokens("I don't, at 10:30, owe $2m.")
    ('I', ' ', "don't", ',', ' ', 'at', ' ', '10:30', ',', ' ', 'owe', ' ', '$2m', '.')
    """
    clusters = _CLUSTER.findall(text)
    kinds = "".join(map(_kind, clusters))
    return tuple("".join(clusters[word.start() : word.end()]) for word in _TOKEN.finditer(kinds))


_CONTROLS: Final = regex.compile(r"[\p{Cc}\p{Bidi_Control}--[\t\n\r\u061c\u200e\u200f]]", regex.V1)


# A mark alone has nothing to stand on; a private or unassigned character has no shape that others know.
_VISIBLE: Final = regex.compile(rf"[[\p{{L}}\p{{N}}\p{{P}}\p{{S}}]--{_INVISIBLE}]", regex.V1)


def has_visible(text: str) -> bool:
    r"""Tell whether a text holds at least one character that can be seen.

    >>> [has_visible(text) for text in ("ill", "\u2060 \u200b", "\u3164", "\u2800", "\u0301", "\ue000", "")]
    [True, False, False, False, False, False, False]
    """
    return _VISIBLE.search(text) is not None


def is_plain(text: str) -> bool:
    r"""Tell whether text holds no control characters, and none that turn the direction of a whole line.

    >>> is_plain("two\nlines"), is_plain("a bell \x07"), is_plain("turned \u202e round")
    (True, False, False)
    """
    return _CONTROLS.search(text) is None
