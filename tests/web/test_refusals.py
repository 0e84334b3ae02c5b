"""The server's log of what was refused: which, in what words, and how much of it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from app.config import Settings
from app.web.app import create_app
from app.web.refusals import AT_THE_DOOR, KINDS, MOST, NOT_THEIRS, Refusals
from tests.house import CHEAP, ORIGIN, PORT, Person, fixed_world, password_of

HALF = timedelta(seconds=30)


@pytest.fixture
def lines(caplog):
    """Return the lines of the log without their times, as they stand."""
    caplog.set_level("INFO", "evenhand")
    return lambda: [record.getMessage().partition(" ")[2] for record in caplog.records if record.name == "evenhand"]


def number_of(store, name):
    with store.read() as connection:
        return connection.exec_driver_sql("select id from account where name = ?", (name,)).scalar()


def test_whoever_asks_for_what_is_not_theirs_is_told_by_the_number_of_the_account_and_the_route(
    study, store, visit, lines
):
    where, _ = visit("rosa").next_page()
    ravi, mine = visit("ravi"), number_of(store, "ravi")
    ravi.get(where), ravi.get("/lead/studies/pilot"), ravi.get("/lead/accounts")
    assert lines() == [
        f"refused (not there, or not theirs): GET /review/{{token}}, account {mine}",
        f"refused (not there, or not theirs): GET /lead/studies/{{study_id}}, account {mine}",
        f"refused (not there, or not theirs): GET /lead/accounts, account {mine}",
    ]


def test_a_form_without_its_token_is_told(study, store, visit, lines):
    rosa = visit("rosa")
    _, page = rosa.next_page()
    rosa.send(page.judging_form(), csrf="wrong", label="no-material-edit", note="a private thought")
    mine = number_of(store, "rosa")
    assert lines() == [f"refused (a form without its token): POST /review/{{token}}, account {mine}"]


@pytest.mark.parametrize(
    ("code", "method", "headers"),
    [
        ("host", "GET", {"Host": "evil.example"}),
        ("origin", "POST", {"Origin": "http://evil.example"}),
        ("worker", "GET", {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "empty"}),
        ("method", "PUT", {}),
        ("size", "POST", {"Origin": ORIGIN, "Content-Length": "9" * 20}),
    ],
)
def test_whatever_the_guard_turns_away_is_told_without_its_address(visit, people, lines, code, method, headers):
    visit("nobody", signed_in=False).client.request(method, "/review/a-private-token?words=private", headers=headers)
    assert lines() == [f"refused ({AT_THE_DOOR[code]}): {method}, nobody known"]


def test_a_made_up_method_does_not_get_into_the_log(visit, people, lines):
    visit("nobody", signed_in=False).client.request("FORGED-LINE", "/")
    assert lines() == ["refused (another method): another method, nobody known"]


def test_who_comes_too_soon_after_wrong_passwords_is_told_and_never_by_the_name(store, people, lines):
    moment = fixed_world().now()
    still = replace(fixed_world(), now=lambda: moment)
    app = create_app(store, still, Settings(port=PORT), CHEAP)
    rosa = Person(TestClient(app, base_url=ORIGIN, follow_redirects=False), "rosa")
    for _ in range(6):
        rosa.post("/login", {"username": "rosa", "password": "a wrong password"})
    assert lines() == [f"refused ({KINDS[429]}): POST /login, nobody known"]


def test_a_lead_who_tries_an_account_that_is_not_theirs_is_told(study, store, visit, lines):
    lena, mine = visit("lena"), number_of(store, "lena")
    csrf = lena.page("/account").form_to("/account").fields["csrf"][0]
    for act in ("reset", "disable"):
        lena.post(f"/lead/accounts/{act}", {"csrf": csrf, "name": "lena"})
        lena.post(f"/lead/accounts/{act}", {"csrf": csrf, "name": "no-such-account"})
    assert lines() == [
        f"refused ({NOT_THEIRS}): POST /lead/accounts/{act}, account {mine}" for act in ("reset", "disable")
    ]


def test_what_is_let_through_or_is_nobodys_address_or_asks_to_sign_in_is_not_told(study, visit, lines):
    rosa, stranger = visit("rosa"), visit("nobody", signed_in=False)
    where, page = rosa.next_page()
    for path in ("/", "/review", where, "/account", "/nothing", "/favicon.ico", "/static/nothing.css"):
        rosa.get(path), stranger.get(path)
    rosa.answer(page)  # 422
    rosa.sign_off()  # 409
    stranger.post("/login", {"username": "rosa", "password": password_of("rosa")})
    assert lines() == []


def test_of_a_flood_few_lines_are_written_in_a_minute_and_the_rest_is_counted(people, visit, lines):
    stranger = visit("nobody", signed_in=False)
    for _ in range(40):
        stranger.get("/", headers={"Host": "evil.example"})
    assert len(lines()) == MOST
    stranger.client.put("/")
    assert lines()[-1] == "refused (another method): PUT, nobody known", "each kind has its own room"


def test_the_first_line_of_a_later_minute_says_how_many_were_left_out():
    refusals, start = Refusals(), fixed_world().now()
    assert [refusals.room("x", start) for _ in range(MOST + 3)] == [0] * MOST + [None] * 3
    assert refusals.room("x", start + HALF) is None
    assert refusals.room("x", start + 2 * HALF) == 4
    assert refusals.room("x", start + 3 * HALF) == 0


def test_a_clock_that_was_set_back_does_not_silence_the_log():
    refusals, start = Refusals(), fixed_world().now()
    for _ in range(MOST + 1):
        refusals.room("x", start)
    assert refusals.room("x", start - timedelta(days=1)) == 1


def test_a_line_says_when_in_utc(people, visit, caplog):
    visit("nobody", signed_in=False).get("/", headers={"Host": "evil.example"})
    assert caplog.records[-1].getMessage().startswith("2026-01-05T09:")
    assert "+00:00 refused" in caplog.records[-1].getMessage()
