"""The egress guard: reads the finished files as their readers will, and refuses what is private."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from typing import Final, NamedTuple

from app.domain import codebook
from app.domain.encodings import decoded
from app.domain.errors import Refused
from app.domain.fragments import Words, runs, uncounted
from app.domain.known import Known
from app.domain.privacy import Private, parts, places, tokens
from app.report import bundle, html, wording
from app.report.specimen import specimens

_LETTER: Final = re.compile(r"[^\W\d_]")
# Of a shape in a picture: numbers, and letters that each stand alone, unlike those of a name.
_OUTLINE: Final = re.compile(r"(?:[MLHVCSQTA](?![A-Z])|[Z\d\s.,-])*", re.IGNORECASE)


class Leaf(NamedTuple):
    """One string of a finished file.

    `rendered`: counts are text here, so digits alone are no sign of an id. `attribute`: of a
    page, where class names and digests are no words.
    """

    text: str
    rendered: bool = True
    attribute: bool = False


def guard(files: Mapping[str, bytes], private: Private) -> None:
    """Refuse the files if any holds something private. Call it before anything is written.

    Raises Refused (`egress`) naming the file and the kind of private value, never the value.
    """
    own = {leaf.text for leaf in _own_leaves()}
    sought = private.without(own_words(), own, own_chances())
    read: dict[tuple[str, bool], str] = {}
    for name, content in files.items():
        for leaf in leaves(name, content):
            if leaf.text not in own:
                read.setdefault((leaf.text, leaf.rendered), name)
    found = sought.find_in(read, own_runs())
    if found is not None:
        text, kind = found
        name = next(file for (each, _), file in read.items() if each == text)
        message = f"{name} would carry a private value ({kind}). Nothing was written; take it out of the text."
        raise Refused("egress", message)


def accounted_for(files: Mapping[str, bytes], known: Known) -> bool:
    """Tell whether every word of the files is the program's own or one that is `known`.

    Such a memo holds nothing that anybody else wrote, whatever that may be; to look for it would only tell what it is.
    """
    return not any(unaccounted(files, known))


def unaccounted(files: Mapping[str, bytes], known: Known) -> Iterator[Leaf]:
    """Yield the strings of the files that hold a word which nobody accounts for."""
    own = {leaf.text for leaf in _own_leaves()}
    words, attributes = known | _known(attribute=False), known | _known(attribute=True)
    for name, content in files.items():
        for leaf in leaves(name, content):
            drawn = leaf.attribute and _OUTLINE.fullmatch(leaf.text)
            if leaf.text not in own and not drawn and not (attributes if leaf.attribute else words).covers(leaf.text):
                yield leaf


@cache
def _known(*, attribute: bool) -> Known:
    """Return what the program itself writes: as text, or as attributes of a page, too."""
    written = {leaf.text for leaf in _own_leaves() if attribute or not leaf.attribute} - {html.style()}
    return Known.of(written)


def leaves(name: str, content: bytes) -> Iterator[Leaf]:
    """Yield every string of a file. Raises Refused for a kind of file that cannot be read here."""
    read = _READERS.get(name.rpartition(".")[2])
    if read is None:
        message = f"{name} is a kind of file that the egress guard cannot read. Nothing was written."
        raise Refused("egress", message)
    return read(content.decode())


@cache
def own_words() -> frozenset[str]:
    """Return the words that the program itself writes in memos, numbers left out.

    An id or a user name that is one of them would be found in every memo.
    """
    written = {leaf.text for leaf in _own_leaves() if not leaf.attribute} - {html.style()}  # li is a word of no page
    words = {word for text in written for word in (*tokens(text), *parts(text))}
    return frozenset(word for word in words if _LETTER.search(word))


@cache
def own_runs() -> frozenset[Words]:
    """Return every run of words that the program itself writes in memos, whatever its counts."""
    return frozenset(run for words in places(leaf.text for leaf in _own_leaves()) for run in runs(uncounted(words)))


@cache
def own_chances() -> frozenset[str]:
    """Return what few letters of the program's own words spell by chance once they are decoded."""
    written = {leaf.text for leaf in _own_leaves()} - {html.style()}
    return frozenset(each.text for text in written for each in decoded(text) if each.chance)


@cache
def _own_leaves() -> frozenset[Leaf]:
    """Return every string of memos that hold nothing of any study."""
    codes = [*wording.NULL_REASONS.items(), *wording.DECISIONS.items()]
    found = {Leaf(text) for pair in codes for text in pair} | set(_in_json(codebook.as_data()))
    for specimen in specimens():
        for name, content in bundle.bundle(specimen).items():
            found |= set(leaves(name, content))
    return frozenset(leaf for leaf in found if _LETTER.search(leaf.text))


def _json(text: str) -> Iterator[Leaf]:
    return _in_json(json.loads(text))


# Strings in memo.json in which digits are counts or versions.
_WITH_NUMBERS: Final = {
    ("conduct", "frozen_at"),
    ("conduct", "closed_at"),
    ("verdict", "reasons", "text"),
    ("study", "codebook_version"),
    ("rights", "version"),
}


def _in_json(data: object, path: tuple[str, ...] = ()) -> Iterator[Leaf]:
    match data:
        case str():
            yield Leaf(data, rendered=path in _WITH_NUMBERS or path[:1] == ("software",))
        case dict():
            for key, value in data.items():
                yield Leaf(key, rendered=False)
                yield from _in_json(value, (*path, key))
        case list():
            for value in data:
                yield from _in_json(value, path)


class _Html(HTMLParser):
    """Collects text and attributes; text within one block also joined, whatever marks divide it."""

    INLINE: Final = frozenset(
        {"a", "abbr", "b", "bdi", "bdo", "code", "em", "i", "mark", "small", "span", "strong", "wbr"}
    )

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.attributes: list[str] = []
        self.block: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [part for attribute in attrs for part in attribute if part]
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.INLINE:
            self.end_block()

    def handle_data(self, data: str) -> None:
        self.found.append(data)
        self.block.append(data)

    def handle_comment(self, data: str) -> None:
        self.found.append(data)

    def handle_decl(self, decl: str) -> None:
        self.found.append(decl)

    def handle_pi(self, data: str) -> None:
        self.found.append(data)

    def unknown_decl(self, data: str) -> None:
        self.found.append(data)

    def end_block(self) -> None:
        if len(self.block) > 1:
            self.found.append("".join(self.block))
        self.block.clear()


def _html(text: str) -> Iterator[Leaf]:
    parser = _Html()
    parser.feed(text)
    parser.close()
    parser.end_block()
    found = [*parser.found, parser.rawdata]  # the latter: what the parser drops, such as a style without its end
    yield from (Leaf(each) for each in found if each.strip())
    yield from (Leaf(each, attribute=True) for each in parser.attributes)


def _csv(text: str) -> Iterator[Leaf]:
    return (Leaf(cell) for row in csv.reader(io.StringIO(text, newline="")) for cell in row)


_MARKUP: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_CELL_END: Final = re.compile(r"(?<!\\)\|")


def _markdown(text: str) -> Iterator[Leaf]:
    for line in text.splitlines():
        for piece in {line, *_CELL_END.split(line)}:
            yield Leaf(_MARKUP.sub(r"\1", piece))


_READERS: Final[Mapping[str, Callable[[str], Iterator[Leaf]]]] = {
    "json": _json,
    "html": _html,
    "svg": _html,
    "csv": _csv,
    "md": _markdown,
}
