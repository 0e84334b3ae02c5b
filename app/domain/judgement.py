"""A coded judgement: its checks, and what the arms make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.domain import codebook
from app.domain.errors import InvalidInput, Problem

MAX_NOTE: Final = 4_000


@dataclass(frozen=True)
class Judgement:
    """What one judge said of one pair, in panels: all that the judge can know."""

    label: str
    panel: str | None = None
    also: str | None = None
    reasons: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    severity: str | None = None
    note: str = ""

    @property
    def core(self) -> tuple[str, str | None, str | None]:
        """What can route: label, panel and other damage. The rest never routes."""
        return self.label, self.panel, self.also


@dataclass(frozen=True)
class Coding:
    """A judgement joined to the arms. Two codings are equal when label, arms and `also` are.

    `arm`: the arm that the answer names: `off`, `on`, `both` or None. `also`: damage
    of another kind in the other arm. Damage in both arms has no `also`.
    """

    label: str
    arm: str | None = None
    also: str | None = None
    reasons: tuple[str, ...] = field(default=(), compare=False)
    groups: tuple[str, ...] = field(default=(), compare=False)
    severity: str | None = field(default=None, compare=False)

    @property
    def destructive(self) -> bool:
        """Whether the judge says that a meaning was changed, in whichever arm."""
        return codebook.is_destructive(self.label)

    @property
    def assessable(self) -> bool:
        """Whether the judge could tell at all."""
        return self.label != "unassessable-disputed"

    def damage(self, arm: str) -> str | None:
        """Return the class of damage that this coding records for an arm, or None.

        >>> Coding("destructive-content", "on", also="destructive-structure").damage("off")
        'destructive-structure'
        """
        if not self.destructive:
            return None
        return self.label if self.arm in {arm, "both"} else self.also

    @property
    def introduced(self) -> str | None:
        """The class of damage the filter brought in: on has it and off has not."""
        on = self.damage("on")
        return on if on != self.damage("off") else None

    @property
    def repaired(self) -> str | None:
        """The class of damage the filter took away: off has it and on has not."""
        off = self.damage("off")
        return off if off != self.damage("on") else None

    @property
    def shared(self) -> str | None:
        """The class of damage that stands in both arms alike."""
        on = self.damage("on")
        return on if on == self.damage("off") else None


def check(form: Mapping[str, Sequence[str]], *, identical: bool) -> Judgement:
    """Turn the form fields of a judging page into a Judgement.

    `form` holds a list of values per control; `identical` says that the pair is equal
    under the protocol's comparator. What belongs to a label not chosen is dropped; what
    is not in the codebook, or contradicts the label, is an error for its field.

    Raises InvalidInput with every faulty field.

    >>> check({"label": ["safe-cleanup"], "panel": ["A"]}, identical=False).core
    ('safe-cleanup', 'A', None)
    """
    problems = _outside_codebook(form)
    key = chosen(form, "label")
    if key is None:
        problems.append(Problem("Choose an answer.", field="label"))
    if problems or key is None:
        raise InvalidInput(problems)
    label = codebook.label(key)
    panel = chosen(form, "panel") if label.panels else None
    also = chosen(form, "also") if label.destructive else None
    belonging = label.reason_keys() + (codebook.label(also).reason_keys() if also else ())
    judgement = Judgement(
        label=key,
        panel=panel,
        also=also,
        reasons=tuple(code for code in belonging if code in form.get("reason", ())),
        groups=tuple(choice.key for choice in codebook.GROUPS if choice.key in form.get("group", ())),
        severity=chosen(form, "severity"),
        note=(chosen(form, "note") or ""),
    )
    problems = _contradictions(judgement, label, identical=identical)
    if problems:
        raise InvalidInput(problems)
    return judgement


@dataclass(frozen=True)
class Decision:
    """The adjudicator's second step: `judgement` is None where it could not be settled."""

    decision: str
    judgement: Judgement | None
    unresolved_reason: str | None = None


def decide(form: Mapping[str, Sequence[str]], own: Judgement | None, *, identical: bool) -> Decision:
    """Turn the form fields of the second step into a Decision.

    `own`: the judgement of the first step, None where the protocol asks for none. A change
    that equals it is a keep. Raises InvalidInput with every faulty field.
    """
    problems = _outside_codebook(form, _DECISIONS)
    if problems:
        raise InvalidInput(problems)
    decision = chosen(form, "decision")
    if decision == "keep" and own is not None:
        return Decision("keep", own)
    if decision == "unresolved":
        reason = chosen(form, "unresolved_reason")
        if reason not in {choice.key for choice in codebook.UNRESOLVED_REASONS}:
            raise InvalidInput.of("Say why it cannot be settled.", field="unresolved_reason")
        return Decision("unresolved", None, reason)
    if decision != "change":
        told = "Choose: keep your judgement, change it, or say that you cannot settle this."
        raise InvalidInput.of(told, field="decision")
    changed = check(form, identical=identical)
    return Decision("keep" if own is not None and changed.core == own.core else "change", changed)


def chosen(form: Mapping[str, Sequence[str]], name: str) -> str | None:
    """Return the last non-empty value of a control: the one the page showed as chosen."""
    return next((value for value in reversed(form.get(name, ())) if value), None)


_ALLOWED: Final = {
    "label": codebook.LABEL_KEYS,
    "panel": codebook.PANELS,
    "also": codebook.GRAVITY,
    "reason": tuple(code for label in codebook.LABELS for code in label.reason_keys()),
    "group": tuple(choice.key for choice in codebook.GROUPS),
    "severity": tuple(choice.key for choice in codebook.SEVERITIES),
}
_DECISIONS: Final = {
    "decision": ("keep", "change", "unresolved"),
    "unresolved_reason": tuple(choice.key for choice in codebook.UNRESOLVED_REASONS),
}
_SINGLE: Final = ("label", "panel", "also", "severity", "note", *_DECISIONS)


def _outside_codebook(
    form: Mapping[str, Sequence[str]], known: Mapping[str, Sequence[str]] = _ALLOWED
) -> list[Problem]:
    problems = [
        Problem("This value is not in the codebook.", field=name)
        for name, allowed in known.items()
        if any(value and value not in allowed for value in form.get(name, ()))
    ]
    problems += [
        Problem("Only one value is possible here.", field=name)
        for name in _SINGLE
        if (name in known or name == "note") and len({value for value in form.get(name, ()) if value}) > 1
    ]
    if len(chosen(form, "note") or "") > MAX_NOTE:
        problems.append(Problem(f"A note may have {MAX_NOTE:,} characters at most.", field="note"))
    return problems + unshowable(form)


def unshowable(form: Mapping[str, Sequence[str]]) -> list[Problem]:
    r"""Return what no page can show again as it was entered, in an answer and in a draft alike.

    >>> [problem.field for problem in unshowable({"note": ["half a\0thought"]})]
    ['note']
    """
    message = "The note holds the character NUL, which no page can show. Here it stands as \ufffd: take it out."
    return [Problem(message, field="note")] if any("\0" in value for value in form.get("note", ())) else []


def _contradictions(judgement: Judgement, label: codebook.Label, *, identical: bool) -> list[Problem]:
    problems = []
    if label.panels and judgement.panel is None:
        question = "Say which text is damaged." if label.destructive else "Say which text no longer has it."
        problems.append(Problem(question, field="panel"))
    elif judgement.panel is not None and judgement.panel not in label.panels:
        problems.append(
            Problem("If it is gone from both, the texts do not differ in it. Choose A or B.", field="panel")
        )
    if label.reasons and not set(judgement.reasons) & set(label.reason_keys()):
        problems.append(Problem("Choose at least one reason for this answer.", field="reason"))
    if judgement.also is not None:
        problems += _also_problems(judgement)
    if identical and not problems:
        problems += _identical_problems(judgement, label)
    return problems


def _also_problems(judgement: Judgement) -> list[Problem]:
    if judgement.panel == "both":
        return [Problem("Other damage in the other text needs one text, A or B, above.", field="also")]
    if judgement.also not in codebook.less_grave_than(judgement.label):
        return [Problem("Other damage must be of a less grave kind: give the gravest as the answer.", field="also")]
    return []


def _identical_problems(judgement: Judgement, label: codebook.Label) -> list[Problem]:
    if label.destructive and judgement.panel != "both":
        return [Problem("These count as the same: damage can only stand in both.", field="panel")]
    if label.group == "intact" and label.key != "no-material-edit":
        return [Problem("These count as the same: choose “Same in both”.", field="label")]
    return []
