"""Published and independently verified cases: every one."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.domain.statistics import agreement, bootstrap, jackknife, paired, ratings, sap, semscore, stacks, wer
from app.domain.statistics.intervals import clopper_pearson, korn_graubard, zero_event_upper
from app.domain.statistics.rates import rate
from app.domain.statistics.words import Vocabulary
from app.domain.word_errors import rate as word_rate

FIXTURE = Path(__file__).parents[2] / "fixtures" / "reference_cases.json"
CASES: list[dict[str, Any]] = json.loads(FIXTURE.read_text(encoding="utf-8"))
RUN: set[str] = set()


def cases_of(kind: str) -> pytest.MarkDecorator:
    found = [case for case in CASES if case["kind"] == kind]
    RUN.add(kind)
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


def check_ratings(patterns: ratings.Patterns, case: dict[str, Any]) -> None:
    q = len(case["input"]["categories"])
    found, errors = ratings.agreement(patterns, q), ratings.standard_errors(patterns, q)
    assert found.percent_agreement == near(case, "percent_agreement")
    for name in ("fleiss_kappa", "gwet_ac1", "brennan_prediger", "krippendorff_alpha"):
        assert getattr(found, name).value == near(case, name), name
    for name in case["expected"].keys() & {f"se_{each}" for each in errors}:
        assert errors[name.removeprefix("se_")] == near(case, name), name
    assert found.n_items == case["expected"]["n_items"]


@cases_of("agreement_raw")
def test_ratings_of_any_number_of_raters_with_gaps(case) -> None:
    rows = list(zip(*case["input"]["ratings"], strict=True))
    patterns = ratings.counts(rows, case["input"]["categories"])
    check_ratings(patterns, case)
    assert ratings.agreement(patterns, len(case["input"]["categories"])).n_pairable == case["expected"]["n_pairable"]
    if len(case["input"]["ratings"]) == 2:
        complete = [(str(a), str(b)) for a, b in rows if None not in {a, b}]
        table = agreement.contingency(complete, [str(category) for category in case["input"]["categories"]])
        assert agreement.cohen_kappa(table).value == near(case, "cohen_kappa")
        assert agreement.scott_pi(table).value == near(case, "scott_pi_complete_pairs")
        assert agreement.krippendorff_alpha(table).value == near(case, "krippendorff_alpha")


@cases_of("agreement_counts")
def test_ratings_that_are_counted_already(case) -> None:
    check_ratings(Counter(tuple(row) for row in case["input"]["counts"]), case)


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
    if case["input"]["n"]:
        assert paired.wilson(case["input"]["x"], case["input"]["n"]) == near(case, "wilson_95")


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
    x, n = case["expected"]["x"], case["expected"]["n"]
    without = [(x - x_k) / (n - n_k) for x_k, n_k in clusters]
    found = jackknife.jackknife(x / n, without, jackknife.SHARE)
    assert found.standard_error == near(case, "se_jackknife")


@cases_of("zero_events")
def test_upper_bounds_when_nothing_happened(case) -> None:
    n = case["input"]["n"]
    one_sided = zero_event_upper(n) if n else None
    two_sided = clopper_pearson(0, n)[1] if n else None
    assert one_sided == near(case, "exact_upper_one_sided_95")
    assert two_sided == near(case, "exact_upper_two_sided_95")


@cases_of("paired_binary")
def test_paired_answers_off_and_on(case) -> None:
    counts = [case["input"][name] for name in "abcd"]
    assert paired.difference(counts) == near(case, "difference")
    assert paired.mcnemar_exact(counts) == near(case, "mcnemar_exact_p")
    assert paired.mcnemar_mid_p(counts) == near(case, "mcnemar_midp")
    assert paired.newcombe10(counts) == near(case, "newcombe10_95")


@cases_of("cluster_jackknife_agreement")
def test_the_cluster_jackknife_of_every_coefficient(case) -> None:
    stack = np.array(case["input"]["cluster_tables"])
    whole, without = stack.sum(axis=0)[None], stack.sum(axis=0) - stack
    of = {
        "percent_agreement": (lambda tables: tables.trace(axis1=1, axis2=2) / tables.sum(axis=(1, 2)), jackknife.SHARE),
        "cohen_kappa": (stacks.cohen_kappa, jackknife.COEFFICIENT),
        "gwet_ac1": (stacks.gwet_ac1, jackknife.COEFFICIENT),
        "krippendorff_alpha": (stacks.krippendorff_alpha, jackknife.COEFFICIENT),
        "psa": (stacks.specific(1), jackknife.SHARE),
    }
    assert of.keys() == case["expected"].keys()
    for name, (statistic, bounds) in of.items():
        expected, value = case["expected"][name], float(statistic(whole)[0])
        found = jackknife.jackknife(value, statistic(without).tolist(), bounds, case["input"]["confidence"])
        assert value == pytest.approx(expected["estimate"], abs=case["tolerance"])
        assert found.standard_error == pytest.approx(expected["se_jackknife"], abs=case["tolerance"])
        assert found.interval == pytest.approx(expected["ci_95_logit_t"], abs=case["tolerance"])


@cases_of("cluster_bootstrap_exact")
def test_the_bootstrap_comes_near_the_distribution_found_by_counting_all_resamples(case) -> None:
    clusters = np.array([[each["x"], each["n"]] for each in case["input"]["clusters"]])
    values = stacks.ratio(bootstrap.resampled(clusters, 10_000, seed=1))
    known = values[~np.isnan(values)]
    expected = case["expected"]
    assert np.isnan(values).mean() == pytest.approx(expected["p_undefined"], abs=0.01)
    assert known.mean() == pytest.approx(expected["bootstrap_mean"], rel=case["tolerance"])
    assert known.std() == pytest.approx(expected["bootstrap_sd"], rel=case["tolerance"])
    assert len(np.unique(known.round(12))) <= expected["support_size"]
    found = bootstrap.percentile(values)
    if expected["support_size"] == 1:
        assert found.null_reason == "zero_variance"
    elif expected["p_undefined"] > bootstrap.MOST_UNDEFINED:
        assert found.null_reason == "no_variation"
    else:
        support = np.unique(known)
        for limit, exact in zip(found.interval, (expected["q025"], expected["q975"]), strict=True):
            assert abs(np.searchsorted(support, limit) - np.searchsorted(support, exact)) <= 1


@cases_of("wer")
def test_word_errors_of_one_utterance(case) -> None:
    words = Vocabulary(str)
    found = wer.counter()(words.row(case["input"]["ref"]), words.row(case["input"]["hyp"]))
    expected = case["expected"]
    assert (found.words, found.total) == (expected["N"], expected["edits"])
    assert (found.substitutions, found.deletions, found.insertions) == tuple(expected[kind] for kind in "SDI")
    assert found.words - found.substitutions - found.deletions == expected["hits"]
    assert word_rate([(found.total, found.words)], 0.95)["value"] == near(case, "wer")


@cases_of("wer_corpus")
def test_word_errors_of_a_corpus_are_all_edits_over_all_words(case) -> None:
    words, count = Vocabulary(str), wer.counter()
    pairs = zip(case["input"]["refs"], case["input"]["hyps"], strict=True)
    found = [count(words.row(reference), words.row(hypothesis)) for reference, hypothesis in pairs]
    whole = word_rate([(each.total, each.words) for each in found], 0.95)
    assert [whole["numerator"], whole["denominator"]] == [case["expected"]["edits"], case["expected"]["N"]]
    assert whole["value"] == near(case, "wer")


@cases_of("sapc_wer")
def test_the_rule_of_the_nearer_reference(case) -> None:
    words, score = sap.vocabulary(), sap.scorer()
    parts = ("ref1_with_disfluency", "ref2_without", "hyp")
    rows = zip(*([words.row(text) for text in case["input"][part]] for part in parts), strict=True)
    found = [score(*row) for row in rows]
    expected = case["expected"]["sapc2025"]
    if expected is None:
        assert found == [None]
    else:
        edits, length = (sum(column) / 2 for column in zip(*(each[:2] for each in found), strict=True))
        assert (edits, length) == (expected["numerator"], expected["denominator"])
        assert edits / length == pytest.approx(expected["wer"], abs=case["tolerance"])


@cases_of("sapc2025_process_punc")
def test_the_published_punctuation_rule(case) -> None:
    text, left = case["input"]["text"], case["expected"]["text"]
    words = sap.vocabulary()
    assert words.row(text) == words.row(left)
    assert [word for word in map(sap.bare, text.split(" ")) if word] == left.split()


@cases_of("soundex")
def test_soundex(case) -> None:
    assert [semscore.soundex(word) for word in case["input"]["words"]] == case["expected"]["codes"]


@cases_of("jaro_winkler")
def test_jaro_winkler(case) -> None:
    found = [semscore.similarity(*pair) for pair in case["input"]["pairs"]]
    assert found == pytest.approx(case["expected"]["similarity"], abs=case["tolerance"])


@cases_of("semscore_phonetic")
def test_the_phonetic_part_of_semscore(case) -> None:
    reference, hypothesis = case["input"]["ref"], case["input"]["hyp"]
    assert semscore.soundex(reference) == case["expected"]["soundex_ref"]
    assert semscore.soundex(hypothesis) == case["expected"]["soundex_hyp"]
    found = semscore.phonetic(reference, hypothesis)
    assert found == near(case, "jaro_winkler")
    assert semscore.scaled(found) == near(case, "normalised")


@cases_of("semscore_combine")
def test_semscore_of_its_three_parts(case) -> None:
    given = case["input"]
    entailed = given["nli_entail_ref_to_hyp"], given["nli_entail_hyp_to_ref"]
    found = semscore.semscore(entailed, given["bertscore_f1_rescaled"], given["jaro_winkler_soundex"])
    assert found == near(case, "semscore")


def test_every_kind_of_case_is_run() -> None:
    assert {case["kind"] for case in CASES} == RUN
