"""Before the close nobody learns an outcome: not from pages, commands, counts, or refusals."""

import contextlib
import io
import json

import pytest
from starlette.testclient import TestClient

from app.actions import closing
from app.cli.main import run
from app.config import Settings
from app.store.migrate import open_store
from app.web.app import create_app
from tests.blinding.worlds import REVIEWED, pairs
from tests.house import (
    CHEAP,
    ORIGIN,
    PORT,
    PROTOCOL,
    Page,
    Person,
    add_people,
    draft_study,
    fixed_world,
    frozen_study,
    item_rows,
)

SAME, CANNOT = {"label": "no-material-edit"}, {"label": "unassessable-disputed", "reason": ["source_ambiguous"]}
ITEMS = 36


class House:
    """A study of 36 items in which the reviewers differ on `conflicts` of them."""

    def __init__(self, folder, conflicts):
        self.folder = folder
        self.store = open_store(folder)
        world = fixed_world("build")
        add_people(self.store, world)
        frozen_study(self.store, world, protocol=REVIEWED, rows=item_rows(pairs(ITEMS)))
        self.conflicts = conflicts

    def visit(self, name, seed):
        """Sign in at a server of its own world, so that no other person's clicks move its randomness."""
        with self.store.write() as connection:
            connection.exec_driver_sql("delete from session")
        app = create_app(self.store, fixed_world(seed), Settings(port=PORT, host_name="quiet.localhost"), CHEAP)
        return Person(TestClient(app, base_url=ORIGIN, follow_redirects=False), name).sign_in()

    def review(self):
        self.judge("rosa", 0)
        self.judge("ravi", self.conflicts)

    def judge(self, name, unlike):
        """Sign one reviewer's set, unlike the usual answer on so many items."""
        person, numbers = self.visit(name, name), {}
        while (found := person.next_page()) is not None:
            _, page = found
            line = page.panels["A"].split("line ")[1].split()[0]
            numbers[line] = True
            person.answer(page, **(CANNOT if int(line) < unlike else SAME))
        assert len(numbers) == ITEMS
        assert person.sign_off().status_code == 303

    def adjudicate(self, steps):
        ines = self.visit("ines", "ines")
        for _ in range(steps):
            found = ines.next_page("/adjudicate")
            if found is None:
                break
            said = {"decision": "keep"} if "decision" in found[1].judging_form().names else SAME
            ines.answer(found[1], **said)
        ines.get("/adjudicate")
        return ines

    def seen_by_lead(self):
        """Return everything that the lead can look at, in bytes."""
        lena = self.visit("lena", "lena")
        parts = ("protocol", "rights", "items", "people", "freeze", "withdraw", "results", "export")
        place = "/lead/studies/pilot"
        pages = ["/", "/lead", "/lead/accounts", place, *(f"{place}/{part}" for part in parts)]
        seen = [(answer.status_code, answer.content) for answer in map(lena.get, pages)]
        form = lena.page(f"{place}/export").form_to(f"{place}/export")
        refused = lena.send(form)
        seen.append((refused.status_code, refused.content))
        return seen + [command(self.folder, *words) for words in COMMANDS]


COMMANDS = (
    ["study", "status", "pilot"],
    ["export", "pilot", "--out", "memo"],
    ["study", "check", "pilot"],
    ["user", "list"],
    ["verify"],
)


def command(folder, *words):
    told, faults = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(faults):
        code = run(["--store", str(folder), *words], as_json=True)
    return code, told.getvalue(), faults.getvalue()


@pytest.fixture(scope="module")
def houses(tmp_path_factory):
    """Return three studies, with 0, 5 and 30 conflicts, all reviews signed."""
    # Equal folder names: a message may name the store.
    made = [House(tmp_path_factory.mktemp("house") / "store", conflicts) for conflicts in (0, 5, 30)]
    for house in made:
        house.review()
    return made


def routed(house):
    with house.store.read() as connection:
        return connection.exec_driver_sql("select count(*) from slot where routed").scalar()


def test_the_lead_sees_the_same_bytes_for_0_5_or_30_conflicts(houses, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    waiting = [house.seen_by_lead() for house in houses]
    assert waiting[0] == waiting[1] == waiting[2]
    for house, steps in zip(houses, (0, 3, 7), strict=True):
        house.adjudicate(steps)
    assert [routed(house) for house in houses] == [0, 5, 30]
    working = [house.seen_by_lead() for house in houses]
    assert working[0] == working[1] == working[2]
    assert working[0] != waiting[0]
    assert not (tmp_path / "memo").exists()


def test_a_withdrawal_shows_the_lead_the_same_bytes_whether_the_item_was_in_conflict_or_not(
    houses, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    told, seen = [], []
    for house in houses:
        lena, place = house.visit("lena", "withdrawing"), "/lead/studies/pilot/withdraw"
        said = {"kind": "item", "value": "P-004", "reason": "a participant asked"}
        page = lena.send(lena.page(place).form_to(place), **said)
        done = lena.send(Page(page.text).form_to(place), confirm="yes")
        told.append((page.status_code, page.content, done.status_code, done.content))
        seen.append(house.seen_by_lead())
    assert told[0] == told[1] == told[2]
    assert seen[0] == seen[1] == seen[2]
    for house in houses:
        house.adjudicate(0)
    assert len({routed(house) for house in houses}) == len(houses)


def test_once_the_adjudicator_looked_a_set_stays_signed_with_conflicts_or_without(houses):
    for house in houses:
        house.adjudicate(0)
        answer = command(house.folder, "study", "reopen", "pilot", "rosa", "--reason", "she asked")
        assert answer[0] == 1
        assert "adjudication page" in json.loads(answer[1])["error"]


def test_a_reviewer_sees_the_same_whether_the_other_has_finished_or_not(tmp_path):
    seen = []
    for finished in (False, True):
        house = House(tmp_path / f"{finished}" / "store", 5)
        if finished:
            house.judge("ravi", 5)
        rosa = house.visit("rosa", "rosa")
        where, _ = rosa.next_page()
        paths = ("/review", "/review/next", where, "/guide", "/")
        seen.append([(answer.status_code, answer.content) for answer in map(rosa.get, paths)])
        house.store.close()
    assert seen[0] == seen[1]


def test_the_adjudicator_sees_the_same_when_the_reviewers_are_exchanged(tmp_path):
    seen = []
    for exchanged in (False, True):
        house = House(tmp_path / f"{exchanged}" / "store", 8)
        house.review()
        if exchanged:
            exchange_reviewers(house.store)
        ines = house.visit("ines", "ines")
        pages = [ines.get("/adjudicate").content]
        while (found := ines.next_page("/adjudicate")) is not None:
            pages.append(ines.get(found[0]).content)
            said = {"decision": "keep"} if "decision" in found[1].judging_form().names else SAME
            pages.append(ines.answer(found[1], **said).content)
        seen.append(pages)
        house.store.close()
    assert len(seen[0]) > 8 * 3
    assert seen[0] == seen[1]


def exchange_reviewers(store):
    with store.write() as connection:
        rosa, ravi = (
            connection.exec_driver_sql("select id from account where name = ?", (name,)).scalar()
            for name in ("rosa", "ravi")
        )
        lena = connection.exec_driver_sql("select id from account where name = 'lena'").scalar()
        for old, new in ((rosa, lena), (ravi, rosa), (lena, ravi)):
            connection.exec_driver_sql("update slot set account_id = ? where account_id = ?", (new, old))


def test_an_outcome_is_refused_everywhere_and_the_refusal_is_audited(houses, tmp_path):
    house = houses[1]
    lena = house.visit("lena", "lena")
    before = refusals(house.store)
    for part in ("results", "cases", "cases?kind=disputed", "cases?page=2"):
        answer = lena.get(f"/lead/studies/pilot/{part}")
        assert (answer.status_code, "This attempt is on record" in answer.text) == (409, True), part
    form = lena.page("/lead/studies/pilot/export").form_to("/lead/studies/pilot/export")
    assert lena.send(form).status_code == 409
    assert command(house.folder, "export", "pilot", "--out", str(tmp_path / "memo"))[0] == 1
    assert refusals(house.store) == before + 6


def refusals(store):
    with store.read() as connection:
        return connection.exec_driver_sql("select count(*) from audit_event where event = 'outcome.refused'").scalar()


def test_the_reveal_is_one_audited_event_and_comes_with_the_close(study, store, world):
    from app.actions.closing import close

    close(store, world, "lena", study, "we stop here")
    with store.read() as connection:
        events = connection.exec_driver_sql("select event from audit_event order by seq desc limit 2").scalars().all()
    assert events == ["arms.revealed", "study.closed"]


def test_the_freeze_page_of_a_draft_does_not_tell_what_happens_in_another_study(tmp_path):
    house = House(tmp_path, conflicts=5)
    draft_study(house.store, fixed_world("draft"), protocol=PROTOCOL.replace('"pilot"', '"draft"'))
    before = house.visit("lena", "lena").get("/lead/studies/draft/freeze").text
    house.review()
    house.adjudicate(3)
    assert house.visit("lena", "lena").get("/lead/studies/draft/freeze").text == before


ENGINE = """[engine]
filter = "a-filter-by-name"
filter_version = "9.8.7"
filter_config = "the-switches"
decoding = "the-decoding"
prompt = "the-prompt"
"""


def test_judges_read_at_the_close_what_filtered_the_texts_for_whoever_has_it_can_tell_which_text_it_made(tmp_path):
    store, world = open_store(tmp_path), fixed_world()
    add_people(store, world)
    frozen_study(store, world, protocol=PROTOCOL + ENGINE)
    app = create_app(store, world, Settings(port=PORT), CHEAP)
    words = ("a-filter-by-name", "9.8.7", "the-switches", "the-decoding", "the-prompt")

    def read(name):
        browser = TestClient(app, base_url=ORIGIN, follow_redirects=False)
        page = Person(browser, name).sign_in().get("/protocol").text
        return [word in page for word in words]

    assert read("rosa") == read("ines") == [False] * len(words)
    assert read("lena") == [True] * len(words)
    closing.close(store, world, "lena", "pilot", "for the test")
    assert read("rosa") == read("ines") == [True] * len(words)
    store.close()
