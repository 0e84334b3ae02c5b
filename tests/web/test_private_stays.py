"""A word planted in every private field is in no log, traceback, export, refusal or audit event (acceptance P1).

Every form is driven in tests/web/test_private_forms.py, every command in tests/cli/test_private_stays.py.
"""

import io
import json
import socket
import threading
import zipfile

import httpx
import pytest
import uvicorn

from app.actions import accounts, closing, freezing, preparing, reporting
from app.config import Settings
from app.domain.errors import InvalidInput
from app.domain.item import FIELDS
from app.store import studies
from app.store.migrate import open_store
from app.web import showing
from app.web.app import create_app
from tests.house import CHEAP, PROTOCOL, RIGHTS, Person, fixed_world, jsonl, password_of
from tests.planted import WORD, everything_logged

CAST = {f"{WORD}-rosa": "reviewer", f"{WORD}-ravi": "reviewer", f"{WORD}-ines": "adjudicator", f"{WORD}-lena": "lead"}
ROSA, RAVI, INES, LENA = CAST
PLACE = "/lead/studies/pilot"
LEDGER = RIGHTS.replace("the project's lawyer", f"{WORD} the lawyer")


def rows():
    return [
        {
            "item_id": f"{WORD}-{number}",
            "stratum": stratum,
            "cluster": f"{WORD}-cluster-{number}",
            "source": "invented",
            "raw_hypothesis": f"the {WORD}raw went to to town {number}",
            "off": f"the {WORD}raw went to to town {number}",
            "on": f"the {WORD}on went to town {number}",
            "verbatim_reference": f"the {WORD}said went to to town {number}",
            "semantic_reference": f"the {WORD}meant has gone to town {number}",
            "tags": [f"{WORD}tag"],
        }
        for number, stratum in enumerate(["word_repetition", "fluent"])
    ]


class Way:
    """A planted study on its whole way over HTTP, with everything logged at the lowest level."""

    def __init__(self, folder, records):
        self.records, self.world = records, fixed_world()
        self.store = open_store(folder)
        self.answers, self.clients = [], []
        self.serve()
        for name, role in CAST.items():
            accounts.add(self.store, self.world, CHEAP, name, lead=role == "lead", password=password_of(name))
        preparing.create(self.store, self.world, "local", PROTOCOL.encode(), f"{WORD}.toml")
        preparing.set_rights(self.store, self.world, "local", "pilot", LEDGER.encode(), "rights.toml")
        preparing.import_items(self.store, self.world, "local", "pilot", jsonl(rows()), "items.jsonl")
        people = [(role, name) for name, role in CAST.items()]
        preparing.assign(self.store, self.world, "local", "pilot", people, f"{WORD} therapists")
        codes = [each.code for each in preparing.check(self.store, "pilot").acknowledge]
        freezing.freeze(self.store, self.world, "local", "pilot", codes)
        self.review(ROSA, "benign-retention")
        self.review(RAVI, "no-material-edit")
        self.adjudicate()
        closing.log_deviation(self.store, self.world, LENA, "pilot", "one day later than planned")
        closing.close(self.store, self.world, LENA, "pilot")

    def serve(self):
        """Serve in a thread of this process, where errors can be forced, with a log of everything."""
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        app = create_app(self.store, self.world, Settings(port=port), CHEAP)
        self.server = uvicorn.Server(uvicorn.Config(app, log_config=None, log_level="trace", lifespan="off", ws="none"))
        self.origin = f"http://127.0.0.1:{port}"
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]})
        self.thread.start()

    def stop(self):
        for client in self.clients:
            client.close()
        self.server.should_exit = True
        self.thread.join()
        self.store.close()

    def visit(self, name):
        client = httpx.Client(base_url=self.origin, follow_redirects=False, timeout=30)
        self.clients.append(client)
        return Person(client, name, origin=self.origin).sign_in()

    def review(self, name, label):
        person = self.visit(name)
        while (found := person.next_page()) is not None:
            where, page = found
            form = page.judging_form()
            person.send(form, path=f"{where}/draft", note=f"{WORD} is half a note")
            person.send(form, version="99", label=label, note=f"{WORD} came too late")
            person.answer(page, label=label, note=f"{WORD} made me think")
        assert person.sign_off().status_code == 303
        self.fail(person)

    def fail(self, person):
        """Bring about an unforeseen error while an item's texts are at hand."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(showing, "difference", lambda *texts: {}[texts])  # the error itself holds both texts
            for link in person.page("/review").links:
                self.answers.append(person.get(link))

    def adjudicate(self):
        person = self.visit(INES)
        while (found := person.next_page("/adjudicate")) is not None:
            second = "decision" in found[1].judging_form().names
            said = {"decision": "keep"} if second else {"label": "no-material-edit"}
            person.answer(found[1], **said, note=f"{WORD} again")
        assert person.sign_off("/adjudicate").status_code == 303


@pytest.fixture(scope="module")
def way(tmp_path_factory):
    with everything_logged() as written:
        made = Way(tmp_path_factory.mktemp("private") / "store", written)
        yield made
        made.stop()


def test_the_word_is_in_every_private_field_of_the_store(way):
    with way.store.read() as connection:
        items = [item for _, item in studies.items(connection, "pilot")]
        notes = [row.note for row in connection.exec_driver_sql("select note from judgement")]
        attested = [row.attested for row in studies.members(connection, "pilot") if row.role != "lead"]
        ledger = studies.ledger(connection, "pilot")
    for item in items:
        private = (item.item_id, item.cluster, item.raw_hypothesis, item.off, item.on, *item.tags)
        assert all(WORD in text for text in (*private, item.verbatim_reference, item.semantic_reference))
    assert notes
    assert all(WORD in note for note in notes)
    assert all(WORD in text for text in (*attested, ledger[0].decided_by))


def test_no_log_at_any_level_holds_it_tracebacks_included(way):
    text = way.records.getvalue()
    assert "builtins.KeyError, from:" in text
    assert "difference(" in text
    assert WORD not in text.casefold()


def test_no_error_page_holds_it_beyond_ones_own_name(way):
    assert [answer.status_code for answer in way.answers if answer.status_code == 500]
    for answer in way.answers:
        if answer.status_code == 500:
            assert WORD not in answer.text.replace(ROSA, "").replace(RAVI, "")


def test_no_audit_event_holds_it_but_for_the_names_of_accounts(way):
    with way.store.read() as connection:
        events = [tuple(row) for row in connection.exec_driver_sql("select * from audit_event")]
    text = json.dumps(events)
    for name in CAST:
        text = text.replace(name, "")
    assert len(events) > 20
    assert WORD not in text.casefold()


def test_no_file_of_an_export_holds_it(way, tmp_path):
    reporting.export(way.store, way.world, LENA, "pilot", tmp_path / "memo")
    files = [path for path in (tmp_path / "memo").rglob("*") if path.is_file()]
    assert len(files) > 5
    for path in files:
        assert WORD not in path.read_text(encoding="utf-8").casefold(), path.name
    archive = zipfile.ZipFile(io.BytesIO(reporting.export_zip(way.store, way.world, LENA, "pilot", "none")))
    assert all(WORD.encode() not in archive.read(name).lower() for name in archive.namelist())


def test_no_page_of_the_lead_shows_what_was_said_or_noted(way):
    lena = way.visit(LENA)
    parts = ("", "/protocol", "/items", "/people", "/freeze", "/results", "/export")  # the ledger shows who decided
    for part in parts:
        text = lena.page(f"{PLACE}{part}").text
        for name in (*CAST, f"{WORD} therapists"):
            text = text.replace(name, "")
        assert WORD not in text.casefold(), part


@pytest.mark.parametrize("field", [field.key for field in FIELDS])
def test_no_refusal_of_a_file_repeats_a_value(way, field):
    faulty = rows()[0] | {field: [{WORD: f"{WORD} was here"}]}
    data = json.dumps(faulty).encode()
    lena = way.visit(LENA)
    csrf = lena.page("/account").form_to("/account").fields["csrf"][0]
    other = PROTOCOL.replace('"pilot"', f'"faulty-{field}"').encode()
    lena.client.post("/lead/new", data={"csrf": csrf}, files={"file": ("p.toml", other)}, headers=lena.headers)
    place = f"/lead/studies/faulty-{field}/items"
    answer = lena.client.post(place, data={"csrf": csrf}, files={"file": ("i.jsonl", data)}, headers=lena.headers)
    assert answer.status_code == 422
    assert WORD not in answer.text.replace(LENA, "").casefold()


@pytest.mark.parametrize("part", ["protocol", "rights"])
@pytest.mark.parametrize("data", [f'x = "{WORD}', f'[study]\nid = "{WORD} {WORD}"', f'[[source]]\nkind = "{WORD}"'])
def test_no_refusal_of_a_toml_file_repeats_a_value(way, part, data):
    act = {"protocol": preparing.set_protocol, "rights": preparing.set_rights}[part]
    with pytest.raises(InvalidInput) as refused:
        act(way.store, way.world, "local", "pilot", data.encode(), "file.toml")
    assert WORD not in str(refused.value).casefold()
