"""A judge with two studies and two tabs, and what is not theirs: forms go where the page that they stand on said."""

import re

import pytest

from app.actions import accounts
from app.domain.errors import Refused
from tests.house import CHEAP, PROTOCOL, frozen_study, password_of

SECOND = PROTOCOL.replace('id = "pilot"', 'id = "second"')


def choose(rosa, study):
    csrf = re.search(r'name="csrf" value="([^"]+)"', rosa.get("/?choose=1").text)[1]
    assert rosa.post("/", {"csrf": csrf, "study": study}).status_code == 303


@pytest.fixture
def both(store, world, people, visit):
    """Return a reviewer at work in two studies, with the first one chosen."""
    frozen_study(store, world)
    frozen_study(store, world, protocol=SECOND)
    rosa = visit("rosa")
    choose(rosa, "pilot")
    return rosa


def test_a_sign_off_of_a_page_of_another_study_signs_neither(both, store):
    page = both.get("/review").text
    assert 'name="study" value="pilot"' in page
    csrf = re.search(r'name="csrf" value="([^"]+)"', page)[1]
    choose(both, "second")
    answer = both.post("/review/sign-off", {"csrf": csrf, "study": "pilot"})
    assert (answer.status_code, "another study" in answer.text) == (409, True)
    with store.read() as connection:
        assert connection.exec_driver_sql("select count(*) from sign_off").scalar() == 0


def test_a_lead_changes_no_account_that_was_a_judge_of_somebody_elses_study_even_when_it_is_closed(both, store, world):
    accounts.add(store, world, CHEAP, "liam", lead=True, password=password_of("liam"))
    with store.write() as connection:
        connection.exec_driver_sql("update study set closed_at = '2026-01-01T00:00:00+00:00'")
    with pytest.raises(Refused) as refused:
        accounts.reset(store, world, "rosa", actor="liam")
    assert refused.value.code == "not_yours"


@pytest.mark.parametrize("path", ["/review/%E4%BD%A0", "/adjudicate/%C3%A9"])
def test_a_lost_session_at_an_address_of_any_letters_is_led_to_the_sign_in_page(visit, path):
    assert visit("rosa", signed_in=False).client.get(path, headers={"HX-Request": "true"}).status_code == 401


def test_a_value_that_an_address_cannot_have_gets_a_calm_page_that_does_not_repeat_it(both, visit):
    lena = visit("lena")
    answer = lena.get("/lead/studies/pilot/cases?page=12345678901")
    assert (answer.status_code, answer.headers["content-type"]) == (422, "text/html; charset=utf-8")
    assert "12345678901" not in answer.text
