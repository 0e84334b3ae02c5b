"""What a lead enters in words of their own: reasons, deviations, attestations. Somebody must be able to read it."""

from __future__ import annotations

from typing import Final

from app.domain.errors import InvalidInput
from app.domain.text import has_visible, is_plain

MAX_TEXT: Final = 4_000
EXPECTED: Final = f"text of 1 to {MAX_TEXT:,} characters, without control characters, of which some can be seen"


def fit_to_enter(text: object) -> bool:
    r"""Tell whether a value is text that is neither too long nor without anything to see, and has no odd characters.

    >>> fit_to_enter("ill for a week"), fit_to_enter("\u2060 \u200b"), fit_to_enter("\u3164"), fit_to_enter("a" * 4_001)
    (True, False, False, False)
    """
    return isinstance(text, str) and len(text.strip()) <= MAX_TEXT and is_plain(text) and has_visible(text)


def entered_text(given: str | None, field: str) -> str:
    """Return a lead's words, trimmed. Raises InvalidInput where nothing can be seen, or there is too much."""
    text = (given or "").strip()
    if not fit_to_enter(text):
        raise InvalidInput.of(f"expected {EXPECTED}", field=field)
    return text


def entered_if_any(given: str | None, field: str) -> str | None:
    """Return a lead's words, trimmed, or None where nothing was entered. Raises InvalidInput as `entered_text` does."""
    return entered_text(given, field) if (given or "").strip() else None
