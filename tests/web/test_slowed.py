"""Wrong passwords and codes are slowed down, and the right person still gets in."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from app.actions import accounts, sessions
from app.config import Settings
from app.domain.errors import InvalidInput, TooSoon
from app.store import throttle
from app.store.migrate import open_store
from app.web.app import create_app
from app.web.auth import KNOWN
from tests.house import CHEAP, ORIGIN, PORT, Page, Person, password_of
from tests.web.way import NEW_PASSWORD, snapshot

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
LONGEST = 30


@pytest.fixture
def clock():
    return [START]


@pytest.fixture
def still(world, clock):
    """Return a world whose clock stands still until a test moves it."""
    return replace(world, now=lambda: clock[0])


@pytest.fixture
def arrive(store, still, people):
    """Return a browser's way to a server whose clock the test moves; nobody is signed in."""
    app = create_app(store, still, Settings(port=PORT), CHEAP)
    return lambda name: Person(TestClient(app, base_url=ORIGIN, follow_redirects=False), name)


@pytest.fixture
def checked(monkeypatch):
    """Return what grows by one with each password that Argon2 looks at."""
    seen, real = [], CHEAP.matches
    monkeypatch.setattr(CHEAP, "matches", lambda *given: seen.append(1) or real(*given))
    return seen


def sign_in(person, password=None, name=None):
    said = {"username": name or person.name, "password": password_of(person.name) if password is None else password}
    return person.post("/login", said)


def guess(store, world, name, password="a wrong password", brought=""):
    """Try a password; return the seconds to wait where it was not looked at, 0 where it was wrong."""
    try:
        sessions.await_turn(store, world, name, brought=brought)
        sessions.sign_in(store, world, CHEAP, name, password, brought=brought)
    except TooSoon as error:
        return error.seconds
    except InvalidInput:
        return 0
    return None


def wait_of(store, world, name):
    """Return the seconds for which a name has to wait."""
    try:
        sessions.await_turn(store, world, name)
    except TooSoon as error:
        return error.seconds
    return 0


def try_until_in(store, world, clock, name):
    """Do what the right person does: wait as long as is told, and try again; return the seconds it took."""
    begun = clock[0]
    while (seconds := guess(store, world, name, password_of(name))) is not None:
        clock[0] += seconds * SECOND
    return (clock[0] - begun).total_seconds()


@pytest.mark.parametrize("every", [timedelta(milliseconds=10), timedelta(milliseconds=300), timedelta(seconds=1)])
def test_of_a_thousand_wrong_passwords_for_one_name_few_are_checked_and_the_person_gets_in(
    store, still, clock, people, checked, every
):
    for number in range(1_000):
        guess(store, still, "rosa", f"wrong password {number}")
        clock[0] += every
    assert len(checked) <= 100
    assert try_until_in(store, still, clock, "rosa") <= LONGEST


@pytest.mark.parametrize("every", [timedelta(milliseconds=10), timedelta(seconds=1)])
def test_of_a_thousand_wrong_passwords_for_a_thousand_names_few_are_checked_and_everybody_gets_in(
    store, still, clock, people, checked, every
):
    for number in range(1_000):
        guess(store, still, f"name-{number}")
        clock[0] += every
    assert len(checked) <= 100
    for name in ("rosa", "ravi", "ines"):
        assert try_until_in(store, still, clock, name) <= LONGEST


def test_the_delay_grows_to_half_a_minute_and_no_further(store, still, clock, people):
    waits = []
    for _ in range(14):
        assert guess(store, still, "rosa") == 0
        waits.append(wait_of(store, still, "rosa"))
        clock[0] += waits[-1] * SECOND
    assert waits == [0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30, 30, 30, 30]


def test_what_is_refused_unseen_lengthens_no_wait_and_writes_nothing(store, still, clock, people, checked):
    for _ in range(9):
        guess(store, still, "rosa")
        clock[0] += 10 * SECOND
    guess(store, still, "rosa")
    before, looked_at, told = snapshot(store), len(checked), guess(store, still, "rosa")
    for _ in range(200):
        assert guess(store, still, "rosa") == told
    assert (snapshot(store), len(checked)) == (before, looked_at)
    clock[0] += told * SECOND
    assert guess(store, still, "rosa", password_of("rosa")) is None


def test_a_browser_in_which_somebody_signed_in_before_is_not_slowed_by_a_stranger(arrive, clock):
    rosa, stranger = arrive("rosa"), arrive("rosa")
    assert sign_in(rosa).status_code == 303
    for _ in range(60):  # a minute in which every moment that opens is taken by the stranger
        while sign_in(stranger, "a wrong password").status_code == 422:
            pass
        clock[0] += SECOND
    assert sign_in(stranger).status_code == 429
    rosa.client.cookies.delete("evenhand_session")
    assert sign_in(rosa).status_code == 303


def test_a_browser_that_is_known_is_slowed_by_its_own_wrong_passwords(arrive):
    rosa = arrive("rosa").sign_in()
    answers = [sign_in(rosa, "a wrong password").status_code for _ in range(7)]
    assert answers == [422] * 5 + [429] * 2
    assert sign_in(arrive("rosa")).status_code == 303


def test_a_browser_known_to_one_account_is_a_stranger_to_another(arrive):
    ravi = arrive("ravi").sign_in()
    for _ in range(5):
        sign_in(arrive("rosa"), "a wrong password")
    assert sign_in(ravi, "a wrong password", "rosa").status_code == 429


@pytest.mark.parametrize("made_up", ["x", "x.y", "." * 9, "~" * 99, "00.00~11.11", "a" * 5_000])
def test_what_a_browser_makes_up_makes_it_no_known_one(arrive, made_up):
    rosa = arrive("rosa")
    for _ in range(5):
        sign_in(rosa, "a wrong password")
    answer = rosa.post("/login", {"username": "rosa", "password": "wrong"}, Cookie=f"{KNOWN}={made_up}")
    assert answer.status_code == 429


def test_people_who_take_turns_at_one_browser_are_all_known_there(arrive):
    shared = arrive("rosa")
    for name in ("rosa", "ravi", "ines"):
        assert sign_in(shared, password_of(name), name).status_code == 303
    for name in ("rosa", "ravi", "ines"):
        for _ in range(5):
            sign_in(arrive(name), "a wrong password")
        assert sign_in(shared, password_of(name), name).status_code == 303


def test_the_cookie_of_a_known_browser_goes_to_the_sign_in_page_alone(arrive):
    cookies = sign_in(arrive("rosa")).headers.get_list("set-cookie")
    known = next(each for each in cookies if each.startswith(KNOWN))
    assert re.fullmatch(rf"{KNOWN}=[\w.~-]+; HttpOnly; Max-Age=15552000; Path=/login; SameSite=strict", known)
    assert "rosa" not in known


def test_an_unknown_name_is_slowed_down_exactly_as_a_known_one(arrive, clock):
    told = {}
    for name in ("rosa", "nobody-here"):
        person, told[name] = arrive(name), []
        for _ in range(12):
            answer = sign_in(person, "a wrong password", name)
            told[name].append((answer.status_code, answer.headers.get("retry-after"), answer.text.replace(name, "")))
            clock[0] += SECOND
    assert told["rosa"] == told["nobody-here"]
    assert 429 in {status for status, _, _ in told["rosa"]}


def test_too_soon_is_told_with_the_seconds_the_name_kept_and_the_password_empty(arrive):
    rosa = arrive("rosa")
    for _ in range(6):
        answer = sign_in(rosa, "my secret words are wrong")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert "Try again in 1 second." in answer.text
    assert 'value="rosa"' in answer.text
    assert "my secret words" not in answer.text
    assert Page(answer.text).form_to("/login").fields["password"] == [""]


def test_what_an_item_could_not_send_outlasts_a_wait(arrive):
    rosa = arrive("rosa")
    kept = {"username": "rosa", "password": "wrong", "back": "/review/some-token", "kept": "note=a%0D%0Ab"}
    for _ in range(6):
        answer = rosa.post("/login", kept)
    assert answer.status_code == 429
    fields = Page(answer.text).form_to("/login").fields
    assert (fields["back"], fields["kept"]) == (["/review/some-token"], ["note=a%0D%0Ab"])


def test_a_restart_clears_no_count(store, still, people, tmp_path):
    for _ in range(6):
        guess(store, still, "rosa")
    sessions.start_server(store, still)
    again = open_store(store.folder)
    assert guess(again, still, "rosa") == 1
    again.close()


def test_the_right_password_ends_the_count_of_its_name_and_not_that_of_everybody(store, still, people):
    for _ in range(4):
        guess(store, still, "rosa")
    assert guess(store, still, "rosa", password_of("rosa")) is None
    assert [guess(store, still, "rosa") for _ in range(6)] == [0] * 5 + [1]
    with store.read() as connection:
        assert throttle.count(connection, "everybody").failures == 9


def test_after_an_hour_without_a_wrong_password_counting_begins_anew(store, still, clock, people):
    for _ in range(5):
        guess(store, still, "rosa")
    clock[0] += timedelta(hours=1)
    assert [guess(store, still, "rosa") for _ in range(6)] == [0] * 5 + [1]


def test_a_clock_set_back_locks_nobody_out(store, still, clock, people):
    for _ in range(6):
        guess(store, still, "rosa")
    clock[0] -= timedelta(days=1)
    assert guess(store, still, "rosa", password_of("rosa")) is None


def test_an_empty_field_is_not_counted(arrive, checked):
    rosa = arrive("rosa")
    for _ in range(100):
        assert sign_in(rosa, "").status_code == 422
    assert checked == []
    assert sign_in(rosa).status_code == 303


def test_however_many_names_are_tried_the_store_keeps_a_bounded_number_of_counts(store, still, people):
    with store.read() as connection:
        key = throttle.known_key(connection)
    places = {throttle.place(key, "name", f"name {number}") for number in range(50_000)}
    assert len(places) <= throttle.SHELVES
    assert not any("name 1" in place for place in places)


def test_wrong_codes_are_slowed_down_and_the_right_one_is_always_taken(store, still, arrive):
    code = accounts.add(store, still, CHEAP, "nils", lead=False)
    stranger = arrive("nils")
    said = {"username": "nils", "code": "a wrong code", "password": NEW_PASSWORD}
    answers = [stranger.post("/code", said) for _ in range(7)]
    assert [answer.status_code for answer in answers] == [422] * 5 + [429] * 2
    assert answers[-1].headers["retry-after"] == "1"
    assert "Try again in 1 second." in answers[-1].text
    assert 'value="nils"' in answers[-1].text
    assert arrive("nils").post("/code", said | {"code": code}).status_code == 303


def test_a_new_code_is_a_way_in_while_a_stranger_hammers_the_name(store, still, arrive):
    stranger, rosa = arrive("rosa"), arrive("rosa")
    for _ in range(10):
        sign_in(stranger, "a wrong password")
    assert sign_in(rosa).status_code == 429
    said = {"username": "rosa", "code": accounts.reset(store, still, "rosa"), "password": NEW_PASSWORD}
    assert rosa.post("/code", said).status_code == 303


def test_codes_for_unknown_names_are_slowed_down_alike(arrive):
    answers = {}
    for name in ("rosa", "nobody-here"):
        said = {"username": name, "code": "a wrong code", "password": NEW_PASSWORD}
        answers[name] = [arrive(name).post("/code", said) for _ in range(7)]
    known, unknown = ([(each.status_code, each.text.replace(name, "")) for each in answers[name]] for name in answers)
    assert known == unknown


def test_wrong_current_passwords_are_slowed_down_and_slow_down_nobody_else(arrive, clock, checked):
    rosa = arrive("rosa").sign_in()
    form = rosa.page("/account").form_to("/account")
    answers = [rosa.send(form, current="wrong", password=NEW_PASSWORD) for _ in range(7)]
    assert [answer.status_code for answer in answers] == [422] * 5 + [429] * 2
    assert answers[-1].headers["retry-after"] == "1"
    assert 'id="error-current"' in answers[-1].text
    assert rosa.send(form, current=password_of("rosa"), password=NEW_PASSWORD).status_code == 429
    assert sign_in(arrive("ravi")).status_code == 303
    clock[0] += SECOND
    assert rosa.send(form, current=password_of("rosa"), password=NEW_PASSWORD).status_code == 303


def test_a_wrong_password_beside_the_list_of_sign_ins_is_counted_with_those_beside_the_new_one(arrive, checked):
    rosa, _ = arrive("rosa").sign_in(), arrive("rosa").sign_in()
    page = rosa.page("/account")
    ending, changing = page.form_to("/account/sessions"), page.form_to("/account")
    answers = [rosa.send(ending, which="others", own_password="wrong") for _ in range(4)]
    answers += [rosa.send(changing, current="wrong", password=NEW_PASSWORD) for _ in range(2)]
    del checked[:]
    answers += [rosa.send(ending, which="others", own_password=password_of("rosa"))]
    assert {answer.status_code for answer in answers[:5]} == {422}
    assert answers[-1].status_code == 429
    assert answers[-1].headers["retry-after"]
    assert 'id="error-own_password"' in answers[-1].text
    assert checked == []


def test_a_wrong_code_and_a_wrong_current_password_are_audited_too(store, arrive):
    rosa = arrive("rosa").sign_in()
    rosa.send(rosa.page("/account").form_to("/account"), current="wrong", password=NEW_PASSWORD)
    arrive("ravi").post("/code", {"username": "ravi", "code": "a wrong code", "password": NEW_PASSWORD})
    with store.read() as connection:
        newest = "select event, actor, detail from audit_event order by seq desc limit 2"
        rows = connection.exec_driver_sql(newest).all()
    assert rows == [("code.refused", "nobody", '{"next_in":0}'), ("password.refused", "rosa", '{"next_in":0}')]


def test_a_wrong_password_is_audited_with_the_wait_that_it_brings_and_what_is_unseen_is_not(store, still, people):
    for _ in range(8):
        guess(store, still, "rosa")
    events = [row for row in snapshot(store)["audit_event"] if "sign_in.refused" in row]
    assert len(events) == 5
    assert '{"next_in":0}' in events[0]
    assert '{"next_in":1}' in events[-1]
