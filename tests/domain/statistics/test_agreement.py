"""Agreement of two reviewers: what holds for every table, and where there is no value."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.statistics import agreement

COEFFICIENTS = [
    agreement.cohen_kappa,
    agreement.scott_pi,
    agreement.gwet_ac1,
    agreement.brennan_prediger,
    agreement.krippendorff_alpha,
]
each_coefficient = pytest.mark.parametrize("coefficient", COEFFICIENTS)
counts_2x2 = st.tuples(*[st.integers(0, 200)] * 4)


@st.composite
def tables(draw: st.DrawFn) -> list[list[int]]:
    q = draw(st.integers(2, 7))
    row = st.lists(st.integers(0, 40), min_size=q, max_size=q)
    return draw(st.lists(row, min_size=q, max_size=q))


def square(counts: tuple[int, ...]) -> list[list[int]]:
    both, first_only, second_only, neither = counts
    return [[both, first_only], [second_only, neither]]


def transposed(table: list[list[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*table, strict=True)]


def test_contingency_counts_the_first_reviewer_in_rows() -> None:
    assert agreement.contingency([("a", "b"), ("a", "b"), ("b", "b")], "abc") == [[0, 2, 0], [0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("pair", [("a", "x"), ("x", "a")])
def test_contingency_names_a_label_that_was_not_declared(pair: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="'x' is not one of the declared categories"):
        agreement.contingency([pair], ["a", "b"])


def test_contingency_refuses_a_category_declared_twice() -> None:
    with pytest.raises(ValueError, match="must differ"):
        agreement.contingency([], ["a", "a"])


@each_coefficient
@pytest.mark.parametrize("table", [[], [[3]], [[1, 2]], [[1, 2], [3]], [[1, -1], [0, 2]]])
def test_a_table_that_is_none_is_refused(coefficient, table) -> None:
    with pytest.raises(ValueError, match="q x q counts of items"):
        coefficient(table)


@each_coefficient
def test_without_items_everything_is_null(coefficient) -> None:
    assert coefficient([[0, 0], [0, 0]]) == agreement.Coefficient(None, "no_items", 0, None, None)


@pytest.mark.parametrize("coefficient", [agreement.cohen_kappa, agreement.scott_pi, agreement.krippendorff_alpha])
def test_without_variation_kappa_pi_and_alpha_are_null_and_keep_what_was_observed(coefficient) -> None:
    assert coefficient([[9, 0], [0, 0]]) == agreement.Coefficient(None, "no_variation", 9, 1.0, 1.0)


@pytest.mark.parametrize("coefficient", [agreement.gwet_ac1, agreement.brennan_prediger])
def test_without_variation_ac1_and_brennan_prediger_are_one(coefficient) -> None:
    assert coefficient([[9, 0], [0, 0]]).value == 1.0


def test_two_reviewers_who_mark_different_items_agree_on_no_positive() -> None:
    counts = (0, 1, 1, 158)
    assert agreement.positive(counts) == (0, 2)
    assert agreement.gwet_ac1(square(counts)).value == pytest.approx(0.987, abs=5e-4)
    assert agreement.cohen_kappa(square(counts)).value == pytest.approx(-0.006, abs=5e-4)


def test_a_label_that_nobody_used_has_no_specific_agreement() -> None:
    assert agreement.specific_agreement([[2, 1, 0], [0, 3, 0], [0, 0, 0]], 2) == (0, 0)


@pytest.mark.parametrize("k", [-1, 2])
def test_specific_agreement_refuses_a_label_outside_the_table(k: int) -> None:
    with pytest.raises(ValueError, match=f"label {k} is not in a table of 2 categories"):
        agreement.specific_agreement([[1, 0], [0, 1]], k)


@each_coefficient
@given(data=st.data(), table=tables())
def test_the_order_of_the_labels_does_not_matter(coefficient, data, table) -> None:
    order = data.draw(st.permutations(range(len(table))))
    assert coefficient([[table[i][j] for j in order] for i in order]) == coefficient(table)


@each_coefficient
@given(table=tables())
def test_the_order_of_the_reviewers_does_not_matter(coefficient, table) -> None:
    assert coefficient(transposed(table)) == coefficient(table)


@each_coefficient
@given(table=tables())
def test_a_coefficient_lies_between_minus_one_and_one_and_is_null_only_with_a_reason(coefficient, table) -> None:
    found = coefficient(table)
    assert (found.value is None) == (found.null_reason is not None)
    assert found.value is None or -1 <= found.value <= 1
    assert (found.value == 1) <= (found.observed == 1)


@each_coefficient
@given(table=tables())
def test_a_value_is_what_its_observed_and_expected_say(coefficient, table) -> None:
    found = coefficient(table)
    if found.value is not None:
        assert found.value * (1 - found.expected) == pytest.approx(found.observed - found.expected, abs=1e-12)


@given(table=tables())
def test_specific_agreements_add_up_to_the_observed_one(table) -> None:
    parts = [agreement.specific_agreement(table, k) for k in range(len(table))]
    agreed, n = agreement.observed(table)
    assert (sum(top for top, _ in parts), sum(bottom for _, bottom in parts)) == (2 * agreed, 2 * n)


@given(counts=counts_2x2)
def test_positive_and_negative_are_the_specific_agreements_of_yes_and_no(counts) -> None:
    table = square(counts)
    assert agreement.positive(counts) == agreement.specific_agreement(table, 0)
    assert agreement.negative(counts) == agreement.specific_agreement(table, 1)


@given(counts=counts_2x2.filter(any))
def test_two_by_two_coefficients_follow_from_pabak_prevalence_and_bias(counts) -> None:
    """Byrt, Bishop and Carlin (1993) for kappa; the others are the same algebra."""
    n = sum(counts)
    prevalence, bias = Fraction(counts[0] - counts[3], n) ** 2, Fraction(counts[1] - counts[2], n) ** 2
    pabak = Fraction(2 * (counts[0] + counts[3]), n) - 1
    assert agreement.prevalence_index(counts) ** 2 == pytest.approx(prevalence)
    assert agreement.bias_index(counts) ** 2 == pytest.approx(bias)
    assert agreement.brennan_prediger(square(counts)).value == pytest.approx(pabak)
    assert agreement.gwet_ac1(square(counts)).value == pytest.approx((pabak + prevalence) / (1 + prevalence))
    if prevalence < 1:
        pi = (pabak - prevalence) / (1 - prevalence)
        kappa = (pabak - prevalence + bias) / (1 - prevalence + bias)
        assert agreement.scott_pi(square(counts)).value == pytest.approx(pi)
        assert agreement.cohen_kappa(square(counts)).value == pytest.approx(kappa)
        assert agreement.krippendorff_alpha(square(counts)).value == pytest.approx(1 - (1 - pi) * (2 * n - 1) / (2 * n))


@pytest.mark.parametrize("coefficient", [each for each in COEFFICIENTS if each is not agreement.krippendorff_alpha])
@given(table=tables())
def test_a_study_twice_over_gives_the_same(coefficient, table) -> None:
    """Alpha alone moves: it corrects for a small sample."""
    one, two = coefficient(table), coefficient([[2 * cell for cell in row] for row in table])
    assert (two.null_reason, two.n) == (one.null_reason, 2 * one.n)
    assert two.value == (one.value if one.value is None else pytest.approx(one.value))


@given(table=tables())
def test_alpha_of_a_study_many_times_over_comes_near_to_scotts_pi(table) -> None:
    pi = agreement.scott_pi(table).value
    many = agreement.krippendorff_alpha([[10**6 * cell for cell in row] for row in table]).value
    assert many == (pi if pi is None else pytest.approx(pi, abs=1e-5))
