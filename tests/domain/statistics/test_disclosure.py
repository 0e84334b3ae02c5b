"""Small cells are left out, and nothing that is printed gives one back (acceptance P4)."""

import random

import pytest
from scipy.optimize import linprog

from app.domain.statistics.disclosure import MIN_CLUSTERS, Cell, hidden, shown

TABLES = 1_000
KEYS = ["block", "fluent", "interjection", "prolongation", "word_repetition"]


def cells(**counts):
    """Cells that many clusters stand behind, so that only the count decides."""
    return {key: Cell(n, n) for key, n in counts.items()}


def drawn(rng):
    """A table of two to nine tags, and the smallest count it may print: many small, some none, some large."""
    keys = [f"tag-{number}" for number in range(rng.randint(2, 9))]
    found = {}
    for key in keys:
        items = rng.choice([0, 0, 1, 2, 3, 4, rng.randint(5, 160)])
        found[key] = Cell(items, rng.randint(1, items) if items else 0)
    return found, keys, rng.choice([1, 2, 3, 5, 5, 5, 10])


@pytest.mark.parametrize(("n", "left_out"), [(0, False), (1, True), (4, True), (5, False), (60, False)])
def test_a_count_is_left_out_where_it_is_small_and_not_zero(n, left_out):
    found = hidden(cells(block=n, fluent=9, interjection=9), ["block", "fluent", "interjection"], 5)
    assert ("block" in found) is left_out


def test_a_count_of_few_clusters_is_left_out_however_large():
    few = {"block": Cell(40, MIN_CLUSTERS - 1), "fluent": Cell(40, MIN_CLUSTERS)}
    assert shown(few, KEYS, 5)["block"] is None
    assert shown({"fluent": few["fluent"]}, KEYS, 5) == {"fluent": 40}


def test_with_a_small_count_every_zero_of_the_table_is_left_out():
    assert shown(cells(block=2, fluent=8), KEYS, 5) == dict.fromkeys(KEYS, None) | {"fluent": 8}


def test_a_small_count_that_would_be_left_out_alone_takes_the_smallest_other_along():
    assert shown(cells(block=2, fluent=8, interjection=7), KEYS[:3], 5) == {
        "block": None,
        "fluent": 8,
        "interjection": None,
    }


def test_a_table_without_a_small_count_is_printed_as_it_is():
    assert shown(cells(block=5, fluent=0), KEYS, 5) == {"block": 5}
    assert shown({}, KEYS, 5) == {}


def test_a_protocol_that_sets_no_smallest_count_leaves_nothing_out():
    assert shown({"block": Cell(1, 1)}, KEYS, 0) == {"block": 1}


def test_nothing_printed_is_small():
    rng = random.Random(1)  # noqa: S311 - a repeatable draw
    for _ in range(TABLES):
        found, keys, smallest = drawn(rng)
        for key, n in shown(found, keys, smallest).items():
            assert n is None or (n == found[key].items and not found[key].small(smallest))


def test_no_count_that_is_left_out_can_be_solved_back_even_by_who_knows_the_tables_total():
    """By linear programming: of two tables with the same print and total, how far one count can lie apart."""
    rng, solved = random.Random(2), 0  # noqa: S311 - a repeatable draw
    for _ in range(TABLES):
        found, keys, smallest = drawn(rng)
        printed = shown(found, keys, smallest)
        out = [key for key in keys if printed.get(key, 0) is None]
        rest = sum(cell.items for cell in found.values()) - sum(n for n in printed.values() if n is not None)
        for key in out:
            one = [float(each == key) for each in out]
            sums = [[1.0] * len(out) + [0.0] * len(out), [0.0] * len(out) + [1.0] * len(out)]
            apart = linprog([*one, *(-each for each in one)], A_eq=sums, b_eq=[rest, rest])
            assert apart.fun <= -1
            solved += 1
    assert solved > TABLES


def test_who_knows_the_rule_too_can_work_out_no_count():
    """For each count left out, another table gives the same print and has another count there."""
    rng = random.Random(3)  # noqa: S311 - a repeatable draw
    for _ in range(TABLES):
        found, keys, smallest = drawn(rng)
        printed = shown(found, keys, smallest)
        for key in (key for key, n in printed.items() if n is None):
            others = [found | {key: Cell(n, min(n, MIN_CLUSTERS - 1))} for n in range(4) if n != found[key].items]
            swapped = [
                other | {each: Cell(1, 1)}
                for other in others
                for each, n in printed.items()
                if n is None and each != key
            ]
            assert any(shown(other, keys, smallest) == printed for other in (*others, *swapped)), (found, key)
