"""What of a study is private, and whether a piece of text holds any of it, by whole tokens.

Whole tokens, because substrings of short ids refuse nearly every good memo: 0.5727 is one
token and does not hold the id 5727.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from app.domain.encodings import FEW, Reading, decoded
from app.domain.fragments import RUN, Fragments, Words

TEXT: Final = "item text or note"
ID: Final = "item or cluster id"
NAME: Final = "user name"
DIGEST: Final = "digest"

STEM: Final = 12  # hexadecimal digits of a digest that are no chance
RUN_OF_WORDS: Final = 3  # a text of fewer words is everyday speech, found only as a whole leaf

# Scripts written without spaces: Thai to Lao, Burmese, Khmer, kana, Han, and their extensions.
_UNSPACED: Final = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_TOKEN: Final = re.compile(r"[^\W_](?:\S*[^\W_])?")
# What stands between two words without a space: everything but letters and digits, apostrophes
# within a word, and the points and commas of a number.
_JOINTS: Final = re.compile(r"(?!(?<=\w)'(?=\w)|(?<=\d)[.,](?=\d))[\W_]+|'s\b")
_NUMBER: Final = re.compile(r"[\d.,]+")
_STEM: Final = re.compile(rf"(?<![0-9a-fA-F])[0-9a-fA-F]{{{STEM}}}")
_APOSTROPHES: Final = "\u2018\u2019\u02bc\u2032"
_HYPHENS: Final = "\u2010\u2011\u2012\u2013\u2212"
_ALIKE: Final = str.maketrans(dict.fromkeys(_APOSTROPHES, "'") | dict.fromkeys(_HYPHENS, "-"))


def tokens(text: str) -> tuple[str, ...]:
    r"""Return the words of a text without punctuation at their edges.

    Compatible forms, case, and the kinds of apostrophes and hyphens are alike; characters
    that nobody sees are left out. In scripts written without spaces every character is a word.

    >>> tokens("  (Straße), 0.5727 -- don\u2019t!")
    ('strasse', '0.5727', "don't")
    """
    return tuple(_TOKEN.findall(_folded(text)))


def parts(text: str) -> tuple[str, ...]:
    """Return the words with those divided that punctuation joins: ids in a list, a name's genitive.

    >>> parts("c1,c2 (Rosa's), 0.5727 it—is")
    ('c1', 'c2', 'rosa', '0.5727', 'it', 'is')
    """
    return tuple(_TOKEN.findall(_JOINTS.sub(" ", _folded(text))))


def _ways(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of a text, and the parts where they are others; most texts need not be taken apart for that."""
    words = tokens(text)
    return (words,) if "".join(words).isalnum() or not words else (words, parts(text))


def _written(value: str) -> str:
    return _folded(value).strip()


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_ALIKE)
    seen = "".join(character for character in folded if unicodedata.category(character) != "Cf")
    return _UNSPACED.sub(r" \1 ", seen)


def words_of(leaves: Iterable[str]) -> set[str]:
    """Return every word of some pieces of text, whole and divided.

    >>> sorted(words_of(["A small pilot-study"]))
    ['a', 'pilot', 'pilot-study', 'small', 'study']
    """
    return {word for leaf in leaves for way in _ways(leaf) for word in way}


def made_of(own: Collection[str], words: Iterable[str]) -> bool:
    """Tell whether words are all among the program's own or numbers, so that any memo may hold them.

    >>> made_of({"speaker", "of"}, ["speaker", "0"]), made_of({"of"}, ["speaker", "0"])
    (True, False)
    """
    return all(word in own or _NUMBER.fullmatch(word) for word in words)


def hidden_among(own: Collection[str], value: str) -> bool:
    """Tell whether an id or name is made of nothing but the program's own words and numbers: it is sought in no memo.

    >>> [hidden_among({"speaker", "fluent"}, value) for value in ("fluent", "Speaker 0", "c_fluent", "0.5", "--")]
    [True, True, False, True, True]
    """
    return made_of(own, tokens(value)) and made_of(own, parts(value))


def numeric(value: str) -> bool:
    """Tell whether an id is made of numbers alone.

    >>> numeric("5727"), numeric("0.5"), numeric("ep-01"), numeric("--")
    (True, True, False, False)
    """
    found = tokens(value)
    return bool(found) and _numeric(found)


def within(values: Iterable[str], leaves: Iterable[str]) -> set[str]:
    """Return those values that may stand in one of the leaves, or a piece of them: a look before a thorough one.

    A value is found in a leaf only if its first word is one of the leaf's, and a piece only if five words are.

    >>> within(["pen and paper", "ink"], ["The pen."]) == {"pen and paper"}
    True
    """
    said = [each for leaf in leaves for each in (leaf, *(found.text for found in decoded(leaf)))]
    words = {word for leaf in said for word in (*tokens(leaf), *parts(leaf))}
    return {value for value in values if _first(value) & words or _many(value, words)}


def _many(value: str, words: Collection[str]) -> bool:
    return len(words) >= RUN and sum(word in words for word in parts(value)) >= RUN


def places(leaves: Iterable[str]) -> Iterator[Words]:
    """Yield the words of each leaf, and those with what punctuation joins divided."""
    for leaf in leaves:
        yield from {tokens(leaf), parts(leaf)}


def _first(value: str) -> set[str]:
    """Return the first word of a text, whole and divided."""
    found = _TOKEN.search(_folded(value))
    if found is None:
        return set()
    word = found.group()
    return {word} if word.isalnum() else {word, *parts(word)[:1]}


def _numeric(run: Iterable[str]) -> bool:
    return _NUMBER.fullmatch("".join(run)) is not None


@dataclass(frozen=True)
class Private:
    """Everything private of a study, made for many look-ups.

    `runs`: values found anywhere, as words joined by a space, with their kind; `numbers`:
    those of them that are only digits; `whole`: texts found only as a whole leaf.
    `lengths`: for a first word, in how many words the runs that it begins come. `stems`: how digests begin, for those
    that are cut off. `exact`: values as they are written, for what few letters spell by chance.
    """

    runs: Mapping[str, str]
    numbers: Mapping[str, str]
    whole: Mapping[str, str]
    lengths: Mapping[str, tuple[int, ...]]
    stems: Collection[str] = frozenset()
    exact: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        *,
        texts: Iterable[str],
        ids: Iterable[str],
        names: Iterable[str],
        digests: Iterable[str],
    ) -> Private:
        """Take in item texts and notes, item and cluster ids, user names, and digests and salts of items."""
        digests = set(digests)
        exact: dict[str, str] = {}
        long: dict[tuple[str, ...], str] = {}
        short: dict[tuple[str, ...], str] = {}
        for text in texts:
            for found in _ways(text):
                (long if len(found) >= RUN_OF_WORDS else short)[found] = TEXT
            if len(text) < FEW:
                exact[_written(text)] = TEXT
        for values, kind in ((ids, ID), (names, NAME), (digests, DIGEST)):
            for value in values:
                words, *divided = _ways(value)
                long[words] = kind
                if len(value) < FEW:
                    exact[_written(value)] = kind
                for run in divided:
                    if not _numeric(run):
                        long[run] = kind
        stems = {digest.casefold()[:STEM] for digest in digests if len(digest) > STEM}
        exact = {written: kind for written, kind in exact.items() if tokens(written)}
        return replace(_indexed(long, short), stems=frozenset(stems), exact=exact)

    def find_in(
        self, leaves: Iterable[tuple[str, bool]], own: Collection[Words] = frozenset()
    ) -> tuple[str, str] | None:
        """Return the first leaf that holds a private value, or a piece of one, plain or encoded, and its kind.

        `leaves`: each with whether it is `rendered`. `own`: runs of words that tell nothing.

        >>> private = Private.of(texts=["I want the blue pen, please"], ids=["D-7"], names=[], digests=[])
        >>> private.find_in([("the pen", False), ("see D%2D7", False)])
        ('see D%2D7', 'item or cluster id')
        >>> private.find_in([("he said: want the blue pen please", False)])
        ('he said: want the blue pen please', 'item text or note')
        >>> private.find_in([("first I want the", False), ("blue pen please", False)])
        ('first I want the', 'item text or note')
        """
        said: dict[str, str] = {}
        for leaf, rendered in leaves:
            for each, chance in (Reading(leaf), *decoded(leaf)):
                if chance:
                    kind = self._spelt(each, rendered=rendered)
                else:
                    kind = self.find(each, rendered=rendered) or self._cut_off(each)
                    said.setdefault(each, leaf)
                if kind is not None:
                    return leaf, kind
        return self._piece(said, own)

    def _piece(self, said: Mapping[str, str], own: Collection[Words]) -> tuple[str, str] | None:
        everywhere = Fragments.of(places(said), own)
        for run, kind in self.runs.items():
            if kind == TEXT and everywhere.hold(words := tuple(run.split(" "))):
                alone = (leaf for each, leaf in said.items() if Fragments.of(places([each]), own).hold(words))
                ends = (leaf for each, leaf in said.items() if words[0] in {*tokens(each), *parts(each)})
                return next(alone, None) or next(ends), TEXT
        return None

    def _spelt(self, read: str, *, rendered: bool) -> str | None:
        """Return the kind of value that few letters spell: only all of it, as it is written, is no chance."""
        kind = self.exact.get(_written(read))
        return None if rendered and numeric(read) else kind

    def _cut_off(self, leaf: str) -> str | None:
        """Return the kind of a digest of which the leaf holds the beginning."""
        found = any(match.group().casefold() in self.stems for match in _STEM.finditer(leaf)) if self.stems else False
        return DIGEST if found else None

    def find(self, leaf: str, *, rendered: bool = False) -> str | None:
        """Return the kind of private value that a piece of text holds, or None.

        `rendered`: counts are text here, so values that are only digits are passed over.

        >>> private = Private.of(texts=["I want the pen", "Oh no"], ids=["5727"], names=["rosa"], digests=[])
        >>> private.find("They said: “I WANT the pen.”"), private.find("Oh no!"), private.find("Oh no, not that")
        ('item text or note', 'item text or note', None)
        >>> private.find("0.5727"), private.find("item 5727"), private.find("5727", rendered=True)
        (None, 'item or cluster id', None)
        """
        return next((kind for _, kind in self._found(leaf, rendered=rendered)), None)

    def without(self, words: Iterable[str], leaves: Iterable[str] = (), spelt: Iterable[str] = ()) -> Private:
        """Return the same less what the program itself writes: it would be found in every memo.

        Drops ids and names that are made of `words` and numbers alone, and texts that stand in one of the
        `leaves`. What few letters of the program's `spelt` by chance is no longer looked for in that form.
        """
        own, chances = set(words), {_written(each) for each in spelt}
        dropped = {run for run, kind in self.runs.items() if kind in {ID, NAME} and made_of(own, run.split())}
        dropped |= {run for leaf in leaves for run, kind in self._found(leaf, rendered=True) if kind == TEXT}
        return replace(
            self,
            runs={run: kind for run, kind in self.runs.items() if run not in dropped},
            whole={run: kind for run, kind in self.whole.items() if run not in dropped},
            exact={run: kind for run, kind in self.exact.items() if run not in chances},
        )

    def _found(self, leaf: str, *, rendered: bool) -> Iterator[tuple[str, str]]:
        """Yield each run of words in a leaf that is private, with its kind."""
        words = tokens(leaf)
        run = " ".join(words)
        if run in self.whole and not (rendered and _numeric(words)):
            yield run, self.whole[run]
        yield from self._runs_in(words, (self.runs,) if rendered else (self.runs, self.numbers))
        divided = parts(leaf)
        if divided != words:
            yield from self._runs_in(divided, (self.runs,))

    def _runs_in(self, words: tuple[str, ...], places: Iterable[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
        for start, word in enumerate(words):
            for length in self.lengths.get(word, ()):
                if start + length > len(words):
                    break
                run = " ".join(words[start : start + length])
                yield from ((run, place[run]) for place in places if run in place)


def _indexed(long: Mapping[tuple[str, ...], str], short: Mapping[tuple[str, ...], str]) -> Private:
    lengths: defaultdict[str, set[int]] = defaultdict(set)
    runs: dict[str, str] = {}
    numbers: dict[str, str] = {}
    for words, kind in long.items():
        if words:
            (numbers if _numeric(words) else runs)[" ".join(words)] = kind
            lengths[words[0]].add(len(words))
    return Private(
        runs=runs,
        numbers=numbers,
        whole={" ".join(words): kind for words, kind in short.items() if words},
        lengths={word: tuple(sorted(found)) for word, found in lengths.items()},
    )
