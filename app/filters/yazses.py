"""YazSes, if whoever runs the study has installed it: its text pass alone, in this process.

Off is the filter disabled; on is enabled with both collapse passes, all else as YazSes has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib import import_module, metadata
from typing import Any, Final

from app.domain.errors import FilterFailed, TextFailed
from app.domain.pairing import Filter

NAME: Final = "yazses"
_SWITCHES: Final[dict[str, dict[str, bool]]] = {
    "off": {"enabled": False},
    "on": {"enabled": True, "collapse_repetitions": True, "collapse_prolongations": True},
}
_MISSING: Final = (
    "YazSes is not installed beside Evenhand, and nothing of Evenhand needs it. Install it with:"
    " pip install --no-deps yazses"
)


@contextmanager
def started() -> Iterator[Yazses]:
    """Load YazSes. Raises FilterFailed where it is not installed, or is another program than this knows."""
    try:
        version = metadata.version(NAME)
        run = import_module("yazses.stt.filters.disfluency").filter_transcript
        config = import_module("yazses.config").DisfluencyConfig
        states = {state: config(**switches) for state, switches in _SWITCHES.items()}
    except (metadata.PackageNotFoundError, ModuleNotFoundError):
        raise FilterFailed(_MISSING) from None
    except (AttributeError, ImportError, TypeError):
        told = (
            "this YazSes has no text filter with these switches: enabled, collapse_repetitions, collapse_prolongations"
        )
        raise FilterFailed(told) from None
    yield Yazses(run, states, version)


class Yazses:
    """The filter with its two configurations."""

    def __init__(self, run: Callable[..., Any], states: dict[str, Any], version: str) -> None:
        self._run, self._states = run, states
        self.filter = Filter.of(NAME, version, {state: asdict(config) for state, config in states.items()})

    def answer(self, text: str, *, enabled: bool) -> str:
        """Return what becomes of a text. Raises TextFailed."""
        try:
            return str(self._run(text, self._states["on" if enabled else "off"]).text)
        except Exception as error:  # noqa: BLE001 - whatever a foreign program raises; its words may hold the text
            raise TextFailed(f"the filter raised {type(error).__name__}") from None
