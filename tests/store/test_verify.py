import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from app.actions import closing, reporting
from app.actions.withdrawing import withdraw
from app.domain import anchor
from app.domain.manifest import GENESIS, canonical, digest, link
from app.store import judgements, verify
from app.store.migrate import open_store
from tests.actions.bench import FINE, HARM, Bench
from tests.house import PROTOCOL, add_people, fixed_world, frozen_study

CHAIN = "audit chain: it does not hold at event"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Return a study that was judged, adjudicated and closed; what a test changes is undone."""
    store, world = open_store(tmp_path_factory.mktemp("verify") / "store"), fixed_world()
    add_people(store, world)
    bench = Bench(store, world, frozen_study(store, world))
    bench.review("rosa", P1=FINE, P3=HARM)
    bench.review("ravi", P1=FINE)
    bench.look()
    bench.settle("P-003", HARM)
    bench.sign("ines")
    closing.log_deviation(store, world, "lena", bench.study, "A lamp failed.")
    closing.close(store, world, "lena", bench.study)
    yield bench
    store.close()


def findings(bench, *statements, anchor=None, **values):
    """Return what verify says after some statements, which are then undone."""
    with bench.store.engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        for statement in statements:
            connection.execute(text(statement), values)
        found = verify.findings(connection, anchor)
        connection.rollback()
    return found


def test_nothing_is_found_in_a_store_as_it_was_written(bench):
    assert findings(bench) == []


def test_nothing_is_found_in_a_study_just_frozen_or_reopened(store, world, people):
    bench = Bench(store, world, frozen_study(store, world))
    assert findings(bench) == []
    bench.review("rosa", P1=HARM)
    closing.reopen(store, world, "lena", bench.study, "rosa", "a slip")
    bench.answer("rosa", "P-001")
    bench.sign("rosa")
    assert findings(bench) == []


def test_two_studies_in_one_store_are_each_compared_with_their_own_events(store, world, people):
    for name in ("pilot", "second"):
        bench = Bench(store, world, frozen_study(store, world, protocol=PROTOCOL.replace('"pilot"', f'"{name}"')))
        closing.log_deviation(store, world, "lena", name, "A lamp failed.")
        bench.review("rosa")
        closing.close(store, world, "lena", name, "It is enough.")
    assert findings(bench) == []


@pytest.mark.parametrize(
    ("tampering", "told"),
    [
        ("update audit_event set actor = 'ravi' where seq = 9", f"{CHAIN} 9"),
        ("delete from audit_event where seq = 9", f"{CHAIN} 10"),
        ("update item set content = replace(content, 'do open', 'do opem')", "item 3 (in order of import) was changed"),
        ("update item set salt = 'x' || salt where item_id = 'P-001'", "item 1 (in order of import) was changed"),
        ("delete from item where item_id = 'P-006'", "the set of items is not the one that was frozen"),
        ("update study set protocol = replace(protocol, 'exact', 'whitespace')", "the protocol was changed"),
        ("update manifest set content = replace(content, 'evenhand ', 'oddhand ')", "the manifest was changed"),
        ("update study set guidelines = guidelines || ' '", "the guidelines were changed"),
        ("update rights set entry = replace(entry, 'Apache-2.0', 'none')", "the rights ledger was changed"),
        ("delete from rights", "the rights ledger was changed"),
        ("update judgement set label = 'benign-retention' where version = 1 and id = 1", "judgement 1: it differs"),
        (
            "update judgement set panel = case panel when 'A' then 'B' else 'A' end where id = 1",
            "judgement 1: it differs",
        ),
        ("update judgement set reasons = '[\"hedge\"]' where id = 3", "judgement 3: it differs"),
        ("update judgement set note = 'x' where id = 2", "judgement 2: it differs"),
        ("update judgement set decision = 'change' where decision = 'keep'", "judgement 10: it differs"),
        ("delete from judgement where id = 3", "is missing"),
        ("delete from judgement where step = 'final'", "judgement: version 2 of list entry"),
    ],
)
def test_each_tampering_is_named(bench, tampering, told):
    assert any(told in each for each in findings(bench, tampering)), findings(bench, tampering)


@pytest.mark.parametrize(
    "tampering",
    [
        "update audit_event set detail = '{' where event = 'study.frozen'",
        "update item set content = '{' where id = 1",
        "update item set salt = null where id = 1",
        "update manifest set content = '{'",
        "update study set protocol = '{'",
        "update audit_event set detail = '{' where event = 'review.stored'",
        "update audit_event set detail = '{}' where event = 'review.stored'",
        "update rights set entry = '{'",
        "delete from manifest",
        "update study set guidelines = null",
        "update item set digest = null where id = 1",
        "update audit_event set detail = '[]' where event = 'review.stored'",
    ],
)
def test_what_can_no_longer_be_read_is_named_too(bench, tampering):
    assert findings(bench, tampering) != []


@pytest.mark.parametrize(
    "tampering",
    [
        "update slot set on_panel = case on_panel when 'A' then 'B' else 'A' end",
        "update item set changed = 0, auto_coded = 1, equivalent = 1 where item_id = 'P-003'",
        "update item set stratum = 'fluent', cluster = 'another' where item_id = 'P-003'",
        "delete from sign_off where account_id = (select id from account where name = 'rosa')",
        "update sign_off set upto = 0",
        "update deviation set text = 'Nothing happened.'",
        "update member set role = 'lead' where role = 'adjudicator'",
        "update study set closed_head = null, closed_at = null",
        "update study set close_reason = 'It was not early.'",
        "update study set equal_one_panel = 9",
        "update study set title = 'Another'",
    ],
)
def test_what_an_outcome_follows_from_beside_the_judgements_is_checked_too(bench, tampering):
    assert findings(bench, tampering) != []


@pytest.fixture(scope="module")
def withdrawn(tmp_path_factory):
    """Return a study of which an item was withdrawn before the close, a cluster and the source after it."""
    store, world = open_store(tmp_path_factory.mktemp("withdrawn") / "store"), fixed_world()
    add_people(store, world)
    bench = Bench(store, world, frozen_study(store, world))
    bench.answer("rosa", "P-001", FINE, note="a word of theirs")
    bench.answer("rosa", "P-003", HARM, note="another word")
    withdraw(store, world, "lena", bench.study, "item", "P-001", "she asked")
    closing.close(store, world, "lena", bench.study, "It is enough.")
    withdraw(store, world, "lena", bench.study, "cluster", "ep-one", "they asked")
    withdraw(store, world, "lena", bench.study, "source", "invented", "taken back")
    yield bench
    store.close()


def test_nothing_is_found_after_erasures(withdrawn):
    assert findings(withdrawn) == []


@pytest.mark.parametrize(
    "tampering",
    [
        "update withdrawal set after_close = 0 where id = 2",
        "update withdrawal set after_close = 1 where id = 1",
        "update withdrawal set reason = 'nobody asked' where id = 1",
        "update withdrawal set telling = 1 where id = 1",
        "delete from audit_event where event = 'items.withdrawn'",
        "update item set stratum = 'fluent' where id = 1",
        "update item set unit = 2 where id = 1",
        "update item set changed = 0, auto_coded = 1, equivalent = 1 where id = 3",
        "update item set kept = '{}' where id = 3",
        "update item set withdrawal = null where id = 1",
        "update item set withdrawal = 3 where id = 3",
        "update item set content = 'x' where id = 1",
        "update item set digest = 'x' where id = 1",
        "update judgement set label = 'benign-retention', panel = null where id = 2",
        "update judgement set erased_by = null where id = 2",
        "update judgement set erased_by = 3 where id = 2",
        "update slot set withdrawn = 0 where item = 1",
        "update rights set entry = replace(entry, 'refused', 'approved')",
        "update former_rights set entry = replace(entry, 'approved', 'refused')",
        "update former_rights set actor = 'ravi'",
        "update former_rights set after_close = 0",
        "delete from former_rights",
    ],
)
def test_tampering_with_what_an_erasure_left_is_named(withdrawn, tampering):
    assert findings(withdrawn, tampering) != []


def test_an_item_that_somebody_else_emptied_is_named(bench):
    emptied = "update item set item_id = null, cluster = null, content = null, salt = null where id = 3"
    assert findings(bench, emptied) != []
    hidden = "update slot set withdrawn = 1 where id = 1"
    assert findings(bench, hidden) != []


def test_a_judgement_that_was_changed_before_its_note_was_erased_is_still_named(store, world, people):
    bench = Bench(store, world, frozen_study(store, world))
    bench.answer("rosa", "P-001", FINE, note="a word of theirs")
    bench.change("update judgement set label = 'benign-retention', panel = null")
    withdraw(store, world, "lena", bench.study, "item", "P-001", "she asked")
    assert bench.rows("select note from judgement") == [("",)]
    assert findings(bench) == ["judgement 1: it differs from what was audited"]


def test_a_note_cannot_be_guessed_from_what_the_chain_keeps_once_it_is_erased(store, world, people):
    bench = Bench(store, world, frozen_study(store, world))
    bench.answer("rosa", "P-001", FINE, note="yes")
    (before,) = bench.rows("select * from judgement")
    (recorded,) = bench.rows("select json_extract(detail, '$.sha256') from audit_event where event = 'review.stored'")
    assert judgements.row_digest(before) == recorded[0]
    withdraw(store, world, "lena", bench.study, "item", "P-001", "she asked")
    (after,) = bench.rows("select * from judgement")
    guessed = dict(after._mapping) | {"note": "yes"}
    assert judgements.row_digest(SimpleNamespace(**guessed)) != recorded[0]


def test_a_protocol_rewritten_together_with_its_manifest_is_named(bench):
    ((manifest,),) = bench.rows("select content from manifest")
    whole = json.loads(manifest)
    whole["protocol"]["gate"]["max_unassessable"] = 9
    forged = "update study set protocol = :p, protocol_sha256 = :pd, manifest_sha256 = :md"
    values = {"p": canonical(whole["protocol"]).decode(), "pd": digest(whole["protocol"])}
    values |= {"m": canonical(whole).decode(), "md": digest(whole)}
    assert findings(bench, forged, "update manifest set content = :m", **values) != []


def test_an_added_judgement_is_named(bench):
    columns = "step, label, panel, also, reasons, groups, severity, note, decision, unresolved_reason, manifest_sha256"
    added = f"insert into judgement (id, slot_id, version, {columns}, key, fingerprint, stored_at) select 99, slot_id, 2, {columns}, 'x', 'x', stored_at from judgement where id = 1"  # noqa: E501, S608
    assert findings(bench, added) == ["judgement 99: it differs from what was audited"]


def test_rows_of_the_chain_in_each_others_place_are_named(bench):
    moved = [f"update audit_event set seq = {new} where seq = {old}" for old, new in ((9, 999), (10, 9), (999, 10))]  # noqa: S608
    assert {f"{CHAIN} 9", f"{CHAIN} 10"} <= set(findings(bench, *moved))


def test_a_chain_cut_before_the_close_is_caught_by_the_head_of_the_close(bench):
    cut = "delete from audit_event where seq >= (select seq from audit_event where event = 'study.closed')"
    assert findings(bench, cut) == ["study pilot: the audit chain no longer holds the head of the close"]


def forged_chain(bench):
    """Return statements that write the whole chain anew under another actor."""
    previous, forged = GENESIS, []
    for row in bench.rows("select * from audit_event order by seq"):
        event = {"at": row.at, "actor": "ravi", "study_id": row.study_id, "event": row.event}
        hashed = link(previous, event | {"detail": json.loads(row.detail)})
        changes = f"actor = 'ravi', previous = '{previous}', hash = '{hashed}'"
        forged.append(f"update audit_event set {changes} where seq = {row.seq}")  # noqa: S608
        previous = hashed
    return forged


def test_a_whole_chain_written_anew_is_caught_by_the_head_of_the_close(bench):
    told = "study pilot: the audit chain no longer holds the head of the close"
    assert told in findings(bench, *forged_chain(bench))


@pytest.fixture(scope="module")
def kept(bench):
    """Return what a memo of the closed study carries."""
    composed = reporting.memo_of(bench.store, bench.world, "lena", bench.study)
    return anchor.read(composed.model_dump_json().encode(), "memo.json")


def test_a_store_fits_its_memo(bench, kept):
    assert findings(bench, anchor=kept) == []


def test_a_chain_cut_before_the_close_together_with_the_close_is_caught_by_the_head_in_the_memo(bench, kept):
    cut = [
        "delete from audit_event where seq >= (select seq from audit_event where event = 'study.closed')",
        "update study set closed_at = null, close_reason = null, closed_head = null",
    ]
    assert findings(bench, *cut) == []  # of itself the store cannot know
    assert findings(bench, *cut, anchor=kept) == [
        "study pilot: the audit chain does not hold the head that the memo carries",
        "study pilot: its close is not the one that the memo carries",
    ]


def test_a_chain_and_a_close_written_anew_are_caught_by_the_head_in_the_memo(bench, kept):
    forged = forged_chain(bench)
    forged.append("update study set closed_head = (select hash from audit_event where event = 'arms.revealed')")
    assert findings(bench, *forged) == []
    found = findings(bench, *forged, anchor=kept)
    assert found[0] == "study pilot: the audit chain does not hold the head that the memo carries"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"study_id": "another"}, "memo: the store has no study another"),
        ({"protocol_sha256": "0" * 64}, "study pilot: its protocol is not the one that the memo carries"),
        ({"manifest_sha256": "0" * 64}, "study pilot: its manifest is not the one that the memo carries"),
        ({"manifest_sha256": None}, None),
    ],
)
def test_each_part_of_a_memo_is_compared(bench, kept, change, told):
    assert findings(bench, anchor=replace(kept, **change)) == ([told] if told else [])


def test_a_changed_protocol_is_named_even_with_a_fitting_digest(bench):
    ((protocol,),) = bench.rows("select protocol from study")
    other = json.loads(protocol) | {"gate": {"max_unassessable": 9}}
    forged = "update study set protocol = :protocol, protocol_sha256 = :digest"
    found = findings(bench, forged, protocol=canonical(other).decode(), digest=digest(other))
    assert found == ["study pilot: the protocol is not the one that was frozen"]


def test_a_row_that_points_at_nothing_is_named(store):
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("insert into deviation (study_id, at, text) values ('gone', 'now', 'x')")
        assert verify.findings(connection) == ["database: 1 rows point at nothing"]
        connection.exec_driver_sql("PRAGMA foreign_keys = ON")
