"""A coded judgement: its checks, what the arms make of it, agreement, and an item's final state.

Everything a study counts follows from these functions (spec: the codebook).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.domain import codebook
from app.domain.errors import InvalidInput, Problem
from app.domain.protocol import REVIEWERS_PER_ITEM

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


@dataclass(frozen=True)
class Adjudication:
    """The third judge's steps on one item.

    `first`: the own judgement before the reviews were seen (None where the protocol
    asks for none). `decision`: `keep`, `change`, `unresolved`, or None while the
    second step is open. `final`: the settled coding, None unless kept or changed.
    """

    first: Coding | None
    decision: str | None = None
    final: Coding | None = None
    unresolved_reason: str | None = None


@dataclass(frozen=True)
class JudgedItem:
    """All that results need to know of one item; no text, no name, no id.

    `first_signed`: both reviewers' codings as first signed, in order of assignment
    (agreement reads these). `signed`: the last signed codings of reviewers whose set
    is signed now (the outcome reads these). `recorded`: every coding that was ever signed,
    and every adjudication step, so that harm once recorded is never forgotten.
    """

    stratum: str
    cluster: str
    control: bool
    changed: bool
    auto_coded: bool = False
    withdrawn: bool = False
    first_signed: tuple[Coding, ...] = ()
    signed: tuple[Coding, ...] = ()
    recorded: tuple[Coding, ...] = ()
    adjudication: Adjudication | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of one item.

    `state`: withdrawn, auto_coded, agreed, adjudicated, disputed or pending.
    `final`: the coding that stands, where one does. `introduced`: confirmed
    introduced damage. `type_unsettled`: it is confirmed, and no final coding names its
    kind. `dissent`: the adjudicator, alone, saw no introduced damage.
    """

    state: str
    final: Coding | None = None
    introduced: bool = False
    type_unsettled: bool = False
    dissent: bool = False
    routed: bool = False
    deciding: tuple[Coding, ...] = ()

    @property
    def unassessable(self) -> bool:
        """Settled, and settled as not to be judged (the item's own state in the sample)."""
        return self.final is not None and not self.final.assessable

    @property
    def confirmed(self) -> bool:
        """Counts as a judgement by people in every rate."""
        return self.introduced or (self.final is not None and self.final.assessable)

    @property
    def settled(self) -> Coding | None:
        """The final coding where it also rules the counts: not against two who saw damage."""
        return None if self.type_unsettled else self.final

    @property
    def unresolved(self) -> bool:
        """Not settled as safe or damaged: unassessable, disputed or pending."""
        return self.unassessable or self.state in {"disputed", "pending"}


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
    return problems


def _contradictions(judgement: Judgement, label: codebook.Label, *, identical: bool) -> list[Problem]:
    problems = []
    if label.panels and judgement.panel is None:
        question = "Which text is damaged?" if label.destructive else "Which text no longer has it?"
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
        return [Problem("The two texts count as the same in this study: damage can only stand in both.", field="panel")]
    if label.group == "intact" and label.key != "no-material-edit":
        return [Problem("The two texts count as the same in this study: choose “Same in both”.", field="label")]
    return []


def settle(item: JudgedItem, *, adjudicated_study: bool) -> Outcome:
    """Say what became of an item.

    `adjudicated_study`: the study has an adjudicator. Without one every disagreement is
    disputed and nothing is routed.
    """
    if item.withdrawn:
        return Outcome("withdrawn")
    if item.auto_coded:
        return Outcome("auto_coded")
    if len(item.signed) != REVIEWERS_PER_ITEM:
        return Outcome("pending")
    one, two = item.signed
    if one == two:
        return Outcome("agreed", final=one, introduced=one.introduced is not None, deciding=item.signed)
    both_saw_damage = one.introduced is not None and two.introduced is not None
    if adjudicated_study:
        state, final = _adjudicated_state(item.adjudication)
    else:
        state, final = "disputed", None
    if final is not None and final.introduced is not None:
        return Outcome(state, final=final, introduced=True, routed=True, deciding=(final,))
    if both_saw_damage:
        return Outcome(
            state,
            final=final,
            introduced=True,
            type_unsettled=True,
            dissent=final is not None,
            routed=adjudicated_study,
            deciding=item.signed,
        )
    return Outcome(state, final=final, routed=adjudicated_study, deciding=(final,) if final else ())


def _adjudicated_state(step: Adjudication | None) -> tuple[str, Coding | None]:
    if step is None or step.decision is None:
        return "pending", None
    return ("disputed", None) if step.final is None else ("adjudicated", step.final)


def recorded_harm(item: JudgedItem) -> bool:
    """Tell whether any review ever signed, or any adjudication step, recorded introduced damage."""
    step = item.adjudication
    steps = (step.first, step.final) if step is not None else ()
    return any(coding is not None and coding.introduced is not None for coding in (*item.recorded, *steps))
