import pytest
from sqlalchemy import text

from app.domain.manifest import GENESIS, link
from app.store import audit


@pytest.fixture
def chain(store, world):
    """Return the store with a chain of five events."""
    with store.write() as connection:
        for number in range(1, 6):
            audit.record(connection, world, "lena", "counted", None, number=number)
    return store


def broken_after(store, *statements):
    with store.write() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    with store.read() as connection:
        return audit.broken_links(connection)


def test_an_untouched_chain_holds(chain):
    assert broken_after(chain) == []


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("at", "2020-01-01T00:00:00+00:00"),
        ("actor", "ravi"),
        ("study_id", "pilot"),
        ("event", "discounted"),
        ("detail", '{"number":7}'),
        ("previous", "0" * 64),
        ("hash", "f" * 64),
    ],
)
def test_an_edited_event_is_named_whichever_column_was_edited(chain, column, value):
    assert 3 in broken_after(chain, f"update audit_event set {column} = '{value}' where seq = 3")  # noqa: S608


@pytest.mark.parametrize(("removed", "named"), [(1, 2), (3, 4), (4, 5)])
def test_a_removed_event_is_named_by_its_successor(chain, removed, named):
    assert broken_after(chain, f"delete from audit_event where seq = {removed}") == [named]  # noqa: S608


def test_a_removed_event_is_named_even_where_the_numbers_were_closed_up(chain):
    closed_up = "update audit_event set seq = seq - 1 where seq > 3"
    assert broken_after(chain, "delete from audit_event where seq = 3", closed_up) == [3]


def test_two_events_in_each_others_place_are_named(chain):
    swap = [f"update audit_event set seq = {new} where seq = {old}" for old, new in ((2, 9), (3, 2), (9, 3))]  # noqa: S608
    assert {2, 3} <= set(broken_after(chain, *swap))


def test_an_event_forged_with_a_hash_of_its_own_breaks_at_its_successor(chain):
    with chain.read() as connection:
        row = connection.execute(text("select * from audit_event where seq = 3")).one()
    forged = {"at": row.at, "actor": "ravi", "study_id": None, "event": "counted", "detail": {"number": 3}}
    hashed = link(row.previous, forged)
    edit = f"update audit_event set actor = 'ravi', hash = '{hashed}' where seq = 3"  # noqa: S608
    assert broken_after(chain, edit) == [4]


def test_the_head_is_the_newest_hash_and_a_chain_without_events_has_the_first_one(store, world):
    with store.write() as connection:
        assert audit.head(connection) == GENESIS
        hashed = audit.record(connection, world, "lena", "counted")
        assert audit.head(connection) == hashed
        assert audit.holds(connection, hashed)
        assert not audit.holds(connection, GENESIS)


def test_an_event_keeps_who_what_when_and_which_study(store, world):
    with store.write() as connection:
        audit.record(connection, world, "lena", "counted", "pilot", b=2, a="x")
        row = connection.execute(text("select * from audit_event")).one()
    assert (row.seq, row.at, row.actor, row.study_id, row.event) == (
        1, "2026-01-05T09:00:00+00:00", "lena", "pilot", "counted",
    )  # fmt: skip
    assert (row.detail, row.previous) == ('{"a":"x","b":2}', GENESIS)


def test_an_event_of_a_rolled_back_action_is_gone_with_it(chain, world):
    with pytest.raises(ZeroDivisionError), chain.write() as connection:
        raise ZeroDivisionError(audit.record(connection, world, "lena", "counted", number=6))
    with chain.read() as connection:
        assert [event.detail["number"] for event in audit.events(connection, "counted")] == [1, 2, 3, 4, 5]
