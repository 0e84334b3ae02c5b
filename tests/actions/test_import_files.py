import json
import shutil
import tracemalloc

import pytest

from app.actions import preparing
from app.domain import manifest
from app.domain.errors import InvalidInput
from app.domain.item import Item
from app.store import studies
from app.store.db import Store
from tests.actions.bench import Bench
from tests.formats.hostile.corpus import HOSTILE, KINDS
from tests.formats.hostile.writing import SECRET, csv_row
from tests.house import add_people, draft_study, fixed_world, item_rows, jsonl


@pytest.fixture(scope="module")
def standing(empty_store, tmp_path_factory):
    """Return a bench with a draft of six items, which no refused file changes."""
    folder = tmp_path_factory.mktemp("imports") / "store"
    shutil.copytree(empty_store, folder)
    store, world = Store(folder), fixed_world()
    add_people(store, world)
    yield Bench(store, world, draft_study(store, world))
    store.close()


@pytest.fixture
def draft(store, world, people):
    return Bench(store, world, draft_study(store, world))


def take_in(bench, data, name="items", **more):
    return preparing.import_items(bench.store, bench.world, "lena", bench.study, data, name, **more)


def items(bench):
    with bench.store.read() as connection:
        return [item for _, item in studies.items(connection, bench.study)]


def stored(bench):
    return bench.rows("select * from item order by id"), bench.rows("select * from audit_event order by seq")


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.name)
def test_a_hostile_file_is_refused_with_line_and_field_and_without_its_words_and_nothing_is_stored(standing, case):
    before = stored(standing)
    with pytest.raises(InvalidInput) as refused:
        take_in(standing, case.build(), f"items.{case.form}")
    assert stored(standing) == before
    found = [each for each in refused.value.problems if case.phrase in each.message]
    assert (case.line, case.field) in [(each.line, each.field) for each in found], str(refused.value)[:2_000]
    assert SECRET not in str(refused.value)
    assert all(str(each).isprintable() for each in refused.value.problems)


def test_the_hostile_files_are_of_more_than_two_hundred_kinds():
    assert len({kind for kind, _ in KINDS}) > 200


@pytest.mark.parametrize("case", [case for case in HOSTILE if case.endless], ids=lambda case: case.name)
def test_what_is_endless_is_refused_without_a_copy_of_it(standing, case):
    data = case.build()
    assert len(data) > 50_000_000
    tracemalloc.start()
    with pytest.raises(InvalidInput):
        take_in(standing, data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20


def test_a_hostile_replacement_removes_nothing(standing):
    before = stored(standing)
    for form in ("jsonl", "array", "csv"):
        case = next(case for case in HOSTILE if (case.kind, case.form) == ("id twice in the file", form))
        with pytest.raises(InvalidInput):
            take_in(standing, case.build(), replace=True)
    assert stored(standing) == before


TEXTS = [
    " a\u00a0\t\u202e é e\u0301 \r\n",
    "👩\u200d👧 \u200b",
    "one\r\ntwo\nthree",
    '"quoted", twice "" and ""',
    "=1+1",
    "",
    "\ufeff",
]
KEYS = [*item_rows()[0], "verbatim_reference", "semantic_ambiguous", "tags"]
ROWS = [
    row
    | {"off": text, "on": text[::-1], "verbatim_reference": f" {text}", "semantic_ambiguous": True, "tags": ["block"]}
    for row, text in zip(item_rows() * 2, TEXTS, strict=False)
]
ROWS = [row | {"item_id": f"N-{number}"} for number, row in enumerate(ROWS)]


def as_csv(mark, end):
    told = [row | {"semantic_ambiguous": "TRUE", "tags": "block"} for row in ROWS]
    return end.join([mark.join(KEYS), *(csv_row(row, KEYS, mark) for row in told)]).encode()


FORMS = {
    "JSON Lines": jsonl(ROWS),
    "array on one line": json.dumps(ROWS).encode(),
    "array over many lines": json.dumps(ROWS, indent=2, ensure_ascii=False).encode(),
    "commas": as_csv(",", "\r\n"),
    "semicolons": as_csv(";", "\n"),
    "tabs, with a byte order mark": b"\xef\xbb\xbf" + as_csv("\t", "\r\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_stores_the_same_items_byte_for_byte_and_records_the_digest_of_its_bytes(draft, form):
    taken = take_in(draft, FORMS[form], replace=True)
    assert (taken.items, taken.removed) == (len(TEXTS), 6)
    assert items(draft) == [Item(**row | {"tags": ("block",)}) for row in ROWS]
    (detail,) = draft.rows("select detail from audit_event order by seq desc limit 1")
    assert manifest.bytes_digest(FORMS[form]) in detail[0]
