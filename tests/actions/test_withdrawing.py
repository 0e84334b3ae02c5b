"""Withdrawing before the freeze, before the close and after it: what is erased, what stays, what the memo says."""

import json

import pytest

from app.actions import closing, preparing, reporting, reviewing
from app.actions.withdrawing import meant, withdraw
from app.domain.errors import InvalidInput, NotFound, Refused
from app.report import bundle
from app.store import ledger, pairings, progress, studies, verify
from tests.actions.bench import FINE, HARM, SAME, Bench, bench_on_a_copy, frozen_folder
from tests.house import PROTOCOL, RIGHTS, draft_study, frozen_study, item_rows

TWO_SOURCES = RIGHTS + RIGHTS.replace('"invented"', '"other"')


def two_sources():
    """Return the rows of the small study; the last two of each stratum are of another source."""
    rows = item_rows()
    for number in (2, 3, 5):
        rows[number]["source"] = "other"
    return rows


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    return frozen_folder(tmp_path_factory.mktemp("withdrawing") / "store")


@pytest.fixture
def bench(frozen, tmp_path):
    with bench_on_a_copy(frozen, tmp_path / "store") as bench:
        yield bench


@pytest.fixture
def sourced(store, world, people):
    return Bench(store, world, frozen_study(store, world, ledger=TWO_SOURCES, rows=two_sources()))


def go(bench, kind, value, reason="a participant asked", **more):
    return withdraw(bench.store, bench.world, "lena", bench.study, kind, value, reason, **more)


def findings(bench):
    with bench.store.read() as connection:
        return verify.findings(connection)


def memo(bench):
    return reporting.memo_of(bench.store, bench.world, "lena", bench.study)


def finish(bench, *, adjudicate=True, **said):
    """Judge all that is left, rosa as told and ravi the same, and close."""
    for name in ("rosa", "ravi"):
        for (item,) in bench.rows("select item_id from item where item_id is not null and not auto_coded order by id"):
            bench.answer(name, item, said.get(f"P{int(item[2:])}", FINE))
        bench.sign(name)
    if adjudicate:
        bench.look()
        bench.sign("ines")
    return closing.close(bench.store, bench.world, "lena", bench.study)


def reasons(memo):
    return {reason.code: reason.count for reason in memo.verdict.reasons}


# --- What is erased ---


def test_of_a_withdrawn_item_all_content_goes_and_what_counts_need_stays(bench):
    before = bench.rows("select stratum, source, changed, equivalent, auto_coded, unit, digest from item where id = 3")
    done = go(bench, "item", "P-003")
    assert (done.effect, done.items, done.finished) == ("withdrawn", 1, True)
    gone = bench.rows("select item_id, cluster, content, salt, kept from item where id = 3")
    assert gone == [(None, None, None, None, None)]
    after = bench.rows("select stratum, source, changed, equivalent, auto_coded, unit, digest from item where id = 3")
    assert before == after


def test_a_cluster_takes_all_its_items_along_and_no_other(bench):
    assert go(bench, "cluster", "ep-one").items == 3
    assert bench.rows("select distinct cluster from item where withdrawal is null") == [("ep-two",)]


def test_drafts_and_notes_go_and_the_answers_stay(bench):
    bench.answer("rosa", "P-003", HARM, note="they said do not open it")
    bench.draft("ravi", "P-003", note="do not open what")
    bench.answer("rosa", "P-001", SAME, note="another item")
    go(bench, "item", "P-003")
    assert bench.rows("select fields from draft") == []
    rows = bench.rows("select label, note, salt, fingerprint, erased_by from judgement order by id")
    assert rows[0] == ("destructive-content", "", None, "", 1)
    assert (rows[1].note, rows[1].erased_by) == ("another item", None)
    assert findings(bench) == []


def test_the_audit_event_holds_a_count_and_digests_and_no_name(bench):
    go(bench, "cluster", "ep-two", reason="the family wrote")
    ((event, detail),) = bench.rows("select event, detail from audit_event order by seq desc limit 1")
    assert event == "items.withdrawn"
    assert {key: value for key, value in json.loads(detail).items() if key != "sha256"} == {
        "kind": "cluster",
        "items": 3,
        "former": [],
    }
    assert "ep-two" not in detail
    assert "family" not in detail


# --- Who is told what ---


def test_lists_shrink_and_an_open_page_is_told_calmly(bench):
    gone = bench.form("rosa", "P-003", HARM)
    token = bench.slot("rosa", "P-003").token
    go(bench, "item", "P-003")
    with bench.store.read() as connection:
        found = progress.progress(connection, studies.get(connection, bench.study))
    assert [(each.done, each.total) for each in found.reviewers] == [(0, 3), (0, 3)]
    assert (found.items, found.withdrawn) == (6, 1)
    with pytest.raises(Refused, match="no longer part of the study"):
        reviewing.submit(bench.store, bench.world, bench.judge("rosa"), token, gone)
    with pytest.raises(Refused, match="no longer part of the study"):
        reviewing.save_draft(bench.store, bench.world, bench.judge("rosa"), token, gone)


def test_a_signed_set_stays_signed_and_its_receipt_as_it_was(bench):
    bench.review("rosa")
    before = bench.rows("select * from sign_off")
    go(bench, "item", "P-003")
    assert bench.rows("select * from sign_off") == before
    assert findings(bench) == []


def test_the_last_open_item_of_a_judge_may_go_and_the_set_can_be_signed(bench):
    for item in ("P-001", "P-002", "P-005"):
        bench.answer("rosa", item)
    with pytest.raises(Refused, match="no answer yet"):
        bench.sign("rosa")
    go(bench, "item", "P-003")
    bench.sign("rosa")
    assert bench.rows("select count from sign_off") == [(3,)]


def test_a_judge_whose_whole_set_is_gone_can_still_sign(bench):
    go(bench, "source", "invented")
    finish(bench)
    assert memo(bench).sample.withdrawn == 6


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_an_item_in_the_queue_may_go_at_any_step_and_the_adjudicator_is_not_stuck(bench, steps):
    bench.review("rosa", P3=HARM, P1=FINE)
    bench.review("ravi")
    bench.look()
    bench.settle("P-001", SAME)
    if steps > 0:
        bench.answer("ines", "P-003", HARM)
    if steps > 1:
        bench.answer("ines", "P-003", HARM, decision="keep")
    go(bench, "item", "P-003")
    bench.sign("ines")
    closing.close(bench.store, bench.world, "lena", bench.study)
    found = memo(bench)
    assert (found.sample.withdrawn, found.sample.adjudicated, found.adjudication.routed) == (1, 1, 1)
    assert (found.verdict.status, reasons(found)["withdrawn"]) == ("PASS_SYNTHETIC", 1)
    assert findings(bench) == []


def test_a_withdrawn_item_is_not_routed_when_the_last_set_is_signed(bench):
    bench.review("rosa", P3=HARM)
    go(bench, "item", "P-003")
    for item in ("P-001", "P-002", "P-005"):
        bench.answer("ravi", item)
    bench.sign("ravi")
    assert bench.rows("select count(*) from slot where routed") == [(0,)]


def test_a_reopened_set_routes_what_is_left(bench):
    bench.review("rosa", P3=HARM, P1=FINE)
    bench.review("ravi")
    go(bench, "item", "P-003")
    closing.reopen(bench.store, bench.world, "lena", bench.study, "rosa", "she asked")
    bench.sign("rosa")
    bench.look()
    assert [item for (item,) in bench.rows("select item from slot where routed")] == [1]


# --- The gate ---


def test_a_participants_withdrawal_is_counted_and_blocks_nothing(bench):
    go(bench, "cluster", "ep-two")
    finish(bench)
    found = memo(bench)
    assert (found.verdict.status, reasons(found)) == ("PASS_SYNTHETIC", {"withdrawn": 3})
    counts = found.sample
    assert (counts.imported, counts.withdrawn, counts.agreed, counts.clusters.count) == (6, 3, 3, 1)
    assert {name: each.withdrawn for name, each in counts.by_stratum.items()} == {"word_repetition": 2, "fluent": 1}


def test_harm_on_a_withdrawn_item_counts_no_more(bench):
    for name in ("rosa", "ravi"):
        bench.answer(name, "P-003", HARM)
    go(bench, "item", "P-003")
    finish(bench)
    found = memo(bench)
    assert (found.verdict.status, found.primary.introduced.numerator) == ("PASS_SYNTHETIC", 0)


def test_a_revoked_source_blocks_the_verdict_and_its_rights_are_refused(sourced):
    go(sourced, "source", "other", reason="the publisher took it back")
    finish(sourced)
    found = memo(sourced)
    assert (found.verdict.status, reasons(found)) == ("BLOCKED_SYNTHETIC", {"rights": 1, "withdrawn": 3})
    assert {each.source: each.decision for each in found.rights} == {"invented": "approved", "other": "refused"}
    assert (found.study.manifest_sha256, found.study.manifest_null_reason) == (None, "not_permitted")
    assert findings(sourced) == []


def test_a_confirmed_edit_of_the_rest_fails_whatever_was_revoked(sourced):
    go(sourced, "source", "other")
    finish(sourced, P1=HARM)
    found = memo(sourced)
    assert found.verdict.status == "FAIL_SYNTHETIC"
    assert reasons(found) == {"confirmed_introduced": 1, "rights": 1, "withdrawn": 3}


def test_harm_on_the_revoked_source_alone_does_not_fail(sourced):
    for name in ("rosa", "ravi"):
        sourced.answer(name, "P-003", HARM)
    go(sourced, "source", "other")
    finish(sourced)
    assert memo(sourced).verdict.status == "BLOCKED_SYNTHETIC"


def test_a_source_whose_items_were_withdrawn_one_by_one_can_still_be_revoked(sourced):
    for item in ("P-003", "P-004", "P-006"):
        go(sourced, "item", item)
    assert go(sourced, "source", "other").items == 0
    finish(sourced)
    assert reasons(memo(sourced)) == {"rights": 1, "withdrawn": 3}


def test_without_a_control_item_left_the_verdict_is_held(bench):
    for item in ("P-005", "P-006"):
        go(bench, "item", item)
    finish(bench)
    assert reasons(memo(bench)) == {"no_controls": 0, "withdrawn": 2}


def test_telling_references_are_counted_of_what_is_left(store, world, people):
    rows = item_rows()
    for number in (0, 2):
        rows[number]["semantic_reference"] = rows[number]["on"]
    bench = Bench(store, world, frozen_study(store, world, rows=rows))
    go(bench, "item", "P-001")
    finish(bench)
    found = memo(bench).quality.references_equal_one_panel
    assert (found.numerator, found.denominator) == (1, 5)
    assert findings(bench) == []


# --- After the close ---


@pytest.fixture
def closed(store, world, people):
    """Return a closed study with every kind of outcome, both kinds of reference, and two sources."""
    rows = two_sources()
    for number, row in enumerate(rows):
        row["verbatim_reference"] = f"What number {number} said."
    rows[0]["semantic_reference"] = rows[0]["on"]
    bench = Bench(store, world, frozen_study(store, world, ledger=TWO_SOURCES, rows=rows))
    bench.review("rosa", P1=HARM, P2=HARM, P3=FINE)
    bench.review("ravi", P1=HARM, P2=FINE, P3=SAME)
    bench.look()
    bench.settle("P-002", HARM)
    bench.settle("P-003", FINE, "unresolved", unresolved_reason="needs_policy")
    bench.sign("ines")
    closing.log_deviation(store, world, "lena", bench.study, "one day later than planned")
    closing.close(store, world, "lena", bench.study)
    return bench


@pytest.mark.parametrize(
    "acts",
    [
        [("item", "P-001")],
        [("item", "P-004")],
        [("cluster", "ep-two")],
        [("source", "other")],
        [("item", "P-003"), ("cluster", "ep-one"), ("source", "invented"), ("source", "other")],
    ],
    ids=lambda acts: "+".join(value for _, value in acts),
)
def test_after_the_close_content_goes_and_the_memo_stays_byte_for_byte(closed, acts):
    before = bundle.bundle(memo(closed))
    for kind, value in acts:
        done = go(closed, kind, value)
        assert (done.effect, done.finished) == ("erased", True)
    assert bundle.bundle(memo(closed)) == before
    assert findings(closed) == []
    left = closed.rows("select count(*) from item where withdrawal is not null and content is not null")
    assert left == [(0,)]


def test_a_revocation_after_the_close_is_in_the_ledger_and_not_in_the_memo(closed):
    go(closed, "source", "other", reason="the publisher took it back")
    with closed.store.read() as connection:
        now = {each.source: each.decision for each in studies.ledger(connection, closed.study)}
    assert now == {"invented": "approved", "other": "refused"}
    assert {each.decision for each in memo(closed).rights} == {"approved"}


def test_what_is_withdrawn_after_the_close_is_not_in_the_memo_of_what_was_withdrawn_before(bench):
    go(bench, "item", "P-003")
    finish(bench)
    before = bundle.bundle(memo(bench))
    go(bench, "cluster", "ep-one")
    assert bundle.bundle(memo(bench)) == before
    assert memo(bench).sample.withdrawn == 1
    assert findings(bench) == []


# --- Before the freeze ---


def test_from_a_draft_items_are_removed_as_if_they_had_never_been_there(store, world, people):
    study = draft_study(store, world)
    done = withdraw(store, world, "lena", study, "cluster", "ep-one", "she asked")
    assert (done.effect, done.items) == ("removed", 3)
    with store.read() as connection:
        assert studies.item_count(connection, study) == (3, 0)
        assert studies.ledger(connection, study)[0].decision == "approved"
        assert verify.findings(connection) == []
    ((event,),) = Bench(store, world, study).rows("select event from audit_event order by seq desc limit 1")
    assert event == "items.removed"


# --- What is refused ---


@pytest.mark.parametrize(
    ("kind", "value"),
    [("item", "P-999"), ("cluster", "P-001"), ("source", "nowhere"), ("stratum", "fluent"), ("item", "")],
)
def test_a_name_that_nothing_has_changes_nothing_and_is_not_repeated(bench, kind, value):
    before = bench.events()
    with pytest.raises(InvalidInput) as raised:
        go(bench, kind, value)
    assert not value or value not in str(raised.value)
    assert bench.events() == before


def test_the_same_twice_is_an_error_and_a_source_is_revoked_once(bench):
    go(bench, "item", "P-001")
    with pytest.raises(InvalidInput):
        go(bench, "item", "P-001")
    go(bench, "source", "invented")
    with pytest.raises(Refused, match="revoked before"):
        go(bench, "source", "invented")


@pytest.mark.parametrize("reason", ["", "   ", "about P-003", "she said do not not open it yet there", "x" * 5000])
def test_a_reason_is_needed_and_holds_nothing_private(bench, reason):
    with pytest.raises(InvalidInput) as raised:
        go(bench, "item", "P-003", reason=reason)
    assert [problem.field for problem in raised.value.problems] == ["reason"]
    assert bench.rows("select count(*) from withdrawal") == [(0,)]


def test_who_decided_on_another_number_of_items_is_asked_again(bench):
    would = meant(bench.store, bench.study, "cluster", "ep-one", "they asked")
    assert (would.effect, would.items, would.of, would.elsewhere) == ("withdrawn", 3, 6, ())
    go(bench, "item", "P-001")
    with pytest.raises(Refused, match="2 items now, not 3"):
        go(bench, "cluster", "ep-one", expected=3)
    assert go(bench, "cluster", "ep-one", expected=2).items == 2


def test_a_study_that_is_not_there_is_not_found(store, world):
    with pytest.raises(NotFound):
        withdraw(store, world, "lena", "nothing", "item", "P-001", "she asked")


def test_the_same_name_in_another_study_of_the_store_is_told(bench):
    draft = PROTOCOL.replace('"pilot"', '"second"').replace("A small pilot", "A second")
    draft_study(bench.store, bench.world, protocol=draft)
    assert go(bench, "cluster", "ep-one").elsewhere == ("second",)
    assert go(bench, "source", "invented").elsewhere == ("second",)


def test_the_ledger_file_stays_refused_after_the_freeze(bench):
    with pytest.raises(Refused, match="is frozen"):
        preparing.set_rights(bench.store, bench.world, "lena", bench.study, RIGHTS.encode(), "rights.toml")


# --- Former entries ---


def test_each_former_entry_of_the_ledger_is_kept_with_who_replaced_it(store, world, people):
    study = draft_study(store, world)
    other = RIGHTS.replace('"approved"', '"unknown"')
    preparing.set_rights(store, world, "lena", study, other.encode(), "rights.toml")
    preparing.set_rights(store, world, "lars", study, other.encode(), "rights.toml")  # nothing changes
    preparing.set_rights(store, world, "lena", study, TWO_SOURCES.encode(), "rights.toml")
    with store.read() as connection:
        found = [(row.source, json.loads(row.entry)["decision"], row.actor) for row in ledger.former(connection, study)]
        assert verify.findings(connection) == []
    assert found == [("invented", "unknown", "lena"), ("invented", "approved", "lena")]


def test_what_is_left_of_a_paired_file_in_a_draft_is_no_longer_verified(store, world, people):
    rows = item_rows()
    study = draft_study(store, world, rows=rows)
    with store.write() as connection:
        connection.exec_driver_sql(
            "insert into pairing (filter, version, config, raw_sha256, sha256, texts_sha256, items, made_at)"
            " values ('tidy', '1', '{}', 'r', 'f', 't', 6, 'now')"
        )
        connection.exec_driver_sql("update item set pairing = 1")
    withdraw(store, world, "lena", study, "item", "P-001", "she asked")
    with store.read() as connection:
        assert pairings.marks(connection, study) == [None] * 5
