"""Any number of raters with gaps: what must not matter, and two complete raters as a special case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.statistics import agreement, ratings

LABELS = "abc"
some = st.sampled_from([*LABELS, None])
studies = st.integers(2, 5).flatmap(
    lambda raters: st.lists(st.lists(some, min_size=raters, max_size=raters), min_size=1, max_size=15)
)


def of(items, labels=LABELS):
    return ratings.agreement(ratings.counts(items, labels), len(labels))


@given(data=st.data(), items=studies)
def test_neither_the_order_of_raters_nor_that_of_items_matters(data, items):
    raters = data.draw(st.permutations(range(len(items[0]))))
    moved = [[row[rater] for rater in raters] for row in data.draw(st.permutations(items))]
    assert of(moved) == of(items)


@given(data=st.data(), items=studies)
def test_nor_do_the_names_of_the_labels(data, items):
    other = dict(zip(LABELS, data.draw(st.permutations("xyz")), strict=True)) | {None: None}
    assert of([[other[label] for label in row] for row in items], "xyz") == of(items)


@given(items=st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1))
def test_two_raters_without_gaps_are_the_two_reviewers_of_a_table(items):
    table, found = agreement.contingency(items, list(LABELS)), of(items)
    assert found.fleiss_kappa.value == pytest.approx(agreement.scott_pi(table).value)
    for name in ("gwet_ac1", "brennan_prediger", "krippendorff_alpha"):
        one, two = getattr(found, name), getattr(agreement, name)(table)
        assert (one.null_reason, one.n) == (two.null_reason, two.n)
        assert one.value == (two.value if two.value is None else pytest.approx(two.value))


@given(items=studies)
def test_values_lie_between_minus_one_and_one_or_have_a_reason(items):
    found = of(items)
    for name in ("fleiss_kappa", "gwet_ac1", "brennan_prediger", "krippendorff_alpha"):
        each = getattr(found, name)
        assert (each.value is None) == (each.null_reason is not None)
        assert each.value is None or -1 <= each.value <= 1


def test_a_rating_of_nobody_else_counts_for_the_shares_of_gwet_and_fleiss_but_not_for_alpha():
    pairs = [("a", "a"), ("b", "b"), ("a", "b")]
    assert of([*pairs, ("c", None)]).krippendorff_alpha == of(pairs).krippendorff_alpha
    assert of([*pairs, ("c", None)]).gwet_ac1.expected != of(pairs).gwet_ac1.expected


def test_a_label_that_was_not_declared_is_named():
    with pytest.raises(ValueError, match="'x' is not one of the declared"):
        ratings.counts([("x", "a")], LABELS)
