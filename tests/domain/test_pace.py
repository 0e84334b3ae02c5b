"""Time at work, pace and breaks, on moments counted by hand."""

from datetime import UTC, datetime

import pytest

from app.domain import pace
from app.domain.pace import Pace
from app.domain.statistics import quality

MINUTE = 60


def test_a_gap_of_five_minutes_is_work_and_a_longer_one_is_a_pause():
    assert pace.at_work([0, 300]) == 300
    assert pace.at_work([0, 301]) == 0
    assert pace.at_work([0, 300, 601, 661]) == 300 + 60


def test_the_order_of_the_moments_does_not_matter_and_one_alone_is_no_time():
    assert pace.at_work([90, 0, 60]) == 90
    assert (pace.at_work([7]), pace.at_work([])) == (0, 0)


def test_the_memo_counts_time_at_work_by_the_same_rule():
    moments = [0, 60, 360, 661, 700]
    assert quality.PAUSE == pace.PAUSE
    assert quality.active_minutes([moments]).median == pace.at_work(moments) / MINUTE == 399 / MINUTE


def worked(moments):
    """Return the work of moments as they came."""
    work = None
    for moment in moments:
        work = pace.carried_on(work, moment)
    return work


@pytest.mark.parametrize("moments", [[7], [0, 300], [0, 301], [0, 60, 60, 300, 601, 661, 5000, 5001]])
def test_work_kept_as_it_happens_is_the_time_at_work_of_all_its_moments(moments):
    assert worked(moments).spent == pace.at_work(moments)


def test_pace_is_time_at_work_by_answers_and_the_time_left_follows_from_it():
    work = worked([0, 30, 60, 90, 120, 5000, 5030])  # 150 seconds at work
    assert pace.pace(work, done=6, total=160) == Pace(each=25, left=154 * 25)
    assert pace.pace(work, done=6, total=6) == Pace(each=25, left=0)


def test_too_few_answers_or_no_time_at_work_give_no_pace():
    assert pace.pace(None, done=9, total=10) is None
    assert pace.pace(worked([0, 30, 60, 90]), done=4, total=10) is None
    assert pace.pace(worked([0, 1000, 2000, 3000, 4000]), done=5, total=10) is None


@pytest.mark.parametrize(
    ("moments", "now", "due"),
    [
        (range(0, 50 * MINUTE, 60), 50 * MINUTE, 50),
        (range(0, 50 * MINUTE, 60), 50 * MINUTE - 1, None),
        (range(0, 73 * MINUTE, 300), 73 * MINUTE, 73),
        ([0, *range(10 * MINUTE, 60 * MINUTE, 60)], 60 * MINUTE, 50),
        ([*range(0, 30 * MINUTE, 60), *range(35 * MINUTE, 60 * MINUTE, 60)], 60 * MINUTE, None),
        (range(0, 60 * MINUTE, 60), 65 * MINUTE, None),
        ([], 0, None),
    ],
    ids=["at fifty", "before", "with five minutes between", "since the pause", "too short since", "in a pause", "none"],
)
def test_a_break_is_suggested_after_fifty_minutes_without_a_pause(moments, now, due):
    assert pace.break_due(worked(moments), now) == due


def test_a_clock_that_was_set_back_suggests_no_break_and_takes_no_time_away():
    work = worked(range(10_000, 20_000, 60))
    assert pace.break_due(work, 5_000) is None
    assert pace.carried_on(work, 5_000) == pace.Work(work.spent, 5_000, 5_000)


def test_work_stopped_on_an_earlier_day_unless_somebody_works_past_midnight():
    evening, midnight = datetime(2026, 1, 5, 23, 58, tzinfo=UTC), datetime(2026, 1, 6, 0, 1, tzinfo=UTC)
    assert not pace.stopped_earlier(evening, midnight)
    assert pace.stopped_earlier(evening, datetime(2026, 1, 6, 8, 0, tzinfo=UTC))
    assert not pace.stopped_earlier(datetime(2026, 1, 5, 8, 0, tzinfo=UTC), evening)
    assert not pace.stopped_earlier(midnight, evening)


@pytest.mark.parametrize(
    ("seconds", "minutes"), [(0, 1), (89, 1), (90, 2), (599, 10), (720, 10), (760, 15), (3599, 60), (4100, 75)]
)
def test_time_left_is_told_the_rounder_the_longer_it_is(seconds, minutes):
    assert pace.minutes_told(seconds) == minutes
