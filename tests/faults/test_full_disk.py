"""The disk is full under a real server: a calm page that keeps what was entered, and all is well once there is room."""

import contextlib
import html
import os
import resource
import subprocess
from pathlib import Path

import pytest

from tests.faults import shim
from tests.faults.judges import ACTION, HIDDEN, study_of

pytestmark = pytest.mark.faults
SQL = "select count(*) from judgement"
NOTE = "typed while there was no room"


def first_form(person):
    place = person.get("/review/next").headers["location"]
    page = person.get(place).text
    return place, {name: HIDDEN[name].search(page)[1] for name in HIDDEN} | {"label": "no-material-edit", "note": NOTE}


def refused_then_stored(evenhand, rows, full, free):
    """Fill the disk, send and draft an answer, free the disk, send it again; return nothing where all was right."""
    rosa = evenhand.visit("rosa")
    place, fields = first_form(rosa)
    full()
    for path in (place, f"{place}/draft"):
        for headers in ({}, {"HX-Request": "true"}):
            answer = rosa.post(path, fields, **headers)
            assert answer.status_code in {503, 507}, (path, answer.status_code)
            assert "Nothing was changed" in answer.text
            assert ACTION.search(answer.text)[1] == place
            assert NOTE in html.unescape(answer.text)
            assert HIDDEN["key"].search(answer.text)[1] == fields["key"]
    assert rosa.get("/review").status_code == 200
    assert rows(evenhand.folder, SQL) == [(0,)]
    free()
    assert rosa.post(place, fields).status_code == 303
    assert rows(evenhand.folder, SQL) == [(1,)]
    evenhand.stop()
    assert evenhand.do("verify")["ok"]


def test_where_files_may_not_grow_answers_are_refused_until_they_may(evenhand, rows):
    study_of(evenhand.folder, 4)
    evenhand.serve()
    limit = resource.RLIMIT_FSIZE
    if not hasattr(resource, "prlimit"):
        pytest.skip("limits of another process are set on Linux alone")
    before = resource.prlimit(evenhand.process.pid, limit)
    refused_then_stored(
        evenhand,
        rows,
        lambda: resource.prlimit(evenhand.process.pid, limit, (0, before[1])),
        lambda: resource.prlimit(evenhand.process.pid, limit, before),
    )


@pytest.mark.parametrize("broken", ["sync", "write"])
def test_where_the_disk_fails_answers_are_refused_until_it_does_not(evenhand, rows, tmp_path, broken):
    study_of(evenhand.folder, 4)
    fail = tmp_path / "fail"
    evenhand.serve(**shim.under(evenhand.folder, tmp_path / "log", fail))
    refused_then_stored(evenhand, rows, lambda: fail.write_text(broken), fail.unlink)


@pytest.fixture
def small_disk(tmp_path):
    """Mount a disk of 4 MiB; skip, saying why, where one may not."""
    place = tmp_path / "disk"
    place.mkdir()
    asked = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "none", str(place)], capture_output=True, check=False
    )
    if asked.returncode != 0:
        pytest.skip("a small disk is mounted by root alone")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(path):
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 1024)


def test_on_a_full_disk_answers_are_refused_until_there_is_room(evenhand, rows, small_disk):
    evenhand.folder = small_disk / "store"
    study_of(evenhand.folder, 4)
    evenhand.serve()
    filler = small_disk / "filler"
    refused_then_stored(evenhand, rows, lambda: fill(filler), filler.unlink)


def test_a_start_on_a_full_disk_is_refused_clearly(evenhand, small_disk):
    evenhand.folder = small_disk / "store"
    study_of(evenhand.folder, 4)
    fill(small_disk / "filler")
    ended = evenhand.refused()
    assert ended.returncode == 1
    assert "disk" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_store_on_a_disk_that_may_only_be_read_is_refused_clearly(evenhand, small_disk):
    evenhand.folder = small_disk / "store"
    study_of(evenhand.folder, 4)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    ended = evenhand.refused()
    assert (ended.returncode, "cannot be written" in ended.stderr) == (1, True)


def test_a_database_that_may_only_be_read_is_refused_clearly(evenhand):
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    study_of(evenhand.folder, 4)
    Path(evenhand.folder, "evenhand.sqlite3").chmod(0o400)
    ended = evenhand.refused()
    assert (ended.returncode, "chmod u+rw" in ended.stderr) == (1, True)
