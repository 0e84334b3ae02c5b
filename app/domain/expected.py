"""The known answer of a sentinel or practice item, in arms: panels are drawn later, for each judge anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from app.domain.codebook import LABEL_KEYS, PANELS
from app.domain.errors import InvalidInput
from app.domain.judgement import Coding, check
from app.domain.text import is_plain

KEYS: Final = ("label", "arm", "reasons", "explanation")
ARMS: Final = dict(zip(("off", "on", "both"), PANELS, strict=True))  # an arm is checked as a panel would be
MAX_EXPLANATION: Final = 2_000
_FORM: Final = {"panel": "arm", "reason": "reasons"}  # what a form calls otherwise


@dataclass(frozen=True)
class Expected:
    """The answer that is right: label, arm (`off`, `on`, `both` or None), reasons, and why, for who practises."""

    label: str
    arm: str | None = None
    reasons: tuple[str, ...] = ()
    explanation: str = ""

    @property
    def coding(self) -> Coding:
        """The answer as a judgement joined to the arms."""
        return Coding(self.label, self.arm, reasons=self.reasons)

    def as_data(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return asdict(self) | {"reasons": list(self.reasons)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Expected:
        """Return the answer that plain data holds."""
        return cls(**{**data, "reasons": tuple(data["reasons"])})


def needed(items: int, share: float) -> int:
    """Return how many answers of a practice round must be as expected, where a study asks for a share of them.

    >>> needed(10, 0.7), needed(3, 0.8), needed(3, 0.0), needed(0, 0.8)
    (7, 3, 0, 0)
    """
    return next((right for right in range(items) if right / items >= share), items)


def round_due(right: Sequence[bool | None], share: float) -> bool:
    """Tell whether a practice round is still to be gone through, or again: what was right of it, None where unanswered.

    >>> round_due([True, None], 0.5), round_due([True, False], 0.5), round_due([True, False], 0.8)
    (True, False, True)
    """
    return None in right or sum(map(bool, right)) < needed(len(right), share)


def parse(value: Mapping[str, Any], *, identical: bool) -> Expected | dict[str, str]:
    """Turn what a file gives as the known answer into one, or into messages by field.

    `identical`: off and on are the same bytes.
    """
    given = {key: each for key, each in value.items() if each is not None}
    faults = {f"expected.{key[:60]}": "unknown key" for key in given if key not in KEYS}
    faults |= {f"expected.{key}": told for key, told in _mistyped(given).items()}
    if faults:
        return faults
    reasons = tuple(given.get("reasons", ()))
    form = {"label": [given["label"]], "panel": [ARMS[given["arm"]] if "arm" in given else ""], "reason": reasons}
    try:
        right = check(form, identical=identical)
    except InvalidInput as error:
        faults = {}
        for problem in error.problems:
            field = _FORM.get(str(problem.field), str(problem.field))
            faults.setdefault(f"expected.{field}", _IN_ARMS.get(field, problem.message))
        return faults
    if right.panel is None and "arm" in given:
        return {"expected.arm": "this label names no text: leave the arm out"}
    if set(right.reasons) != set(reasons):
        return {"expected.reasons": "reasons of this label only, as docs/file-formats.md lists them"}
    return Expected(right.label, given.get("arm"), right.reasons, given.get("explanation", ""))


# A form speaks of texts A and B, a file of arms.
_IN_ARMS: Final = {
    "arm": "does not fit the label: off, on or both as the codebook allows for it (and for equal texts both alone)",
    "label": "not one of " + ", ".join(LABEL_KEYS) + "; or none that fits equal texts",
    "reasons": "expected one or more reasons of this label, as docs/file-formats.md lists them",
}


def _mistyped(given: Mapping[str, Any]) -> dict[str, str]:
    reasons = given.get("reasons", [])
    explanation = given.get("explanation", "")
    faults = {}
    if not isinstance(given.get("label"), str):
        faults["label"] = "every known answer needs it"
    if "arm" in given and given["arm"] not in tuple(ARMS):
        faults["arm"] = "expected one of: " + ", ".join(ARMS)
    if not isinstance(reasons, list) or not all(isinstance(each, str) for each in reasons):
        faults["reasons"] = "expected a list of reason codes"
    if not isinstance(explanation, str) or len(explanation) > MAX_EXPLANATION or not is_plain(explanation):
        faults["explanation"] = f"expected text of at most {MAX_EXPLANATION:,} characters, without control characters"
    return faults
