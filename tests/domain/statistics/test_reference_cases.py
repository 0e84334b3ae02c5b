"""Published and independently verified cases, as far as they fit two complete reviewers and rates."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.domain.statistics import agreement
from app.domain.statistics.intervals import clopper_pearson, korn_graubard, zero_event_upper
from app.domain.statistics.rates import rate

FIXTURE = Path(__file__).parents[2] / "fixtures" / "reference_cases.json"
CASES: list[dict[str, Any]] = json.loads(FIXTURE.read_text(encoding="utf-8"))


def is_of_two_complete_reviewers(case: dict[str, Any]) -> bool:
    ratings = case["input"]["ratings"]
    return len(ratings) == 2 and all(None not in pair or set(pair) == {None} for pair in zip(*ratings, strict=True))


def cases_of(kind: str) -> pytest.MarkDecorator:
    found = [case for case in CASES if case["kind"] == kind]
    if kind == "agreement_raw":
        found = [case for case in found if is_of_two_complete_reviewers(case)]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def near(case: dict[str, Any], name: str) -> object:
    value = case["expected"][name]
    return value if value is None else pytest.approx(value, abs=case["tolerance"])


def check_coefficients(table: list[list[int]], case: dict[str, Any]) -> None:
    agreed, n = agreement.observed(table)
    assert rate(agreed, n).value == near(case, "percent_agreement")
    for name in case["expected"].keys() & {"cohen_kappa", "scott_pi", "gwet_ac1", "brennan_prediger"}:
        assert getattr(agreement, name)(table).value == near(case, name), name
    assert agreement.krippendorff_alpha(table).value == near(case, "krippendorff_alpha")


@cases_of("agreement_raw")
def test_coefficients_of_ratings(case) -> None:
    first, second = case["input"]["ratings"]
    pairs = [(str(a), str(b)) for a, b in zip(first, second, strict=True) if a is not None]
    table = agreement.contingency(pairs, [str(category) for category in case["input"]["categories"]])
    assert agreement.observed(table)[1] == case["expected"]["n_pairable"]
    check_coefficients(table, case)
    assert agreement.scott_pi(table).value == near(case, "scott_pi_complete_pairs")
    assert agreement.scott_pi(table).value == near(case, "fleiss_kappa")


@cases_of("agreement_table")
def test_coefficients_and_specific_agreement_of_a_table(case) -> None:
    table = case["input"]["table"]
    check_coefficients(table, case)
    assert agreement.observed(table)[1] == case["expected"]["n"]
    for k, category in enumerate(case["input"]["categories"]):
        share = rate(*agreement.specific_agreement(table, k)).value
        assert share == pytest.approx(case["expected"]["specific_agreement"][category], abs=case["tolerance"])


@cases_of("binary_table")
def test_two_by_two_counts(case) -> None:
    counts = a, b, c, d = [case["input"][name] for name in "abcd"]
    table = [[a, b], [c, d]]
    assert rate(*agreement.observed(table)).value == near(case, "po")
    assert rate(*agreement.positive(counts)).value == near(case, "psa")
    assert rate(*agreement.negative(counts)).value == near(case, "nsa")
    assert agreement.prevalence_index(counts) == near(case, "prevalence_index")
    assert agreement.bias_index(counts) == near(case, "bias_index")
    assert agreement.cohen_kappa(table).value == near(case, "kappa")
    assert agreement.brennan_prediger(table).value == near(case, "pabak")


@cases_of("proportion_ci")
def test_exact_interval_of_a_rate(case) -> None:
    found = rate(case["input"]["x"], case["input"]["n"], confidence=case["input"]["confidence"])
    assert found.value == near(case, "p")
    assert found.intervals.get("clopper_pearson") == near(case, "clopper_pearson_95")


@cases_of("cluster_rate")
def test_interval_of_a_clustered_rate(case) -> None:
    """The cases list the design effect before it is raised to 1 (null: undefined)."""
    clusters = [(cluster["x"], cluster["n"]) for cluster in case["input"]["clusters"]]
    found = rate(case["expected"]["x"], case["expected"]["n"], clusters, case["input"]["confidence"])
    assert found.value == near(case, "p")
    assert found.intervals == {"clopper_pearson": near(case, "naive_cp_95"), "korn_graubard": near(case, "kg_ci_95")}
    assert found.n_eff == near(case, "n_eff_kg")
    assert found.deff == pytest.approx(max(1, case["expected"]["deff"] or 1), abs=case["tolerance"])
    assert korn_graubard(clusters).null_reason is None


@cases_of("zero_events")
def test_upper_bounds_when_nothing_happened(case) -> None:
    n = case["input"]["n"]
    one_sided = zero_event_upper(n) if n else None
    two_sided = clopper_pearson(0, n)[1] if n else None
    assert one_sided == near(case, "exact_upper_one_sided_95")
    assert two_sided == near(case, "exact_upper_two_sided_95")
