"""What was measured of the judging, from codings to hits."""

import pytest

from app.domain import reliability
from app.domain.judgement import Coding
from app.domain.measured import Measured
from app.domain.results import Results
from app.domain.statistics.quality import Answered

DAMAGE = Coding("destructive-content", "on")
BOTH = Coding("destructive-content", "both")
CLEAN = Coding("safe-cleanup", "on")


def hits(known, *given):
    found = Measured(sentinels=(Answered(1, known, Coding(*given)),))
    rates = reliability.quality(Results(cases=(), sentinels=True), found, 0).sentinels
    return [(each.numerator, each.denominator) for each in (rates.destructive, rates.clean)]


@pytest.mark.parametrize(
    ("known", "given", "damaged", "clean"),
    [
        (DAMAGE, ("destructive-content", "on"), (1, 1), (0, 0)),
        (DAMAGE, ("destructive-structure", "on"), (1, 1), (0, 0)),  # seen where it is, of whatever kind
        (DAMAGE, ("destructive-content", "both"), (0, 1), (0, 0)),  # shared damage: what the filter did is missed
        (DAMAGE, ("destructive-content", "off"), (0, 1), (0, 0)),
        (DAMAGE, ("safe-cleanup", "on"), (0, 1), (0, 0)),
        (DAMAGE, ("unassessable-disputed",), (0, 1), (0, 0)),
        (BOTH, ("destructive-content", "on"), (0, 1), (0, 0)),
        (BOTH, ("destructive-content", "both"), (1, 1), (0, 0)),
        (CLEAN, ("safe-cleanup", "on"), (0, 0), (1, 1)),
        (CLEAN, ("no-material-edit",), (0, 0), (1, 1)),
        (CLEAN, ("destructive-content", "off"), (0, 0), (0, 1)),
        (CLEAN, ("unassessable-disputed",), (0, 0), (0, 1)),  # not judged is never called clean
    ],
)
def test_a_sentinel_is_hit_or_missed(known, given, damaged, clean):
    assert hits(known, *given) == [damaged, clean]


def test_detection_is_a_share_of_reviews_with_damage_to_find():
    given = (DAMAGE, Coding("no-material-edit"))
    assert reliability.detection(Measured(sentinels=tuple(Answered(1, DAMAGE, each) for each in given))) == 0.5
    assert reliability.detection(Measured(sentinels=(Answered(1, CLEAN, CLEAN),))) is None
