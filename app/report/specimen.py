"""Memos that hold nothing of any study: what is in them the program itself writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.domain import codebook, gate, memo, reliability, results, rights
from app.domain.judgement import Coding
from app.domain.measured import Measured
from app.domain.outcome import JudgedItem
from app.domain.pairing import Filter

_SETTLED: Final = {
    gate.PASS: Coding("safe-cleanup", "on"),
    gate.FAIL: Coding("destructive-content", "on", reasons=("name",), groups=("fluent",), severity="cosmetic"),
    gate.INCONCLUSIVE: Coding("unassessable-disputed", reasons=("source_ambiguous",)),
}
_OTHER: Final = Coding("benign-retention")


def specimens() -> Iterator[memo.Memo]:
    """Yield a memo for each way a memo can end, so that between them they hold every sentence."""
    for rule in (gate.PASS, gate.FAIL, gate.INCONCLUSIVE, gate.BLOCKED):
        yield _specimen(rule, _items(rule), synthetic=False)
        yield _specimen(rule, _items(rule)[:1], synthetic=True)


def _items(rule: str) -> list[JudgedItem]:
    """Return as many items as each table needs to have a row; none where nothing was judged."""
    if rule not in _SETTLED:
        return []
    alike, unlike = (_SETTLED[rule], _SETTLED[rule]), (_SETTLED[gate.PASS], _OTHER)
    return [
        JudgedItem("fluent", cluster, control, changed=True, first_signed=pair, signed=pair, recorded=pair)
        for cluster, control, pair in (("", True, alike), (" ", False, alike), (" ", False, unlike))
    ]


def _specimen(rule: str, items: list[JudgedItem], *, synthetic: bool) -> memo.Memo:
    found = results.Results.of(items, pool=synthetic, adjudicator=not synthetic)
    return memo.Memo(
        study=memo.Study(
            id="",
            title="",
            scope="synthetic" if synthetic else "corpus",
            question="" if synthetic else " ",
            parent=None,
            registration="" if synthetic else " ",
            manifest_sha256=None,
            manifest_null_reason="not_enabled" if synthetic else "not_permitted",
            protocol_sha256="",
            codebook_version=codebook.VERSION,
            pairing="verified" if synthetic else "imported_unverified",
        ),
        verdict=memo.Verdict(
            status=f"{rule}_SYNTHETIC" if synthetic else rule, reasons=_every_reason(), further_decision="none"
        ),
        sample=results.sample(found, {"fluent": len(items) + 1}, "episode" if synthetic else "speaker"),
        primary=results.primary(found),
        taxonomy=results.taxonomy(found),
        controls=results.controls(found),
        cleanup=results.cleanup(found),
        agreement=reliability.agreement(found),
        adjudication=reliability.adjudication(found).model_copy(
            update={"disputed": [memo.Disputed(one="", other="", reason="no_adjudicator", count=0)]}
        ),
        quality=reliability.quality(found, Measured(), 0),
        wer=memo.WordErrors(**{name: memo.Absent(null_reason="not_enabled") for name in memo.WordErrors.model_fields}),
        rights=[
            memo.RightsEntry(source="", kind=kind, version="", licence="", decision=decision)
            for kind in rights.KINDS
            for decision in rights.DECISIONS
        ],
        deviations=[] if synthetic else [memo.Deviation(at="", text="")],
        software={"evenhand": ""} | Filter("", "", '{"off":{},"on":{}}').as_software(),
        audit_head=None if synthetic else "",
    )


def _every_reason() -> list[memo.Reason]:
    """Return every reason that the gate can give, of one item and of several."""
    verdicts = [gate.evaluate(_everything(n, frozen=frozen)) for n in (1, 2) for frozen in (True, False)]
    return [memo.Reason(**vars(reason)) for verdict in verdicts if verdict for reason in verdict.reasons]


def _everything(n: int, *, frozen: bool) -> gate.Facts:
    return gate.Facts(
        frozen=frozen,
        rights_missing=n,
        references_missing=n,
        rights_revoked=n,
        introduced=n,
        pending=n,
        disputed=n,
        recorded_harm_unresolved=n,
        unassessable=n,
        min_sentinel_detection=1.0,
        withdrawn=n,
        type_unsettled=n,
    )
