"""A backup and a restore as actions: what is in the file, what is refused, what is left behind."""

import hashlib
import os
import shutil
import sqlite3
import stat

import pytest

from app.actions import backups, sessions
from app.actions.backups import back_up, restore
from app.domain.errors import EvenhandError, InvalidInput, Refused
from app.store import verify
from app.store.db import DATABASE
from app.store.lock import served
from app.store.migrate import HEAD, open_store
from tests.actions.bench import FINE, HARM, bench_on_a_copy, frozen_folder
from tests.house import CHEAP, password_of
from tests.store.old_stores import old_store


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    return frozen_folder(tmp_path_factory.mktemp("frozen") / "store")


@pytest.fixture
def bench(frozen, tmp_path):
    with bench_on_a_copy(frozen, tmp_path / "store") as bench:
        bench.review("rosa", P1=FINE, P3=HARM)
        yield bench


@pytest.fixture
def made(bench, tmp_path):
    """Return a backup of a study under way, and what was said of it."""
    file = tmp_path / "backup.sqlite3"
    return file, back_up(bench.store, bench.world, "local", file)


def rows(store, sql):
    with store.read() as connection:
        return connection.exec_driver_sql(sql).all()


def test_a_backup_is_one_private_file_and_what_is_said_of_it_is_so(bench, made, tmp_path):
    file, copied = made
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.sqlite3", "store"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert copied.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (copied.size, copied.schema) == (file.stat().st_size, HEAD)
    held = copied.holds
    assert (held.studies, held.items, held.reviews) == (1, 6, 4)
    events = bench.rows("select event, hash, detail from audit_event order by seq desc limit 2")
    assert [each.event for each in events] == ["backup.made", "backup.begun"]
    assert copied.sha256 in events[0].detail
    assert held.audit_head == events[1].hash


def test_a_restored_store_holds_all_but_the_sessions_and_its_chain_says_where_it_comes_from(bench, tmp_path):
    sessions.sign_in(bench.store, bench.world, CHEAP, "rosa", password_of("rosa"))
    later = tmp_path / "later.sqlite3"
    back_up(bench.store, bench.world, "local", later)
    restored = restore(tmp_path / "again", bench.world, "local", later)
    store = open_store(tmp_path / "again")
    for table in ("account", "study", "item", "slot", "judgement", "draft", "sign_off", "member", "rights"):
        assert rows(store, f"select * from {table}") == rows(bench.store, f"select * from {table}")  # noqa: S608
    assert rows(bench.store, "select count(*) from session") == [(1,)]
    assert rows(store, "select count(*) from session") == [(0,)]
    ((event, detail),) = rows(store, "select event, detail from audit_event order by seq desc limit 1")
    assert event == "store.restored"
    assert restored.sha256 in detail
    with store.read() as connection:
        assert verify.findings(connection) == []
    assert sessions.sign_in(store, bench.world, CHEAP, "rosa", password_of("rosa")).name == "rosa"
    store.close()


def test_a_restored_store_has_a_key_of_its_own_and_counts_wrong_passwords_anew(bench, tmp_path):
    with pytest.raises(InvalidInput):
        sessions.sign_in(bench.store, bench.world, CHEAP, "rosa", "a wrong password")
    known = sessions.sign_in(bench.store, bench.world, CHEAP, "ravi", password_of("ravi")).known
    file = tmp_path / "later.sqlite3"
    back_up(bench.store, bench.world, "local", file)
    restore(tmp_path / "again", bench.world, "local", file)
    store = open_store(tmp_path / "again")
    before, after = (dict(map(tuple, rows(each, "select key, value from setting"))) for each in (bench.store, store))
    assert {key for key in before if before[key] != after[key]} == {"throttle_key"}
    assert rows(bench.store, "select count(*) from throttle") == [(2,)]  # of the name, and of all
    assert rows(store, "select count(*) from throttle") == [(0,)]
    again = sessions.sign_in(store, bench.world, CHEAP, "ravi", password_of("ravi"), brought=known).known
    assert again != known, "a browser that was known to the former store is not known to this one"
    store.close()


def test_a_restored_store_is_private_and_nothing_stands_beside_it(bench, made, tmp_path):
    restore(tmp_path / "again", bench.world, "local", made[0])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "backup.sqlite3", "store"]
    assert [path.name for path in (tmp_path / "again").iterdir()] == [DATABASE]
    assert stat.S_IMODE((tmp_path / "again").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "again" / DATABASE).stat().st_mode) == 0o600


@pytest.mark.parametrize("there", ["missing", "empty", "within", "link"])
def test_a_store_is_restored_to_a_folder_that_is_missing_or_empty(bench, made, tmp_path, there):
    folder = tmp_path / "some" / "again" if there == "within" else tmp_path / "again"
    if there in {"empty", "link"}:
        (tmp_path / "real").mkdir()
        folder.symlink_to(tmp_path / "real") if there == "link" else folder.mkdir()
    restore(folder, bench.world, "local", made[0])
    assert (folder / DATABASE).is_file()
    open_store(folder).close()


def test_a_backup_goes_over_nothing_and_not_into_the_store(bench, tmp_path):
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "inside").symlink_to(bench.store.folder)
    before = bench.events()
    for name, told in {
        "taken": "exists already",
        "link": "exists already",
        "store": "exists already",
        "store/copy": "lies in the store",
        "inside/copy": "lies in the store",
        "no/such/folder": "cannot be written",
    }.items():
        with pytest.raises(Refused, match=told):
            back_up(bench.store, bench.world, "local", tmp_path / name)
    assert (tmp_path / "taken").read_text() == "mine"
    assert bench.events() == before


def test_a_file_that_appears_meanwhile_is_not_overwritten(bench, tmp_path, monkeypatch):
    file, checked = tmp_path / "backup", backups._checked
    monkeypatch.setattr(backups, "_checked", lambda partial: (file.write_text("mine"), checked(partial))[1])
    with pytest.raises(Refused, match="exists already"):
        back_up(bench.store, bench.world, "local", file)
    assert file.read_text() == "mine"
    assert bench.events()[-1] == "backup.begun"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "store"]


def test_a_store_that_differs_from_its_record_is_not_backed_up(bench, tmp_path):
    bench.change("update judgement set label = 'benign-retention' where id = 1")
    with pytest.raises(Refused, match="judgement 1: it differs"):
        back_up(bench.store, bench.world, "local", tmp_path / "backup")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_a_store_is_never_restored_over_anything(bench, made, tmp_path):
    (tmp_path / "file").write_text("mine")
    for name in ("store", "file"):
        with pytest.raises(Refused, match="not empty and was not touched"):
            restore(tmp_path / name, bench.world, "local", made[0])
    with served(bench.store.folder, 8765), pytest.raises(Refused, match="A server runs on the store"):
        restore(bench.store.folder, bench.world, "local", made[0])
    assert (tmp_path / "file").read_text() == "mine"


def changed(sql):
    def change(file):
        connection = sqlite3.connect(file)
        connection.execute(sql)
        connection.commit()
        connection.close()

    return change


def cut(file):
    os.truncate(file, file.stat().st_size - 5000)


def scribbled(file):
    content = bytearray(file.read_bytes())
    content[8000:13000] = b"x" * 5000  # the heads of two pages among them
    file.write_bytes(content)


def foreign(file):
    file.unlink()
    changed("create table another (x)")(file)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda file: file.unlink(), "There is no file"),
        (lambda file: file.write_text("private words"), "no SQLite database"),
        (lambda file: file.write_bytes(b""), "no SQLite database"),
        (foreign, "another program's database"),
        (cut, "damaged|cannot be restored"),
        (scribbled, "damaged|cannot be restored"),
        (changed("update alembic_version set version_num = '9999'"), "newer Evenhand"),
        (changed("update judgement set note = 'x' where id = 1"), "judgement 1: it differs"),
        (changed("update item set content = replace(content, 'open', 'shut')"), "was changed"),
        (changed("update study set protocol = '{}'"), "was changed|cannot be read"),
        (changed("delete from audit_event where seq = 5"), "it does not hold at event 6"),
        (lambda file: file.with_name(file.name + "-wal").write_bytes(b"x"), "copied without its journal"),
    ],
)
def test_what_is_no_whole_backup_is_refused_and_leaves_nothing(bench, made, tmp_path, spoil, told):
    file, _ = made
    spoil(file)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(EvenhandError, match=told) as refused:
        restore(tmp_path / "again", bench.world, "local", file)
    assert "private words" not in str(refused.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_copied_database_of_every_earlier_kind_is_restored_and_upgraded(world, tmp_path):
    old = old_store("0001", tmp_path / "old")
    copied = restore(tmp_path / "again", world, "local", old / DATABASE)
    assert copied.schema == "0001"
    assert [path.name for path in (tmp_path / "again").iterdir()] == [DATABASE]
    store = open_store(tmp_path / "again")
    assert rows(store, "select version_num from alembic_version") == [(HEAD,)]
    store.close()


def test_a_backup_that_cannot_be_written_whole_leaves_no_file_and_the_store_goes_on(bench, tmp_path, monkeypatch):
    def full(path):
        path.write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bench.store, "copy_to", full)
    with pytest.raises(OSError, match="No space"):
        back_up(bench.store, bench.world, "local", tmp_path / "backup")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
    bench.answer("ravi", "P-001")


def test_a_copy_of_the_whole_folder_is_restored_from_its_database(bench, tmp_path):
    bench.store.close()
    shutil.copytree(bench.store.folder, tmp_path / "copy")
    restore(tmp_path / "again", bench.world, "local", tmp_path / "copy" / DATABASE)
    store = open_store(tmp_path / "again")
    assert rows(store, "select count(*) from judgement") == [(4,)]
    store.close()
