"""Fifty requests are under way, and another program holds the store, or the server is told to stop."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from app.store.db import DATABASE, driver
from tests.faults.judges import HIDDEN, study_of
from tests.server import PLAIN

pytestmark = pytest.mark.faults


STORED = "select key from judgement where key like 'stopping-%'"
PLACES = "select token from slot join account on account.id = slot.account_id where account.name = 'rosa'"


@contextmanager
def held(folder):
    """Be another program that holds the database, so that every write waits."""
    other = driver.connect(str(folder / DATABASE), isolation_level=None)
    other.execute("begin immediate")
    try:
        yield other
    finally:
        other.close()


def places_of(evenhand):
    connection = driver.connect(str(evenhand.folder / DATABASE))
    places = [f"/review/{token}" for (token,) in connection.execute(PLACES)]
    connection.close()
    return places


def send_all(evenhand, rosa, pool, many):
    """Send so many forms at once, each over a connection of its own; each gives its key and the answer's status."""
    places = places_of(evenhand)
    csrf = HIDDEN["csrf"].search(rosa.get(places[0]).text)[1]
    cookies = dict(rosa.client.cookies)

    def send(number):
        key = f"stopping-{number}"
        fields = {"csrf": csrf, "version": "0", "key": key, "label": "no-material-edit"}
        with httpx.Client(base_url=evenhand.origin, timeout=30, verify=PLAIN, cookies=cookies) as client:
            return key, client.post(places[number % len(places)], data=fields, headers=rosa.headers).status_code

    return [pool.submit(send, number) for number in range(many)]


def test_fifty_requests_under_way_get_their_true_answer_and_the_server_ends(evenhand, rows):
    study_of(evenhand.folder, 120)  # half of them hers, or nearly
    evenhand.serve()
    rosa = evenhand.visit("rosa")
    with held(evenhand.folder) as other, ThreadPoolExecutor(50) as pool:
        under_way = send_all(evenhand, rosa, pool, 50)
        time.sleep(1.5)
        evenhand.process.terminate()
        told = time.monotonic()
        time.sleep(1)
        other.execute("rollback")
        evenhand.process.wait(20)
        took = time.monotonic() - told
        answers = dict(each.result() for each in under_way)
    assert set(answers.values()) == {303}
    assert {key for (key,) in rows(evenhand.folder, STORED)} == set(answers)
    assert took < 10, took
    assert evenhand.do("verify")["ok"]


def test_where_another_program_never_lets_go_all_are_told_so_and_the_server_ends(evenhand, rows):
    study_of(evenhand.folder, 80)
    evenhand.serve()
    rosa = evenhand.visit("rosa")
    with held(evenhand.folder), ThreadPoolExecutor(30) as pool:
        under_way = send_all(evenhand, rosa, pool, 30)
        time.sleep(1.5)
        evenhand.process.terminate()
        told = time.monotonic()
        evenhand.process.wait(30)
        took = time.monotonic() - told
        answers = dict(each.result() for each in under_way)
    assert Counter(answers.values())[503] > 25
    # On a busy machine the patience for the last of them ends first: uvicorn says 500 then, and nothing is stored.
    assert set(answers.values()) <= {503, 500}
    assert rows(evenhand.folder, STORED) == []
    assert took < 10, took


def test_pages_come_while_another_program_holds_fifty_answers_up(evenhand, rows):
    study_of(evenhand.folder, 120)
    evenhand.serve()
    rosa = evenhand.visit("rosa")
    rosa.get(places_of(evenhand)[0])  # that it is opened is noted before
    with held(evenhand.folder) as other, ThreadPoolExecutor(50) as pool:
        under_way = send_all(evenhand, rosa, pool, 50)
        time.sleep(1.5)
        assert rosa.get("/review").status_code == 200
        assert not any(each.done() for each in under_way)  # so nobody had given up yet
        other.execute("rollback")
        answers = dict(each.result() for each in under_way)
    assert set(answers.values()) == {303}
    assert {key for (key,) in rows(evenhand.folder, STORED)} == set(answers)
