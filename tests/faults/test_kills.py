"""The server is killed again and again while people work: what they were told is stored is stored, once."""

import time
from collections import Counter
from threading import Event

import pytest

from tests.faults.judges import acknowledged, study_of, together

pytestmark = pytest.mark.faults
STORED = "select key, label, slot_id, version from judgement"
RECORDED = "select count(*) from audit_event where event = 'review.stored'"
GAPS = "select id from slot where version != (select count(*) from judgement where slot_id = slot.id)"


def work_until_killed(evenhand, judges, chance, seconds):
    """Start the server, let all work, kill it at a moment of chance; one in eight while it still starts."""
    if chance.random() < 1 / 8:
        evenhand.start()
        time.sleep(chance.uniform(0, 1))
        return evenhand.kill()
    evenhand.serve()
    before, started = len(acknowledged(judges)), time.monotonic()
    threads = together(judges, evenhand.origin, Event())
    while len(acknowledged(judges)) == before and time.monotonic() < started + 20:
        time.sleep(0.01)
    time.sleep(chance.uniform(0, seconds))
    evenhand.kill()
    for thread in threads:
        thread.join(60)
    assert [fault for judge in judges for fault in judge.faults] == []
    return None


def test_what_was_acknowledged_is_stored_once_however_often_the_server_is_killed(
    evenhand, judges, rows, long, chance, capsys
):
    study_of(evenhand.folder, 400 if long else 60)
    kills, wanted = (200, 10_000) if long else (6, 0)
    turn = 0
    while turn < kills or len(acknowledged(judges)) < wanted:
        work_until_killed(evenhand, judges, chance, 2 if long else 1)
        turn += 1
        stored = Counter(row[0] for row in rows(evenhand.folder, STORED))
        assert [sent.key for sent in acknowledged(judges) if stored[sent.key] != 1] == []
    evenhand.serve()  # what was open at the last kill is sent again
    for thread in together(judges, evenhand.origin, Event(), 1):
        thread.join(60)
    evenhand.stop()

    stored = rows(evenhand.folder, STORED)
    told = {(sent.key, sent.label) for sent in acknowledged(judges)}
    versions = {row[2:] for row in stored}
    lost, doubled = len(told - {row[:2] for row in stored}), len(stored) - len(versions)
    with capsys.disabled():
        print(f"\nkill -9: {turn} kills, {len(told)} acknowledged, {lost} lost, {doubled} doubled")
    assert (lost, doubled) == (0, 0)
    assert len(stored) == len(told)  # nothing is there that was not sent, and answered in the end
    assert rows(evenhand.folder, RECORDED) == [(len(told),)]
    assert rows(evenhand.folder, GAPS) == []
    assert evenhand.do("verify")["ok"]
