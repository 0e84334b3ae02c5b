"""A walk through every page: an empty store, a draft, a study from its start to its end, every error."""

import contextlib
import re

import pytest
from starlette.testclient import TestClient

from app.actions.ledger import CASES
from app.config import Settings
from app.domain.stage import PARTS as OF_A_DRAFT
from app.store.migrate import open_store
from app.web import showing
from app.web.app import create_app
from tests.house import CHEAP, ORIGIN, PORT, PROTOCOL, Page, Person, draft_study, fixed_world
from tests.web.way import prepare, way

PARTS = (*OF_A_DRAFT, "freeze", "withdraw")
PLACES = (
    *(
        "/",
        "/login",
        "/code",
        "/account",
        "/account?changed=yes",
        "/account?changed=look",
        "/account?changed=sessions",
        "/login?back=/review/token",
        "/guide",
        "/protocol",
        "/review",
        "/review/guess",
        "/review/practice",
        "/adjudicate/practice",
        "/adjudicate",
        "/adjudicate/guess",
        "/review/receipt",
        "/adjudicate/receipt",
        "/review?show=flagged",
        "/review?show=nonsense",
        "/nothing",
    ),
    *(
        "/lead",
        "/lead/new",
        "/lead/select",
        "/lead/accounts",
        "/lead/studies/draft",
        "/lead/studies/pilot",
        "/lead/studies/made",
    ),
    *(f"/lead/studies/{study}/{part}" for study in ("draft", "pilot", "made") for part in PARTS),
    *("/lead/studies/made/items/columns", "/lead/studies/made/items/problems.csv"),
    *("/lead/studies/pilot/results", "/lead/studies/pilot/export"),
    *("/lead/studies/pilot/cases", "/lead/studies/pilot/cases?kind=control", "/lead/studies/pilot/cases?page=9"),
    *("/lead/studies/draft/protocol/edit", "/lead/studies/draft/protocol/edit?plan=large&pace=45"),
    *("/lead/studies/draft/protocol/edit?pace=slow", "/lead/studies/pilot/protocol/edit"),
    *("/lead/studies/draft?pace=60", "/lead/studies/draft?pace=slow"),
    *("/lead/studies/draft/rights/entry?source=invented", "/lead/studies/pilot/rights/entry"),
    *(f"/lead/studies/draft/rights/entry?case={case}" for case in CASES),
)
STANDS_ON = {
    "/": "/",
    "/login": "/login",
    "/code": "/code",
    "/account": "/account",
    "/account/look": "/account",
    "/account/sessions": "/account",
    "/logout": "/account",
    "/review": "/review",
    "/adjudicate": "/adjudicate",
    "/review/sign-off": "/review",
    "/adjudicate/sign-off": "/adjudicate",
    "/lead/studies/{study_id}/reopen": "/lead/studies/pilot",
    "/lead/studies/{study_id}/deviation": "/lead/studies/pilot",
    "/lead/studies/{study_id}/close": "/lead/studies/pilot",
    "/lead/studies/{study_id}/export": "/lead/studies/pilot/export",
    "/lead/studies/{study_id}/replace": "/lead/studies/made/people",
    "/lead/new/plan": "/lead/new",
    "/lead/studies/{study_id}/items/columns": "/lead/studies/made/items/columns",
    "/lead/studies/{study_id}/items/prefill": "/lead/studies/made/items",
    "/lead/studies/{study_id}/items/audio": "/lead/studies/made/items",
    "/lead/accounts/reset": "/lead/accounts",
    "/lead/accounts/disable": "/lead/accounts",
}

MISTAKES = {
    "/login": ({"username": None, "back": "/review/token", "kept": "note=half"},),
    "/account/look": ({"theme": "mauve", "text_size": "huge"},),
    "/account/sessions": ({"which": None, "own_password": ""}, {"which": "none"}, {"own_password": "wrong"}),
    "/review": ({"words": "nothing has this"}, {"words": "", "show": "answered"}, {"show": "x"}, {"words": "x" * 201}),
    "/lead/accounts": ({"name": "!"}, {"name": "rosa"}),
    "/lead/studies/{study_id}/freeze": ({"acknowledge": None},),
    "/lead/studies/{study_id}/withdraw": (
        *({"confirm": None}, {"expected": "7"}, {"value": "P-999"}, {"kind": "stratum"}),
        *({"reason": "P-001"}, {"kind": "source", "value": "invented", "confirm": None}),
    ),
    "/lead/studies/{study_id}/replace": (*({"newcomer": "", "reason": ""}, {"newcomer": ""}, {"name": "nobody-here"}),),
    "/lead/new/plan": ({"id": "no good", "title": "", "plan": "x"}, {"id": "pilot"}),
    "/lead/studies/{study_id}/protocol/edit": (
        *({"row.0.number": "many", "statistics.confidence": "2", "engine.filter_config": "{", "nothing": "x"},),
        *({"former": "another", "study.title": "Mine"}, {"former": None}, {"to": "preview"}, {"pace": "0"}),
    ),
    "/lead/studies/{study_id}/items/columns": (
        *({"column.off": ""}, {"column.off": "99"}, {"constant.stratum": "fluent"}, {"encoding": None}, {"key": "x"}),
        {"column.semantic_provenance": "1"},
    ),
    "/lead/studies/{study_id}/items/prefill": ({"what": "nonsense"},),
    "/lead/studies/{study_id}/rights/entry": ({"licence": " ", "kind": "x", "permitted_operations": "sell"},),
}


def _item(path):
    """Return the page of an item on which a form stands."""
    return re.sub("/(draft|flag|unflag)$", "", path)


class Walk:
    """What the walk brought.

    `answers`: (path, answer). `forms`: (step, html of the page on which its form stands).
    `indexes`: (base, html) of both judges' indexes before each step. `templates`: by name.
    """

    def __init__(self, folder):
        self.store, self.world = open_store(folder), fixed_world()
        self.app = create_app(self.store, self.world, Settings(port=PORT), CHEAP)
        self.answers, self.forms, self.indexes, self.templates = [], [], [], set()
        self.browsers = contextlib.ExitStack()

    def visit(self, name, *, signed_in=True):
        browser = TestClient(self.app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False)
        person = Person(self.browsers.enter_context(browser), name)
        return person.sign_in() if signed_in else person

    def keep(self, where, answer):
        self.answers.append((where, answer))

    def take(self):
        stranger = self.visit("nobody", signed_in=False)
        self.keep("/", stranger.get("/"))
        code = prepare(self.store, self.world)
        draft = PROTOCOL.replace('"pilot"', '"draft"').replace("A small pilot", "A draft")
        draft_study(self.store, self.world, protocol=draft)
        judges = {"/review": self.visit("ravi"), "/adjudicate": self.visit("ines")}
        former = []  # an exercise that was answered shows what was expected
        for step in way(self.visit, code):
            for person, path in (*former, *((step.person, path) for path in (*PLACES, _item(step.path)))):
                self.keep(path, person.get(path))
            former = [(step.person, step.path)] if step.route.endswith("/practice/{token}") else []
            place = STANDS_ON.get(step.route, _item(step.path))
            second = step.route.endswith("/withdraw")  # its form stands on the answer to a first one
            self.forms.append((step, (step.send(confirm=None) if second else step.person.get(place)).text))
            for base, judge in judges.items():
                if base == "/review" or not step.route.endswith("/reopen"):  # a first look would end reopening
                    self.indexes.append((base, judge.get(base).text))
            self.mistake(step)
        self.fail(self.visit("lena"), self.visit("ravi"))

    def mistake(self, step):
        """Send a form in every way that is not taken."""
        if step.route.endswith("{token}"):
            self.keep(step.path, step.person.get(step.path, headers={"HX-Request": "true"}))
            self.keep(step.path, step.send(label="nonsense", decision="nonsense"))
            self.keep(step.path, step.send(version="9"))
        if step.route in {"/login", "/code", "/account"}:
            self.keep(step.path, step.send(password="short", current="x", code="x"))
        if "audio" in step.more:
            self.keep(step.path, step.send(more={"audio": ("a.wav", b"no sound")}))
            self.keep(step.path, step.send(more={"audio": ("../a.wav", b"no sound")}))
            self.keep(step.path, step.send(more={"audio": ("other.wav", b"no sound")}))
            self.keep(step.path, step.send(more={}))
        elif step.file:
            self.keep(step.path, step.send(file=("bad.toml", b"[nonsense]\nx = 1")))
            self.keep(step.path, step.send(file=("", b"")))
        if step.route.endswith("/people"):
            self.keep(step.path, step.send(**{"role.ines": "nonsense"}))
            self.keep(step.path, step.send(**{"role.ravi": "adjudicator", "role.ines": "adjudicator"}))
        for wrong in MISTAKES.get(step.route, ()):
            self.keep(step.path, step.send(**wrong))
        if step.route.startswith("/lead/accounts/"):
            self.keep(step.path, step.send(name="lena"))
        if "csrf" in step.fields:
            self.keep(step.path, step.send(csrf="wrong"))
        self.keep(step.path, step.send({}))

    def fail(self, lena, ravi):
        """Bring about the errors that the guard answers, and one that nobody foresaw."""
        self.keep("/", lena.get("/", headers={"Host": "evil.example"}))
        self.keep("/", lena.client.put("/"))
        self.keep("/", lena.post("/", {"x": "x" * (1 << 20)}))
        paths = Page(ravi.get("/review").text).links
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(showing, "difference", None)
            for path in paths:
                self.keep(path, ravi.get(path))
