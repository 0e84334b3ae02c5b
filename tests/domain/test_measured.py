"""What was measured of the judging, from codings to hits."""

import pytest

from app.domain.expected import Expected
from app.domain.judgement import Coding
from app.domain.measured import Measured

DAMAGE = Expected("destructive-content", "on", ("negation",))
BOTH = Expected("destructive-content", "both", ("negation",))
CLEAN = Expected("safe-cleanup", "on")


def hits(known, *given):
    found = Measured(sentinels=((known, Coding(*given)),))
    return found.damaged, found.clean


@pytest.mark.parametrize(
    ("known", "given", "damaged", "clean"),
    [
        (DAMAGE, ("destructive-content", "on"), [True], []),
        (DAMAGE, ("destructive-structure", "on"), [True], []),  # seen where it is, of whatever kind
        (DAMAGE, ("destructive-content", "both"), [True], []),
        (DAMAGE, ("destructive-content", "off"), [False], []),
        (DAMAGE, ("destructive-content", "off", "destructive-structure"), [True], []),
        (DAMAGE, ("safe-cleanup", "on"), [False], []),
        (DAMAGE, ("unassessable-disputed",), [False], []),
        (BOTH, ("destructive-content", "on"), [False], []),
        (BOTH, ("destructive-content", "both"), [True], []),
        (CLEAN, ("safe-cleanup", "on"), [], [True]),
        (CLEAN, ("no-material-edit",), [], [True]),
        (CLEAN, ("destructive-content", "off"), [], [False]),
        (CLEAN, ("unassessable-disputed",), [], [False]),  # not judged is never called clean
    ],
)
def test_a_sentinel_is_hit_or_missed(known, given, damaged, clean):
    assert hits(known, *given) == (damaged, clean)


def test_detection_is_a_share_of_reviews_with_damage_to_find():
    found = Measured(sentinels=((DAMAGE, Coding("destructive-content", "on")), (DAMAGE, Coding("no-material-edit"))))
    assert found.detection == 0.5
    assert Measured(sentinels=((CLEAN, Coding("safe-cleanup", "on")),)).detection is None
