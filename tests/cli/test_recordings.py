"""evenhand study import --audio, evenhand study audio: recordings from a folder."""

from pathlib import Path

import pytest

from app.store.migrate import open_store
from tests.house import PROTOCOL, RIGHTS, item_rows, jsonl
from tests.sounds import wav


@pytest.fixture
def draft(evenhand, tmp_path, monkeypatch):
    """Stand in a folder with items that name recordings, and with two of these."""
    monkeypatch.chdir(tmp_path)
    rows = [row | {"audio": f"a-{number}.wav"} for number, row in enumerate(item_rows()[:3], start=1)]
    for name, data in {"p.toml": PROTOCOL.encode(), "r.toml": RIGHTS.encode(), "items.jsonl": jsonl(rows)}.items():
        Path(name).write_bytes(data)
    Path("clips").mkdir()
    for name in ("a-1.wav", "a-2.wav"):
        Path("clips", name).write_bytes(wav())
    evenhand.do("study", "create", "p.toml")
    evenhand.do("study", "rights", "pilot", "r.toml")
    return evenhand


def test_items_are_imported_with_a_whole_folder_or_not_at_all(draft):
    code, told = draft.run("study", "import", "pilot", "items.jsonl", "--audio", "clips")
    assert code == 1
    assert [(each["line"], each["field"]) for each in told["problems"]] == [(3, "audio")]
    Path("clips", "a-3.wav").write_bytes(wav())
    Path("clips", "notes.txt").write_text("what somebody typed")
    told = draft.do("study", "import", "pilot", "items.jsonl", "--audio", "clips")
    assert told == {
        "study": "pilot",
        "imported": 3,
        "removed": 0,
        "recorded": 3,
        "missing": 0,
        "aside": ["notes.txt"],
    }


def test_recordings_are_added_later_and_what_is_missing_is_told_with_the_way_to_add_it(draft):
    told = draft.do("study", "import", "pilot", "items.jsonl")
    assert (told["recorded"], told["missing"]) == (0, 3)
    told = draft.do("study", "audio", "pilot", "clips")
    assert told == {"study": "pilot", "recorded": 2, "missing": 1, "aside": []}
    assert draft.run("study", "check", "pilot")[1]["acknowledge"][0]["code"] == "recordings_missing"


def test_a_folder_that_holds_a_link_out_of_it_is_refused_by_the_line_that_names_it(draft, tmp_path):
    Path("secret.wav").write_bytes(wav())
    Path("clips", "a-3.wav").symlink_to(tmp_path / "secret.wav")
    code, told = draft.run("study", "import", "pilot", "items.jsonl", "--audio", "clips")
    assert (code, len(told["problems"])) == (1, 1)
    assert "this is a link" in told["problems"][0]["message"]


def test_items_that_name_no_recording_are_told_as_ever(draft):
    Path("plain.jsonl").write_bytes(jsonl(item_rows()))
    told = draft.do("study", "import", "pilot", "plain.jsonl")
    assert told == {"study": "pilot", "imported": 6, "removed": 0}


def test_the_demo_speaks(evenhand):
    evenhand.do("demo")
    with_sound = "select count(*), sum(size), count(distinct type) from recording"
    store = open_store(evenhand.folder)
    with store.read() as connection:
        count, size, types = connection.exec_driver_sql(with_sound).one()
    store.close()
    assert (count, types) == (24, 1)
    assert size > 200_000
