"""Where the store or a page is made to fail, two worlds look the same: of the arm and of what the other one said."""

from itertools import product

from starlette.testclient import TestClient

from app.config import Settings
from app.store.migrate import open_store
from app.web import errors
from app.web.app import create_app
from tests.blinding.worlds import drive, first_difference, tokens, two_stores
from tests.house import CHEAP, ORIGIN, PORT, Person, fixed_world
from tests.web.failing import BEHIND, BENEATH, LOOKING

ITEMS = 2
VARIANTS = ({}, {"HX-Request": "true"})
SAID = {"label": "destructive-content", "panel": "A", "reason": ["negation"], "note": "it is gone"}
OTHERWISE = {"label": "unassessable-disputed", "reason": ["source_ambiguous"], "note": "who knows"}


def review(folder, name, said, *, sign=False):
    """Have somebody review everything, unseen by any recorder."""
    store = open_store(folder)
    app = create_app(store, fixed_world(f"drive {name}"), Settings(port=PORT), CHEAP)
    with TestClient(app, base_url=ORIGIN, follow_redirects=False) as browser:
        person = Person(browser, name).sign_in().practise()
        while (found := person.next_page()) is not None:
            same = found[1].panels["A"] == found[1].panels["B"]
            person.answer(found[1], **({"label": "no-material-edit"} if same else said))
        assert not sign or person.sign_off().status_code == 303
    store.close()


def fail(base, name, visit):
    """Let every page and form of one judge fail in every way, and the lead's pages beside them."""
    person, lead = visit(name).practise(base), visit("lena")
    store = person.client.app.state.house.store
    for each in (person, lead):
        each.client._transport.raise_server_exceptions = False
    where, page = person.next_page(base)
    form, index, said = page.judging_form(), person.page(base), {"label": "no-material-edit", "decision": "keep"}
    mine = product((base, f"{base}/next", where, f"{where}/audio", f"{base}/receipt"), VARIANTS)
    theirs = product(("", "/items", "/people", "/freeze", "/results", "/export"), VARIANTS[:1])
    looks = [(person, *each) for each in mine] + [(lead, f"/lead/studies/pilot{part}", {}) for part, _ in theirs]
    for breaking, (who, path, headers) in product(LOOKING.values(), looks):
        with breaking(store):
            who.get(path, headers=headers)
    for breaking, act, headers in product((BENEATH | BEHIND).values(), ("", "/draft", "/flag"), VARIANTS):
        with breaking(store):
            person.send(form, path=f"{where}{act}", headers=headers, **said, note="my own")
    for breaking in BENEATH.values():
        for each, more in ((index.form_to(base), {"words": "line"}), (index.form_to(f"{base}/sign-off"), {})):
            with breaking(store):
                person.send(each, **more)
    for token in tokens(person.get(base).text):
        person.get(f"{base}/{token}")


def worlds(folder, said):
    """Return two stores with every arm exchanged, in each of which ravi has said something of his own."""
    one, other = two_stores(folder, ITEMS)
    for place, each in zip((one, other), said, strict=True):
        review(place, "ravi", each)
    return one, other


def seen_by(folder, base, name):
    return drive(folder, lambda visit: fail(base, name, visit))


def test_no_forced_error_tells_a_reviewer_or_the_lead_the_arm_or_what_the_other_reviewer_said(tmp_path):
    one, other = (seen_by(folder, "/review", "rosa") for folder in worlds(tmp_path, (SAID, OTHERWISE)))
    assert {200, 303, 500, 503} <= {seen[2] for seen in one if seen[0] != "log"}
    assert first_difference(one, other) is None


def test_no_forced_error_tells_the_adjudicator_the_arm(tmp_path):
    one, other = two_stores(tmp_path, ITEMS)
    for folder in (one, other):
        review(folder, "ravi", SAID, sign=True)
        review(folder, "rosa", {"label": "benign-retention"}, sign=True)
    left, right = (seen_by(folder, "/adjudicate", "ines") for folder in (one, other))
    assert {200, 303, 500, 503} <= {seen[2] for seen in left if seen[0] != "log"}
    assert first_difference(left, right) is None


def test_an_error_page_that_told_the_other_reviewers_answer_would_be_noticed(tmp_path, monkeypatch):
    honest = errors.page
    seen = []
    for folder, said in zip(worlds(tmp_path, (SAID, OTHERWISE)), (SAID, OTHERWISE), strict=True):
        told = said["reason"][0]
        monkeypatch.setattr(errors, "page", lambda *given, told=told, **more: honest(*given, **more | {"hint": told}))
        seen.append(seen_by(folder, "/review", "rosa"))
    assert first_difference(*seen)[0][2] in {500, 503}
