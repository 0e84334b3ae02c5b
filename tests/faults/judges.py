"""Scripted judges at a real server: they answer, draft, answer anew, and remember what they were told was stored."""

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from threading import Event, Thread

import httpx

from app import world
from app.actions import freezing, preparing
from app.store.migrate import open_store
from tests.house import Person, add_people, draft_study, item_rows, seats
from tests.server import PLAIN

DRAFTS = 0.2  # of all answers are left as a draft first
SCRIPTED = 0.8  # are sent as the page's script does, the others as a plain form
ACTION = re.compile(r'action="(/review/[\w-]+)"')
HIDDEN = {name: re.compile(rf'name="{name}" value="([^"]*)"') for name in ("csrf", "version", "key")}
LABELS = ("no-material-edit", "benign-retention")
NAMES = ("rosa", "ravi", "nora", "nils")
PROTOCOL = """
[study]
id = "pilot"
title = "A pilot for faults"
scope = "synthetic"
question = "Is anything lost?"
[selection]
strata = {{ word_repetition = {n} }}
"""


@dataclass
class Sent:
    """A form that was sent: its key, what it says, and what came back; `answer` finds that in a log."""

    key: str
    label: str
    path: str
    fields: dict
    status: int | None = None
    answer: tuple | None = None

    @property
    def acknowledged(self):
        return self.status in {200, 303}


@dataclass
class Judge:
    """One reviewer. `sent` is all that was ever sent, in order; `open` what got no answer yet."""

    name: str
    chance: random.Random
    sent: list = field(default_factory=list)
    places: list = field(default_factory=list)
    open: Sent | None = None
    faults: list = field(default_factory=list)
    life: int = 0

    def work(self, origin, stop, most=None):
        """Work until told to stop, or so many answers were sent, or the server is gone."""
        self.life, self.turns, self.page = self.life + 1, Counter(), None
        with httpx.Client(base_url=origin, follow_redirects=False, timeout=30, verify=PLAIN) as client:
            self.client, self.person = client, Person(client, self.name, origin=origin)
            client.event_hooks["response"] = [self._count]
            try:
                self.person.sign_in()
                if self.open is not None:
                    self._again()
                while not stop.is_set() and (most is None or most > 0):
                    self._one()
                    most = None if most is None else most - 1
            except httpx.TransportError:
                pass  # the server is gone: what is open stays open
            except Exception as error:  # noqa: BLE001 - told by the thread that asks
                self.faults.append(error)

    def _count(self, answer):
        port = answer.extensions["network_stream"].get_extra_info("client_addr")[1]
        self.turns[port] += 1
        answer.extensions["turn"] = (self.life, port, self.turns[port])

    def _one(self):
        place, fields = self._form()
        label = self.chance.choice(LABELS)
        fields |= {"label": label, "note": f"{self.name} {len(self.sent)}"}
        if self.chance.random() < DRAFTS:
            self.person.post(f"{place}/draft", fields)
        self.open = Sent(fields["key"], label, place, fields)
        self.sent.append(self.open)
        self._send()

    def _form(self):
        """Return the address and the hidden fields of the next open item, or of any once all are answered."""
        page, self.page = self.page, None
        if page is None:
            where = self.person.get("/review/next").headers["location"]
            page = self.person.get(self.chance.choice(self.places) if where == "/review" else where).text
        place = ACTION.search(page)[1]
        self.places += [place] if place not in self.places else []
        return place, {name: HIDDEN[name].search(page)[1] for name in HIDDEN}

    def _again(self):
        """Send once more, with the same key, what got no answer: as a page does whose judge has signed in anew."""
        page = self.person.get(self.open.path).text
        self.open.fields["csrf"] = HIDDEN["csrf"].search(page)[1]
        self._send()

    def _send(self):
        scripted = {"HX-Request": "true"} if self.chance.random() < SCRIPTED else {}
        answer = self.person.post(self.open.path, self.open.fields, **scripted)
        self.open.status, self.open.answer = answer.status_code, answer.extensions["turn"]
        assert self.open.acknowledged, (answer.status_code, answer.text[:2000])
        self.page = answer.text if 'name="version"' in answer.text else None  # what comes next, for a script
        self.open = None


def study_of(folder, items):
    """Make a store with a frozen study for four reviewers; passwords are cheap to check."""
    store, outside = open_store(folder), world.real()
    add_people(store, outside, ["lena", "ines", *NAMES])
    pairs = [("word_repetition", f"ep-{n % 9}", f"I I want pen {n}", f"I want pen {n}") for n in range(items)]
    study_id = draft_study(store, outside, protocol=PROTOCOL.format(n=items), rows=item_rows(pairs))
    preparing.assign(store, outside, "local", study_id, seats(NAMES, ["lena"], "ines"), "linguists")
    codes = [each.code for each in preparing.check(store, study_id).acknowledge]
    freezing.freeze(store, outside, "local", study_id, codes)
    store.close()


def together(judges, origin, stop, most=None):
    """Let all work at once, each in a thread; return the threads."""
    threads = [Thread(target=judge.work, args=(origin, stop, most), daemon=True) for judge in judges]
    for thread in threads:
        thread.start()
    return threads


def at_work(origin, judges, most):
    """Let all work until each has sent so much."""
    for thread in together(judges, origin, Event(), most):
        thread.join(300)
    assert [fault for judge in judges for fault in judge.faults] == []


def acknowledged(judges):
    return [sent for judge in judges for sent in judge.sent if sent.acknowledged]
