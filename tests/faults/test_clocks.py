"""The computer's clock is set back a day, or on a year, in the middle of the work: order does not follow the clock."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from starlette.testclient import TestClient

from app.config import Settings
from app.store import audit, verify
from app.web.app import create_app
from tests.house import CHEAP, ORIGIN, PORT, Person

pytestmark = pytest.mark.faults
JUMPS = {"back a day": timedelta(days=-1), "on a year": timedelta(days=365)}


@pytest.fixture(params=JUMPS.values(), ids=JUMPS)
def jump(request):
    return request.param


@pytest.fixture
def moved(study, store, world):
    """Return a clock that a test moves, and somebody at a browser of a server that follows it."""
    clock = [timedelta()]
    outside = replace(world, now=lambda: world.now() + clock[0])
    app = create_app(store, outside, Settings(port=PORT), CHEAP)

    def visit(name):
        return Person(TestClient(app, base_url=ORIGIN, follow_redirects=False), name).sign_in()

    return clock, visit


def answer_all(person, label):
    while (found := person.next_page()) is not None:
        assert person.answer(found[1], label=label).status_code == 303


def test_answers_versions_and_the_record_keep_their_order(moved, store, jump):
    clock, visit = moved
    rosa = visit("rosa")
    where, page = rosa.next_page()
    assert rosa.answer(page, label="no-material-edit").status_code == 303
    clock[0] = jump
    rosa = visit("rosa")
    assert rosa.answer(rosa.page(where), label="benign-retention").status_code == 303
    with store.read() as connection:
        labels = connection.exec_driver_sql("select label from judgement order by version").scalars().all()
        stamps = connection.exec_driver_sql("select at from audit_event order by seq").scalars().all()
        assert labels == ["no-material-edit", "benign-retention"]
        assert any(later < earlier for earlier, later in pairwise(stamps)) is (jump < timedelta())
        assert audit.broken_links(connection) == []
    assert rosa.page(where).judging_form().fields["label"] == ["benign-retention"]


def test_a_set_is_signed_and_its_receipt_holds(moved, store, jump):
    clock, visit = moved
    answer_all(visit("rosa"), "no-material-edit")
    clock[0] = jump
    rosa = visit("rosa")
    assert rosa.sign_off().status_code == 303
    clock[0] = timedelta()
    assert visit("rosa").get("/review/receipt").status_code == 200
    with store.read() as connection:
        assert verify.findings(connection) == []


def test_a_session_outlives_a_clock_set_back_by_no_more_than_its_idle_time(moved):
    clock, visit = moved
    rosa = visit("rosa")
    clock[0] = timedelta(days=-1)
    assert rosa.get("/review").status_code == 200
    clock[0] += timedelta(minutes=61)
    assert rosa.get("/review").status_code == 303


def test_a_clock_set_on_ends_a_session_and_keeps_what_was_typed(moved):
    clock, visit = moved
    rosa = visit("rosa")
    where, page = rosa.next_page()
    form = page.judging_form()
    assert rosa.send(form, path=f"{where}/draft", label="no-material-edit", note="half a thought").status_code == 303
    clock[0] = timedelta(days=365)
    assert rosa.get(where).headers["location"].startswith("/login")
    again = visit("rosa").page(where).judging_form().fields
    assert again["note"] == ["half a thought"]
