"""evenhand select: what it writes, what it says, and what it leaves alone."""

import hashlib
import stat

import pytest

from scripts.make_selection_pool import FIXTURES
from tests.cli.test_cli import evenhand


@pytest.fixture(autouse=True)
def quiet_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVENHAND_STORE", raising=False)


def select(*more, pool="pool.csv", out="drawn"):
    return evenhand("select", FIXTURES / pool, "--protocol", FIXTURES / "protocol.toml", "--out", out, *more)


def test_a_selection_is_a_new_folder_that_its_owner_alone_can_read(tmp_path):
    assert select().code == 0
    folder = tmp_path / "drawn"
    assert {path.name for path in folder.iterdir()} == {"selected.jsonl", "extension.jsonl", "selection.json"}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert (folder / "selected.jsonl").read_bytes() == (FIXTURES / "selected.jsonl").read_bytes()


def test_it_prints_counts_shortages_reasons_and_the_digest_of_the_record(tmp_path):
    told = select().out
    digest = hashlib.sha256((tmp_path / "drawn" / "selection.json").read_bytes()).hexdigest()
    for each in ("130 of 400 candidates drawn.", "SHORTAGE 19", "Apart, as an extension:", "several_labels", digest):
        assert each in told


def test_as_json_it_prints_the_record_and_its_digest(tmp_path):
    data = select("--json").data
    digest = hashlib.sha256((tmp_path / "drawn" / "selection.json").read_bytes()).hexdigest()
    assert (data["out"], data["sha256"]) == ("drawn", digest)
    assert data["record"]["strata"]["fluent"]["shortage"] == 19


def test_a_folder_that_is_there_is_not_touched(tmp_path):
    (tmp_path / "drawn").mkdir()
    answer = select()
    assert (answer.code, list((tmp_path / "drawn").iterdir())) == (1, [])
    assert "“drawn” exists already and was not touched" in answer.err


def test_a_faulty_list_leaves_nothing_behind_and_no_store_is_made(tmp_path):
    answer = select(pool="protocol.toml")
    assert answer.code == 1
    assert "protocol.toml" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_column_map_is_taken(tmp_path):
    (tmp_path / "map.toml").write_text('item_id = "ClipId"\n')
    answer = select("--columns", "map.toml")
    assert answer.code == 1
    assert "map.toml, field labels: every column map needs it" in answer.err
