"""What every command works with: the store it opens and the answer it gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from app import world
from app.config import DEFAULT_STORE
from app.domain.errors import EvenhandError
from app.store.audit import LOCAL
from app.store.db import Store
from app.store.migrate import open_store

LARGEST: Final = 64 << 20  # bytes of a file that a command reads


@dataclass(frozen=True)
class Answer:
    """What a command says: words for people, data for --json."""

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    exit_code: int = 0


class Desk:
    """Opens the store when a command first needs it, creating it if it is missing."""

    actor = LOCAL

    def __init__(self, folder: Path | None, *, as_json: bool = False) -> None:
        self.given = folder
        self.as_json = as_json
        self.world = world.real()

    @property
    def folder(self) -> Path:
        """The store's folder."""
        return self.given or DEFAULT_STORE

    @cached_property
    def store(self) -> Store:
        """The open store."""
        return open_store(self.folder)

    def close(self) -> None:
        """Close the store if a command opened it."""
        if "store" in vars(self):
            self.store.close()


def read_bytes(path: Path) -> bytes:
    """Return a file's content. Raises EvenhandError that names the file."""
    if not path.is_file() or path.stat().st_size > LARGEST:
        message = f"{path} is not a file of {LARGEST >> 20} MiB at most."
        raise EvenhandError(message)
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}."
        raise EvenhandError(message) from None
