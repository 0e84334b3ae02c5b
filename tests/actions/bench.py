"""Judges at work without a browser: what tests of the actions and of the store share."""

import shutil
from contextlib import contextmanager
from itertools import count

from sqlalchemy import text

from app.actions import adjudicating, reviewing
from app.actions.reviewing import Judge
from app.store.db import Store
from app.store.migrate import open_store
from tests.house import add_people, fixed_world, frozen_study

REASON = {
    "destructive-content": "negation",
    "destructive-correction": "reversed",
    "destructive-structure": "joined_fragments",
    "unassessable-disputed": "source_ambiguous",
}
HARM, FINE, SAME = ("destructive-content", "on"), ("safe-cleanup", "on"), ("no-material-edit", None)
SEEN = ("P-001", "P-002", "P-003", "P-005")  # of the small study; the two pairs that are equal nobody sees


def frozen_folder(folder):
    """Make a store with the cast and the small study, frozen, to be copied by many tests."""
    store, world = open_store(folder), fixed_world()
    add_people(store, world)
    frozen_study(store, world)
    store.close()
    return folder


@contextmanager
def bench_on_a_copy(frozen, folder):
    """Open a bench on a copy of such a store."""
    store = Store(shutil.copytree(frozen, folder))
    yield Bench(store, fixed_world("copy"), "pilot")
    store.close()


class Bench:
    """A frozen study and its judges; what they say is in arms, and the bench finds the panel."""

    def __init__(self, store, world, study):
        self.store, self.world, self.study = store, world, study
        self._keys, self._judges = count(), {}

    def rows(self, sql, **values):
        with self.store.read() as connection:
            return connection.execute(text(sql), values).all()

    def change(self, sql, **values):
        with self.store.write() as connection:
            connection.execute(text(sql), values)

    def events(self):
        return [event for (event,) in self.rows("select event from audit_event order by seq")]

    def judge(self, name):
        if not self._judges:
            sql = (
                "select name, account_id, role from member join account on account.id = account_id where study_id = :s"
            )
            for found, account, role in self.rows(sql, s=self.study):
                self._judges[found] = Judge(account, found, self.study, adjudication=role == "adjudicator")
        return self._judges[name]

    def slot(self, name, item):
        (found,) = self.rows(
            "select slot.* from slot join item on item.id = slot.item "
            "where slot.account_id = :account and item_id = :item and slot.study_id = :study",
            account=self.judge(name).account_id,
            item=item,
            study=self.study,
        )
        return found

    def form(self, name, item, said=SAME, **changes):
        """Return the form of an answer at the stored version, with a key of its own."""
        slot, (label, arm) = self.slot(name, item), said
        panel = {"on": slot.on_panel, "off": "BA"["AB".index(slot.on_panel)]}.get(arm, arm)
        fields = {"label": label, "panel": panel, "reason": REASON.get(label)}
        fields |= {"version": str(slot.version), "key": f"key-{next(self._keys)}"} | changes
        return {field: [value] for field, value in fields.items() if value is not None}

    def send(self, name, item, form):
        judge = self.judge(name)
        action = adjudicating.submit if judge.adjudication else reviewing.submit
        if judge.adjudication:
            self.look()  # as the pages do, before they show any item
        return action(self.store, self.world, judge, self.slot(name, item).token, form)

    def answer(self, name, item, said=SAME, **changes):
        return self.send(name, item, self.form(name, item, said, **changes))

    def draft(self, name, item, **fields):
        form = self.form(name, item) | {field: [value] for field, value in fields.items()}
        reviewing.save_draft(self.store, self.world, self.judge(name), self.slot(name, item).token, form)

    def sign(self, name):
        reviewing.sign_off(self.store, self.world, self.judge(name))

    def review(self, name, **said):
        """Answer every pair and sign off; `said` is by item, P-003 written P3."""
        for item in SEEN:
            self.answer(name, item, said.get(f"P{int(item[2:])}", SAME))
        self.sign(name)

    def look(self):
        adjudicating.open_queue(self.store, self.world, self.judge("ines"))

    def settle(self, item, own, decision="keep", said=SAME, **more):
        """Take the third judge's two steps."""
        self.answer("ines", item, own)
        self.answer("ines", item, said, decision=decision, **more)
