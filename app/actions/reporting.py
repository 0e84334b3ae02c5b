"""From a closed study to its memo; before the close every outcome is refused, and the refusal audited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self, get_args

from app import __version__
from app.actions import preparing
from app.actions.privacy import closed_early, guard
from app.domain import codebook, gate, memo, protocol, reliability, results, rights, word_errors
from app.domain.custody import by_lead
from app.domain.errors import InvalidInput, Refused
from app.domain.item import STUDY, Item
from app.domain.measured import JUDGES, Measured
from app.domain.memo import Memo
from app.domain.outcome import JudgedItem
from app.domain.pairing import Filter
from app.domain.protocol import Protocol
from app.memory import uncollected
from app.report import bundle
from app.store import audit, custody, ledger, outcomes, quality, studies, withdrawals
from app.store.db import Connection, Row, Store
from app.world import World

DECISIONS: Final = get_args(memo.FurtherDecision)
EXPORTS: Final = "exports"


@uncollected()
def memo_of(store: Store, world: World, actor: str, study_id: str, decision: str = "none") -> Memo:
    """Return the memo of a closed study, or the blocked-status memo of a draft that rights or references block.

    Raises Refused before the close, NotFound, InvalidInput for an unknown decision.
    """
    if decision not in DECISIONS:
        raise InvalidInput.of("expected one of: " + ", ".join(DECISIONS), field="decision")
    with store.read() as connection:
        row = studies.get(connection, study_id)
        found = _compose(connection, row, decision)
    if found is None:
        raise refuse_early(store, world, actor, study_id)
    return found


def refuse_early(store: Store, world: World, actor: str, study_id: str) -> Refused:
    """Put on record that somebody asked for an outcome before the close; return what to raise."""
    with store.write() as connection:
        audit.record(connection, world, actor, "outcome.refused", study_id)
    told = "outcomes open to the lead at the close, and to nobody before. This attempt is on record."
    return Refused("not_closed", f"“{study_id}” is not closed: {told}")


def export(store: Store, world: World, actor: str, study_id: str, folder: Path, decision: str = "none") -> Memo:
    """Write the memo in every format to a new folder; refuse and write nothing if anything private is in it."""
    composed = memo_of(store, world, actor, study_id, decision)
    files = guarded(store, world, actor, study_id, composed)
    with bundle.staged(folder, files) as place, store.write() as connection:
        audit.record(connection, world, actor, "memo.exported", study_id, decision=decision)
        place()  # what cannot be put in place is not recorded as exported
    return composed


def export_beside(store: Store, world: World, actor: str, study_id: str, name: str, decision: str) -> Path:
    """Write the memo to a new folder of this name in the store's own folder `exports`; return where it is.

    A browser chooses a name and never a path: whoever signs in there need not be allowed
    to write elsewhere on this computer. Raises InvalidInput, Refused, NotFound.
    """
    if not protocol.ID_PATTERN.fullmatch(name):
        told = "expected 1 to 64 letters a to z, digits, dots, hyphens or underscores, beginning with a letter or digit"
        raise InvalidInput.of(told, field="folder")
    folder = store.folder.absolute() / EXPORTS
    with bundle.writable(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
    export(store, world, actor, study_id, folder / name, decision)
    return folder / name


def export_zip(store: Store, world: World, actor: str, study_id: str, decision: str) -> bytes:
    """Return the same files as one archive, for a download."""
    composed = memo_of(store, world, actor, study_id, decision)
    files = guarded(store, world, actor, study_id, composed)
    with store.write() as connection:
        audit.record(connection, world, actor, "memo.exported", study_id, decision=decision)
    return bundle.zipped(files, f"memo-{study_id}")


@uncollected()
def guarded(store: Store, world: World, actor: str, study_id: str, composed: Memo) -> dict[str, bytes]:
    """Return the finished files once the egress guard has read them. Raises Refused, and a refusal is audited."""
    files = bundle.bundle(composed)
    try:
        with store.read() as connection:
            guard(connection, studies.get(connection, study_id), files)
    except Refused:
        with store.write() as connection:
            audit.record(connection, world, actor, "export.refused", study_id)
        raise
    return files


def _compose(connection: Connection, row: Row[Any], decision: str) -> Memo | None:
    rules = studies.protocol_of(row)
    items = [] if row.frozen_at else [item for _, item in studies.items(connection, row.id)]
    judged_items = _judged_items(connection, row, rules, items)
    if judged_items is None:
        return None
    people = studies.members(connection, row.id)
    found = _results(judged_items, rules, [person.role for person in people])
    measured = quality.measured(connection, row.id) if row.closed_at is not None else Measured()
    facts = replace(_facts(connection, row, items, found), sentinel_detection=reliability.detection(measured))
    verdict = gate.evaluate(facts)
    if verdict is None:
        return None
    entries = ledger.at_close(connection, row.id)
    in_use = {each.source for each in studies.sources(connection, row.id)}
    pooled = {name: n for name, n in rules.strata.items() if name not in rules["selection.extension"]}
    made = preparing.made_by(connection, row, items)
    return Memo(
        study=_study(row, made, rights.permits(in_use, entries, "publish_manifest_hash")),
        conduct=_conduct(connection, row, rules, people),
        verdict=memo.Verdict(
            status=verdict.status,
            reasons=[memo.Reason(**vars(reason)) for reason in verdict.reasons],
            further_decision=decision,  # type: ignore[arg-type]  # checked against DECISIONS
        ),
        sample=results.sample(found, pooled, rules["selection.cluster_unit"]),
        **_numbers(connection, row, rules, found, measured),
        wer=_word_errors(connection, row, rules),
        rights=[
            memo.RightsEntry(**{name: getattr(source, name) for name in memo.RightsEntry.model_fields})
            for source in entries
            if source.source in in_use
        ],
        deviations=_deviations(connection, row),
        software=_software(rules, made),
        audit_head=row.closed_head,
    )


def _judged_items(
    connection: Connection, row: Row[Any], rules: Protocol, items: Sequence[Item]
) -> Sequence[JudgedItem] | None:
    """Return the items of a closed study, or those planned of a draft; None between, when nobody may know."""
    if row.closed_at is not None:
        return outcomes.judged_items(connection, row.id, rules)
    if row.frozen_at is not None:
        return None
    planned = [item for item in items if item.role == STUDY]
    return [JudgedItem(i.stratum, i.cluster, i.stratum in rules.controls, i.changed) for i in planned]


def _results(judged_items: Sequence[JudgedItem], rules: Protocol, roles: Sequence[str]) -> results.Results:
    return results.Results.of(
        judged_items,
        extension=rules["selection.extension"],
        confidence=rules["statistics.confidence"],
        adjudicator="adjudicator" in roles,
        own_judgement_first=rules["adjudication.own_judgement_first"],
        pool=roles.count("reviewer") > protocol.REVIEWERS_PER_ITEM,
        sentinels=rules["review.sentinels"],
        repeated=bool(rules["review.repeats"]),
        audited=bool(rules["review.audit_agreed"]),
        guessed=bool(rules["review.blinding_check"]),
        resamples=rules["statistics.resamples"],
        seed=rules["statistics.seed"],
        min_cell=rules["statistics.min_cell"],
    )


def _numbers(
    connection: Connection, row: Row[Any], rules: Protocol, found: results.Results, measured: Measured
) -> dict[str, Any]:
    """Return the parts made of judgements; before the freeze there was nothing to judge, and no rate is made of it."""
    judged = found if row.frozen_at is not None else replace(found, cases=(), apart=())
    telling = (row.equal_one_panel or 0) - withdrawals.telling(connection, row.id)
    return {
        "primary": results.primary(judged),
        "extension": results.extension(judged, rules.strata),
        "taxonomy": results.taxonomy(judged),
        "controls": results.controls(judged),
        "cleanup": results.cleanup(judged),
        "agreement": reliability.agreement(judged),
        "adjudication": reliability.adjudication(judged),
        "quality": reliability.quality(judged, measured, telling),
    }


def _facts(connection: Connection, row: Row[Any], items: Sequence[Item], found: results.Results) -> gate.Facts:
    rules = studies.protocol_of(row)
    facts = replace(
        results.gate_facts(found),
        frozen=row.frozen_at is not None,
        synthetic=rules.synthetic,
        max_unassessable=rules["gate.max_unassessable"],
        min_sentinel_detection=rules["gate.min_sentinel_detection"],
    )
    if facts.frozen:
        return replace(facts, rights_revoked=withdrawals.revoked_in_time(connection, row.id))
    report = preparing.assess(connection, row, items)
    return replace(facts, rights_missing=report.rights_missing, references_missing=report.references_missing)


def _study(row: Row[Any], made: Filter | None, permitted: bool) -> memo.Study:  # noqa: FBT001 - whether the hash may be printed
    rules = studies.protocol_of(row)
    reason: memo.NullReason | None = None if permitted else "not_permitted"
    return memo.Study(
        id=row.id,
        title=row.title,
        scope=rules["study.scope"],
        question=rules["study.question"],
        parent=rules["study.parent"],
        registration=rules["study.registration"],
        manifest_sha256=row.manifest_sha256 if permitted else None,
        manifest_null_reason=reason if row.manifest_sha256 else "not_enabled",
        protocol_sha256=row.protocol_sha256,
        codebook_version=codebook.VERSION,
        pairing="imported_unverified" if made is None else "verified",
    )


def _conduct(connection: Connection, row: Row[Any], rules: Protocol, people: Sequence[Row[Any]]) -> memo.Conduct:
    """Return when and by how many; a memo never says by whom."""
    records = _Records.of(connection, row)
    return memo.Conduct(
        frozen_at=row.frozen_at,
        closed_at=row.closed_at,
        judges={role: _seats(records, [person for person in people if person.role == role]) for role in JUDGES},
        comparator=rules["review.comparator"],
        identical_pairs=rules["review.identical_pairs"],
        references_shown=list(rules["references.shown"]),
        own_judgement_first=rules["adjudication.own_judgement_first"],
        max_unassessable=rules["gate.max_unassessable"],
        min_cell=rules["statistics.min_cell"],
    )


@dataclass(frozen=True)
class _Records:
    """What the record had at the close of who led, who knew, and who gave codes: what comes later changes no memo."""

    leads: frozenset[str]
    informed: frozenset[str]
    givers: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, connection: Connection, row: Row[Any]) -> Self:
        until = row.closed_head
        given = custody.givers(connection, until)
        return cls(custody.led(connection, row.id, until), custody.informed(connection, row.id, until), given)


def _seats(records: _Records, people: Sequence[Row[Any]]) -> memo.Seats:
    names = [person.name for person in people]
    return memo.Seats(
        judges=len(people),
        attested=sum(bool(person.attested) for person in people),
        left=sum(person.left_at is not None for person in people),
        informed=len(records.informed.intersection(names)),
        by_lead=by_lead(names, records.givers, records.leads),
    )


def _word_errors(connection: Connection, row: Row[Any], rules: Protocol) -> memo.WordErrors:
    """Return the word errors of a closed study; a draft has none, for nothing of it was an outcome."""
    if row.closed_at is None:
        return word_errors.absent("no_items")
    heard = outcomes.spoken(connection, row.id)
    pooled = [each for each in heard if each.stratum not in rules["selection.extension"]]
    return word_errors.word_errors(pooled, rules["statistics.confidence"])


def _deviations(connection: Connection, row: Row[Any]) -> list[memo.Deviation]:
    logged = [memo.Deviation(at=each.at, text=each.text) for each in studies.deviations(connection, row.id)]
    if row.close_reason is not None:
        logged.append(memo.Deviation(at=row.closed_at, text=closed_early(row.close_reason)))
    return logged


def _software(rules: Protocol, made: Filter | None) -> dict[str, str]:
    """Return what made the numbers and the texts; nothing of the machine, so that bytes repeat.

    Where the pairs were made here it is the filter as recorded, else as the protocol states it.
    """
    named = {"evenhand": __version__}
    if made is not None:
        return named | made.as_software()
    for key in ("filter", "filter_version"):
        value = rules[f"engine.{key}"]
        if value is not None:
            named[key] = str(value)
    return named
