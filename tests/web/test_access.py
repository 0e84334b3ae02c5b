"""Who reaches what: every route, every person, at every stage, in one table."""

import contextlib

import pytest
from starlette.testclient import TestClient

from app.actions import accounts, freezing, preparing
from app.config import Settings
from app.domain.blinding import checked
from app.domain.stage import PARTS as OF_A_DRAFT
from app.store.migrate import open_store
from app.web.app import create_app
from tests.house import (
    CHEAP,
    ORIGIN,
    PORT,
    PROTOCOL,
    RIGHTS,
    Person,
    add_people,
    draft_study,
    fixed_world,
    frozen_study,
    item_rows,
    jsonl,
    password_of,
    practice_row,
    seats,
)
from tests.sounds import wav
from tests.web.way import CHECKED, PAIRS, routes, snapshot

# rosa and ravi review, ines adjudicates, lena leads; lars may lead and has no
# study, otto has no part in any, noah is not signed in. A {token} is rosa's under /review and ines's under /adjudicate.
# A POST has its csrf token, the item's version and a key, and otherwise nothing: where a person
# is let through, 422 or 409 says so.
PEOPLE = ("rosa", "ravi", "ines", "lena", "lars", "otto", "noah")
REVIEWING = """
GET  /                                    303 303 303 303 303 200 303
GET  /healthz                             200 200 200 200 200 200 200
GET  /login                               200 200 200 200 200 200 200
POST /login                               422 422 422 422 422 422 422
GET  /code                                200 200 200 200 200 200 200
POST /code                                422 422 422 422 422 422 422
POST /                                    404 404 404 404 404 404 303
POST /logout                              303 303 303 303 303 303 303
GET  /account                             200 200 200 200 200 200 303
POST /account                             422 422 422 422 422 422 303
POST /account/sessions                    422 422 422 422 422 422 303
POST /account/look                        422 422 422 422 422 422 303
GET  /session                             204 204 204 204 204 204 401
GET  /guide                               200 200 200 200 200 200 303
GET  /protocol                            200 200 200 200 404 404 303
GET  /review                              200 200 404 404 404 404 303
POST /review                              303 303 404 404 404 404 303
GET  /review/receipt                      200 200 404 404 404 404 303
GET  /review/next                         303 303 404 404 404 404 303
GET  /review/{token}                      200 404 404 404 404 404 303
GET  /review/{token}/audio                200 404 404 404 404 404 303
POST /review/{token}                      422 404 404 404 404 404 307
POST /review/{token}/draft                303 404 404 404 404 404 303
POST /review/{token}/flag                 303 404 404 404 404 404 303
POST /review/{token}/unflag               303 404 404 404 404 404 303
POST /review/sign-off                     409 409 404 404 404 404 303
GET  /review/practice                     200 200 404 404 404 404 303
POST /review/practice                     303 303 404 404 404 404 303
GET  /review/practice/{token}             404 404 404 404 404 404 303
GET  /review/practice/{token}/audio       404 404 404 404 404 404 303
POST /review/practice/{token}             404 404 404 404 404 404 303
GET  /review/guess                        303 303 404 404 404 404 303
GET  /review/guess/{token}                404 404 404 404 404 404 303
POST /review/guess/{token}                404 404 404 404 404 404 303
GET  /adjudicate                          404 404 200 404 404 404 303
POST /adjudicate                          404 404 303 404 404 404 303
GET  /adjudicate/receipt                  404 404 200 404 404 404 303
GET  /adjudicate/next                     404 404 303 404 404 404 303
GET  /adjudicate/{token}                  404 404 404 404 404 404 303
GET  /adjudicate/{token}/audio            404 404 404 404 404 404 303
POST /adjudicate/{token}                  404 404 404 404 404 404 307
POST /adjudicate/{token}/draft            404 404 404 404 404 404 303
POST /adjudicate/{token}/flag             404 404 404 404 404 404 303
POST /adjudicate/{token}/unflag           404 404 404 404 404 404 303
POST /adjudicate/sign-off                 404 404 409 404 404 404 303
GET  /adjudicate/practice                 404 404 200 404 404 404 303
POST /adjudicate/practice                 404 404 303 404 404 404 303
GET  /adjudicate/practice/{token}         404 404 404 404 404 404 303
GET  /adjudicate/practice/{token}/audio   404 404 404 404 404 404 303
POST /adjudicate/practice/{token}         404 404 404 404 404 404 303
GET  /adjudicate/guess                    404 404 303 404 404 404 303
GET  /adjudicate/guess/{token}            404 404 404 404 404 404 303
POST /adjudicate/guess/{token}            404 404 404 404 404 404 303
GET  /lead                                404 404 404 200 200 404 303
GET  /lead/new                            404 404 404 200 200 404 303
POST /lead/new                            404 404 404 422 422 404 303
POST /lead/new/plan                       404 404 404 422 422 404 303
GET  /lead/select                         404 404 404 200 200 404 303
POST /lead/select                         404 404 404 422 422 404 303
GET  /lead/starter/{name}                 404 404 404 200 200 404 303
GET  /lead/accounts                       404 404 404 200 200 404 303
POST /lead/accounts                       404 404 404 422 422 404 303
POST /lead/accounts/reset                 404 404 404 409 409 404 303
POST /lead/accounts/disable               404 404 404 409 409 404 303
GET  /lead/studies/{study_id}             404 404 404 200 404 404 303
GET  /lead/studies/{study_id}/protocol    404 404 404 200 404 404 303
POST /lead/studies/{study_id}/protocol    404 404 404 409 404 404 303
GET  /lead/studies/{study_id}/protocol/edit 404 404 404 409 404 404 303
POST /lead/studies/{study_id}/protocol/edit 404 404 404 409 404 404 303
GET  /lead/studies/{study_id}/protocol.toml 404 404 404 200 404 404 303
GET  /lead/studies/{study_id}/rights      404 404 404 200 404 404 303
POST /lead/studies/{study_id}/rights      404 404 404 409 404 404 303
GET  /lead/studies/{study_id}/rights/entry 404 404 404 409 404 404 303
POST /lead/studies/{study_id}/rights/entry 404 404 404 422 404 404 303
GET  /lead/studies/{study_id}/withdraw    404 404 404 200 404 404 303
POST /lead/studies/{study_id}/withdraw    404 404 404 422 404 404 303
GET  /lead/studies/{study_id}/items       404 404 404 200 404 404 303
POST /lead/studies/{study_id}/items       404 404 404 409 404 404 303
GET  /lead/studies/{study_id}/items/columns 404 404 404 303 404 404 303
POST /lead/studies/{study_id}/items/columns 404 404 404 409 404 404 303
POST /lead/studies/{study_id}/items/prefill 404 404 404 422 404 404 303
GET  /lead/studies/{study_id}/items/problems.csv 404 404 404 404 404 404 303
POST /lead/studies/{study_id}/items/audio 404 404 404 409 404 404 303
GET  /lead/studies/{study_id}/people      404 404 404 200 404 404 303
POST /lead/studies/{study_id}/people      404 404 404 409 404 404 303
POST /lead/studies/{study_id}/replace     404 404 404 422 404 404 303
GET  /lead/studies/{study_id}/freeze      404 404 404 200 404 404 303
POST /lead/studies/{study_id}/freeze      404 404 404 409 404 404 303
POST /lead/studies/{study_id}/reopen      404 404 404 422 404 404 303
POST /lead/studies/{study_id}/deviation   404 404 404 422 404 404 303
POST /lead/studies/{study_id}/close       404 404 404 422 404 404 303
GET  /lead/studies/{study_id}/results     404 404 404 409 404 404 303
GET  /lead/studies/{study_id}/cases       404 404 404 409 404 404 303
GET  /lead/studies/{study_id}/export      404 404 404 200 404 404 303
POST /lead/studies/{study_id}/export      404 404 404 422 404 404 303
"""
# What differs before the freeze.
BEFORE_THE_FREEZE = """
GET  /protocol                            404 404 404 404 404 404 303
GET  /                                    200 200 200 200 303 200 303
GET  /review                              303 303 404 404 404 404 303
GET  /review/receipt                      303 303 404 404 404 404 303
GET  /review/{token}                      303 303 404 404 404 404 303
GET  /review/{token}/audio                303 303 404 404 404 404 303
POST /review/{token}                      303 303 404 404 404 404 307
POST /review/{token}/draft                303 303 404 404 404 404 303
POST /review/{token}/flag                 303 303 404 404 404 404 303
POST /review/{token}/unflag               303 303 404 404 404 404 303
POST /review/sign-off                     303 303 404 404 404 404 303
GET  /review/practice                     303 303 404 404 404 404 303
GET  /review/practice/{token}             303 303 404 404 404 404 303
GET  /review/practice/{token}/audio       303 303 404 404 404 404 303
POST /review/practice/{token}             303 303 404 404 404 404 303
GET  /adjudicate/practice                 404 404 303 404 404 404 303
GET  /adjudicate/practice/{token}         404 404 303 404 404 404 303
GET  /adjudicate/practice/{token}/audio   404 404 303 404 404 404 303
POST /adjudicate/practice/{token}         404 404 303 404 404 404 303
GET  /review/guess/{token}                303 303 404 404 404 404 303
POST /review/guess/{token}                303 303 404 404 404 404 303
GET  /adjudicate/guess/{token}            404 404 303 404 404 404 303
POST /adjudicate/guess/{token}            404 404 303 404 404 404 303
GET  /adjudicate                          404 404 303 404 404 404 303
GET  /adjudicate/receipt                  404 404 303 404 404 404 303
GET  /adjudicate/{token}                  404 404 303 404 404 404 303
GET  /adjudicate/{token}/audio            404 404 303 404 404 404 303
POST /adjudicate/{token}                  404 404 303 404 404 404 307
POST /adjudicate/{token}/draft            404 404 303 404 404 404 303
POST /adjudicate/{token}/flag             404 404 303 404 404 404 303
POST /adjudicate/{token}/unflag           404 404 303 404 404 404 303
POST /adjudicate/sign-off                 404 404 303 404 404 404 303
POST /lead/studies/{study_id}/protocol    404 404 404 303 404 404 303
POST /lead/studies/{study_id}/rights      404 404 404 303 404 404 303
GET  /lead/studies/{study_id}/protocol/edit 404 404 404 200 404 404 303
GET  /lead/studies/{study_id}/rights/entry 404 404 404 200 404 404 303
POST /lead/studies/{study_id}/protocol/edit 404 404 404 422 404 404 303
POST /lead/studies/{study_id}/items       404 404 404 422 404 404 303
POST /lead/studies/{study_id}/items/audio 404 404 404 303 404 404 303
POST /lead/studies/{study_id}/people      404 404 404 422 404 404 303
POST /lead/studies/{study_id}/close       404 404 404 409 404 404 303
"""
# What differs once both reviewers have signed and disagreed, and once the study is closed.
ADJUDICATING = """
POST /review/{token}                      409 404 404 404 404 404 307
POST /review/{token}/draft                409 404 404 404 404 404 303
POST /review/{token}/flag                 409 404 404 404 404 404 303
POST /review/{token}/unflag               409 404 404 404 404 404 303
POST /review/sign-off                     303 303 404 404 404 404 303
GET  /review/guess/{token}                200 404 404 404 404 404 303
POST /review/guess/{token}                422 404 404 404 404 404 303
GET  /adjudicate/{token}                  404 404 200 404 404 404 303
GET  /adjudicate/{token}/audio            404 404 200 404 404 404 303
POST /adjudicate/{token}                  404 404 422 404 404 404 307
POST /adjudicate/{token}/draft            404 404 303 404 404 404 303
POST /adjudicate/{token}/flag             404 404 303 404 404 404 303
POST /adjudicate/{token}/unflag           404 404 303 404 404 404 303
"""
CLOSED = """
POST /review/practice                     409 409 404 404 404 404 303
POST /review/practice/{token}             409 409 404 404 404 404 303
POST /adjudicate/practice/{token}         404 404 409 404 404 404 303
POST /adjudicate/practice                 404 404 409 404 404 404 303
GET  /review/guess/{token}                303 404 404 404 404 404 303
POST /review/guess/{token}                409 404 404 404 404 404 303
GET  /                                    200 200 200 200 303 200 303
GET  /review/{token}/audio                409 404 404 404 404 404 303
GET  /adjudicate/{token}/audio            404 404 409 404 404 404 303
POST /adjudicate/{token}                  404 404 409 404 404 404 307
POST /adjudicate/{token}/draft            404 404 409 404 404 404 303
POST /adjudicate/{token}/flag             404 404 409 404 404 404 303
POST /adjudicate/{token}/unflag           404 404 409 404 404 404 303
POST /lead/studies/{study_id}/close       404 404 404 409 404 404 303
GET  /lead/studies/{study_id}/results     404 404 404 200 404 404 303
GET  /lead/studies/{study_id}/cases       404 404 404 200 404 404 303
"""
ROWS = [*(row | {"audio": "a.wav"} for row in item_rows(PAIRS)), practice_row()]
STAGES = ("preparing", "reviewing", "adjudicating", "closed")
# What is sent where an address takes a file: each is the study's own, so that only its stage decides.
PARTS = (*OF_A_DRAFT, "freeze")
FILES = {"protocol": PROTOCOL.encode(), "rights": RIGHTS.encode(), "items": jsonl(ROWS), "audio": wav()}
FILES |= dict.fromkeys(("new", "select"), b"")


def table(text):
    rows = [line.split() for line in text.strip().splitlines()]
    return {(method, path): tuple(map(int, statuses)) for method, path, *statuses in rows}


MATRIX = {"reviewing": table(REVIEWING)}
MATRIX["preparing"] = MATRIX["reviewing"] | table(BEFORE_THE_FREEZE)
MATRIX["adjudicating"] = MATRIX["reviewing"] | table(ADJUDICATING)
MATRIX["closed"] = MATRIX["adjudicating"] | table(CLOSED)


class House:
    """A study at one stage, with everybody at a browser."""

    def __init__(self, folder, stage):
        world = fixed_world()
        self.store = open_store(folder)
        add_people(self.store, world)
        accounts.add(self.store, world, CHEAP, "lars", lead=True, password=password_of("lars"))
        make = draft_study if stage == "preparing" else frozen_study
        make(self.store, world, protocol=CHECKED, rows=ROWS, sounds={"a.wav": wav()})
        self.app = create_app(self.store, world, Settings(port=PORT), CHEAP)
        self.browsers, self.csrf = contextlib.ExitStack(), {}
        self.people = {name: self.visit(name) for name in PEOPLE}
        if stage != "preparing":
            for name, base in (("rosa", "/review"), ("ravi", "/review"), ("ines", "/adjudicate")):
                self.people[name].practise(base)
        self.tokens = {"/review": self.token("rosa"), "/adjudicate": self.token("ines")}
        if stage in {"adjudicating", "closed"}:
            self.review("rosa", "no-material-edit")
            self.review("ravi", "benign-retention")
            self.people["ines"].page("/adjudicate")  # the first look, which makes the queue
        if stage == "closed":
            lead = self.people["lena"]
            place = "/lead/studies/pilot"
            form = lead.page(place).form_to(f"{place}/close")
            assert lead.send(form, reason="we stop here").status_code == 303

    def visit(self, name):
        client = self.browsers.enter_context(TestClient(self.app, base_url=ORIGIN, follow_redirects=False))
        person = Person(client, name)
        if name != "noah":
            self.csrf[name] = person.sign_in().page("/account").form_to("/account").fields["csrf"]
        return person

    def review(self, name, label):
        person = self.people[name]
        while (found := person.next_page()) is not None:
            person.answer(found[1], label=label)
        assert person.sign_off().status_code == 303

    def one(self, sql):
        with self.store.read() as connection:
            return connection.exec_driver_sql(sql).scalar()

    def token(self, name):
        mine = f"select rank, token from slot join account a on a.id = account_id where a.name = '{name}'"  # noqa: S608
        with self.store.read() as connection:
            tokens = dict(connection.exec_driver_sql(f"{mine} and rank is not null").all())
        asked = next(iter(checked(list(tokens), 1 / 1000)), None)  # one that the blinding check asks about
        return tokens.get(asked, "nothing")

    def ask(self, method, route, name, token=None):
        """Send one person's request to a route; return its answer."""
        person, base = self.people[name], f"/{route.split('/')[1]}"
        token = token or self.tokens.get(base, "")
        path = route.format(token=token, study_id="pilot", name="items.csv")
        if method != "POST":
            return person.client.request(method, path, headers=person.headers)
        version = self.one(f"select version from slot where token = '{token}'") or 0  # noqa: S608
        said = {"csrf": self.csrf.get(name, ""), "version": str(version), "key": "k"}
        if route.endswith("/people"):
            said["role.lena"] = "nonsense"  # or it would leave the study without anybody
        data = FILES.get(route.rpartition("/")[2])
        files = None if data is None else {"file": ("file", data)}
        if route.endswith("/audio"):
            files = {"audio": ("a.wav", data)}
        answer = person.client.post(path, data=said, files=files, headers=person.headers)
        if route == "/logout":
            self.people[name] = self.visit(name)
        return answer


@pytest.fixture(scope="module")
def houses(tmp_path_factory):
    made = {stage: House(tmp_path_factory.mktemp(stage) / "store", stage) for stage in STAGES}
    yield made
    for house in made.values():
        house.browsers.close()
        house.store.close()


@pytest.mark.parametrize(("method", "route"), sorted(MATRIX["reviewing"]))
@pytest.mark.parametrize("stage", STAGES)
def test_a_route_answers_each_person_as_declared(houses, stage, method, route):
    found = tuple(houses[stage].ask(method, route, name).status_code for name in PEOPLE)
    assert dict(zip(PEOPLE, found, strict=True)) == dict(zip(PEOPLE, MATRIX[stage][method, route], strict=True))


def test_every_route_of_the_application_is_declared(houses):
    found = routes(houses["reviewing"].app)
    assert {route for route in found if route[0] == "mount"} == {("mount", "/static")}
    assert found - {("mount", "/static")} == set(MATRIX["reviewing"])


def test_a_route_that_is_not_declared_would_be_noticed(houses):
    app = create_app(houses["closed"].store, fixed_world(), Settings(port=PORT), CHEAP)
    app.get("/new")(lambda: None)
    assert ("GET", "/new") in routes(app) - set(MATRIX["reviewing"])


@pytest.mark.parametrize("route", sorted({route for _, route in MATRIX["reviewing"]}))
def test_other_methods_are_refused_signed_in_or_not(houses, route):
    house, known = houses["reviewing"], {method for method, path in MATRIX["reviewing"] if path == route}
    if route.endswith("/sign-off"):
        known.add("GET")  # an address of its own by its form: that of an item, which is not there
    before = snapshot(house.store)
    for name in ("rosa", "lena", "noah"):
        for method in {"GET", "HEAD", "PUT", "DELETE", "PATCH"} - known:
            assert house.ask(method, route, name).status_code == 405, (method, name)
    assert snapshot(house.store) == before


@pytest.mark.parametrize("path", ["/nothing", "/review/x/y", "/lead/studies/pilot/nothing", "/lead/nothing", "/admin"])
def test_what_does_not_exist_is_404_to_everybody(houses, path):
    for name in PEOPLE:
        assert houses["reviewing"].people[name].get(path).status_code == 404


@pytest.mark.parametrize(
    "route",
    [
        ("GET", "/lead/studies/{}"),
        ("POST", "/lead/studies/{}/reopen"),
        ("POST", "/lead/studies/{}/deviation"),
        ("POST", "/lead/studies/{}/close"),
        ("GET", "/lead/studies/{}/results"),
        ("GET", "/lead/studies/{}/export"),
        ("POST", "/lead/studies/{}/export"),
        ("GET", "/lead/studies/{}/withdraw"),
        ("POST", "/lead/studies/{}/withdraw"),
        ("GET", "/lead/studies/{}/protocol/edit"),
        ("POST", "/lead/studies/{}/protocol/edit"),
        ("GET", "/lead/studies/{}/rights/entry"),
        ("POST", "/lead/studies/{}/rights/entry"),
        ("GET", "/lead/studies/{}/items/columns"),
        ("POST", "/lead/studies/{}/items/columns"),
        ("POST", "/lead/studies/{}/items/prefill"),
        *((method, f"/lead/studies/{{}}/{part}") for method in ("GET", "POST") for part in PARTS),
    ],
)
@pytest.mark.parametrize("study", ["nothing", "PILOT", "pilot ", "%2e%2e", "1"])
def test_a_study_that_is_not_there_is_404_to_a_lead(houses, route, study):
    method, path = route
    assert houses["closed"].ask(method, path.format(study), "lena").status_code in {404, 405}


@pytest.mark.parametrize("base", ["/review", "/adjudicate"])
@pytest.mark.parametrize("stage", STAGES[1:])
def test_nobody_opens_an_item_by_a_token_that_is_not_theirs(houses, stage, base):
    house = houses[stage]
    theirs = {"rosa": "/review", "ravi": "/review", "ines": "/adjudicate"}
    for owner in theirs:
        for name in set(PEOPLE) - {"noah", owner}:
            tails = (("GET", ""), ("GET", "/audio"), ("POST", ""), ("POST", "/draft"), ("POST", "/flag"))
            for method, tail in tails:
                answer = house.ask(method, f"{base}/{house.token(owner)}{tail}", name)
                assert answer.status_code == 404, (owner, name, method, tail)


@pytest.mark.parametrize("token", ["nothing", "1", "sign-off", "%00", "é", "a" * 2_000, "' or 1=1 --"])
def test_a_token_that_is_nobodys_is_404(houses, token):
    for name, base in (("rosa", "/review"), ("ines", "/adjudicate")):
        person = houses["adjudicating"].people[name]
        assert person.get(f"{base}/{token}").status_code == 404


def test_an_outsider_cannot_tell_what_is_there_from_what_is_not(houses):
    house = houses["adjudicating"]
    for method, route in MATRIX["adjudicating"]:
        if "{" in route:
            there = house.ask(method, route, "otto")
            not_there = house.ask(method, route.replace("{token}", "nothing").replace("{study_id}", "nothing"), "otto")
            assert (there.status_code, there.headers, there.content) == (
                not_there.status_code,
                not_there.headers,
                not_there.content,
            )
            assert there.status_code == 404


def test_nobody_outside_a_study_ever_gets_403(houses):
    for stage in STAGES:
        assert 403 not in {status for row in MATRIX[stage].values() for status in row}


def test_the_health_check_and_the_sign_in_pages_tell_nothing_of_the_store(houses):
    stranger = houses["adjudicating"].people["noah"]
    assert stranger.get("/healthz").text == "ok"
    for path in ("/login", "/code", "/nothing"):
        assert not any(word in stranger.get(path).text for word in ("rosa", "lena", "pilot", "A small pilot"))


def test_another_lead_sees_nothing_of_this_study(houses):
    for path in ("/", "/lead", "/lead/studies/pilot", *(f"/lead/studies/pilot/{part}" for part in PARTS)):
        assert "A small pilot" not in houses["adjudicating"].people["lars"].get(path).text


def test_a_draft_study_is_nothing_to_a_judge_yet(store, world, people, visit):
    draft_study(store, world)
    for name, base in (("rosa", "/review"), ("ines", "/adjudicate")):
        person = visit(name)
        for path in (base, f"{base}/next", f"{base}/nothing"):
            assert (person.get(path).status_code, person.get(path).headers["location"]) == (303, "/")
        assert "being prepared" in person.get("/").text


def test_somebody_with_two_roles_has_each_in_its_own_study_alone(store, world, people, visit):
    frozen_study(store, world)
    second = draft_study(store, world, protocol=PROTOCOL.replace('"pilot"', '"second"').replace("A small", "A second"))
    preparing.assign(store, world, "local", second, seats(["ravi", "ines"], ["lena"], "rosa"))
    freezing.freeze(store, world, "local", second, [each.code for each in preparing.check(store, second).acknowledge])
    rosa = visit("rosa")
    mine, _ = rosa.next_page()
    assert "A small pilot" in rosa.get("/review").text
    assert "Not open yet" in rosa.get("/adjudicate").text
    for study, place in (("second", "/adjudicate"), ("pilot", "/review")):
        chosen = rosa.send(rosa.page("/").form_to("/"), study=study)
        assert chosen.headers["location"] == place
        assert rosa.get(mine).status_code == 200
        assert rosa.get(mine.replace("/review", "/adjudicate")).status_code == 404
        assert visit("lena").get("/lead/studies/second").status_code == 200
