"""The numeric libraries, imported when the first number is asked for, so that starting the program stays fast."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final, TypeAlias, cast

Array: TypeAlias = Any  # of numpy, whose types would have to be imported

DIGITS: Final = 12


def np() -> ModuleType:
    """Return numpy."""
    import numpy as np

    return np


def special() -> ModuleType:
    """Return scipy.special."""
    from scipy import special as found  # type: ignore[import-untyped]

    return cast("ModuleType", found)


def settled(value: float) -> float:
    """Return a limit without the last digits, in which the mathematics libraries of two machines may differ.

    >>> settled(0.1 + 0.2), settled(-0.0)
    (0.3, 0.0)
    """
    return float(f"{value:.{DIGITS}g}") + 0.0


def t_quantile(df: int, confidence: float = 0.95) -> float:
    """Return the value that |t| with df degrees of freedom stays below with this confidence.

    >>> round(t_quantile(3), 3)  # any printed table of t
    3.182
    """
    return float(special().stdtrit(df, (1 + confidence) / 2))


def z_quantile(confidence: float = 0.95) -> float:
    """Return the value that a standard normal |z| stays below with this confidence.

    >>> round(z_quantile(), 6)
    1.959964
    """
    return float(special().ndtri((1 + confidence) / 2))


def check_confidence(confidence: float) -> None:
    """Raise ValueError unless the confidence is a share."""
    if not 0 < confidence < 1:
        message = f"confidence is a share between 0 and 1, such as 0.95, not {confidence}"
        raise ValueError(message)
