import json
import sqlite3

import pytest

from app.store.db import DATABASE
from app.store.migrate import open_store
from tests.actions.bench import HARM, Bench
from tests.house import add_people, fixed_world, frozen_study

CUT = """
delete from audit_event where seq >= (select seq from audit_event where event = 'study.closed');
update study set closed_at = null, close_reason = null, closed_head = null;
"""


@pytest.fixture
def filled(evenhand):
    """Return a store with a study under way."""
    store, world = open_store(evenhand.folder), fixed_world()
    add_people(store, world)
    bench = Bench(store, world, frozen_study(store, world))
    bench.review("rosa", P3=HARM)
    store.close()
    return evenhand


def test_a_backup_tells_what_to_write_down_and_a_restore_tells_the_same(filled, tmp_path):
    made = filled.do("backup", tmp_path / "backup.sqlite3")
    assert (made["studies"], made["items"], made["reviews"]) == (1, 6, 4)
    filled.folder = tmp_path / "again"
    restored = filled.do("restore", tmp_path / "backup.sqlite3")
    same = ("sha256", "size", "schema", "studies", "items", "reviews", "audit_head")
    assert {key: made[key] for key in same} == {key: restored[key] for key in same}
    assert filled.do("verify") == {"ok": True, "studies": 1, "findings": []}
    assert filled.do("study", "status", "pilot")["reviewers"][0]["done"] == 4


def test_there_is_no_backup_of_a_store_that_is_not_there_and_none_is_made_for_it(evenhand, tmp_path):
    code, told = evenhand.run("backup", tmp_path / "backup.sqlite3")
    assert (code, told["error"]) == (1, f"There is no store in {evenhand.folder}. Choose it with --store.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_refusal_is_told_as_json_too(filled, tmp_path, command):
    code, told = filled.run(command, filled.folder / DATABASE)
    assert code == 1
    assert "was not touched" in told["error"]


def test_verify_holds_a_store_against_a_memo_that_was_kept(filled, tmp_path):
    filled.do("close", "pilot", "--reason", "enough")
    filled.do("export", "pilot", "--out", tmp_path / "memo")
    memo = tmp_path / "memo" / "memo.json"
    assert filled.do("verify", "--memo", memo)["ok"]
    connection = sqlite3.connect(filled.folder / DATABASE)
    connection.executescript(CUT)
    connection.close()
    assert filled.do("verify")["ok"], "of itself the store cannot know"
    code, told = filled.run("verify", "--memo", memo)
    assert code == 1
    assert "study pilot: the audit chain does not hold the head that the memo carries" in told["findings"]


def test_what_is_no_memo_is_refused_by_its_name(filled, tmp_path):
    (tmp_path / "memo.json").write_text(json.dumps({"private": "words"}))
    code, told = filled.run("verify", "--memo", tmp_path / "memo.json")
    assert code == 1
    assert "memo.json" in told["error"]
    assert "words" not in told["error"]
