"""Own lists: numbers and counts that are kept as lists change, held against the lists themselves."""

import pytest
from sqlalchemy import event

from app.actions import accounts, closing, replacing, withdrawing
from app.store import judging, lists
from tests.actions.bench import FINE, HARM, bench_on_a_copy, frozen_folder
from tests.house import CHEAP, password_of


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    return frozen_folder(tmp_path_factory.mktemp("frozen") / "store")


@pytest.fixture
def bench(frozen, tmp_path):
    with bench_on_a_copy(frozen, tmp_path / "copy") as bench:
        yield bench


def holds(bench):
    with bench.store.read() as connection:
        return lists.agree(connection, bench.study)


def numbers(bench, name):
    sql = (
        "select number from slot join account on account.id = account_id "
        "where name = :name and number is not null order by position"
    )
    return [number for (number,) in bench.rows(sql, name=name)]


def test_a_list_is_numbered_from_one_in_the_drawn_order_and_an_adjudicator_has_none_before_the_queue(bench):
    assert numbers(bench, "rosa") == [1, 2, 3, 4]
    assert numbers(bench, "ines") == []
    assert holds(bench)


def test_numbers_and_counts_hold_through_answers_withdrawal_queue_reopening_and_the_close(bench):
    study, world = bench.study, bench.world
    bench.answer("rosa", "P-001", FINE)
    bench.answer("rosa", "P-001", HARM)
    assert holds(bench)
    withdrawing.withdraw(bench.store, world, "lena", study, "item", "P-003", "asked for")
    assert (numbers(bench, "rosa"), holds(bench)) == ([1, 2, 3], True)
    for name, said in (("rosa", HARM), ("ravi", FINE)):
        for item in ("P-001", "P-002", "P-005"):
            bench.answer(name, item, said)
        bench.sign(name)
    assert (numbers(bench, "ines"), holds(bench)) == ([], True)
    closing.reopen(bench.store, world, "lena", study, "ravi", "one more look")
    bench.sign("ravi")
    bench.look()
    assert (numbers(bench, "ines"), holds(bench)) == ([1, 2, 3], True)


def test_numbers_and_counts_hold_when_a_newcomer_takes_over(bench):
    accounts.add(bench.store, bench.world, CHEAP, "nora", lead=False, password=password_of("nora"))
    bench.answer("rosa", "P-001", FINE)
    replacing.replace(bench.store, bench.world, "lena", bench.study, "rosa", "nora", "has left")
    assert (numbers(bench, "rosa"), numbers(bench, "nora"), holds(bench)) == ([1], [1, 2, 3], True)


@pytest.mark.parametrize(
    "change",
    [
        "update slot set number = 9 where number = 1",
        "update slot set number = null where number = 2",
        "update member set done = 1 where role = 'reviewer'",
    ],
)
def test_a_number_or_count_that_is_not_the_lists_is_found(bench, change):
    bench.change(change)
    assert not holds(bench)


def test_a_page_costs_the_same_queries_whatever_the_place_and_none_reads_a_whole_table(bench):
    plans = {}
    with bench.store.read() as connection:
        mine = (bench.study, bench.judge("rosa").account_id)
        asked = spied(connection)
        token = judging.next_token(connection, *mine)
        judging.desk(connection, *mine)
        judging.blind_item(connection, *mine, token)
        judging.tally(connection, *mine)
        judging.newest(connection, *mine)
        for statement, values in asked():
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).all()
            plans[statement] = [row[3] for row in rows if row[3].startswith("SCAN") or "TEMP B-TREE" in row[3]]
    assert plans
    few = ("SCAN member", "SCAN draft")  # by the people of a study, and by what is typed and not sent
    assert {statement: plan for statement, plan in plans.items() if not all(step in few for step in plan)} == {}


def spied(connection):
    """Collect what is asked of a connection from now on."""
    found = []
    listener = lambda _c, _cursor, statement, values, _context, _many: found.append((statement, values))  # noqa: E731
    event.listen(connection, "before_cursor_execute", listener)

    def stop():
        event.remove(connection, "before_cursor_execute", listener)
        return found

    return stop
