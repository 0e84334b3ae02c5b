"""What every adapter gives: a filter that runs, and answers one text at a time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from app.domain.pairing import Filter


class Running(Protocol):
    """A filter that was started. `filter`: what it says of itself."""

    @property
    def filter(self) -> Filter: ...

    def answer(self, text: str, *, enabled: bool) -> str:
        """Return what becomes of a text. Raises TextFailed, after which it goes on, or FilterFailed."""
        ...


# Starts a filter anew, and ends it when the block ends. Raises FilterFailed.
Start: TypeAlias = Callable[[], AbstractContextManager[Running]]
