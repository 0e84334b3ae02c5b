"""Memos that hold nothing of any study: what is in them the program itself writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from app.domain import codebook, gate, memo, reliability, results, rights, word_errors
from app.domain.judgement import Coding
from app.domain.measured import JUDGES, Measured
from app.domain.outcome import Adjudication, JudgedItem
from app.domain.pairing import Filter
from app.domain.statistics import sap, wer
from app.domain.statistics.quality import FEWEST_GUESSES, Answered, Guess
from app.domain.text import COMPARATORS
from app.domain.word_errors import Spoken

_SETTLED: Final = {
    gate.PASS: Coding("safe-cleanup", "on"),
    gate.FAIL: Coding("destructive-content", "on", reasons=("name",), groups=("fluent",), severity="cosmetic"),
    gate.INCONCLUSIVE: Coding("unassessable-disputed", reasons=("source_ambiguous",)),
}
_MIN_CELL: Final = 5
_MANY: Final = 200  # so many that a square of a picture stands for several
_MOMENT: Final = "2000-01-01T00:00:00Z"
_OTHER: Final = Coding("benign-retention")
_EDITS: Final = (wer.Edits(1, 0, 0, 0), wer.Edits(1, 1, 0, 0))
_SPOKEN: Final = [
    Spoken(
        "fluent",
        "",
        ("verbatim", "semantic"),
        {"verbatim": _EDITS, "semantic": _EDITS},
        (sap.Score(0, 2, sap.NEITHER), sap.Score(2, 2, sap.WITH)),
    )
]


_APART: Final = "prolongation"
_ENOUGH: Final = 13  # clusters, for the bootstrap too
_RESAMPLES: Final = 50


def specimens() -> Iterator[memo.Memo]:
    """Yield a memo for each way a memo can end, so that between them they hold every sentence."""
    for rule in (gate.PASS, gate.FAIL, gate.INCONCLUSIVE, gate.BLOCKED):
        yield _specimen(rule, _items(rule), synthetic=False)
        yield _specimen(rule, _items(rule)[:1], synthetic=True)
        yield _specimen(rule, [*_items(rule), *_apart(rule)], synthetic=False)
    yield _specimen(gate.FAIL, _items(gate.FAIL) * _MANY, synthetic=False)
    yield _specimen(gate.FAIL, [*_items(gate.PASS), *_apart(gate.FAIL)], synthetic=False)
    yield _specimen(gate.FAIL, [*_items(gate.FAIL), *_apart(gate.PASS)], synthetic=False)
    yield _specimen(gate.FAIL, _apart(gate.FAIL), synthetic=False)
    for by_both, settled in ((0, 1), (0, 2), (1, 1), (2, 1)):
        yield _specimen(gate.FAIL, [*_confirmed(by_both), *_confirmed(settled, of_one=True)], synthetic=False)
    yield _thorough()


def _confirmed(n: int, *, of_one: bool = False) -> list[JudgedItem]:
    """Return items of confirmed damage, as two people saw it; `of_one`: as one did, and the adjudicator after."""
    harm = _SETTLED[gate.FAIL]
    pair, step = ((harm, _OTHER), Adjudication(harm, "keep", harm)) if of_one else ((harm, harm), None)
    item = JudgedItem(
        "fluent", "", changed=True, control=False, first_signed=pair, signed=pair, recorded=pair, adjudication=step
    )
    return [item] * n


def _apart(rule: str) -> list[JudgedItem]:
    """Return as many items of an extension: what people agreed on, what they dispute, and what one of three denies."""
    if rule not in _SETTLED:
        return []
    agreed, harm = (_SETTLED[rule],) * 2, _SETTLED[gate.FAIL]
    differing = (harm, replace(harm, label="destructive-structure", reasons=()))
    denied = Adjudication(_OTHER, "keep", _OTHER)
    open_still = Adjudication(_OTHER, "unresolved", unresolved_reason="needs_policy")
    pairs = [(agreed, None), ((_SETTLED[gate.PASS], _OTHER), open_still)]
    pairs += [(differing, denied)] if rule == gate.FAIL else []
    return [
        JudgedItem(
            _APART, "", changed=True, first_signed=pair, signed=pair, recorded=pair, adjudication=step, control=False
        )
        for pair, step in pairs
    ]


def _items(rule: str) -> list[JudgedItem]:
    """Return as many items as each table needs to have a row; none where nothing was judged."""
    if rule not in _SETTLED:
        return []
    alike, unlike = (_SETTLED[rule], _SETTLED[rule]), (_SETTLED[gate.PASS], _OTHER)
    return [
        JudgedItem("fluent", cluster, control, changed=True, first_signed=pair, signed=pair, recorded=pair)
        for cluster, control, pair in (("", True, alike), (" ", False, alike), (" ", False, unlike))
    ]


def _thorough() -> memo.Memo:
    """Return a memo of a study that measured everything, on clusters enough for every interval; one thing is open."""
    harm, fine = _SETTLED[gate.FAIL], _SETTLED[gate.PASS]
    pairs = [(fine, fine)] * 5 + [(fine, _OTHER), (harm, harm)]
    clusters = [" " * n for n in range(_ENOUGH)]  # names without a word in them
    items = [
        JudgedItem("fluent", clusters[n % _ENOUGH], changed=True, control=False, first_signed=pair, signed=pair)
        for n, pair in enumerate(pairs * _ENOUGH)
        if n % 3 or pair[0] == fine
    ]
    guesses = [Guess(n % 5, "reviewer", n % 3 > 0) for n in range(FEWEST_GUESSES)]
    answers = tuple(Answered(n, harm, harm) for n in range(4))
    measured = Measured(
        answers, answers, (*guesses, Guess(9, "adjudicator", right=True)), ("A",), {"reviewer": ((0.0, 1.0),)}
    )
    spoken = [_SPOKEN[0]._replace(cluster=name, edits=_varied(n)) for n, name in enumerate(clusters)]
    made = _specimen(gate.INCONCLUSIVE, items, synthetic=False, measured=measured, spoken=spoken)
    verdict = made.verdict.model_copy(
        update={"reasons": [r for r in made.verdict.reasons if r.code == "no_controls"][:1]}
    )
    audited = made.adjudication.model_copy(update={"audit_agreed": made.quality.repeats})
    return made.model_copy(update={"verdict": verdict, "adjudication": audited})


def _varied(n: int) -> dict[str, tuple[wer.Edits, wer.Edits]]:
    return dict.fromkeys(("verbatim", "semantic"), (wer.Edits(4, 1, 0, 0), wer.Edits(4, n % 2, 0, 0)))


def _specimen(
    rule: str,
    items: list[JudgedItem],
    *,
    synthetic: bool,
    measured: Measured | None = None,
    spoken: list[Spoken] | None = None,
) -> memo.Memo:
    everything = measured is not None
    found = results.Results.of(
        items,
        pool=synthetic,
        adjudicator=not synthetic,
        min_cell=_MIN_CELL * synthetic,
        extension=[_APART],
        resamples=_RESAMPLES * everything,
        sentinels=everything,
        repeated=everything,
        guessed=everything,
    )
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
        conduct=_conduct(rule, synthetic=synthetic),
        verdict=memo.Verdict(
            status=f"{rule}_SYNTHETIC" if synthetic else rule, reasons=_every_reason(), further_decision="none"
        ),
        sample=results.sample(found, {"fluent": len(items) + 1}, "episode" if synthetic else "speaker"),
        primary=results.primary(found),
        extension=results.extension(found, {}),
        taxonomy=results.taxonomy(found),
        controls=results.controls(found),
        cleanup=results.cleanup(found),
        agreement=reliability.agreement(found),
        adjudication=reliability.adjudication(found).model_copy(
            update={"disputed": [memo.Disputed(one="", other="", reason="no_adjudicator", count=0)]}
        ),
        quality=reliability.quality(found, measured or Measured(), 0),
        wer=word_errors.word_errors(spoken or (_SPOKEN if synthetic else [])),
        rights=[
            memo.RightsEntry(source="", kind=kind, version="", licence="", decision=decision)
            for kind in rights.KINDS
            for decision in rights.DECISIONS
        ],
        deviations=[] if synthetic else [memo.Deviation(at="", text="")],
        software={"evenhand": ""} | Filter("", "", '{"off":{},"on":{}}').as_software(),
        audit_head=None if synthetic else "",
    )


def _conduct(rule: str, *, synthetic: bool) -> memo.Conduct:
    nobody = memo.Seats(judges=0, attested=0, left=0)
    seats = memo.Seats(judges=2, attested=1, left=1, informed=1, by_lead=1) if synthetic else nobody
    comparators = dict(zip((gate.PASS, gate.FAIL, gate.INCONCLUSIVE), COMPARATORS, strict=True))
    return memo.Conduct(
        frozen_at=None if rule == gate.BLOCKED else _MOMENT,
        closed_at=None if rule == gate.BLOCKED else _MOMENT,
        judges=dict.fromkeys(JUDGES, seats),
        comparator=comparators.get(rule, COMPARATORS[0]),
        identical_pairs="auto" if synthetic else "review",
        references_shown=["semantic", "verbatim"],
        own_judgement_first=synthetic,
        max_unassessable=1 if synthetic else 0,
        min_cell=_MIN_CELL,
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
