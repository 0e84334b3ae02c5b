"""How two texts differ, told the same way from either side: exchanging them gives the exact mirror."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Final, Literal

from app.domain.look_alikes import same_shape
from app.domain.text import Run, runs, tokens, without_invisibles

MOST_EDITS: Final = 800  # tokens out or in; beyond, what lies between the common ends is one difference

RowKind = Literal["words", "punctuation", "case", "alike", "whitespace", "invisible"]
_Pair = tuple[int, int]
_Block = tuple[slice, slice]  # the tokens on either side of one difference; one of the two may be empty


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of one text; a `gap` is empty and marks where only the other text has something."""

    text: str
    kind: Literal["same", "differs", "gap"]
    runs: tuple[Run, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One difference in words; `after` and `before` are its nearest same tokens, or empty at an end of the text.

    `kind` is the gravest thing that differs: invisible characters, then white
    space, characters that look alike, punctuation, case, words.
    """

    a: str
    b: str
    after: str
    before: str
    kind: RowKind


@dataclass(frozen=True, slots=True)
class Difference:
    """The segments of both texts, and a row for each difference in panel order."""

    a: tuple[Segment, ...]
    b: tuple[Segment, ...]
    rows: tuple[DifferenceRow, ...]


def difference(a: str, b: str) -> Difference:
    """Compare two texts token by token.

    >>> difference("the um cat", "the cat").b
    (Segment(text='the ', kind='same'), Segment(text='', kind='gap'), Segment(text='cat', kind='same'))
    >>> difference("the um cat", "the cat").rows
    (DifferenceRow(a='um', b='', after='the', before='cat', kind='words'),)
    """
    if a > b:  # always computed in one order, so that no tie can resolve otherwise when the texts are exchanged
        turned = difference(b, a)
        rows = (DifferenceRow(row.b, row.a, row.after, row.before, row.kind) for row in turned.rows)
        return Difference(turned.b, turned.a, tuple(rows))
    left, right = tokens(a), tokens(b)
    blocks = _blocks(left, right)
    return Difference(
        _segments(a, left, [block[0] for block in blocks]),
        _segments(b, right, [block[1] for block in blocks]),
        tuple(_rows(left, right, blocks)),
    )


def _segments(text: str, words: Sequence[str], differing: Sequence[slice]) -> tuple[Segment, ...]:
    at = list(accumulate(map(len, words), initial=0))
    found: list[Segment] = []
    start = 0
    for part in differing:
        found.append(Segment(text[start : at[part.start]], "same", runs(text, start, at[part.start])))
        start, end = at[part.start], at[part.stop]
        found.append(Segment(text[start:end], "differs" if start < end else "gap", runs(text, start, end)))
        start = end
    found.append(Segment(text[start:], "same", runs(text, start)))
    return tuple(segment for segment in found if segment.text or segment.kind == "gap")


def _rows(left: Sequence[str], right: Sequence[str], blocks: Sequence[_Block]) -> Iterable[DifferenceRow]:
    # `same` holds the left tokens before the first block, between each two, and after the last.
    ends = [0, *(end for block, _ in blocks for end in (block.start, block.stop)), len(left)]
    same = [left[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)]
    for (ours, theirs), (before, after) in zip(blocks, pairwise(same), strict=True):
        a, b = "".join(left[ours]), "".join(right[theirs])
        kind = _kind(a, b)
        if kind not in {"whitespace", "invisible"}:
            a, b = a.strip(), b.strip()
        yield DifferenceRow(a, b, _nearest(before[::-1]), _nearest(after), kind)


def _nearest(words: Sequence[str]) -> str:
    """Return the first word, or the first punctuation where there is no word, or nothing."""
    seen = [word for word in words if not word.isspace()]
    return next((word for word in seen if _unpunctuated(word)), seen[0] if seen else "")


def _unpunctuated(text: str) -> str:
    # %, &, @ and # are punctuation to Unicode, but 5% is not 5 with a comma.
    return "".join(ch for ch in text if ch in "%&@#" or not unicodedata.category(ch).startswith("P"))


def _kind(a: str, b: str) -> RowKind:
    a, b = without_invisibles(a, "NFC"), without_invisibles(b, "NFC")
    if a == b:
        return "invisible"
    a, b = "".join(a.split()), "".join(b.split())
    if a == b:
        return "whitespace"
    if same_shape(a) == same_shape(b):
        return "alike"
    a, b = _unpunctuated(a), _unpunctuated(b)
    if a == b:
        return "punctuation"
    return "case" if a.casefold() == b.casefold() else "words"


def _blocks(left: Sequence[str], right: Sequence[str]) -> list[_Block]:
    """Return the differing stretches of tokens; those with only white space between them are one."""
    found: list[tuple[int, int, int, int]] = []
    pairs = [(-1, -1), *_settled(left, right, _matches(left, right)), (len(left), len(right))]
    for (i, j), (x, y) in pairwise(pairs):
        if x - i == 1 and y - j == 1:
            continue
        if found and all(word.isspace() for word in left[found[-1][1] : i + 1]):
            found[-1] = (found[-1][0], x, found[-1][2], y)
        else:
            found.append((i + 1, x, j + 1, y))
    return [_trimmed(left, right, block) for block in found]


def _trimmed(left: Sequence[str], right: Sequence[str], block: tuple[int, int, int, int]) -> _Block:
    """Return the block without the tokens that both sides share at its ends (merging put them there)."""
    i, x, j, y = block
    head = _shared(left[i:x], right[j:y])
    tail = _shared(left[i + head : x][::-1], right[j + head : y][::-1])
    return slice(i + head, x - tail), slice(j + head, y - tail)


def _settled(left: Sequence[str], right: Sequence[str], pairs: Iterable[_Pair]) -> Iterable[_Pair]:
    """Move a gap that opens with white space past it: `the [um ]cat`, not `the[ um] cat`."""
    i, j = -1, -1
    for x, y in pairs:
        one_sided = 1 in (x - i, y - j)
        if one_sided and left[x].isspace() and left[i + 1] == right[j + 1] == left[x]:
            i, j = i + 1, j + 1
        else:
            i, j = x, y
        yield i, j


def _shared(left: Sequence[str], right: Sequence[str]) -> int:
    """Count the tokens that both begin with."""
    return next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _matches(left: Sequence[str], right: Sequence[str]) -> list[_Pair]:
    """Return the positions of the same tokens, in order: common ends first, then the fewest edits between."""
    head = _shared(left, right)
    tail = _shared(left[head:][::-1], right[head:][::-1])
    n, m = len(left) - tail, len(right) - tail
    return [
        *((at, at) for at in range(head)),
        *((head + i, head + j) for i, j in _common(left[head:n], right[head:m])),
        *((n + at, m + at) for at in range(tail)),
    ]


def _common(left: Sequence[str], right: Sequence[str]) -> list[_Pair]:
    """Return a longest common subsequence, or nothing where it takes more than MOST_EDITS.

    E. W. Myers, An O(ND) difference algorithm and its variations, Algorithmica 1 (1986), 251-266: `reach` holds
    how far into `left` each diagonal gets with so many edits. difflib was not taken: its time has no such bound.
    """
    n, m = len(left), len(right)
    if not n or not m:
        return []
    reach = {1: 0}
    history: list[dict[int, int]] = []
    for edits in range(min(n + m, MOST_EDITS) + 1):
        history.append(reach.copy())
        for diagonal in range(2 * max(0, edits - m) - edits, edits - 2 * max(0, edits - n) + 1, 2):
            x, y, _ = _step(reach, diagonal)
            while x < n and y < m and left[x] == right[y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x == n and y == m:
                return _traced(history, n, m)
    return []


def _step(reach: dict[int, int], diagonal: int) -> tuple[int, int, bool]:
    """Return where one more edit enters the diagonal, and whether it takes a token from the right."""
    out, into = reach.get(diagonal - 1, -1), reach.get(diagonal + 1, -1)
    down = out < into
    x = into if down else out + 1
    return x, x - diagonal, down


def _traced(history: list[dict[int, int]], x: int, y: int) -> list[_Pair]:
    pairs: list[_Pair] = []
    for reach in reversed(history):
        start, _, down = _step(reach, x - y)
        pairs.extend((x - back, y - back) for back in range(1, x - start + 1))
        x, y = (start, start - (x - y) - 1) if down else (start - 1, start - (x - y))
    return pairs[::-1]
