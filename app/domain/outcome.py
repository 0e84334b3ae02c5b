"""What becomes of an item: from the judgements of three people to a state and a final coding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.blinding import share_of
from app.domain.judgement import Coding
from app.domain.protocol import REVIEWERS_PER_ITEM


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
    and every adjudication step, so that harm once recorded is never forgotten. `audit`: the
    adjudicator's steps where the two reviews agree; nothing but the audits' own rate reads them.
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
    audit: Adjudication | None = None


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


def agree(signed: Sequence[Coding]) -> bool:
    """Tell whether an item has its two reviews, and they are equal in label, arms and other damage."""
    return len(signed) == REVIEWERS_PER_ITEM and len(set(signed)) == 1


def queue(reviews: Mapping[int, Sequence[Coding]], audits: Sequence[int], share: float) -> list[int]:
    """Return the items that go to the adjudicator: those on which reviews differ, and a share of those they agree on.

    `reviews`: the codings of each item. `audits`: items in the order drawn for audits; the first of them are taken.
    """
    agreed = [item for item in audits if agree(reviews.get(item, ()))]
    differing = [item for item, codings in reviews.items() if len(set(codings)) > 1]
    return [*differing, *agreed[: share_of(len(agreed), share)]]


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
