"""The memo of a closed study, and what keeps private things out of it."""

import json
import stat

import pytest

from app.actions import closing, freezing, preparing, reporting, withdrawing
from app.domain.errors import InvalidInput, Refused
from app.domain.memo import Absent
from tests.house import PAIRS, PROTOCOL, RIGHTS, draft_study, frozen_study

PRIVATE = {"item text": PAIRS[1][2], "item id": "P-003", "cluster id": "ep-two", "user name": "ravi"}


@pytest.fixture
def closed(store, world, study):
    closing.close(store, world, "lena", study, "the pilot ends here")
    return study


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_exporting_twice_gives_the_same_bytes(store, world, closed, tmp_path):
    for name in ("one", "two"):
        reporting.export(store, world, "local", closed, tmp_path / name)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_an_export_is_for_its_owner_alone_and_never_overwrites(store, world, closed, tmp_path):
    reporting.export(store, world, "local", closed, tmp_path / "memo")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "memo").rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert stat.S_IMODE((tmp_path / "memo" / "tables").stat().st_mode) == 0o700
    before = files_of(tmp_path / "memo")
    with pytest.raises(Refused):
        reporting.export(store, world, "local", closed, tmp_path / "memo", "design_change")
    assert files_of(tmp_path / "memo") == before


@pytest.mark.parametrize("private", PRIVATE.values(), ids=PRIVATE)
def test_a_memo_that_holds_something_private_is_not_written(store, world, closed, tmp_path, private):
    with store.write() as connection:
        connection.exec_driver_sql("update study set title = ?", (f"about {private}, again",))
    with pytest.raises(Refused) as refused:
        reporting.export(store, world, "local", closed, tmp_path / "memo")
    assert private not in str(refused.value)
    assert list(tmp_path.glob("memo*")) == []
    with pytest.raises(Refused):
        reporting.export_zip(store, world, "lena", closed, "none")


FORESEEN = {
    "every verdict and the title": [
        f"{verdict}_SYNTHETIC: A small pilot" for verdict in ("PASS", "FAIL", "INCONCLUSIVE")
    ],
    "the reason of an early close": ["Closed early: the pilot ends here"],
    "every minute of the close": [" ".join(f"2026-01-05T09:{minute:02}" for minute in range(60))],
    "words of the lead, mixed with the program's": ["confirmed edits of the pilot ends here, a small study"],
}


@pytest.mark.parametrize("foreseen", FORESEEN.values(), ids=FORESEEN)
@pytest.mark.parametrize("whose", ["judgement", "item"])
def test_a_note_that_foresees_what_the_memo_says_does_not_bar_it(store, world, closed, tmp_path, foreseen, whose):
    """A note of a judge here, or an item's text in another study of the store."""
    with store.write() as connection:
        for number, text in enumerate(foreseen):
            if whose == "judgement":
                slot = connection.exec_driver_sql("select id from slot limit 1 offset ?", (number,)).scalar()
                connection.exec_driver_sql(
                    "insert into draft values (?, ?, '2026-01-05T09:00:00+00:00')", (slot, json.dumps({"note": [text]}))
                )
            else:
                here = connection.exec_driver_sql("select content from item limit 1").scalar()
                content = json.dumps(json.loads(here) | {"off": text, "on": text, "raw_hypothesis": text})
                connection.exec_driver_sql(
                    "insert into study (id, title, protocol, protocol_sha256, created_at) "
                    "select ?, title, protocol, protocol_sha256, created_at from study limit 1",
                    (f"other-{number}",),
                )
                connection.exec_driver_sql(
                    "insert into item (study_id, item_id, stratum, cluster, source, role, content, changed) "
                    "values (?, ?, 'fluent', 'x', 'y', 'study', ?, 0)",
                    (f"other-{number}", f"X-{number}", content),
                )
    reporting.export(store, world, "local", closed, tmp_path / "memo")
    assert (tmp_path / "memo" / "memo.json").exists()


@pytest.mark.parametrize("name", ["05T09", "2026-01-05", "Apache", "2026-01-05T09"])
def test_an_account_that_is_called_like_a_piece_of_the_memo_does_not_bar_it(store, world, closed, tmp_path, name):
    with store.write() as connection:
        connection.exec_driver_sql("update account set name = ? where name = 'otto'", (name,))
    reporting.export(store, world, "local", closed, tmp_path / "memo")
    assert (tmp_path / "memo" / "memo.json").exists()


@pytest.mark.parametrize("private", PRIVATE.values(), ids=PRIVATE)
def test_a_leads_own_words_are_read_when_they_are_entered(store, world, study, private):
    with pytest.raises(InvalidInput):
        closing.log_deviation(store, world, "lena", study, f"We heard {private} twice.")


@pytest.mark.parametrize("private", PRIVATE.values(), ids=PRIVATE)
def test_a_protocol_that_holds_something_private_is_not_frozen(store, world, people, private):
    study = draft_study(store, world, protocol=PROTOCOL.replace("A small pilot", f"On {private} and more"))
    with pytest.raises(InvalidInput) as refused:
        freezing.freeze(store, world, "local", study)
    assert [problem.field for problem in refused.value.problems] == ["study.title"]


def test_a_draft_whose_rights_are_refused_exports_a_blocked_memo(store, world, people):
    study = draft_study(store, world, ledger=RIGHTS.replace('"approved"', '"unknown"'))
    memo = reporting.memo_of(store, world, "local", study)
    assert memo.verdict.status == "BLOCKED_SYNTHETIC"
    assert memo.sample.pending == len(PAIRS)
    assert memo.study.manifest_sha256 is None


def test_a_draft_that_nothing_blocks_has_no_memo(store, world, people):
    study = draft_study(store, world)
    with pytest.raises(Refused):
        reporting.memo_of(store, world, "local", study)


def test_the_manifest_hash_stays_out_where_the_ledger_forbids_it(store, world, people):
    study = frozen_study(store, world, ledger=RIGHTS.replace(', "publish_manifest_hash"', ""))
    closing.close(store, world, "lena", study, "the pilot ends here")
    found = reporting.memo_of(store, world, "local", study).study
    assert (found.manifest_sha256, found.manifest_null_reason) == (None, "not_permitted")


def test_an_early_close_is_printed_as_a_deviation(store, world, study):
    closing.log_deviation(store, world, "lena", study, "One reviewer paused for a week.")
    closing.close(store, world, "lena", study, "the grant ended")
    told = [each.text for each in reporting.memo_of(store, world, "local", study).deviations]
    assert told == ["One reviewer paused for a week.", "Closed early: the grant ended"]


def test_who_decided_on_rights_never_enters_the_memo(store, world, closed, tmp_path):
    reporting.export(store, world, "local", closed, tmp_path / "memo")
    assert not any(b"lawyer" in content for content in files_of(tmp_path / "memo").values())


def test_the_further_decision_is_one_of_the_closed_list(store, world, closed):
    assert reporting.memo_of(store, world, "local", closed, "human_study").verdict.further_decision == "human_study"
    with pytest.raises(InvalidInput):
        reporting.memo_of(store, world, "local", closed, "publish it")


def test_references_that_give_the_arm_away_are_acknowledged_and_printed(store, world, people, tmp_path):
    from tests.house import item_rows

    rows = item_rows()
    rows[0]["semantic_reference"] = rows[0]["on"]
    study = draft_study(store, world, rows=rows)
    asked = {each.code: each.count for each in preparing.check(store, study).acknowledge}
    assert asked == {"references_equal_one_panel": 1}
    freezing.freeze(store, world, "local", study, asked)
    closing.close(store, world, "lena", study, "the pilot ends here")
    reporting.export(store, world, "local", study, tmp_path / "memo")
    memo = json.loads((tmp_path / "memo" / "memo.json").read_text())
    assert memo["quality"]["references_equal_one_panel"]["numerator"] == 1


def test_word_errors_stand_in_the_memo_and_no_number_moves_when_an_item_is_erased_after_the_close(store, world, closed):
    before = reporting.memo_of(store, world, "local", closed)
    withdrawing.withdraw(store, world, "lena", closed, "item", "P-003", "asked to")
    assert reporting.memo_of(store, world, "local", closed).wer == before.wer
    scored = [part.scored for part in (before.wer.verbatim, before.wer.semantic) if not isinstance(part, Absent)]
    assert scored
    assert all(scored)


def test_the_protocol_says_how_often_is_resampled_and_from_which_seed(store, world, closed):
    found = reporting.memo_of(store, world, "local", closed).agreement
    assert (found.resamples, found.seed) == (10_000, 1)
