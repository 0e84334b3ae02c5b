"""A recording: the name by which an item asks for it, how much of it is taken, and what is known of its bytes."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

MAX_BYTES: Final = 16 << 20  # of one recording: it is one utterance
MOST_STORED: Final = 1 << 30  # of all recordings of a store: an erasure rewrites them in memory
AT_ONCE: Final = 256 << 20  # of what comes with items in one transaction: others wait meanwhile
BATCH: Final = 64 << 20  # of what one transaction takes where it need not be one
MAX_NAME: Final = 200

EXPECTED_NAME: Final = (
    f"the name of a file, without a folder, of 1 to {MAX_NAME} characters, none of them among "
    '/ \\ : * ? " < > |, and no name that a system keeps for a device'
)
_DEVICES: Final = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "123456789¹²³")}
_FOREIGN: Final = frozenset('/\\:*?"<>|')


def fit_name(name: object) -> bool:
    r"""Tell whether a name is that of a file, wherever it is taken: never a way to another folder.

    >>> fit_name("ep-01 012.opus"), fit_name("../ep.wav"), fit_name("C:ep.wav"), fit_name("con.wav"), fit_name("..")
    (True, False, False, False, False)
    """
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
        return False
    plain = name == name.strip() and not name.endswith(".") and not _FOREIGN & set(name)
    return plain and name.partition(".")[0].strip().lower() not in _DEVICES


@dataclass(frozen=True)
class Sound:
    """What is known of a recording: its media type, as its bytes say, its size, and their digest."""

    type: str
    size: int
    sha256: str

    @classmethod
    def of(cls, data: bytes, kind: str) -> Sound:
        """Describe a recording of a known media type."""
        return cls(kind, len(data), hashlib.sha256(data).hexdigest())


@dataclass(frozen=True)
class Given:
    """Files among which recordings are looked for, and how one of them is read.

    `read` raises UnfitRecording. `whole`: all that the items ask for has to be among them.
    """

    names: frozenset[str]
    read: Callable[[str], bytes]
    whole: bool = False

    @cached_property
    def _alike(self) -> dict[str, str]:
        return {unicodedata.normalize("NFC", name): name for name in sorted(self.names)}

    def find(self, asked: str) -> str | None:
        """Return the file that is asked for. Systems write an "é" in two ways: both are the same name."""
        return asked if asked in self.names else self._alike.get(unicodedata.normalize("NFC", asked))

    def aside(self, asked: frozenset[str]) -> list[str]:
        """Return the files that nobody asks for; hidden ones are not worth a word."""
        wanted = {self.find(name) for name in asked}
        return sorted(name for name in self.names - wanted if not name.startswith("."))
