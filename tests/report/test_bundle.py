"""The memo's files: the same bytes each time, in a new folder, for their owner alone."""

import io
import json
import stat
import zipfile
from pathlib import Path

import pytest

from app.domain.errors import Refused
from app.report import bundle
from app.report.tables import tables

FILES = {"memo.md": b"# memo\n", "tables/a.csv": b"A\r\n"}


def write(folder, files):
    with bundle.staged(folder, files) as place:
        place()


def test_there_is_json_markdown_html_and_a_csv_for_each_table(memo):
    expected = {"memo.json", "memo.md", "memo.html"} | {f"tables/{name}.csv" for name in tables(memo)}
    assert set(bundle.bundle(memo)) == expected


@pytest.mark.parametrize("status", ["PASS", "FAIL", "INCONCLUSIVE", "BLOCKED"])
def test_the_same_memo_gives_the_same_bytes_and_names(memos, status):
    assert bundle.bundle(memos[status]) == bundle.bundle(memos[status].model_copy(deep=True))
    assert set(bundle.bundle(memos[status])) == set(bundle.bundle(memos["FAIL"]))


def test_json_keeps_unicode_and_ends_in_a_line_break(memo_of):
    content = bundle.bundle(memo_of(study={"title": "Grüße"}))["memo.json"].decode()
    assert content.startswith('{\n "schema": "evenhand-memo/1",\n "study"')
    assert "Grüße" in content
    assert content.endswith("}\n")


def test_json_gives_back_the_memo(memo):
    assert type(memo).model_validate(json.loads(bundle.bundle(memo)["memo.json"])) == memo


def test_files_go_to_a_new_folder_for_their_owner_alone(tmp_path):
    write(tmp_path / "out", FILES)
    modes = {p.relative_to(tmp_path).as_posix(): stat.S_IMODE(p.stat().st_mode) for p in tmp_path.rglob("*")}
    assert modes == {"out": 0o700, "out/memo.md": 0o600, "out/tables": 0o700, "out/tables/a.csv": 0o600}
    assert (tmp_path / "out" / "tables" / "a.csv").read_bytes() == b"A\r\n"


@pytest.mark.parametrize("kind", ["empty folder", "file", "dangling link"])
def test_what_exists_is_never_touched(tmp_path, kind):
    target = tmp_path / "out"
    make = {"empty folder": target.mkdir, "file": target.touch, "dangling link": lambda: target.symlink_to("nowhere")}
    make[kind]()
    before = target.lstat()
    with pytest.raises(Refused) as caught:
        write(target, FILES)
    assert caught.value.code == "exists"
    assert target.lstat() == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_half_way_leaves_nothing(tmp_path):
    with pytest.raises(Refused) as caught:
        write(tmp_path / "out", FILES | {"memo.md/below": b""})
    assert caught.value.code == "unwritable"
    assert list(tmp_path.iterdir()) == []


def test_what_was_put_in_place_goes_again_where_the_block_fails_afterwards(tmp_path):
    def fail():
        with bundle.staged(tmp_path / "memo", FILES) as place:
            place()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_whose_parent_is_missing_is_refused(tmp_path):
    with pytest.raises(Refused, match="cannot be written"):
        write(tmp_path / "no" / "out", FILES)


def test_a_relative_folder_is_taken_from_where_one_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Path("out"), FILES)
    assert (tmp_path / "out" / "memo.md").exists()


def test_the_archive_holds_the_files_and_is_the_same_each_time():
    made = bundle.zipped(FILES, "memo-pilot")
    assert made == bundle.zipped(dict(FILES), "memo-pilot")
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert {each.filename: archive.read(each) for each in archive.infolist()} == {
            f"memo-pilot/{name}": content for name, content in FILES.items()
        }
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
