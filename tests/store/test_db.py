import stat
from threading import Thread

import pytest
from sqlalchemy import text

from app.domain.errors import StoreUnavailable
from app.store import accounts, audit
from app.store.db import PRAGMAS, Store, driver
from app.store.migrate import open_store
from tests.web.failing import NEVER, failing

THREADS, EACH = 50, 4


def setting(store, key):
    with store.read() as connection:
        return accounts.read_setting(connection, key)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("synchronous", 2),
        ("fullfsync", 1),
        ("foreign_keys", 1),
        ("busy_timeout", 5000),
        ("secure_delete", 1),
        ("temp_store", 2),
        ("trusted_schema", 0),
    ],
)
def test_every_connection_has_each_pragma(store, name, value):
    with store.read() as one, store.read() as other, store.write() as third:
        assert [each.exec_driver_sql(f"PRAGMA {name}").scalar() for each in (one, other, third)] == [value] * 3


def test_the_journal_is_a_wal_only_where_sqlite_resets_it_safely(store):
    safe = driver.sqlite_version_info >= (3, 51, 3)
    with store.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == ("wal" if safe else "truncate")


def test_a_pragma_that_sqlite_does_not_take_stops_the_opening(tmp_path, monkeypatch):
    monkeypatch.setitem(PRAGMAS, "cell_size_check", 7)
    with pytest.raises(StoreUnavailable, match="cell_size_check"):
        open_store(tmp_path / "store")


def test_a_write_is_visible_to_others_only_after_its_block(store):
    with store.write() as connection:
        accounts.write_setting(connection, "colour", "green")
        assert setting(store, "colour") is None
    assert setting(store, "colour") == "green"


def test_a_committed_write_is_there_when_the_store_is_opened_again(store):
    with store.write() as connection:
        accounts.write_setting(connection, "colour", "green")
    again = Store(store.folder)
    assert setting(again, "colour") == "green"
    again.close()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_rolls_the_whole_block_back_and_leaves_the_store_writable(store, error):
    with pytest.raises(error), store.write() as connection:
        raise error(accounts.write_setting(connection, "colour", "green"))
    assert setting(store, "colour") is None
    with store.write() as connection:
        accounts.write_setting(connection, "colour", "blue")
    assert setting(store, "colour") == "blue"


def test_every_query_of_a_read_sees_one_snapshot(store):
    with store.read() as connection:
        assert accounts.read_setting(connection, "colour") is None
        with store.write() as other:
            accounts.write_setting(other, "colour", "green")
        assert accounts.read_setting(connection, "colour") is None
    assert setting(store, "colour") == "green"


def test_what_is_changed_on_a_reading_connection_is_gone(store):
    with store.read() as connection:
        accounts.write_setting(connection, "colour", "green")
    assert setting(store, "colour") is None


def test_a_row_that_points_at_nothing_is_refused(store):
    with pytest.raises(Exception, match="FOREIGN KEY"), store.write() as connection:
        connection.execute(text("insert into deviation (study_id, at, text) values ('none', 'now', 'x')"))


def test_folder_and_files_belong_to_their_owner_alone(store):
    with store.write() as connection:
        accounts.write_setting(connection, "colour", "green")
    files = list(store.folder.iterdir())
    assert mode(store.folder) == 0o700
    assert store.path in files
    assert {mode(path) for path in files} == {0o600}


@pytest.mark.parametrize("bits", [0o755, 0o710, 0o701, 0o770])
def test_a_folder_that_others_can_enter_is_refused_with_the_remedy(tmp_path, bits):
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "a file").touch()
    folder.chmod(bits)
    with pytest.raises(StoreUnavailable, match="chmod go-rwx"):
        open_store(folder)
    assert [path.name for path in folder.iterdir()] == ["a file"]


def test_an_empty_folder_made_by_hand_becomes_private(tmp_path):
    folder = tmp_path / "store"
    folder.mkdir(mode=0o755)
    open_store(folder).close()
    assert mode(folder) == 0o700


def test_a_database_that_others_can_read_is_refused(store):
    store.close()
    store.path.chmod(0o644)
    with pytest.raises(StoreUnavailable, match="can be read by other users"):
        open_store(store.folder)


def test_a_store_that_cannot_be_created_is_refused_clearly(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreUnavailable, match="--store"):
        open_store(tmp_path / "file" / "store")


def test_a_file_that_is_no_database_is_refused_without_sql(tmp_path):
    folder = tmp_path / "store"
    folder.mkdir(mode=0o700)
    (folder / "evenhand.sqlite3").write_bytes(b"not a database at all" * 100)
    (folder / "evenhand.sqlite3").chmod(0o600)
    with pytest.raises(StoreUnavailable) as refused:
        open_store(folder)
    assert "select" not in str(refused.value).lower()


def test_fifty_threads_that_read_and_append_lose_no_event_and_break_no_link(store, world):
    errors = []

    def append(number):
        try:
            for turn in range(EACH):
                with store.write() as connection:
                    audit.record(connection, world, "local", "counted", thread=number, turn=turn)
        except Exception as error:  # noqa: BLE001 - any failure of any thread fails the test
            errors.append(error)

    threads = [Thread(target=append, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as connection:
        appended = {(each.detail["thread"], each.detail["turn"]) for each in audit.events(connection, "counted")}
        assert (errors, audit.broken_links(connection)) == ([], [])
    assert appended == {(number, turn) for number in range(THREADS) for turn in range(EACH)}


def test_a_commit_that_fails_leaves_neither_a_transaction_nor_the_lock_behind(store):
    full = driver.OperationalError("database or disk is full")
    for _ in range(60):  # more often than the store has connections
        with failing(store, NEVER, full), pytest.raises(StoreUnavailable, match="disk is full"), store.write() as found:
            found.exec_driver_sql("update setting set value = 'half done'")
    with store.write() as connection:
        assert connection.exec_driver_sql("select count(*) from setting where value = 'half done'").scalar() == 0
