"""What tests share: the fixed cast, a fixed world, a small study, and a person at a browser."""

import hashlib
import itertools
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

from app.actions import accounts, freezing, preparing, recordings
from app.security import Passwords
from app.world import World

ROLES = {"rosa": "reviewer", "ravi": "reviewer", "ines": "adjudicator", "lena": "lead", "otto": "outsider"}
PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"
CHEAP = Passwords(memory_kib=8, passes=1)

PROTOCOL = """
[study]
id = "pilot"
title = "A small pilot"
scope = "synthetic"
question = "Does the filter change what people meant?"
[selection]
strata = { word_repetition = 4, fluent = 2 }
controls = ["fluent"]
"""
RIGHTS = """
[[source]]
source = "invented"
kind = "synthetic"
version = "1"
publisher = "the project"
audio_owner = "none"
reference_owner = "the project"
licence = "Apache-2.0"
permitted_operations = ["store", "play", "derive", "publish_aggregate", "publish_manifest_hash"]
consent = "none"
distribution = "free"
removal = "none"
decision = "approved"
decided_by = "the project's lawyer"
decided_at = 2026-01-01
"""
PAIRS = [
    ("word_repetition", "ep-one", "I I want the pen", "I want the pen"),
    ("word_repetition", "ep-two", "it is sort of stable today", "it is stable today"),
    ("word_repetition", "ep-one", "do not not open it yet", "do open it yet"),
    ("word_repetition", "ep-two", "the the same in both", "the the same in both"),
    ("fluent", "ep-one", "she had had enough already", "she had enough already"),
    ("fluent", "ep-two", "nothing is changed over here", "nothing is changed over here"),
]


def password_of(name):
    return f"{name} has a long password"


def item_rows(pairs=PAIRS, source="invented"):
    return [
        {
            "item_id": f"P-{number:03}",
            "stratum": stratum,
            "cluster": cluster,
            "source": source,
            "raw_hypothesis": off,
            "off": off,
            "on": on,
            "semantic_reference": f"What number {number} was meant to say.",
        }
        for number, (stratum, cluster, off, on) in enumerate(pairs, start=1)
    ]


def practice_row(number=1):
    """Return a practice item: one of its texts lost a negation."""
    row = item_rows([("fluent", "ep-one", f"do not open it yet, {number}", f"do open it yet, {number}")])[0]
    known = {"label": "destructive-content", "arm": "on", "reasons": ["negation"], "explanation": "A “not” is gone."}
    return row | {"item_id": f"T-{number}", "role": "practice", "expected": known}


def jsonl(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def fixed_world(seed="seed", start=datetime(2026, 1, 5, 9, 0, tzinfo=UTC)):
    """Return a World whose clock moves a second at each look and whose randomness repeats."""
    ticks, draws = itertools.count(), itertools.count()

    def block():
        return hashlib.sha256(f"{seed}:{next(draws)}".encode()).digest()

    def token(size):
        raw = b"".join(block() for _ in range(size // 32 + 1))[:size]
        return raw.hex()

    return World(
        now=lambda: start + timedelta(seconds=next(ticks)),
        below=lambda n: int.from_bytes(block(), "big") % n,
        token=token,
    )


def add_people(store, world, names=ROLES):
    for name in names:
        accounts.add(store, world, CHEAP, name, lead=name == "lena", password=password_of(name))


def seats(reviewers=(), leads=(), adjudicator=None):
    """Return who takes part as pairs of role and name."""
    third = [("adjudicator", adjudicator)] if adjudicator else []
    return [*(("reviewer", name) for name in reviewers), *(("lead", name) for name in leads), *third]


def draft_study(store, world, *, protocol=PROTOCOL, ledger=RIGHTS, rows=None, adjudicator="ines", sounds=()):
    """Take a study to the point where only the freeze is missing; return its id. `sounds`: recordings by name."""
    study_id = preparing.create(store, world, "local", protocol.encode(), "protocol.toml")
    preparing.set_rights(store, world, "local", study_id, ledger.encode(), "rights.toml")
    given = recordings.chosen([(data, name) for name, data in dict(sounds).items()])
    preparing.import_items(store, world, "local", study_id, jsonl(rows or item_rows()), "items.jsonl", given=given)
    people = seats(["rosa", "ravi"], ["lena"], adjudicator)
    preparing.assign(store, world, "local", study_id, people, "linguists")
    return study_id


def frozen_study(store, world, **more):
    study_id = draft_study(store, world, **more)
    codes = [each.code for each in preparing.check(store, study_id).acknowledge]
    freezing.freeze(store, world, "local", study_id, codes)
    return study_id


@dataclass
class Form:
    """A form of a page: where it goes, and its controls as a browser would send them."""

    action: str
    method: str
    fields: dict = field(default_factory=dict)
    names: set = field(default_factory=set)


class Page(HTMLParser):
    """A page as tests read it: forms, panel texts, links, visible text."""

    VOID = frozenset({"input", "br", "meta", "link", "img", "hr", "wbr", "source"})

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.forms, self.panels, self.links, self.text = [], {}, [], ""
        self._form = self._panel = self._textarea = self._select = None
        self._depth = 0
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get").lower())
            self.forms.append(self._form)
        elif tag == "a" and "href" in given:
            self.links.append(given["href"])
        if "data-panel" in given:
            self._panel, self._depth = given["data-panel"], 0
            self.panels[self._panel] = ""
        if self._panel is not None and tag not in self.VOID:
            self._depth += 1
        if self._form is not None and "name" in given:
            self._control(tag, given)
        if tag == "option" and self._select and ("selected" in given):
            self._form.fields[self._select] = [given.get("value", "")]

    def _control(self, tag, given):
        name = given["name"]
        self._form.names.add(name)
        if tag == "textarea":
            self._textarea = name
            self._form.fields[name] = [""]
        elif tag == "select":
            self._select = name
            self._form.fields.setdefault(name, [""])
        elif tag == "input":
            kind = given.get("type", "text")
            if kind not in {"radio", "checkbox", "submit"} or "checked" in given:
                self._form.fields.setdefault(name, []).append(given.get("value", ""))

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = None
        elif tag == "textarea":
            # A browser leaves out the line break that opens a text area.
            self._form.fields[self._textarea] = [self._form.fields[self._textarea][0].removeprefix("\n")]
            self._textarea = None
        elif tag == "select":
            self._select = None
        if self._panel is not None and tag not in self.VOID:
            self._depth -= 1
            if self._depth == 0:
                self._panel = None

    def handle_data(self, data):
        self.text += data
        if self._panel is not None:
            self.panels[self._panel] += data
        if self._textarea is not None and self._form is not None:
            self._form.fields[self._textarea][0] += data

    def judging_form(self):
        return next(form for form in self.forms if form.method == "post" and "label" in form.names)

    def form_to(self, action):
        return next(form for form in self.forms if form.action == action)


class Person:
    """Somebody at a browser: keeps cookies, sends forms with their hidden fields, as Chromium would."""

    def __init__(self, client, name, origin=ORIGIN):
        self.client, self.name = client, name
        self.headers = {"Sec-Fetch-Site": "same-origin", "Origin": origin}

    def sign_in(self):
        answer = self.client.post(
            "/login", data={"username": self.name, "password": password_of(self.name)}, headers=self.headers
        )
        assert answer.status_code == 303, answer.text
        return self

    def get(self, path, **more):
        return self.client.get(path, **more)

    def page(self, path):
        answer = self.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:500])
        return Page(answer.text)

    def post(self, path, data, **headers):
        return self.client.post(path, data=data, headers=self.headers | headers)

    def send(self, form, *, path=None, headers=None, **changes):
        """Send a form with some controls changed; None leaves a control out."""
        fields = {name: values for name, values in form.fields.items() if values}
        for name, value in changes.items():
            fields[name] = value if isinstance(value, list) else [value]
            if value is None:
                del fields[name]
        return self.post(path or form.action, fields, **(headers or {}))

    def next_page(self, base="/review"):
        """Follow {base}/next; return the item's address and page, or None at the end."""
        answer = self.get(f"{base}/next")
        assert answer.status_code == 303, answer.text
        where = answer.headers["location"]
        return None if where == base else (where, self.page(where))

    def practise(self, base="/review"):
        """Go through the practice round that comes first, where there is one."""
        while "/practice/" in (where := self.get(f"{base}/next").headers["location"]):
            self.answer(self.page(where), label="no-material-edit")
        return self

    def answer(self, page, **judgement):
        """Send the judging form of a page."""
        blank = {"label": None, "panel": None, "also": None, "reason": None, "group": None}
        form = page.judging_form()
        for name in blank:
            form.fields.pop(name, None)
        return self.send(form, **judgement)

    def sign_off(self, base="/review"):
        return self.send(self.page(base).form_to(f"{base}/sign-off"))
