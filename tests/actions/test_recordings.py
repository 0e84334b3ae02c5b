"""Recordings: taken with items or later, from a folder or as sent; frozen, verified, erased."""

import os
import stat

import pytest

from app.actions import freezing, preparing, recordings, withdrawing
from app.domain.errors import EvenhandError, InvalidInput, Refused
from app.domain.recording import MAX_BYTES
from app.store import recordings as stored
from app.store import verify
from app.store.db import driver
from tests.house import PROTOCOL, RIGHTS, item_rows, jsonl, seats
from tests.sounds import wav

SILENT = RIGHTS.replace('"play", ', "")
HEARD = {f"a-{number}.wav": wav(tone=300 + number) for number in range(1, 7)}


def rows(**changes):
    """Return the items of the small study, each with a recording, some of them changed by id (P1 for P-001)."""
    found = [row | {"audio": f"a-{number}.wav"} for number, row in enumerate(item_rows(), start=1)]
    return [row | changes.get(row["item_id"].replace("-00", ""), {}) for row in found]


def sent(**files):
    return recordings.chosen([(data, name) for name, data in files.items()])


EVERYTHING = sent(**HEARD)


@pytest.fixture
def draft(store, world, people):
    study = preparing.create(store, world, "local", PROTOCOL.encode(), "protocol.toml")
    preparing.set_rights(store, world, "local", study, RIGHTS.encode(), "rights.toml")
    preparing.assign(store, world, "local", study, seats(["rosa", "ravi"], ["lena"], "ines"), "two linguists")
    return study


@pytest.fixture
def take_in(store, world, draft):
    def take(items=None, given=EVERYTHING, **more):
        data = jsonl(items or rows())
        return preparing.import_items(store, world, "local", draft, data, "items.jsonl", given=given, **more)

    return take


@pytest.fixture
def clips(tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    for name, data in HEARD.items():
        (folder / name).write_bytes(data)
    return folder


def sounds(store, study="pilot"):
    """Return what is stored of each item: the digest of its recording, by its id, if the bytes are as it says."""
    with store.read() as connection:
        found = stored.of_study(connection, study).values()
        assert all(stored.holds(connection, row) for row in found)
        return {row.item_id: row.sha256 for row in found}


def freeze(store, world, study):
    codes = [each.code for each in preparing.check(store, study).acknowledge]
    freezing.freeze(store, world, "local", study, codes)


def problems(refused):
    return [(each.where, each.line, each.field) for each in refused.value.problems]


# Taking in


def test_items_come_with_their_recordings_and_each_has_its_own(store, take_in):
    taken = take_in(rows(P2={"audio": "a-1.wav"}))
    assert (taken.recorded, taken.unheard, taken.aside) == (6, 0, ("a-2.wav",))
    found = sounds(store)
    assert len(found) == 6
    assert found["P-001"] == found["P-002"] != found["P-003"]


def test_what_is_wrong_with_a_recording_is_told_by_the_line_of_its_item_and_nothing_is_stored(store, take_in, clips):
    (clips / "a-2.wav").write_bytes(b"what somebody typed")
    (clips / "a-3.wav").unlink()
    (clips / "a-4.wav").write_bytes(wav() + bytes(MAX_BYTES))
    with pytest.raises(InvalidInput) as refused:
        take_in(given=recordings.folder(clips))
    assert problems(refused) == [("items.jsonl", line, "audio") for line in (2, 3, 4)]
    kinds = [each.message for each in refused.value.problems]
    for told, message in zip(("no recording", "not in the folder", "cut it"), kinds, strict=True):
        assert told in message
    assert "somebody" not in str(refused.value)
    assert sounds(store) == {}


def test_a_link_a_folder_a_device_and_a_pipe_are_no_recordings(take_in, clips, tmp_path):
    (tmp_path / "secret.wav").write_bytes(wav())
    for number, make in enumerate(
        (
            lambda path: path.symlink_to(tmp_path / "secret.wav"),
            lambda path: path.symlink_to("/dev/zero"),
            lambda path: path.mkdir(),
            os.mkfifo,
        ),
        start=1,
    ):
        path = clips / f"a-{number}.wav"
        path.unlink()
        make(path)
    with pytest.raises(InvalidInput) as refused:
        take_in(given=recordings.folder(clips))
    assert [each.line for each in refused.value.problems] == [1, 2, 3, 4]
    told = [each.message.split(":")[0] for each in refused.value.problems]
    assert told == ["this is a link"] * 2 + ["this is a folder or a device, and no file"] * 2


def test_a_name_that_leads_out_of_the_folder_is_never_opened(take_in, clips, tmp_path):
    (tmp_path / "secret.wav").write_bytes(wav())
    for name in ("../secret.wav", str(tmp_path / "secret.wav"), "a\0.wav"):
        with pytest.raises(InvalidInput) as refused:
            take_in(rows(P1={"audio": name}), given=recordings.folder(clips))
        assert problems(refused) == [("items.jsonl", 1, "audio")]


def test_a_file_that_is_sent_under_such_a_name_is_refused_by_name():
    for name in ("../a.wav", "/a.wav", "C:\\a.wav", "con", "a\n.wav"):
        with pytest.raises(InvalidInput):
            recordings.chosen([(wav(), name)])


def test_files_that_no_item_names_are_left_out_and_told(store, take_in, clips):
    (clips / "notes.txt").write_text("what somebody typed")
    (clips / ".DS_Store").write_text("")
    assert take_in(given=recordings.folder(clips)).aside == ("notes.txt",)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(EvenhandError, match="nowhere"):
        recordings.folder(tmp_path / "nowhere")


def test_without_any_given_items_that_name_recordings_are_taken_and_these_are_missing(store, world, draft, take_in):
    taken = take_in(given=preparing.NONE_GIVEN)
    assert (taken.recorded, taken.unheard) == (0, 6)
    added = recordings.add(store, world, "lena", draft, sent(**{"a-1.wav": HEARD["a-1.wav"], "other.wav": wav()}))
    assert (added.items, added.missing, added.aside) == (1, 5, ("other.wav",))
    assert set(sounds(store)) == {"P-001"}


def test_a_recording_that_is_added_again_takes_the_place_of_the_former(store, world, draft, take_in):
    take_in()
    before = sounds(store)
    recordings.add(store, world, "lena", draft, sent(**{"a-1.wav": wav(tone=999)}))
    after = sounds(store)
    assert {name for name in before if before[name] != after[name]} == {"P-001"}


def test_adding_names_every_file_that_is_no_recording_and_stores_none(store, world, draft, take_in):
    take_in(given=preparing.NONE_GIVEN)
    with pytest.raises(InvalidInput) as refused:
        recordings.add(store, world, "lena", draft, sent(**HEARD | {"a-2.wav": b"x", "a-5.wav": b""}))
    assert [each.where for each in refused.value.problems] == ["a-2.wav", "a-5.wav"]
    assert sounds(store) == {}


def test_adding_nothing_that_is_asked_for_is_refused(store, world, draft, take_in):
    take_in()
    with pytest.raises(InvalidInput, match="no item of the study names"):
        recordings.add(store, world, "lena", draft, sent(**{"b.wav": wav()}))


def test_more_than_one_transaction_may_hold_goes_in_several(store, world, draft, take_in, monkeypatch):
    take_in(given=preparing.NONE_GIVEN)
    monkeypatch.setattr(recordings, "BATCH", 2 * len(wav()))
    monkeypatch.setattr(recordings, "AT_ONCE", 2 * len(wav()))
    assert recordings.add(store, world, "lena", draft, EVERYTHING).items == 6
    with store.read() as connection:
        sql = "select detail from audit_event where event = 'recordings.added'"
        assert connection.exec_driver_sql(sql).scalars().all() == ['{"items":2}'] * 3
    with pytest.raises(Refused, match="study audio"):
        take_in(replace=True)
    assert len(sounds(store)) == 6


def test_a_store_takes_no_more_than_an_erasure_can_rewrite(store, world, draft, take_in, monkeypatch):
    monkeypatch.setattr(recordings, "MOST_STORED", 5 * len(wav()))
    with pytest.raises(Refused, match="a store of its own"):
        take_in()
    assert sounds(store) == {}


def test_a_replacement_takes_the_recordings_away_with_their_items(store, take_in):
    take_in()
    take_in(rows()[:2], replace=True)
    assert set(sounds(store)) == {"P-001", "P-002"}


def test_a_frozen_study_takes_no_recordings(store, world, draft, take_in):
    take_in()
    freeze(store, world, draft)
    with pytest.raises(Refused, match="is frozen"):
        recordings.add(store, world, "lena", draft, EVERYTHING)


# The check


def test_judges_may_hear_only_what_the_ledger_lets_play(store, world, draft, take_in):
    take_in()
    preparing.set_rights(store, world, "local", draft, SILENT.encode(), "rights.toml")
    report = preparing.check(store, draft)
    assert [str(each) for each in report.errors] == [
        "field rights: source “invented”: the ledger does not permit: play"
    ]
    assert report.blocked
    with pytest.raises(InvalidInput, match="does not permit: play"):
        freezing.freeze(store, world, "local", draft)


def test_a_recording_that_is_missing_must_be_acknowledged(store, world, draft, take_in):
    take_in(given=sent(**{"a-1.wav": wav()}))
    found = {each.code: each.count for each in preparing.check(store, draft).acknowledge}
    assert found == {"recordings_missing": 5}
    with pytest.raises(Refused, match="recordings_missing"):
        freezing.freeze(store, world, "local", draft)


def test_a_corpus_study_takes_a_recording_that_is_there_for_a_reference(store, world, draft, take_in):
    corpus = PROTOCOL.replace('"synthetic"', '"corpus"').encode()
    preparing.set_protocol(store, world, "local", draft, corpus, "protocol.toml")
    take_in([row | {"semantic_reference": None} for row in rows()], given=sent(**{"a-1.wav": wav()}))
    told = [str(each) for each in preparing.check(store, draft).errors]
    assert any("5 items have neither audio nor a reference" in each for each in told)
    recordings.add(store, world, "lena", draft, EVERYTHING)
    assert not any("neither audio" in str(each) for each in preparing.check(store, draft).errors)


def test_the_name_of_a_recordings_file_is_private_as_an_id_is(store, world, draft, take_in):
    take_in(rows(P1={"audio": "miriam_k.wav"}))
    titled = PROTOCOL.replace("A small pilot", "A pilot on miriam_k.wav").encode()
    preparing.set_protocol(store, world, "local", draft, titled, "protocol.toml")
    (found,) = preparing.check(store, draft).errors
    assert found.field == "study.title"
    assert "holds something private" in found.message


# Verifying


@pytest.mark.parametrize(
    "sql",
    [
        "update recording_piece set data = cast(x'52494646' || substr(data, 5, 99) || x'00' as blob) where item = 1",
        "delete from recording_piece where item = 1",
        "update recording set sha256 = (select sha256 from recording where item = 2) where item = 1",
        "insert into recording_piece values (1, 1, x'00')",
    ],
)
def test_verify_names_a_recording_that_was_changed(store, world, draft, take_in, sql):
    take_in()
    freeze(store, world, draft)
    with store.read() as connection:
        assert verify.findings(connection) == []
    with store.write() as connection:
        connection.exec_driver_sql(sql)
    with store.read() as connection:
        found = verify.findings(connection)
    assert "study pilot: the recording of item 1 (in order of import) was changed" in found


def test_verify_names_an_item_whose_recording_was_exchanged_or_taken_away(store, world, draft, take_in):
    take_in()
    freeze(store, world, draft)
    with store.write() as connection:
        connection.exec_driver_sql("delete from recording_piece where item = 2")
        connection.exec_driver_sql("delete from recording where item = 2")
        stored.put(connection, 3, recordings.probe(HEARD["a-1.wav"]), HEARD["a-1.wav"])
    with store.read() as connection:
        found = verify.findings(connection)
    assert found == [f"study pilot: item {number} (in order of import) was changed" for number in (2, 3)]


# Erasing


def holding(folder, data):
    """Return the files that hold any part of a recording: its bytes stand there in pieces of a page."""
    parts = [data[at : at + 200] for at in range(100, len(data) - 200, 400)]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(path.name for path in files if any(part in path.read_bytes() for part in parts))


@pytest.mark.parametrize("frozen", [False, True])
def test_of_a_withdrawn_recording_no_byte_is_left_in_any_file_nor_in_a_later_backup(
    store, world, draft, take_in, tmp_path, frozen
):
    own = os.urandom(300_000)
    gone, left = wav()[:44] + own, wav()[:44] + os.urandom(3_000)
    take_in(rows(P2={"audio": "a-1.wav"}), given=sent(**HEARD | {"a-1.wav": gone, "a-3.wav": left}))
    if frozen:
        freeze(store, world, draft)
    assert holding(store.folder, gone)
    withdrawing.withdraw(store, world, "lena", draft, "item", "P-001", "a participant asked")
    assert sounds(store)["P-002"]  # the same bytes, of somebody who has not withdrawn
    assert withdrawing.withdraw(store, world, "lena", draft, "item", "P-002", "a participant asked").finished
    assert holding(store.folder, gone) == []
    assert holding(store.folder, left) == ["evenhand.sqlite3"]
    target = driver.connect(str(tmp_path / "backup.sqlite3"))
    with store.engine.connect() as connection:
        connection.connection.driver_connection.backup(target)
    target.close()
    (tmp_path / "later").mkdir()
    (tmp_path / "backup.sqlite3").rename(tmp_path / "later" / "backup.sqlite3")
    assert holding(tmp_path / "later", gone) == []
    assert holding(tmp_path / "later", left) == ["backup.sqlite3"]
    with store.read() as connection:
        assert verify.findings(connection) == []


def test_every_file_of_a_store_with_recordings_is_its_owners_alone(store, take_in):
    take_in()
    assert {stat.S_IMODE(path.stat().st_mode) for path in store.folder.iterdir() if path.is_file()} == {0o600}


def test_two_studies_may_have_recordings_of_the_same_name(store, world, draft, take_in):
    take_in()
    other = PROTOCOL.replace('"pilot"', '"second"').encode()
    preparing.create(store, world, "local", other, "protocol.toml")
    given = sent(**{"a-1.wav": wav(tone=777)})
    preparing.import_items(store, world, "local", "second", jsonl(rows()), "items.jsonl", given=given)
    assert set(sounds(store, "second")) == {"P-001"}
    assert sounds(store)["P-001"] != sounds(store, "second")["P-001"]
