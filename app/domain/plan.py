"""Plans to begin a study with: strata, their numbers, and which of them is the control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.domain.selection import DEFAULT_PLAN

FLUENT: Final = "fluent"


@dataclass(frozen=True)
class Plan:
    """A plan by its key; `about` says what it is for."""

    key: str
    title: str
    about: str
    strata: Mapping[str, int]

    def values(self) -> dict[str, Any]:
        """Return what the plan sets in [selection]."""
        return {"strata": dict(self.strata), "controls": [FLUENT]}


PLANS: Final = (
    Plan("default", "Four strata of 40", "The usual plan, and what a draw without a plan takes.", DEFAULT_PLAN),
    Plan(
        "large",
        "Four strata of 75",
        "The smallest even plan that rules out a rate of 1% at 95% confidence.",
        dict.fromkeys(DEFAULT_PLAN, 75),
    ),
    Plan("trial", "Four strata of 5", "To try it out. It shows next to nothing.", dict.fromkeys(DEFAULT_PLAN, 5)),
)


def plan(key: str) -> Plan | None:
    """Return a plan by its key, or None for a key that no plan has."""
    return next((each for each in PLANS if each.key == key), None)
