"""What is withdrawn is gone from every file of the store, byte for byte (acceptance P5)."""

import pytest

from app.actions import closing, preparing
from app.actions.backups import back_up
from app.actions.withdrawing import withdraw
from app.store import verify
from app.store.migrate import open_store
from tests.actions.bench import HARM, SAME, Bench, bench_on_a_copy
from tests.house import PROTOCOL, RIGHTS, add_people, fixed_world, frozen_study, jsonl

GONE, LEFT = "quokka", "wombat"
FIELDS = ("item_id", "cluster", "raw_hypothesis", "off", "on", "verbatim_reference", "semantic_reference", "tags")
WIDE = PROTOCOL.replace("word_repetition = 4, fluent = 2", "word_repetition = 900, fluent = 900")
LEDGER = RIGHTS + RIGHTS.replace('"invented"', '"other"')
N = 240


def rows(n=N):
    """Return items of two sources in turn, every private field of each with the word of its source in it."""
    found = []
    for number in range(n):
        word, source = ((GONE, "other"), (LEFT, "invented"))[number % 2]
        row = {field: f"{word}-{field}-{number:04} {'so it went ' * (number % 40)}".strip() for field in FIELDS[2:-1]}
        row |= {"item_id": f"{word}-id-{number:04}", "cluster": f"{word}-cluster-{number % 12}", "source": source}
        found.append(row | {"stratum": "fluent" if number % 3 else "word_repetition", "tags": [f"{word}-tag-{number}"]})
    return found


def files(folder):
    """Return the raw bytes of every file of a store, by name."""
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def holding(folder, word):
    return [name for name, content in files(folder).items() if word.encode() in content]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a store, to be copied, in which the words stand wherever what is private can stand."""
    folder = tmp_path_factory.mktemp("erasure") / "store"
    store, world = open_store(folder), fixed_world()
    add_people(store, world)
    bench = Bench(store, world, frozen_study(store, world, protocol=WIDE, ledger=LEDGER, rows=rows()))
    for number in range(60):
        word = (GONE, LEFT)[number % 2]
        item = f"{word}-id-{number:04}"
        bench.answer("rosa", item, SAME, note=f"{word}-note-{number} was a long way off")
        bench.answer("rosa", item, HARM, note=f"{word}-second-{number} was even longer " * 9)
        bench.draft("ravi", item, note=f"{word}-draft-{number} is half a thought")
    store.close()
    return folder


@pytest.fixture
def bench(folder, tmp_path):
    with bench_on_a_copy(folder, tmp_path / "store") as bench:
        yield bench


def test_the_files_hold_the_words_before(bench):
    assert holding(bench.store.folder, GONE)
    assert holding(bench.store.folder, LEFT)


def test_of_a_withdrawn_source_no_byte_is_left_in_any_file_nor_in_a_later_backup(bench, tmp_path):
    done = withdraw(bench.store, bench.world, "lena", bench.study, "source", "other", "taken back by its publisher")
    assert (done.items, done.finished) == (N // 2, True)
    assert holding(bench.store.folder, GONE) == []
    assert holding(bench.store.folder, LEFT) == ["evenhand.sqlite3"]
    (tmp_path / "later").mkdir()
    back_up(bench.store, bench.world, "local", tmp_path / "later" / "backup.sqlite3")
    assert holding(tmp_path / "later", GONE) == []
    assert holding(tmp_path / "later", LEFT) == ["backup.sqlite3"]
    with bench.store.read() as connection:
        assert verify.findings(connection) == []


def test_clusters_and_items_withdrawn_one_after_the_other_leave_none_of_their_bytes(bench):
    for number in (0, 2, 4, 6):
        withdraw(bench.store, bench.world, "lena", bench.study, "cluster", f"{GONE}-cluster-{number}", "they asked")
    for number in (8, 10, 20, 22):
        withdraw(bench.store, bench.world, "lena", bench.study, "item", f"{GONE}-id-{number:04}", "they asked")
    whole = b"".join(files(bench.store.folder).values()).decode(errors="replace")
    left = {number for number in range(0, N, 2) if f"{GONE}-id-{number:04}" in whole}
    assert left == {number for number in range(24, N, 2) if number % 12 in {8, 10}}
    assert not [number for number in (0, 2, 4, 6) if f"{GONE}-cluster-{number}" in whole]
    assert {number for number in range(0, 60, 2) if f"{GONE}-draft-{number} " in whole} == left & set(range(60))


def test_after_the_close_no_byte_is_left_either(bench):
    closing.close(bench.store, bench.world, "lena", bench.study, "we stop here")
    withdraw(bench.store, bench.world, "lena", bench.study, "source", "other", "taken back by its publisher")
    assert holding(bench.store.folder, GONE) == []


def test_what_is_removed_from_a_draft_is_gone_from_the_files_too(store, world):
    preparing.create(store, world, "local", WIDE.encode(), "protocol.toml")
    preparing.import_items(store, world, "local", "pilot", jsonl(rows()), "items.jsonl")
    assert withdraw(store, world, "local", "pilot", "source", "other", "never ours").finished
    assert holding(store.folder, GONE) == []


def test_while_somebody_reads_what_was_there_before_it_says_so_and_the_next_write_finishes(
    bench, tmp_path, monkeypatch
):
    monkeypatch.setattr("app.store.db.PATIENCE", 50)
    folder = bench.store.folder
    with bench.store.engine.connect() as reader:
        reader.exec_driver_sql("BEGIN")
        reader.exec_driver_sql("select count(*) from item").scalar()
        done = withdraw(bench.store, bench.world, "lena", bench.study, "source", "other", "taken back")
        assert not done.finished
        closing.log_deviation(bench.store, bench.world, "lena", bench.study, "one day later")  # is not held up
        assert holding(folder, GONE) != []
        (tmp_path / "later").mkdir()
        back_up(bench.store, bench.world, "local", tmp_path / "later" / "backup.sqlite3")
        assert holding(tmp_path / "later", GONE) == []  # though the store's own files are not free of it yet
        reader.rollback()
    closing.log_deviation(bench.store, bench.world, "lena", bench.study, "two days later")
    assert holding(folder, GONE) == []


def test_what_a_stopped_program_left_unfinished_the_next_start_finishes(bench, monkeypatch):
    store = bench.store
    with monkeypatch.context() as patch:
        patch.setattr("app.store.db._finish_erasure", lambda *_: False)
        assert not withdraw(store, bench.world, "lena", bench.study, "source", "other", "taken back").finished
    store.close()  # the last connection empties the journal into the database
    open_store(store.folder).close()
    assert holding(store.folder, GONE) == []


def test_with_the_rollback_journal_no_byte_is_left_either(tmp_path, monkeypatch):
    from app.store import db

    monkeypatch.setattr(db, "PRAGMAS", db.PRAGMAS | {"journal_mode": "truncate"})
    store, world = open_store(tmp_path / "old"), fixed_world()
    preparing.create(store, world, "local", WIDE.encode(), "protocol.toml")
    preparing.import_items(store, world, "local", "pilot", jsonl(rows()), "items.jsonl")
    assert withdraw(store, world, "local", "pilot", "source", "other", "never ours").finished
    assert holding(store.folder, GONE) == []
    store.close()


def test_beside_a_server_at_work_a_command_erases_all_and_later_backups_hold_nothing(evenhand, tmp_path):
    for name, data in {"p.toml": WIDE, "r.toml": LEDGER, "items.jsonl": jsonl(rows(40)).decode()}.items():
        (tmp_path / name).write_text(data)
    evenhand.add_people("rosa", "ravi", "ines", "lena")
    evenhand.do("study", "create", tmp_path / "p.toml")
    evenhand.do("study", "rights", "pilot", tmp_path / "r.toml")
    evenhand.do("study", "import", "pilot", tmp_path / "items.jsonl")
    people = ["--reviewer", "rosa", "--reviewer", "ravi", "--adjudicator", "ines", "--lead", "lena", "--attest", "two"]
    evenhand.do("study", "assign", "pilot", *people)
    codes = [each["code"] for each in evenhand.do("study", "check", "pilot")["acknowledge"]]
    evenhand.do("freeze", "pilot", *(word for code in codes for word in ("--acknowledge", code)))
    evenhand.serve()
    rosa = evenhand.visit("rosa")
    for _ in range(6):
        where, page = rosa.next_page()
        word = GONE if GONE in "".join(page.panels.values()) else LEFT
        rosa.send(page.judging_form(), path=f"{where}/draft", note=f"{word} drafted")
        rosa.answer(page, label="safe-cleanup", panel="A", note=f"{word} noted")
    assert holding(evenhand.folder, GONE)
    done = evenhand.do("study", "withdraw", "pilot", "--source", "other", "--reason", "taken back by its publisher")
    assert (done["withdrawn"], done["erased"], done["copies"]) == (20, True, [])
    assert holding(evenhand.folder, GONE) == []
    assert rosa.get("/review").status_code == 200
    (tmp_path / "later").mkdir()
    evenhand.do("backup", tmp_path / "later" / "backup.sqlite3")
    assert holding(tmp_path / "later", GONE) == []
    assert holding(tmp_path / "later", LEFT) == ["backup.sqlite3"]
    assert evenhand.do("verify") is not None
    assert holding(evenhand.folder, GONE) == []
