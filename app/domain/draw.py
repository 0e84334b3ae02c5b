"""The draw: who of those that are eligible is taken.

All that are eligible stand in one line, in the order of a SHA-256 of the seed and their own
name, and are taken from its front until their stratum has what was planned; whose cluster has
reached its cap is passed over. Nothing but the seed and a candidate's own name decides its
place, so the order of the input is of no account, and no candidate moves another but by the cap.
docs/decisions/0010-a-draw-without-a-generator.md has the reasons.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Final

from app.domain.manifest import canonical
from app.domain.pool import Candidate

DRAW: Final = "evenhand-draw/1"  # goes into every hash: another way to draw is another order

Eligible = tuple[Candidate, str]  # with its stratum


@dataclass(frozen=True, slots=True)
class Drawn:
    """A candidate that was taken."""

    item_id: str
    stratum: str
    cluster: str
    source: str


@dataclass(frozen=True)
class Stratum:
    """What the draw made of one stratum: eligible = drawn + capped + spare.

    `capped`: passed over because their cluster had reached the cap; `spare`: not reached.
    """

    planned: int
    eligible: int
    drawn: int
    shortage: int
    capped: int
    spare: int
    clusters: int


def listing(drawn: Iterable[Drawn]) -> bytes:
    """Return drawn candidates as lines of canonical JSON."""
    return b"".join(canonical(asdict(each)) + b"\n" for each in drawn)


def in_line(eligible: Iterable[Eligible], seed: str) -> list[Eligible]:
    """Return candidates in the order in which they are taken."""
    begun = hashlib.sha256(f"{DRAW}\0{seed}\0".encode())  # NUL stands in no seed and no name

    def key(each: Eligible) -> bytes:
        hashed = begun.copy()
        hashed.update(each[0].item_id.encode())
        return bytes(hashed.digest())

    return sorted(eligible, key=key)


def take(
    line: Iterable[Eligible], plan: Mapping[str, int], cap: int, clusters: Counter[str]
) -> tuple[list[Drawn], dict[str, Stratum]]:
    """Take what is planned from the front of a line, and count.

    `clusters` has how many each cluster gave so far, and is kept up; a cap of 0 is none.
    """
    taken: list[Drawn] = []
    eligible, drawn, capped = Counter[str](), Counter[str](), Counter[str]()
    for candidate, stratum in line:
        if stratum not in plan:
            continue
        eligible[stratum] += 1
        if drawn[stratum] == plan[stratum]:
            continue
        if cap and clusters[candidate.cluster] == cap:
            capped[stratum] += 1
            continue
        drawn[stratum] += 1
        clusters[candidate.cluster] += 1
        taken.append(Drawn(candidate.item_id, stratum, candidate.cluster, candidate.source))
    taken.sort(key=lambda each: each.item_id)
    return taken, {
        name: Stratum(
            planned=planned,
            eligible=eligible[name],
            drawn=drawn[name],
            shortage=planned - drawn[name],
            capped=capped[name],
            spare=eligible[name] - drawn[name] - capped[name],
            clusters=len({each.cluster for each in taken if each.stratum == name}),
        )
        for name, planned in plan.items()
    }
