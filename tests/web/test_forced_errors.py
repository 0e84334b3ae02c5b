"""Whatever goes wrong in a route: its answer tells nothing of the inside, nothing is half done (acceptance B8, D3)."""

import re

import pytest

from app.config import Settings, resource
from app.domain.codebook import titles
from app.store.migrate import open_store
from app.web.app import create_app
from app.web.errors import NEVER_BACK
from app.web.guard import HEADERS
from tests.house import CHEAP, PORT, fixed_world
from tests.web.failing import BEHIND, BENEATH, BODIES, FULLY, HELD, LOOKING, MARK, ONCE
from tests.web.forced import (
    BASES,
    HOSTILE,
    JUDGING,
    KEPT_IN_MEMORY,
    METHODS,
    PLANTS,
    STORE_NOTHING,
    TOKENS,
    Forced,
    base_of,
    roles_of,
)
from tests.web.way import routes

INSIDE = (  # none of it stands in an honest answer
    *(MARK, "traceback", "/home/", "sqlite", "sqlalchemy", "fastapi", "starlette", "jinja"),
    *("keyerror", "oserror", "operationalerror", "integrityerror", "exception", "on_panel", "off_panel", "slot_id"),
    *("audit_event", "recording_piece", "former_rights", "token_hash", "insert into", "begin immediate", "pragma"),
)
SQL = re.compile(r"\.py\b|select [\w.*, ]+ from |update \w+ set |delete from ")


@pytest.fixture(scope="module")
def forced(tmp_path_factory):
    return Forced(tmp_path_factory.mktemp("forced") / "store")


def told(outcomes):
    return sorted({str(each) for each in outcomes})


def reached(app, method):
    return {(route, role) for its, route in routes(app) if its == method for role in roles_of(method, route)}


@pytest.mark.parametrize("kind", [*BENEATH, *BEHIND, *BODIES, *TOKENS])
def test_every_form_fails_in_every_way_for_everybody_whose_it_is(forced, kind):
    wanted = reached(forced.app, "POST")
    if kind == ONCE:
        wanted = {(route, role) for route, role in wanted if base_of(route) in BASES}
    if kind in TOKENS:
        wanted -= {("/login", "stranger"), ("/code", "stranger")}
    found = [each for each in forced.outcomes_of(kind) if each.method == "POST"]
    assert {(each.route, each.role) for each in found} == wanted
    if kind in BENEATH:
        judging = {(each.route, each.htmx) for each in found if each.route.startswith(JUDGING)}
        assert judging == {(route, htmx) for route, _ in wanted if route.startswith(JUDGING) for htmx in (True, False)}


@pytest.mark.parametrize("kind", LOOKING)
def test_every_page_fails_in_every_way_for_everybody_whose_it_is(forced, kind):
    found = {(each.route, each.role) for each in forced.outcomes_of(kind) if each.method == "GET"}
    assert found == reached(forced.app, "GET")


def test_a_route_that_is_not_forced_would_be_noticed(tmp_path):
    store = open_store(tmp_path / "store")
    app = create_app(store, fixed_world(), Settings(port=PORT), CHEAP)
    before = reached(app, "POST")
    app.post("/lead/new/thing")(lambda: None)
    assert reached(app, "POST") - before == {("/lead/new/thing", "lead")}
    store.close()


def test_no_answer_tells_of_sql_of_a_path_or_of_what_failed(forced):
    answers = [each for each in forced.outcomes if each.failed or each.status >= 400]
    assert len(answers) > 2_000
    wrong = {str(each): [word for word in (*INSIDE, forced.folder.casefold()) if word in each.text] for each in answers}
    assert not {each: words for each, words in wrong.items() if words}
    assert not told(each for each in answers if SQL.search(each.text))


def test_no_answer_holds_what_the_other_reviewer_wrote(forced):
    assert not told(each for each in forced.outcomes if any(plant in each.text for plant in PLANTS))


def test_a_page_that_only_says_what_went_wrong_names_no_answer_of_anybody(forced):
    plain = [each for each in forced.outcomes if each.status >= 400 and "error " in each.text and "<form" in each.text]
    plain = [each for each in plain if f"error {each.status}</p>" in each.text]
    assert len(plain) > 1_000
    named = [title.casefold() for title in titles().values() if " " in title]
    assert not told(each for each in plain if any(title in re.sub("<[^>]+>", " ", each.text) for title in named))


def test_a_form_whose_write_failed_is_never_answered_as_stored_and_stores_nothing(forced):
    beneath = [each for each in forced.outcomes if each.kind in BENEATH and each.method == "POST"]
    failed = [each for each in beneath if each.failed]
    assert not told(each for each in failed if each.status < 500)
    known = [each for each in failed if each.kind in {FULLY, ONCE, HELD} or each.kind.endswith(" with SQL")]
    assert not told(each for each in known if each.status != 503)
    assert not told(each for each in beneath if each.changed)
    quiet = [each for each in beneath if not each.failed and each.route not in STORE_NOTHING]
    assert {each.step.file[0] for each in quiet} == {KEPT_IN_MEMORY}


def test_a_form_that_is_not_as_it_must_be_is_refused_and_stores_nothing(forced):
    broken = [each for each in forced.outcomes if each.method == "POST" and each.kind not in BENEATH | BEHIND]
    assert len({each.kind for each in broken}) > 30
    assert not told(each for each in broken if not 400 <= each.status < 500)
    assert not told(each for each in broken if each.changed)


def test_what_was_entered_is_kept_where_the_store_fails(forced):
    tried = [each for each in forced.outcomes if each.kept is not None]
    # Where nobody can be recognised and the error is no known one, the form was not read.
    tried = [each for each in tried if each.kind != "the first statement fails with the system"]
    assert {each.status for each in tried} >= {500, 503}
    assert len({each.route for each in tried}) > 30
    assert not told(each for each in tried if not each.kept and each.failed)


def test_no_line_of_any_log_holds_what_is_private_or_what_an_error_says(forced):
    log = "\n".join(forced.log.lines).casefold()
    assert log.count("an unforeseen error") > 500
    private = (MARK, *PLANTS, "i want the pen", "had enough already", "was meant to say", "a participant asked")
    assert not [word for word in private if word in log]


def test_an_odd_address_or_method_is_refused_and_tells_nothing(forced):
    odd = [each for each in forced.outcomes if each.kind.startswith(("method ", "address "))]
    assert {each.kind for each in odd} == {
        *(f"method {method}" for method in METHODS),
        *(f"address {number}" for number in range(len(HOSTILE))),
    }
    assert not told(each for each in odd if each.status >= 500 and each.status != 501)
    assert not told(each for each in odd if each.method in METHODS and each.status < 400 and each.method != "HEAD")


def test_where_no_page_can_be_made_plain_words_come_with_the_same_headers(forced):
    plain = [each for each in forced.outcomes_of("every page fails") if each.status == 500]
    assert len({each.route for each in plain}) > 30
    for each in plain:
        assert each.text.startswith("something went wrong here, and nothing was half done."), str(each)
        assert all(f"\n{name.casefold()}: " in each.text for name in HEADERS), str(each)


def test_whatever_is_entered_as_a_password_never_comes_back():
    controls = re.compile(r'text_field\(errors, "(\w+)"[^)]*type="password"|name="(\w+)"[^>]*type="password"')
    pages = resource("templates").rglob("*.html")
    found = {one or other for page in pages for one, other in controls.findall(page.read_text(encoding="utf-8"))}
    assert found >= {"password", "current", "own_password"}
    assert found <= NEVER_BACK
