"""Other programs on the same data, where they are right. `make oracles` installs them beside all else, and runs this.

Elsewhere those that are not installed are skipped, and say so: statsmodels, scikit-learn and irrCAC are large.
"""

import importlib
import os
import random

import pytest

from app.domain.statistics import agreement, ratings
from app.domain.statistics.intervals import clopper_pearson
from app.domain.statistics.paired import mcnemar_exact, wilson

LABELS = list("abcde")


def oracle(module):
    """Import another program's module, or skip; where it must be there its absence is an error."""
    if os.environ.get("EVENHAND_REQUIRE_ORACLES") == "1":
        return importlib.import_module(module)
    package = module.partition(".")[0]
    return pytest.importorskip(module, reason=f"{package} is not among the packages for tests: `make oracles` has it")


def a_study(seed, raters, gaps):
    draw = random.Random(seed)  # noqa: S311 - made-up answers
    items = []
    for _ in range(draw.randint(5, 60)):
        true = draw.choice(LABELS)
        said = [true if draw.random() < 0.7 else draw.choice(LABELS) for _ in range(raters)]
        items.append([None if draw.random() < gaps else label for label in said])
    return items


@pytest.mark.parametrize("seed", range(20))
def test_alpha_is_that_of_krippendorff(seed):
    krippendorff = oracle("krippendorff")
    items = a_study(seed, raters=2 + seed % 4, gaps=0.2)
    by_rater = [
        [LABELS.index(label) if label else float("nan") for label in column] for column in zip(*items, strict=True)
    ]
    theirs = krippendorff.alpha(by_rater, level_of_measurement="nominal", value_domain=range(5))
    found = ratings.agreement(ratings.counts(items, LABELS), 5).krippendorff_alpha
    assert found.value == pytest.approx(theirs)


@pytest.mark.parametrize("seed", range(20))
def test_kappa_and_specific_agreement_are_those_of_scikit_learn(seed):
    metrics = oracle("sklearn.metrics")
    first, second = zip(*a_study(seed, raters=2, gaps=0), strict=True)
    table = agreement.contingency(zip(first, second, strict=True), LABELS)
    assert agreement.cohen_kappa(table).value == pytest.approx(metrics.cohen_kappa_score(first, second))
    theirs = metrics.f1_score(first, second, labels=LABELS, average=None, zero_division=float("nan"))
    for k, share in enumerate(theirs):
        top, bottom = agreement.specific_agreement(table, k)
        assert bottom == 0 or top / bottom == pytest.approx(share)


@pytest.mark.parametrize("seed", range(20))
def test_fleiss_kappa_and_intervals_are_those_of_statsmodels(seed):
    inter_rater = oracle("statsmodels.stats.inter_rater")
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.proportion import proportion_confint

    items = a_study(seed, raters=4, gaps=0)
    counted = [[row.count(label) for label in LABELS] for row in items]
    found = ratings.agreement(ratings.counts(items, LABELS), 5).fleiss_kappa
    assert found.value == pytest.approx(inter_rater.fleiss_kappa(counted))
    x, n = seed, 20 + 7 * seed
    assert clopper_pearson(x, n) == pytest.approx(proportion_confint(x, n, method="beta"), nan_ok=True)
    assert wilson(x, n) == pytest.approx(proportion_confint(x, n, method="wilson"), abs=1e-12)
    assert mcnemar_exact([3, seed, 9, 40]) == pytest.approx(mcnemar([[3, seed], [9, 40]], exact=True).pvalue)


@pytest.mark.parametrize("seed", range(10))
def test_ac1_with_gaps_and_its_standard_error_are_those_of_irrcac(seed):
    raw = oracle("irrCAC.raw")
    import pandas as pd

    items = a_study(seed, raters=3, gaps=0.15)
    frame = pd.DataFrame(items).map(lambda label: label or float("nan"))
    theirs = raw.CAC(frame, weights="identity", categories=LABELS, digits=9).gwet()["est"]
    patterns = ratings.counts(items, LABELS)
    assert ratings.agreement(patterns, 5).gwet_ac1.value == pytest.approx(theirs["coefficient_value"], abs=1e-8)
    assert ratings.standard_errors(patterns, 5)["gwet_ac1"] == pytest.approx(theirs["se"], abs=1e-4)
