"""Signing in and out: tokens, cookies, one-time codes, csrf."""

import base64
import hashlib
import json
import logging
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from app import world as real
from app.actions import accounts, freezing, preparing, replacing, sessions
from app.config import Settings
from app.domain.errors import InvalidInput
from app.security import Passwords
from app.web.app import create_app
from app.web.auth import COOKIE
from tests.house import CHEAP, ORIGIN, PORT, Page, Person, draft_study, fixed_world, password_of, seats
from tests.web.way import NEW_PASSWORD, prepare, snapshot, way

CODE, LOGIN = "/code", "/login"
MINUTE = timedelta(minutes=1)


def token_of(person):
    return person.client.cookies.get(COOKIE)


def with_token(visit, token):
    """Return a stranger's browser into which a token was put by hand."""
    stranger = visit("rosa", signed_in=False)
    stranger.client.cookies.set(COOKIE, token, domain="127.0.0.1")
    return stranger


def signed_in(person):
    return person.get("/account").status_code == 200


def sign_in(person, name, password):
    return person.post(LOGIN, {"username": name, "password": password})


def send_code(person, name, code, password=NEW_PASSWORD):
    return person.post(CODE, {"username": name, "code": code, "password": password})


def add_with_code(store, world, name="nils"):
    return accounts.add(store, world, CHEAP, name, lead=False)


def on_disk(store):
    """Return every byte of the store's files, read from outside: this process would drop SQLite's locks."""
    files = [path for path in store.folder.rglob("*") if path.is_file()]
    return subprocess.check_output(["cat", *files])


@pytest.fixture
def clock(world):
    """Return what a test sets forward; the world's own clock follows."""
    return [timedelta()]


@pytest.fixture
def later(store, world, clock):
    """Return a browser's way to a server whose clock the test sets."""
    moved = replace(world, now=lambda: world.now() + clock[0])
    app = create_app(store, moved, Settings(port=PORT), CHEAP)

    def arrive(name):
        return Person(TestClient(app, base_url=ORIGIN, follow_redirects=False), name).sign_in()

    return arrive


def test_a_token_is_drawn_from_256_random_bits():
    drawn = real.real().token(32)
    assert len(base64.urlsafe_b64decode(drawn + "=" * (-len(drawn) % 4))) * 8 == 256
    assert drawn != real.real().token(32)


def test_a_session_draws_32_bytes_for_its_token(store, world, people):
    sizes = []
    spied = replace(world, token=lambda size: sizes.append(size) or world.token(size))
    signed = sessions.sign_in(store, spied, CHEAP, "rosa", password_of("rosa"))
    assert sizes[0] == 32
    assert len(bytes.fromhex(signed.token)) == 32


def cookie_of(answer, name=COOKIE):
    """Return what an answer says of a cookie."""
    return next(each for each in answer.headers.get_list("set-cookie") if each.startswith(f"{name}="))


def test_the_cookie_is_http_only_strict_and_for_every_path(people, visit):
    cookie = cookie_of(sign_in(visit("rosa", signed_in=False), "rosa", password_of("rosa")))
    assert re.fullmatch(rf"{COOKIE}=[\w-]{{43,}}; HttpOnly; Path=/; SameSite=strict", cookie)


def test_the_cookie_names_no_domain_and_no_day(people, visit):
    cookie = cookie_of(sign_in(visit("rosa", signed_in=False), "rosa", password_of("rosa"))).lower()
    assert not any(word in cookie for word in ("domain", "expires", "max-age", "secure", "__host-"))


def test_only_the_hash_of_a_token_is_stored(store, people, visit):
    token = token_of(visit("rosa"))
    kept = on_disk(store)
    assert hashlib.sha256(token.encode()).hexdigest().encode() in kept
    assert token.encode() not in kept
    assert bytes.fromhex(token) not in kept


def test_a_token_stands_on_no_page_and_in_no_log(study, visit, caplog):
    caplog.set_level(logging.DEBUG)
    rosa = visit("rosa")
    where, _ = rosa.next_page()
    answers = [rosa.get(path) for path in ("/", "/review", where, "/account", "/nothing")]
    assert not any(token_of(rosa) in answer.text + str(answer.headers) for answer in answers)
    assert token_of(rosa) not in caplog.text


def test_signing_in_takes_no_token_that_the_browser_brought(people, visit):
    planted = "0" * 64
    rosa = with_token(visit, planted).sign_in()
    assert token_of(rosa) != planted
    assert not signed_in(with_token(visit, planted))


def test_signing_in_again_ends_the_former_session_of_the_browser(people, visit):
    rosa = visit("rosa")
    former = token_of(rosa)
    rosa.sign_in()
    assert token_of(rosa) != former
    assert signed_in(rosa)
    assert not signed_in(with_token(visit, former))


def test_somebody_else_signing_in_at_the_same_browser_ends_the_former_session(people, visit):
    rosa = visit("rosa")
    former = token_of(rosa)
    assert sign_in(rosa, "ravi", password_of("ravi")).status_code == 303
    assert not signed_in(with_token(visit, former))


def test_two_browsers_have_two_sessions(people, visit):
    one, two = visit("rosa"), visit("rosa")
    one.send(one.page("/account").form_to("/logout"))
    assert not signed_in(one)
    assert signed_in(two)


def test_signing_out_ends_the_session_on_the_server_and_in_the_browser(people, visit):
    rosa = visit("rosa")
    token = token_of(rosa)
    answer = rosa.send(rosa.page("/account").form_to("/logout"))
    assert (answer.status_code, answer.headers["location"]) == (303, LOGIN)
    assert re.match(rf'{COOKIE}=(""|); .*Max-Age=0', answer.headers["set-cookie"])
    assert token_of(rosa) is None
    assert not signed_in(with_token(visit, token))


def test_signing_out_clears_what_the_browser_holds_but_not_by_what_it_is_known(people, visit):
    rosa = visit("rosa")
    answer = rosa.send(rosa.page("/account").form_to("/logout"))
    assert answer.headers["clear-site-data"] == '"cache", "storage"'


def test_a_new_password_ends_every_session_but_the_one_it_opens(people, visit):
    rosa, elsewhere = visit("rosa"), visit("rosa")
    former = token_of(rosa)
    form = rosa.page("/account").form_to("/account")
    answer = rosa.send(form, current=password_of("rosa"), password=NEW_PASSWORD)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account?changed=yes")
    assert "Your password is changed" in rosa.get("/account?changed=yes").text
    assert token_of(rosa) != former
    assert not any(signed_in(person) for person in (elsewhere, with_token(visit, former)))
    assert sign_in(elsewhere, "rosa", password_of("rosa")).status_code == 422
    assert sign_in(elsewhere, "rosa", NEW_PASSWORD).status_code == 303


@pytest.mark.parametrize(
    ("current", "password", "field"),
    [
        ("wrong", NEW_PASSWORD, "current"),
        ("", NEW_PASSWORD, "current"),
        (None, None, "password"),
        (None, "fourteen chars", "password"),
        (None, "a" * 20, "password"),
        (None, "rosa" * 5, "password"),
        (None, "x" * 1_025, "password"),
    ],
)
def test_a_password_that_cannot_be_set_is_told_at_its_field_and_ends_nothing(people, visit, current, password, field):
    rosa = visit("rosa")
    current = password_of("rosa") if current is None else current
    answer = rosa.send(rosa.page("/account").form_to("/account"), current=current, password=password or "")
    assert answer.status_code == 422
    assert f'id="error-{field}"' in answer.text
    assert signed_in(rosa)


def test_a_password_still_fits_after_years(people, later, clock):
    clock[0] += timedelta(days=5 * 365)
    assert signed_in(later("rosa"))


@pytest.mark.parametrize(
    "password", ["fifteen chars !", "пятнадцать букв", "👩‍👧 ünï çödé ✓ ok", "a long one " * 50, "  spaces count  "]
)
def test_any_characters_make_a_password_and_fit_again(people, visit, password):
    rosa = visit("rosa")
    form = rosa.page("/account").form_to("/account")
    assert rosa.send(form, current=password_of("rosa"), password=password).status_code == 303
    assert sign_in(rosa, "rosa", password).status_code == 303


def end(person, which, own_password=None):
    """End what an account's page offers: the first that it lists, or what is named."""
    form = person.page("/account").form_to("/account/sessions")
    return person.send(form, which=which, own_password=own_password or password_of(person.name))


def references(person):
    return re.findall(r'name="which" value="([^"]+)"', person.get("/account").text)


def test_people_see_where_they_are_signed_in_since_when_and_when_it_was_last_used(people, later, clock):
    desk = later("rosa")
    clock[0] += 10 * MINUTE
    lab = later("rosa")
    clock[0] += 5 * MINUTE
    assert signed_in(desk)
    html = lab.get("/account").text
    since, other, used = map(datetime.fromisoformat, re.findall(r'<time datetime="([^"]+)"', html))
    assert [round((each - other) / MINUTE) for each in (since, used)] == [10, 15]
    assert html.index("This browser") < html.index("last used")


def test_one_other_sign_in_is_ended_and_the_rest_goes_on(people, visit):
    rosa, one, two, ravi = visit("rosa"), visit("rosa"), visit("rosa"), visit("ravi")
    assert len(references(rosa)) == 3  # each of the two, and all others
    assert end(rosa, references(rosa)[0]).headers["location"] == "/account?changed=sessions"
    assert sorted([signed_in(one), signed_in(two)]) == [False, True]
    assert signed_in(rosa)
    assert signed_in(ravi)


def test_all_other_sign_ins_are_ended_at_once_in_one_event(store, people, visit):
    rosa, one, two, ravi = visit("rosa"), visit("rosa"), visit("rosa"), visit("ravi")
    before = len(snapshot(store)["audit_event"])
    assert end(rosa, "others").status_code == 303
    assert [signed_in(person) for person in (rosa, one, two, ravi)] == [True, False, False, True]
    (event,) = snapshot(store)["audit_event"][before:]
    assert (event.actor, event.event, json.loads(event.detail)) == ("rosa", "sessions.ended", {"number": 2})
    assert references(rosa) == []
    assert "Nowhere else" in rosa.get("/account").text


@pytest.mark.parametrize(
    ("which", "own_password", "faults"),
    [
        (None, None, {"which"}),
        ("others", "", {"own_password"}),
        ("", "", {"which", "own_password"}),
        ("others", "a wrong password", {"own_password"}),
        ("no-such-reference", None, {"which"}),
    ],
)
def test_no_sign_in_is_ended_without_a_choice_and_the_password(store, people, visit, which, own_password, faults):
    rosa, elsewhere = visit("rosa"), visit("rosa")
    form = rosa.page("/account").form_to("/account/sessions")
    answer = rosa.send(form, which=which, own_password=password_of("rosa") if own_password is None else own_password)
    assert answer.status_code == 422
    assert {each for each in ("which", "own_password") if f'id="error-{each}"' in answer.text} == faults
    assert signed_in(elsewhere)
    assert "sessions.ended" not in str(snapshot(store)["audit_event"])


def test_nobody_ends_a_sign_in_of_somebody_else_or_the_own_by_this_form(store, people, visit):
    rosa, elsewhere, ravi, other = visit("rosa"), visit("rosa"), visit("ravi"), visit("ravi")
    with store.read() as connection:
        asked = "select reference from session where token_hash = ?"
        own = connection.exec_driver_sql(asked, (hash_of(rosa),)).scalar()
    for reference in (*references(ravi), own):
        if reference != "others":
            assert end(rosa, reference).status_code == 422
    assert all(signed_in(person) for person in (rosa, elsewhere, ravi, other))


def hash_of(person):
    return hashlib.sha256(token_of(person).encode()).hexdigest()


def test_the_list_of_sign_ins_holds_neither_token_nor_digest_nor_what_ran_out(people, later, clock):
    rosa, elsewhere = later("rosa"), later("rosa")
    html = rosa.get("/account").text
    for person in (rosa, elsewhere):
        assert token_of(person) not in html
        assert hash_of(person) not in html
    clock[0] += 59 * MINUTE
    assert signed_in(rosa)
    clock[0] += 2 * MINUTE
    assert references(rosa) == []


def test_a_restart_ends_every_session(store, world, people, visit):
    everybody = [visit(name) for name in ("rosa", "ravi", "lena")]
    sessions.start_server(store, world)
    assert not any(signed_in(person) for person in everybody)


@pytest.mark.parametrize("act", [accounts.disable, accounts.reset])
def test_disabling_and_resetting_an_account_ends_its_sessions_and_its_password(store, world, people, visit, act):
    rosa, ravi = visit("rosa"), visit("ravi")
    act(store, world, "rosa")
    assert not signed_in(rosa)
    assert sign_in(rosa, "rosa", password_of("rosa")).status_code == 422
    assert signed_in(ravi)


def assign(store, world, study, **roles):
    everybody = {"reviewers": ["rosa", "ravi"], "leads": ["lena"], "adjudicator": "ines"}
    preparing.assign(store, world, "local", study, seats(**everybody | roles), "linguists")


DRAFT = "/lead/studies/pilot"


def test_a_draft_signs_nobody_out_whoever_it_seats_or_unseats_and_however_often(store, world, people, visit):
    study = draft_study(store, world)
    everybody = [visit(name) for name in ("rosa", "ravi", "ines", "lena", "otto")]
    for _ in range(3):
        assign(store, world, study, reviewers=["otto", "ravi"], leads=["lena", "rosa"])
        assign(store, world, study, reviewers=["ines", "otto"], adjudicator="rosa")
        assign(store, world, study, reviewers=["rosa", "ravi"], leads=["lena", "otto"], adjudicator=None)
    assert all(signed_in(person) for person in everybody)


def test_a_judges_role_begins_at_the_freeze_with_a_session_of_its_own(store, world, people, visit):
    study = draft_study(store, world)
    judges, others = [visit(name) for name in ("rosa", "ravi", "ines")], [visit(name) for name in ("lena", "otto")]
    freezing.freeze(store, world, "lena", study)
    assert not any(signed_in(person) for person in judges)
    assert all(signed_in(person) for person in others)
    assert visit("rosa").get("/review").status_code == 200


def test_a_newcomers_role_begins_with_a_session_of_its_own(store, world, study, visit):
    otto, ravi = visit("otto"), visit("ravi")
    replacing.replace(store, world, "lena", study, "rosa", "otto", "she moved away")
    assert not signed_in(otto)
    assert signed_in(ravi)


def test_a_draft_opens_to_a_new_lead_with_the_next_sign_in_and_closes_to_a_former_one_at_once(
    store, world, people, visit
):
    study = draft_study(store, world)
    otto = visit("otto")
    assign(store, world, study, leads=["lena", "otto"])
    assert otto.get(DRAFT).status_code == 404
    assert otto.get("/lead").status_code == 404
    assert "once you have signed out and in again" in otto.get("/").text
    later = visit("otto")
    assert (later.get(DRAFT).status_code, otto.get(DRAFT).status_code) == (200, 404)
    assert f'href="{DRAFT}"' in later.get("/").text
    assign(store, world, study, leads=["lena", "otto"])  # leads it still
    assert later.get(DRAFT).status_code == 200
    assign(store, world, study)
    assert later.get(DRAFT).status_code == 404
    assign(store, world, study, leads=["lena", "otto"])
    assert later.get(DRAFT).status_code == 404


def test_a_session_from_before_its_lead_ends_at_the_freeze(store, world, people, visit):
    study = draft_study(store, world)
    before = visit("otto")
    assign(store, world, study, leads=["lena", "otto"])
    after = visit("otto")
    freezing.freeze(store, world, "lena", study)
    assert (signed_in(before), signed_in(after)) == (False, True)


def test_a_session_too_long_idle_is_none(people, later, clock):
    rosa = later("rosa")
    clock[0] += 59 * MINUTE
    assert signed_in(rosa)
    clock[0] += 59 * MINUTE
    assert signed_in(rosa)
    clock[0] += 61 * MINUTE
    answer = rosa.get("/account")
    assert (answer.status_code, answer.headers["location"]) == (303, LOGIN)


def test_a_clock_set_back_does_not_lengthen_a_session_for_good(people, later, clock):
    rosa = later("rosa")
    clock[0] -= 24 * 60 * MINUTE
    assert signed_in(rosa)
    clock[0] += 26 * 60 * MINUTE
    assert not signed_in(rosa)


def test_a_session_that_ran_out_is_not_revived_by_a_clock_set_back(people, later, clock):
    rosa = later("rosa")
    clock[0] += 61 * MINUTE
    assert not signed_in(rosa)
    clock[0] -= 61 * MINUTE
    assert not signed_in(rosa)


def test_a_session_ends_after_a_day_however_much_it_is_used(people, later, clock):
    rosa = later("rosa")
    for _ in range(47):
        clock[0] += 30 * MINUTE
        assert signed_in(rosa)
    clock[0] += 31 * MINUTE
    assert not signed_in(rosa)
    clock[0] -= 31 * MINUTE
    assert not signed_in(rosa)


def test_the_idle_time_is_a_setting_of_the_server(store, world, people, clock):
    moved = replace(world, now=lambda: world.now() + clock[0])
    app = create_app(store, moved, Settings(port=PORT, idle_minutes=5), CHEAP)
    rosa = Person(TestClient(app, base_url=ORIGIN, follow_redirects=False), "rosa").sign_in()
    clock[0] += 6 * MINUTE
    assert not signed_in(rosa)


@pytest.mark.parametrize("token", ["", "x", "0" * 64, "é" * 20, "../../etc/passwd", "' or 1=1 --", "a" * 5_000])
def test_a_made_up_token_is_nobodys(people, visit, token):
    stranger = visit("rosa", signed_in=False)
    answer = stranger.get("/account", headers={"Cookie": f"{COOKIE}={token}".encode()})
    assert answer.status_code == 303


def test_a_hash_from_the_store_is_no_token(store, people, visit):
    visit("rosa")
    with store.read() as connection:
        kept = connection.exec_driver_sql("select token_hash from session").scalar()
    assert not signed_in(with_token(visit, kept))


def test_a_code_sets_the_password_once(store, world, people, visit):
    code = add_with_code(store, world)
    nils = visit("nils", signed_in=False)
    assert sign_in(nils, "nils", code).status_code == 422
    assert send_code(nils, "nils", code).status_code == 303
    assert signed_in(nils)
    assert send_code(visit("nils", signed_in=False), "nils", code, "another long password").status_code == 422
    assert sign_in(visit("nils", signed_in=False), "nils", NEW_PASSWORD).status_code == 303


def test_a_code_may_be_typed_with_spaces_around_it(store, world, people, visit):
    code = add_with_code(store, world)
    assert send_code(visit("nils", signed_in=False), " nils ", f" {code}\n").status_code == 303


def test_a_code_used_by_two_at_once_is_taken_once(store, world, people):
    code = add_with_code(store, world)
    slow = Passwords(memory_kib=8_192, passes=2)

    def use(number):
        try:
            return sessions.use_code(store, world, slow, "nils", code, f"{NEW_PASSWORD} {number}").name
        except InvalidInput:
            return None

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(use, range(8)))
    assert taken.count("nils") == 1


class Meanwhile(Passwords):
    """Passwords that let something happen to the account while one is checked."""

    def __init__(self, happen):
        super().__init__(memory_kib=8, passes=1)
        self.happen = happen

    def matches(self, password, encoded):
        self.happen()
        return super().matches(password, encoded)


@pytest.mark.parametrize("act", [accounts.disable, accounts.reset])
def test_a_sign_in_that_a_reset_overtakes_opens_no_session(store, world, people, act):
    overtaken = Meanwhile(lambda: act(store, world, "rosa"))
    with pytest.raises(InvalidInput):
        sessions.sign_in(store, world, overtaken, "rosa", password_of("rosa"))
    assert snapshot(store)["session"] == []


def test_a_code_ends_after_a_week(store, world, people):
    code = add_with_code(store, world)
    for days, taken in ((8, False), (6, True)):
        moved = replace(world, now=lambda days=days: world.now() + timedelta(days=days))
        try:
            sessions.use_code(store, moved, CHEAP, "nils", code, NEW_PASSWORD)
        except InvalidInput:
            assert not taken
        else:
            assert taken


@pytest.mark.parametrize(
    ("name", "code", "password", "field"),
    [
        ("nils", "wrong", NEW_PASSWORD, "code"),
        ("nils", "", NEW_PASSWORD, "code"),
        ("nobody", None, NEW_PASSWORD, "code"),
        ("rosa", None, NEW_PASSWORD, "code"),
        ("rosa", "", NEW_PASSWORD, "code"),
        ("", "", "", "code"),
        ("nils", None, "too short", "password"),
        ("nils", None, "", "password"),
        ("nils", None, "nils" * 4, "password"),
    ],
)
def test_a_code_that_does_not_fit_or_a_poor_password_changes_nothing(
    store, world, people, visit, name, code, password, field
):
    right = add_with_code(store, world)
    before = snapshot(store) | {"audit_event": None}  # a wrong code is on record
    answer = send_code(visit("nils", signed_in=False), name, right if code is None else code, password)
    assert answer.status_code == 422
    assert f'id="error-{field}"' in answer.text
    assert right not in answer.text
    assert "set-cookie" not in answer.headers
    assert snapshot(store) | {"audit_event": None} == before
    assert send_code(visit("nils", signed_in=False), "nils", right).status_code == 303


def test_a_code_of_a_disabled_account_is_refused(store, world, people, visit):
    code = add_with_code(store, world)
    accounts.disable(store, world, "nils")
    assert send_code(visit("nils", signed_in=False), "nils", code).status_code == 422


def test_a_new_code_ends_the_former_one(store, world, people, visit):
    former = add_with_code(store, world)
    newer = accounts.reset(store, world, "nils")
    assert send_code(visit("nils", signed_in=False), "nils", former).status_code == 422
    assert send_code(visit("nils", signed_in=False), "nils", newer).status_code == 303


def test_a_code_is_drawn_from_128_random_bits(store, world):
    drawn = []
    counted = replace(world, token=lambda size: drawn.append(size) or real.real().token(size))
    accounts.add(store, counted, CHEAP, "nils", lead=False)
    assert drawn[0] == 16  # the other one is the key for counting


def test_only_the_hash_of_a_code_is_stored(store, world, people):
    assert add_with_code(store, world).encode() not in on_disk(store)


def test_a_refused_sign_in_tells_alike_whether_the_name_is_known(store, world, people, visit):
    add_with_code(store, world)
    accounts.disable(store, world, "otto")
    names = {
        "rosa": "wrong",
        "nora": "wrong",
        "otto": password_of("otto"),
        "nils": "",
        "ROSA": password_of("rosa"),
    }
    answers = [(name, sign_in(visit("rosa", signed_in=False), name, given)) for name, given in names.items()]
    assert {answer.status_code for _, answer in answers} == {422}
    assert len({answer.text.replace(f'value="{name}"', "") for name, answer in answers}) == 1
    assert not any("set-cookie" in answer.headers for _, answer in answers)


def test_a_refused_code_tells_alike_whether_the_name_is_known(store, world, people, visit):
    add_with_code(store, world)
    answers = [(name, send_code(visit("rosa", signed_in=False), name, "wrong")) for name in ("nils", "nora", "rosa")]
    assert len({answer.text.replace(f'value="{name}"', "") for name, answer in answers}) == 1


def test_an_unknown_name_costs_one_check_of_a_password_too(store, world, people, monkeypatch):
    checked = []
    monkeypatch.setattr(CHEAP, "_hasher", Counting(CHEAP._hasher, checked))
    for name in ("rosa", "nora"):
        with pytest.raises(InvalidInput):
            sessions.sign_in(store, world, CHEAP, name, "wrong")
    assert checked == ["verify", "verify"]


class Counting:
    """A hasher that notes each check."""

    def __init__(self, hasher, checked):
        self.hasher, self.checked = hasher, checked

    def verify(self, *given):
        self.checked.append("verify")
        return self.hasher.verify(*given)


def test_a_refused_sign_in_keeps_the_name_and_never_the_password(people, visit):
    answer = sign_in(visit("rosa", signed_in=False), 'ro"<sa', "my secret words")
    assert 'value="ro&#34;&lt;sa"' in answer.text
    assert "my secret words" not in answer.text


def test_a_refused_sign_in_is_audited_without_the_name(store, people, visit):
    sign_in(visit("rosa", signed_in=False), "my password typed into the wrong field", "x")
    event = snapshot(store)["audit_event"][-1]
    assert "sign_in.refused" in event
    assert b"wrong field" not in on_disk(store)


def test_no_password_is_ever_stored_or_logged(store, world, people, visit, caplog):
    caplog.set_level(logging.DEBUG)
    said = ["a wrong password here", password_of("rosa"), "the first new password", "the second new password"]
    rosa, nils = visit("rosa", signed_in=False), visit("nils", signed_in=False)
    sign_in(rosa, "rosa", said[0])
    sign_in(rosa, "rosa", said[1])
    rosa.send(rosa.page("/account").form_to("/account"), current=said[1], password=said[2])
    send_code(nils, "nils", add_with_code(store, world), said[3])
    kept = on_disk(store)
    for password in said:
        assert password.encode() not in kept
        assert password not in caplog.text


def test_a_password_is_kept_as_argon2id_with_64_mib():
    assert Passwords().hash("x").startswith("$argon2id$v=19$m=65536,t=3,p=1$")


def test_a_form_without_its_sessions_token_is_refused_on_every_route_and_changes_nothing(app, store, world, visit):
    code = prepare(store, world)
    others = visit("otto").page("/account").form_to("/account").fields["csrf"][0]
    for step in way(visit, code):
        if step.route in {LOGIN, CODE}:  # nobody is signed in yet; the Origin check stands alone
            continue
        before = snapshot(store)
        for wrong in (None, "", "wrong", others, [others, ""], "é"):
            answer = step.send(csrf=wrong)
            assert answer.status_code == 403, (step.route, wrong)
            assert "Reload the page" in answer.text
        assert snapshot(store) == before, step.route


def test_a_sessions_csrf_token_is_not_its_cookie_and_dies_with_it(people, visit):
    rosa = visit("rosa")
    form = rosa.page("/account").form_to("/account")
    assert form.fields["csrf"][0] != token_of(rosa)
    rosa.sign_in()
    answer = rosa.send(form, current=password_of("rosa"), password=NEW_PASSWORD)
    assert answer.status_code == 403


def test_signed_out_a_form_leads_to_the_sign_in_page_and_changes_nothing(app, store, world, visit):
    code, stranger = prepare(store, world), visit("rosa", signed_in=False)
    for step in way(visit, code):
        if step.route in {LOGIN, CODE}:
            continue
        before = snapshot(store)
        answer = stranger.client.post(step.path, data=step.fields, headers=stranger.headers)
        # From an item what was entered goes along.
        status = 307 if step.route in {"/review/{token}", "/adjudicate/{token}"} else 303
        assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (status, LOGIN), step.route
        assert snapshot(store) == before


def test_for_htmx_an_ended_session_leads_to_the_full_sign_in_page(study, store, world, visit):
    rosa = visit("rosa")
    where, page = rosa.next_page()
    sessions.start_server(store, world)
    for answer in (
        rosa.get(where, headers={"HX-Request": "true"}),
        rosa.send(page.judging_form(), headers={"HX-Request": "true"}, label="no-material-edit"),
        rosa.send(page.judging_form(), path=f"{where}/draft", headers={"HX-Request": "true"}),
    ):
        assert (answer.status_code, answer.headers["hx-redirect"], answer.text) == (401, f"{LOGIN}?back={where}", "")


def test_every_act_on_an_account_is_audited_by_name_and_without_a_secret(store, world, people, visit):
    code = add_with_code(store, world)
    nils = visit("nils", signed_in=False)
    send_code(nils, "nils", code)
    nils.send(nils.page("/account").form_to("/logout"))
    accounts.reset(store, world, "nils")
    accounts.disable(store, world, "nils")
    seen = [(event.actor, event.event) for event in snapshot(store)["audit_event"][-5:]]
    assert seen == [
        ("local", "account.added"),
        ("nils", "password.set"),
        ("nils", "session.ended"),
        ("local", "account.reset"),
        ("local", "account.disabled"),
    ]
    assert not any(code in str(event) for event in snapshot(store)["audit_event"])


def test_the_host_name_is_drawn_once_for_each_store(store, world):
    drawn = {sessions.start_server(store, fixed_world(seed)) for seed in ("one", "two")}
    assert len(drawn) == 1
    assert re.fullmatch(r"[a-z0-9]{16,}\.localhost", drawn.pop())


# Back to the item


def ended(rosa, store, world):
    """End rosa's session while her first item is open; return its address and its form."""
    where, page = rosa.next_page()
    sessions.start_server(store, world)
    return where, page.judging_form()


def sign_in_with(person, **more):
    said = {"username": person.name, "password": password_of(person.name)} | more
    return person.post(LOGIN, said)


def test_after_signing_in_again_one_is_back_at_the_item_and_what_was_not_sent_is_a_draft(study, store, world, visit):
    rosa = visit("rosa")
    where, form = ended(rosa, store, world)
    kept = urlencode({"version": form.fields["version"][0], "label": "benign-retention", "note": "half a thought\n"})
    asked = rosa.post(LOGIN, {"back": where, "kept": kept})
    assert "not sent" in asked.text
    fields = Page(asked.text).form_to(LOGIN).fields
    assert (fields["back"], fields["kept"]) == ([where], [kept])
    answer = sign_in_with(rosa, back=where, kept=kept)
    assert (answer.status_code, answer.headers["location"]) == (303, where)
    shown = rosa.page(where)
    assert shown.judging_form().fields["note"] == ["half a thought\n"]
    assert "not sent" in shown.text


# As a browser sends it: the line breaks of a text area come as CR LF.
TO_THE_LAST_BYTE = (
    "\r\n  two lines\r\n\tand a tab \u00a0 \r\n cafe\u0301, caf\u00e9, \u200b\u202e "
    "\U0001f469\u200d\U0001f467 %0A+&=;  \t"
)


def drafts(store):
    return [json.loads(row.fields) for row in snapshot(store)["draft"]]


@pytest.mark.parametrize("way", ["the page hands it over", "without JavaScript"])
def test_what_was_not_sent_comes_back_byte_for_byte(study, store, world, visit, way):
    rosa = visit("rosa")
    where, form = ended(rosa, store, world)
    entered = {"version": form.fields["version"][0], "label": "benign-retention", "note": TO_THE_LAST_BYTE}
    if way == "without JavaScript":
        led = rosa.send(form, **entered)
        assert (led.status_code, led.headers["location"]) == (307, f"{LOGIN}?back={where}")
        asked = rosa.send(form, path=led.headers["location"], **entered)
    else:
        asked = rosa.post(LOGIN, {"back": where, "kept": urlencode(entered)})
    assert "not sent" in asked.text
    assert "csrf" not in Page(asked.text).form_to(LOGIN).fields["kept"][0]
    answer = rosa.send(Page(asked.text).form_to(LOGIN), username="rosa", password=password_of("rosa"))
    assert (answer.status_code, answer.headers["location"]) == (303, where)
    (kept,) = drafts(store)
    assert kept["note"] == [TO_THE_LAST_BYTE]
    assert kept["label"] == ["benign-retention"]


def test_a_draft_is_kept_byte_for_byte_over_the_end_of_a_session(study, store, world, visit):
    rosa = visit("rosa")
    where, page = rosa.next_page()
    rosa.send(page.judging_form(), path=f"{where}/draft", label="benign-retention", note=TO_THE_LAST_BYTE)
    before = snapshot(store)["draft"]
    sessions.start_server(store, world)
    rosa.sign_in().page(where)
    assert snapshot(store)["draft"] == before
    assert drafts(store)[0]["note"] == [TO_THE_LAST_BYTE]


def test_what_was_not_sent_is_nobody_elses(study, store, world, visit):
    where, form = ended(visit("rosa"), store, world)
    ravi = visit("ravi", signed_in=False)
    before = snapshot(store)["draft"]
    kept = urlencode({"version": form.fields["version"][0], "note": "half a thought"})
    assert sign_in_with(ravi, back=where, kept=kept).headers["location"] == where
    assert ravi.get(where).status_code == 404
    assert snapshot(store)["draft"] == before


@pytest.mark.parametrize(
    "back", ["//elsewhere.example", "http://elsewhere.example/review/x", "/lead", "/review/x/../y"]
)
def test_nobody_is_led_elsewhere_by_a_link_to_the_sign_in_page(study, visit, back):
    assert (
        "back" not in Page(visit("rosa", signed_in=False).get(LOGIN, params={"back": back}).text).form_to(LOGIN).fields
    )
    assert sign_in_with(visit("rosa", signed_in=False), back=back).headers["location"] == "/"


def test_a_sign_of_life_keeps_a_session_and_says_when_there_is_none(study, store, world, visit):
    rosa = visit("rosa")
    assert rosa.get("/session").status_code == 204
    sessions.start_server(store, world)
    assert rosa.get("/session").status_code == 401
