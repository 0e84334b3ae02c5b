"""The gate: from the facts of a study to a verdict with its reasons.

The rule is fixed in the protocol before the freeze; the first step that holds rules,
and every condition that holds is listed whatever the status.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

PASS: Final = "PASS"
FAIL: Final = "FAIL"
INCONCLUSIVE: Final = "INCONCLUSIVE"
BLOCKED: Final = "BLOCKED"


@dataclass(frozen=True)
class Reason:
    """One condition that holds: a fixed code, the same in plain words, and how many."""

    code: str
    text: str
    count: int


@dataclass(frozen=True)
class Verdict:
    """A verdict with its reasons. `status` ends in `_SYNTHETIC` where texts are invented."""

    status: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Facts:
    """The counts that the gate reads, each over study items.

    `sentinel_detection`: share found, None where the protocol asks for no sentinels.
    `judged_changed`: changed non-control items with a confirmed judgement by people. `apart`: how many of those behind
    a reason lie in an extension, by its code; they are counted in the other numbers too.
    """

    frozen: bool = True
    synthetic: bool = False
    rights_missing: int = 0
    references_missing: int = 0
    rights_revoked: int = 0
    introduced: int = 0
    pending: int = 0
    disputed: int = 0
    recorded_harm_unresolved: int = 0
    unassessable: int = 0
    max_unassessable: int = 0
    judged_changed: int = 0
    control_strata: int = 0
    sentinel_detection: float | None = None
    min_sentinel_detection: float | None = None
    withdrawn: int = 0
    type_unsettled: int = 0
    apart: Mapping[str, int] = field(default_factory=dict)


def evaluate(facts: Facts) -> Verdict | None:
    """Apply the gate. None: the study is not frozen and nothing blocks it, so there is no verdict.

    >>> evaluate(Facts(introduced=1, disputed=2)).status
    'FAIL'
    >>> evaluate(Facts(judged_changed=3, control_strata=1, synthetic=True)).status
    'PASS_SYNTHETIC'
    """
    blocked = _blocking(facts)
    failed = _failing(facts)
    held = _holding(facts) if facts.frozen else []
    if not facts.frozen and not blocked:
        return None
    if not facts.frozen:
        status = BLOCKED
    elif failed:
        status = FAIL
    elif blocked:
        status = BLOCKED
    else:
        status = INCONCLUSIVE if held else PASS
    suffix = "_SYNTHETIC" if facts.synthetic else ""
    reasons = failed + blocked + held + _informing(facts)
    return Verdict(status + suffix, tuple(_placed(reason, facts.apart) for reason in reasons))


def _placed(reason: Reason, apart: Mapping[str, int]) -> Reason:
    """Add how many of those behind a reason lie in the extension, which no rate counts.

    >>> _placed(Reason("pending", "16 items are pending.", 16), {"pending": 1}).text
    '16 items are pending, 1 of them in the extension.'
    """
    there = apart.get(reason.code, 0)
    if not there:
        return reason
    number = "all" if there == reason.count else there
    where = "in the extension" if reason.count == 1 else f"{number} of them in the extension"
    return replace(reason, text=f"{reason.text.removesuffix('.')}, {where}.")


def _reason(code: str, count: int, one: str, many: str) -> list[Reason]:
    return [Reason(code, one if count == 1 else many.format(n=count), count)] if count else []


def _blocking(facts: Facts) -> list[Reason]:
    if facts.frozen:
        return _reason(
            "rights",
            facts.rights_revoked,
            "The rights of one source in use were revoked after the freeze.",
            "The rights of {n} sources in use were revoked after the freeze.",
        )
    return _reason(
        "rights",
        facts.rights_missing,
        "The rights of one source in use are missing, refused or unknown.",
        "The rights of {n} sources in use are missing, refused or unknown.",
    ) + _reason(
        "references",
        facts.references_missing,
        "One item lacks a reference that the protocol requires.",
        "{n} items lack a reference that the protocol requires.",
    )


def _failing(facts: Facts) -> list[Reason]:
    return _reason(
        "confirmed_introduced",
        facts.introduced,
        "One confirmed destructive edit was introduced by the filter.",
        "{n} confirmed destructive edits were introduced by the filter.",
    )


def _holding(facts: Facts) -> list[Reason]:
    reasons = _reason("pending", facts.pending, "One item is pending.", "{n} items are pending.")
    reasons += _reason("disputed", facts.disputed, "One item is disputed.", "{n} items are disputed.")
    reasons += _reason(
        "recorded_harm_unresolved",
        facts.recorded_harm_unresolved,
        "A judge recorded introduced damage on one item that was not settled.",
        "A judge recorded introduced damage on {n} items that were not settled.",
    )
    if facts.unassessable > facts.max_unassessable:
        tolerated = f" (the protocol tolerates {facts.max_unassessable})"
        reasons += _reason(
            "unassessable",
            facts.unassessable,
            f"One item could not be assessed{tolerated}.",
            f"{{n}} items could not be assessed{tolerated}.",
        )
    if facts.judged_changed == 0:
        told = "No changed item outside the controls has a confirmed judgement by people: there was nothing to judge."
        reasons.append(Reason("nothing_to_judge", told, 0))
    if facts.control_strata == 0:
        reasons.append(Reason("no_controls", "The study has no control stratum.", 0))
    return reasons + _sentinels(facts)


def _sentinels(facts: Facts) -> list[Reason]:
    minimum = facts.min_sentinel_detection
    if minimum is None or (facts.sentinel_detection is not None and facts.sentinel_detection >= minimum):
        return []
    told = "Fewer sentinels were detected than the protocol asks for."
    return [Reason("sentinel_detection", told, 0)]


def _informing(facts: Facts) -> list[Reason]:
    return _reason(
        "type_unsettled",
        facts.type_unsettled,
        "For one confirmed edit the kind of damage is not settled.",
        "For {n} confirmed edits the kind of damage is not settled.",
    ) + _reason("withdrawn", facts.withdrawn, "One item was withdrawn.", "{n} items were withdrawn.")
