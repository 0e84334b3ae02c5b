"""A reviewer who leaves: what is answered is signed, the rest is handed over, and every item keeps its two reviews."""

import pytest

from app.actions import closing, replacing, reporting
from app.actions.accounts import disable
from app.actions.withdrawing import withdraw
from app.domain.errors import InvalidInput, NotFound, Refused
from app.store import judging, verify
from tests.actions.bench import FINE, HARM, SAME, SEEN, bench_on_a_copy, frozen_folder

WHY = "she moved away"


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    return frozen_folder(tmp_path_factory.mktemp("frozen") / "store")


@pytest.fixture
def bench(frozen, tmp_path):
    with bench_on_a_copy(frozen, tmp_path / "copy") as bench:
        yield bench


def replace(bench, leaving="rosa", newcomer="otto", reason=WHY, **more):
    bench._judges.clear()  # otto has become one
    return replacing.replace(bench.store, bench.world, "lena", bench.study, leaving, newcomer, reason, **more)


def whole(bench):
    with bench.store.read() as connection:
        return verify.findings(connection)


def lists(bench):
    """Return who has which item in the reviewers' lists."""
    found = bench.rows(
        "select name, item_id from slot join account a on a.id = account_id join item i on i.id = slot.item "
        "where not adjudication order by name, item_id"
    )
    return {name: [item for each, item in found if each == name] for name in {name for name, _ in found}}


def test_what_is_answered_is_signed_and_the_rest_goes_to_the_newcomer(bench):
    bench.answer("rosa", "P-001", FINE)
    bench.answer("rosa", "P-002", SAME)
    assert replace(bench) == 2
    assert lists(bench) == {"rosa": ["P-001", "P-002"], "otto": ["P-003", "P-005"], "ravi": list(SEEN)}
    assert [
        (row.name, row.count)
        for row in bench.rows("select a.name, count from sign_off join account a on a.id = account_id")
    ] == [("rosa", 2)]
    assert whole(bench) == []


def test_the_newcomers_addresses_sides_and_order_are_drawn_anew(bench):
    before = {row.token for row in bench.rows("select token from slot")}
    replace(bench)
    mine = bench.rows(
        "select token, on_panel, position from slot s join account a on a.id = account_id where name = 'otto'"
    )
    assert {row.token for row in mine}.isdisjoint(before)
    assert sorted(row.position for row in mine) == [1, 2, 3, 4]
    assert {row.on_panel for row in mine} == {"A", "B"}


def test_what_was_typed_and_not_sent_is_gone_for_both(bench):
    bench.draft("rosa", "P-003", note="half a thought")
    replace(bench)
    assert bench.rows("select * from draft") == []


def test_the_study_goes_on_to_its_close_with_two_reviews_of_every_item(bench):
    bench.answer("rosa", "P-001", FINE)
    replace(bench)
    for item in ("P-002", "P-003", "P-005"):
        bench.answer("otto", item, HARM if item == "P-003" else SAME)
    bench.review("ravi", P1=FINE)
    bench.look()
    assert judging_total(bench, "ines") == 0  # not before the newcomer has signed too
    bench.sign("otto")
    bench.look()
    assert judging_total(bench, "ines") == 1
    bench.settle("P-003", HARM)
    bench.sign("ines")
    closing.close(bench.store, bench.world, "lena", bench.study)
    memo = reporting.memo_of(bench.store, bench.world, "lena", bench.study)
    assert (memo.sample.reviewed, memo.sample.pending, memo.sample.agreed, memo.sample.adjudicated) == (4, 0, 3, 1)
    assert [each.text for each in memo.deviations] == [f"A reviewer was replaced, 3 items were handed over: {WHY}"]
    assert memo.agreement.kappa.null_reason == "pool"
    assert whole(bench) == []


def judging_total(bench, name):
    with bench.store.read() as connection:
        return judging.desk(connection, bench.study, bench.judge(name).account_id).total


def test_where_everything_is_answered_the_set_is_signed_and_nobody_is_needed(bench):
    for item in SEEN:
        bench.answer("rosa", item)
    assert replace(bench, newcomer=None) == 0
    assert lists(bench)["rosa"] == list(SEEN)
    assert whole(bench) == []


@pytest.mark.parametrize("newcomer", [None, "", "nobody-here", "rosa", "ravi", "ines", "lena"])
def test_whoever_takes_over_has_an_account_and_no_part_in_the_study(bench, newcomer):
    with pytest.raises(InvalidInput) as refused:
        replace(bench, newcomer=newcomer)
    assert [problem.field for problem in refused.value.problems] == ["newcomer"]
    assert set(lists(bench)) == {"rosa", "ravi"}


def test_somebody_who_is_shut_out_takes_nothing_over(bench):
    disable(bench.store, bench.world, "otto")
    with pytest.raises(InvalidInput):
        replace(bench)


@pytest.mark.parametrize("leaving", ["ines", "lena", "otto", "nobody-here"])
def test_only_a_reviewer_is_replaced(bench, leaving):
    with pytest.raises(NotFound):
        replace(bench, leaving=leaving)


def test_a_signed_set_is_not_handed_over(bench):
    bench.review("rosa")
    with pytest.raises(Refused, match="has signed off"):
        replace(bench)


def test_the_set_of_somebody_who_left_is_not_reopened(bench):
    replace(bench)
    with pytest.raises(Refused, match="has left the study"):
        closing.reopen(bench.store, bench.world, "lena", bench.study, "rosa", "why not")


def test_a_reason_that_repeats_something_private_is_refused(bench):
    with pytest.raises(InvalidInput):
        replace(bench, reason="she could not judge “do not not open it yet”")
    assert "reviewer.replaced" not in bench.events()


def test_the_record_says_who_by_whom_and_how_much(bench):
    bench.answer("rosa", "P-001", FINE)
    replace(bench)
    ((actor, detail),) = bench.rows("select actor, detail from audit_event where event = 'reviewer.replaced'")
    assert actor == "lena"
    assert all(each in detail for each in ('"name":"rosa"', '"newcomer":"otto"', '"items":3'))


def test_a_changed_draw_is_found_after_a_replacement_too(bench):
    replace(bench)
    bench.change("update slot set on_panel = case on_panel when 'A' then 'B' else 'A' end where id = 1")
    assert whole(bench) == ["study pilot: the drawn sides and orders were changed"]


def test_what_was_withdrawn_is_not_handed_over_and_the_record_stays_whole(bench):
    withdraw(bench.store, bench.world, "lena", bench.study, "item", "P-003", "as she wished")
    assert replace(bench) == 3
    withdraw(bench.store, bench.world, "lena", bench.study, "item", "P-005", "as he wished")
    assert whole(bench) == []
    for item in ("P-001", "P-002"):
        bench.answer("otto", item)
        bench.answer("ravi", item)
    bench.sign("otto")
    bench.sign("ravi")
    assert judging_total(bench, "ines") == 0
