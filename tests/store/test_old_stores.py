"""A store of every earlier schema opens, verifies, and its study goes on to the memo (acceptance D6)."""

import json
import shutil
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import inspect

from app.actions import closing, freezing, preparing, reporting
from app.store import verify
from app.store.db import DATABASE
from app.store.migrate import HEAD, open_store
from tests.actions.bench import FINE, HARM, SEEN, Bench
from tests.house import fixed_world
from tests.store.old_stores import SCHEMAS, counted, old_store

ROOT = Path(__file__).resolve().parents[2]


def test_every_former_schema_has_its_store():
    assert [f"{number:04}" for number in range(1, int(HEAD))] == SCHEMAS, "python -m scripts.make_old_stores"


@pytest.fixture(params=SCHEMAS)
def bench(request, tmp_path):
    """Return a study at work in a store of an earlier schema, opened by the program of today."""
    folder = old_store(request.param, tmp_path / "old")
    before = counted(folder / DATABASE)
    store = open_store(folder)
    after = counted(folder / DATABASE)
    assert {name: after[name] for name in before} == before
    bench = Bench(store, fixed_world("today"), "pilot")
    bench._keys = count(100)  # the keys before were used then
    yield bench
    store.close()


def test_each_comes_to_the_schema_that_a_new_store_has(bench, store):
    def shape(opened):
        with opened.read() as connection:
            there = inspect(connection)
            return {name: {each["name"] for each in there.get_columns(name)} for name in there.get_table_names()}

    assert shape(bench.store) == shape(store)


def findings(bench):
    with bench.store.read() as connection:
        return verify.findings(connection)


def test_a_store_of_each_schema_opens_with_all_its_rows_and_verifies(bench):
    assert bench.rows("select version_num from alembic_version") == [(HEAD,)]
    assert findings(bench) == []
    notes = bench.rows("select note from judgement where note <> '' order by id")
    assert notes == [("a first thought",), ("a second thought",)]
    assert "half a thought" in bench.rows("select fields from draft")[0].fields


def test_a_review_under_way_in_each_goes_on_to_the_close_and_the_memo(bench, tmp_path):
    bench.answer("rosa", "P-001", HARM)
    for item in SEEN[2:]:
        bench.answer("rosa", item, FINE)
    bench.sign("rosa")
    bench.look()
    for item in ("P-001", "P-002", "P-003", "P-005"):
        bench.settle(item, FINE)
    bench.sign("ines")
    head = closing.close(bench.store, bench.world, "lena", "pilot")
    reporting.export(bench.store, bench.world, "lena", "pilot", tmp_path / "memo")
    memo = json.loads((tmp_path / "memo" / "memo.json").read_bytes())
    assert (memo["audit_head"], memo["sample"]["imported"]) == (head, 6)
    assert memo["verdict"]["status"].endswith("_SYNTHETIC")
    assert findings(bench) == []


def test_a_draft_in_each_can_be_frozen(bench):
    codes = [each.code for each in preparing.check(bench.store, "second").acknowledge]
    freezing.freeze(bench.store, bench.world, "lena", "second", codes)
    assert findings(bench) == []


def test_the_copy_that_the_upgrade_leaves_is_the_store_as_it_was(tmp_path):
    folder = old_store("0001", tmp_path / "store")
    before = counted(folder / DATABASE)
    open_store(folder).close()
    copy = folder / "before-upgrade-from-0001.sqlite3"
    assert counted(copy) == before
    (tmp_path / "again").mkdir(mode=0o700)
    shutil.copy(copy, tmp_path / "again" / DATABASE)
    (tmp_path / "again" / DATABASE).chmod(0o600)
    store = open_store(tmp_path / "again")
    with store.read() as connection:
        assert verify.findings(connection) == []
    store.close()
