"""The page on which a lead draws from a list of candidates."""

import hashlib
import io
import re
import zipfile

import pytest

from scripts.make_selection_pool import FIXTURES
from tests.web.way import DRAW, POOL, snapshot

PLACE = "/lead/select"


@pytest.fixture
def lena(people, visit):
    return visit("lena")


def send(lena, *, to="show", pool=POOL, rules=DRAW, columns=None):
    csrf = lena.page(PLACE).form_to(PLACE).fields["csrf"][0]
    files = {"file": ("pool.csv", pool), "protocol": ("protocol.toml", rules)}
    files |= {"columns": ("map.toml", columns)} if columns is not None else {"columns": ("", b"")}
    return lena.client.post(PLACE, data={"csrf": csrf, "to": to}, files=files, headers=lena.headers)


def test_the_page_shows_shortages_reasons_and_digest_and_names_no_candidate(lena):
    answer = send(lena)
    assert answer.status_code == 200
    for each in ("130 of 400 candidates drawn, 30 short", "several labels", "extension", "SHA-256 of the record"):
        assert each in answer.text
    assert "Invented" not in answer.text


def test_the_archive_holds_what_the_command_writes(lena):
    answer = send(lena, to="download")
    assert answer.headers["content-disposition"] == 'attachment; filename="selection-drawn.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        names = {f"selection-drawn/{name}" for name in ("selected.jsonl", "extension.jsonl", "selection.json")}
        assert set(archive.namelist()) == names
        assert archive.read("selection-drawn/selected.jsonl") == (FIXTURES / "selected.jsonl").read_bytes()


def test_the_page_and_the_archive_are_of_one_record(lena):
    with zipfile.ZipFile(io.BytesIO(send(lena, to="download").content)) as archive:
        record = archive.read("selection-drawn/selection.json")
    assert hashlib.sha256(record).hexdigest() in send(lena).text


def test_nothing_is_stored(lena, store):
    before = snapshot(store)
    for to in ("show", "download"):
        assert send(lena, to=to).status_code == 200
    assert snapshot(store) == before


def test_a_fault_is_told_with_file_line_and_column(lena):
    answer = send(lena, pool=POOL.replace(b", 0, 0, 0, 48000, 0,", b", 0, 0, 0, 48000, 9,"))
    assert answer.status_code == 422
    assert "Nothing was drawn" in answer.text
    assert "pool.csv: expected a whole number from 0 to 3, the number of annotators; found 9" in answer.text
    assert marked(answer) == ["file"]


def test_a_column_map_is_read(lena):
    answer = send(lena, columns=b'item_id = "ClipId"')
    assert answer.status_code == 422
    assert "map.toml: every column map needs it" in answer.text
    assert marked(answer) == ["columns"]


def marked(answer):
    """Return the controls that are marked as faulty."""
    return re.findall(r'name="(\w+)" type="file"[^>]* aria-invalid="true"', answer.text)


def test_both_files_are_needed(lena):
    csrf = {"csrf": lena.page(PLACE).form_to(PLACE).fields["csrf"][0]}
    answer = lena.client.post(PLACE, data=csrf, files={"file": ("pool.csv", POOL)}, headers=lena.headers)
    assert answer.status_code == 422
    assert "Protocol" in answer.text
    assert "choose a file first" in answer.text
    assert marked(answer) == ["protocol"]


def test_a_file_from_another_control_is_refused(lena):
    csrf = {"csrf": lena.page(PLACE).form_to(PLACE).fields["csrf"][0]}
    answer = lena.client.post(PLACE, data=csrf, files={"other": ("x", b"x")}, headers=lena.headers)
    assert answer.status_code == 422


def test_the_first_pages_lead_there(lena):
    assert PLACE in lena.page("/lead").links
