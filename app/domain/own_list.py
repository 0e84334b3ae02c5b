"""A judge's own list: which of it is shown, and which texts hold the words that are looked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.domain import codebook
from app.domain.errors import InvalidInput
from app.domain.judgement import chosen
from app.domain.text import without_invisibles

PER_PAGE: Final = 100
MAX_WORDS: Final = 200
MOST_DIGITS: Final = 6
ALL: Final = "all"
SHOWS: Final = {
    ALL: "All",
    "open": "Not answered",
    "answered": "Answered",
    "drafted": "Not sent",
    "flagged": "Flagged",
}
UNSETTLED: Final = "unresolved"  # the adjudicator's answer that has no label
ANSWERS: Final = (*codebook.LABEL_KEYS, UNSETTLED)


@dataclass(frozen=True)
class View:
    """What of a list is shown. `answer`: own label, or UNSETTLED. `words`: in a text of the item; they are not kept."""

    show: str = ALL
    answer: str | None = None
    words: str = ""
    page: int = 1

    @property
    def narrowed(self) -> bool:
        """Whether anything is left out."""
        return bool(self.words or self.answer or self.show != ALL)

    @property
    def query(self) -> dict[str, str]:
        """What an address says of this view: never the words."""
        said = {"show": self.show, "answer": self.answer or "", "page": str(self.page)}
        return {name: value for name, value in said.items() if value not in {"", ALL, "1"}}


@dataclass(frozen=True)
class Entry:
    """One line of a judge's own list."""

    token: str
    number: int
    label: str | None
    panel: str | None
    done: bool
    drafted: bool
    flagged: bool = False


@dataclass(frozen=True)
class Listing:
    """One page of a list. `count`: the entries on all pages."""

    entries: tuple[Entry, ...] = ()
    count: int = 0
    page: int = 1
    pages: int = 1


@dataclass(frozen=True)
class Tally:
    """How many entries of a list are in each state."""

    total: int = 0
    done: int = 0
    drafted: int = 0
    flagged: int = 0

    def of(self, show: str) -> int:
        """Return how many a view shows that narrows by nothing else."""
        return {"all": self.total, "open": self.total - self.done, "answered": self.done}.get(
            show, self.drafted if show == "drafted" else self.flagged
        )


def view(form: Mapping[str, Sequence[str]]) -> View:
    """Turn the controls above a list into a View. Raises InvalidInput for what they do not offer.

    >>> view({"show": ["flagged"], "words": [" the pen "]})
    View(show='flagged', answer=None, words='the pen', page=1)
    """
    show, answer = chosen(form, "show") or ALL, chosen(form, "answer")
    words, page = (chosen(form, "words") or "").strip(), chosen(form, "page") or "1"
    if show not in SHOWS or (answer is not None and answer not in ANSWERS):
        raise InvalidInput.of("This is no choice of the list.", field="show")
    if len(words) > MAX_WORDS:
        raise InvalidInput.of(f"Look for {MAX_WORDS} characters at most.", field="words")
    if not page.isascii() or not page.isdigit() or len(page) > MOST_DIGITS:
        raise InvalidInput.of("This is no page of the list.", field="show")
    return View(show, answer, words if _plain(words) else "", int(page))


def pages(count: int, page: int) -> tuple[int, int]:
    """Return the page that there is, nearest to the one wanted, and how many there are.

    >>> pages(0, 1), pages(101, 9), pages(100, 0)
    ((1, 1), (2, 2), (1, 1))
    """
    last = max(1, math.ceil(count / PER_PAGE))
    return min(max(page, 1), last), last


def holds(words: str, texts: Iterable[str]) -> bool:
    r"""Whether one of the texts holds the words as they follow each other.

    Case, white space, invisible characters and how letters are composed do not count.

    >>> holds("THE  pen", ["I want the\u00ad pen"]), holds("pen the", ["the pen"])
    (True, False)
    """
    wanted = _plain(words)
    return any(wanted in _plain(text) for text in texts)


def _plain(text: str) -> str:
    plain = text if text.isascii() and text.isprintable() else without_invisibles(text, "NFKC")
    return " ".join(plain.split()).casefold()
