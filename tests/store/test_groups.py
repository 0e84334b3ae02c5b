"""How many items each cluster has in each stratum, and how many of them people see."""

from app.actions import withdrawing
from app.store import studies
from tests.house import PROTOCOL, draft_study, frozen_study, item_rows

LOOSE = PROTOCOL + '[review]\ncomparator = "whitespace-case"\n'
PAIRS = [
    ("word_repetition", "ep-one", "I I want it", "I want it"),
    ("word_repetition", "ep-one", "Call Mark now", "call mark now"),
    ("word_repetition", "ep-two", "the same", "the same"),
    ("fluent", "ep-two", "as it was", "as it was"),
]


def found(store, *, auto=True):
    with store.read() as connection:
        rows = studies.groups(connection, "pilot", auto=auto)
        return {(each.stratum, each.cluster): (each.items, each.judged) for each in rows}


def test_of_a_draft_equal_bytes_need_nobody_unless_people_see_all(store, world, people):
    draft_study(store, world, protocol=LOOSE, rows=item_rows(PAIRS))
    there = {("word_repetition", "ep-one"): 2, ("word_repetition", "ep-two"): 1, ("fluent", "ep-two"): 1}
    assert {key: items for key, (items, _) in found(store).items()} == there
    assert sum(judged for _, judged in found(store).values()) == 2
    assert sum(judged for _, judged in found(store, auto=False).values()) == 4


def test_of_a_frozen_study_the_comparator_has_decided(store, world, people):
    frozen_study(store, world, protocol=LOOSE, rows=item_rows(PAIRS))
    assert sum(judged for _, judged in found(store).values()) == 1


def test_what_was_withdrawn_is_left_out(store, world, people):
    frozen_study(store, world, rows=item_rows(PAIRS))
    withdrawing.withdraw(store, world, "local", "pilot", "cluster", "ep-two", "a participant asked")
    assert set(found(store)) == {("word_repetition", "ep-one")}
