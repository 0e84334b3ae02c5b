"""Pairing here: two runs over the same bytes, one new file, one record; and what a study makes of it."""

import hashlib
import json
import stat
from contextlib import contextmanager
from functools import partial

import pytest
from jsonschema import Draft202012Validator

from app.actions import closing, freezing, pairing, preparing, reporting
from app.config import content
from app.domain.errors import FilterFailed, InvalidInput, Refused, TextFailed
from app.domain.pairing import Filter
from app.filters import command
from app.store import verify
from app.store.db import Store
from tests.actions.bench import Bench
from tests.filters.programs import TIDY as PROGRAM
from tests.filters.programs import program
from tests.house import PAIRS, PROTOCOL, draft_study, item_rows, jsonl

CONFIG = {"off": {"drop": []}, "on": {"drop": ["um"]}}
TIDY = Filter.of("tidy", "1.0", CONFIG)
SECRET = "um please call my sister"


class Words:
    """A filter in this process that drops a word; `spoil` may change what it answers."""

    def __init__(self, made_by=TIDY, spoil=None):
        self.filter, self.spoil, self.asked = made_by, spoil, 0

    def answer(self, text, *, enabled):
        self.asked += 1
        answer = " ".join(word for word in text.split(" ") if word != "um") if enabled else text
        return self.spoil(self.asked, text, answer) if self.spoil else answer


def starting(**given):
    """Return how such a filter is started: anew each time."""

    @contextmanager
    def started():
        yield Words(**given)

    return started


def raw_rows(texts=("um I want the pen", "it is it is stable", SECRET)):
    rows = zip(item_rows(PAIRS[: len(texts)]), texts, strict=True)
    return [{key: row[key] for key in row if key not in {"off", "on"}} | {"raw_hypothesis": text} for row, text in rows]


@pytest.fixture
def pair(store, world, tmp_path):
    """Return a function that pairs rows, or bytes, into a new file."""

    def made(rows=None, out="items.jsonl", start=None, **given):
        data = rows if isinstance(rows, bytes) else jsonl(rows or raw_rows())
        return pairing.pair(store, world, "local", data, "raw.jsonl", start or starting(**given), tmp_path / out)

    return made


def rows_of(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def traces(store, folder):
    """Return every file of a folder but the store's, and what the store knows of pairings."""
    with store.read() as connection:
        known = connection.exec_driver_sql("select count(*) from pairing").scalar()
        events = connection.exec_driver_sql("select count(*) from audit_event where event like 'pairing%'").scalar()
    return sorted(path.name for path in folder.iterdir() if path.is_file()), known, events


def problems(error):
    return [(problem.where, problem.line, problem.field) for problem in error.value.problems]


# --- What is made ---


def test_a_file_of_items_is_made_with_off_on_and_the_digest_of_the_same_bytes(pair, tmp_path):
    extra = {"semantic_provenance": "author", "tags": ["interjection"], "lang": None}
    rows = [row | extra for row in raw_rows()]
    made = pair(rows)
    assert (made.items, made.changed, made.filter) == (3, 2, TIDY)
    assert made.sha256 == hashlib.sha256((tmp_path / "items.jsonl").read_bytes()).hexdigest()
    for given, row in zip(rows, rows_of(tmp_path / "items.jsonl"), strict=True):
        raw = given["raw_hypothesis"]
        both = {"off": raw, "on": raw.replace("um ", ""), "raw_sha256": hashlib.sha256(raw.encode()).hexdigest()}
        assert row == {key: value for key, value in given.items() if value is not None} | both


def test_a_file_in_any_form_of_items_is_paired_to_the_same_bytes(pair, tmp_path):
    keys = list(raw_rows()[0])
    table = [keys, *([row[key] for key in keys] for row in raw_rows())]
    forms = {
        "lines": jsonl(raw_rows()),
        "array": json.dumps(raw_rows()).encode(),
        "csv": "\n".join("\t".join(row) for row in table).encode(),
        "marked": b"\xef\xbb\xbf" + jsonl(raw_rows()),
    }
    assert len({pair(data, f"{name}.jsonl").sha256 for name, data in forms.items()}) == 1


def test_the_file_is_for_its_owner_alone_and_takes_no_other_files_place(pair, store, tmp_path):
    pair()
    assert stat.S_IMODE((tmp_path / "items.jsonl").stat().st_mode) == 0o600
    (tmp_path / "taken.jsonl").write_text("mine")
    (tmp_path / "hanging.jsonl").symlink_to(tmp_path / "nowhere")
    for name in ("taken.jsonl", "hanging.jsonl", "items.jsonl"):
        with pytest.raises(Refused) as refused:
            pair(out=name)
        assert refused.value.code == "exists"
    assert (tmp_path / "taken.jsonl").read_text() == "mine"
    assert traces(store, tmp_path)[1:] == (1, 1)


def test_the_record_holds_filter_configuration_and_digests_and_verify_finds_it_whole(pair, store):
    made = pair()
    with store.read() as connection:
        (row,) = connection.exec_driver_sql("select * from pairing").all()
        assert verify.findings(connection) == []
    assert (row.filter, row.version, json.loads(row.config), row.items) == ("tidy", "1.0", CONFIG, 3)
    assert (row.sha256, row.raw_sha256) == (made.sha256, hashlib.sha256(jsonl(raw_rows())).hexdigest())


def test_progress_is_told_of_both_runs(store, world, tmp_path):
    steps = []

    @contextmanager
    def watched(total):
        steps.append(total)
        yield lambda done: steps.append(-done)

    data = jsonl(raw_rows())
    pairing.pair(store, world, "local", data, "raw.jsonl", starting(), tmp_path / "o.jsonl", progress=watched)
    assert (steps[0], sum(steps)) == (6, 0)


# --- What is refused, and leaves nothing behind ---


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([raw_rows()[0] | {"off": "x", "on": "y"}], [(1, "off"), (1, "on")]),
        ([raw_rows()[0] | {"colour": "red"}, raw_rows()[0]], [(1, "colour")]),
        ([{}, raw_rows()[1] | {"raw_hypothesis": 5}], [(1, None), (2, "raw_hypothesis")]),
        ([raw_rows()[0], raw_rows()[0]], [(2, "item_id")]),
        ([raw_rows()[0] | {"raw_sha256": "0" * 64}], [(1, "raw_sha256")]),
    ],
)
def test_every_problem_of_the_raw_file_is_told_by_line_and_field(pair, store, tmp_path, rows, found):
    with pytest.raises(InvalidInput) as refused:
        pair(rows)
    told = {(line, field) for _, line, field in problems(refused)}
    assert {(line, field) for line, field in found if field} <= told
    assert {line for line, _ in told} == {line for line, _ in found}
    assert traces(store, tmp_path) == ([], 0, 0)


DIFFERING = {
    "a counter": lambda asked, _text, answer: f"{answer} {asked}",
    "every second answer": lambda asked, _text, answer: answer + " um" * (asked % 2),
    "every fourth answer": lambda asked, _text, answer: answer + " um" * (asked % 4 == 0),
}


@pytest.mark.parametrize("spoil", DIFFERING.values(), ids=DIFFERING)
@pytest.mark.parametrize("n", [2, 3])
def test_a_filter_whose_answer_depends_on_what_came_before_is_refused(pair, store, tmp_path, spoil, n):
    with pytest.raises(InvalidInput) as refused:
        pair(raw_rows()[:n], spoil=spoil)
    assert "asked twice for the same text" in str(refused.value)
    assert SECRET not in str(refused.value)
    assert traces(store, tmp_path) == ([], 0, 0)


def test_even_with_a_single_text_a_counter_is_found(pair):
    with pytest.raises(InvalidInput, match="asked twice"):
        pair(raw_rows()[:1], spoil=DIFFERING["every second answer"])


def test_the_first_line_that_differs_is_named_and_how_many_do(pair):
    calls = iter(range(1_000))

    def drawn(_asked, text, answer):
        return answer if "pen" in text else f"{answer} {next(calls)}"

    rows = raw_rows()
    with pytest.raises(InvalidInput) as refused:
        pair(b"\n\n" + jsonl(rows), spoil=drawn)
    assert problems(refused) == [("raw.jsonl", 4, "off")]
    assert "so on 2 of 3 lines" in str(refused.value)


def test_a_filter_that_says_it_is_another_one_the_second_time_is_refused(pair, store, tmp_path):
    versions = iter(["1", "2"])

    @contextmanager
    def started():
        yield Words(Filter.of("tidy", next(versions), CONFIG))

    with pytest.raises(FilterFailed, match="two names, versions or configurations"):
        pair(start=started)
    assert traces(store, tmp_path) == ([], 0, 0)


def test_each_text_that_the_filter_cannot_treat_is_told_by_line_and_state(pair, store, tmp_path):
    def failing(_asked, text, answer):
        if "it is" in text or (text == SECRET and answer != SECRET):
            raise TextFailed("the filter says: no")
        return answer

    with pytest.raises(InvalidInput) as refused:
        pair(spoil=failing)
    assert problems(refused) == [("raw.jsonl", 2, "off"), ("raw.jsonl", 2, "on"), ("raw.jsonl", 3, "on")]
    assert traces(store, tmp_path) == ([], 0, 0)


def test_a_filter_that_breaks_off_is_told_with_the_line_it_was_at(pair, store, tmp_path):
    def breaking(_asked, text, answer):
        if text == SECRET:
            raise FilterFailed("the filter ended")
        return answer

    with pytest.raises(InvalidInput) as refused:
        pair(spoil=breaking)
    assert problems(refused) == [("raw.jsonl", 3, "off")]
    assert traces(store, tmp_path) == ([], 0, 0)


@pytest.mark.parametrize(
    ("answer", "told"),
    [("a\0b", "NUL"), ("\ud800", "half of a surrogate pair"), ("x" * 20_001, "text of at most 20,000 characters")],
)
def test_an_answer_that_no_item_may_hold_is_told_by_line_and_field(pair, store, tmp_path, answer, told):
    with pytest.raises(InvalidInput, match=told) as refused:
        pair(spoil=lambda _asked, text, right: answer if right != text else right)
    assert problems(refused) == [("raw.jsonl", 1, "on"), ("raw.jsonl", 3, "on")]
    assert traces(store, tmp_path) == ([], 0, 0)


def test_a_file_that_would_be_too_large_to_import_is_not_written(pair, store, tmp_path):
    many = [raw_rows()[0] | {"item_id": f"P-{n}", "raw_hypothesis": f"{n}," * 4_000} for n in range(200)]
    with pytest.raises(InvalidInput, match="only 1,500,000 values can be read"):
        pair(many)
    assert traces(store, tmp_path) == ([], 0, 0)


def test_a_place_that_cannot_be_written_is_named(pair, store, tmp_path):
    with pytest.raises(Refused) as refused:
        pair(out="nowhere/items.jsonl")
    assert refused.value.code == "unwritable"
    assert traces(store, tmp_path) == ([], 0, 0)


@pytest.mark.parametrize("broken", ["record", "commit"])
def test_where_the_record_cannot_be_made_the_file_is_not_either(pair, store, tmp_path, monkeypatch, broken):
    def failing(*_args, **_more):
        raise OSError("the disk went away")

    if broken == "record":
        monkeypatch.setattr(pairing.audit, "record", failing)
        with pytest.raises(OSError, match="went away"):
            pair()
    else:
        write = Store.write

        @contextmanager
        def interrupted(self):
            with write(self) as connection:
                yield connection
                failing()

        monkeypatch.setattr(Store, "write", interrupted)
        with pytest.raises(OSError, match="went away"):
            pair()
    assert traces(store, tmp_path) == ([], 0, 0)


def test_a_disk_without_hard_links_is_written_all_the_same(pair, store, tmp_path, monkeypatch):
    def unable(*_args):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("app.actions.files.os.link", unable)
    pair()
    assert traces(store, tmp_path) == (["items.jsonl"], 1, 1)


# --- What a study makes of it ---


def items_for(texts=tuple(off for *_, off, _ in PAIRS)):
    return [row | {"raw_hypothesis": text} for row, text in zip(raw_rows(texts), texts, strict=True)]


def prepared(bench, *files, **more):
    """Import files into a draft in place of what it has."""
    for number, path in enumerate(files):
        data = path if isinstance(path, bytes) else path.read_bytes()
        preparing.import_items(bench.store, bench.world, "lena", bench.study, data, "i.jsonl", replace=not number)
    return bench


@pytest.fixture
def draft(store, world, people):
    return Bench(store, world, draft_study(store, world))


def warned(bench):
    return " ".join(preparing.check(bench.store, bench.study).warnings)


def memo_of(bench, folder):
    """Freeze, close and export a study; return its memo as data, valid under the schema."""
    codes = [each.code for each in preparing.check(bench.store, bench.study).acknowledge]
    freezing.freeze(bench.store, bench.world, "lena", bench.study, codes)
    closing.close(bench.store, bench.world, "lena", bench.study, "the pilot ends here")
    reporting.export(bench.store, bench.world, "local", bench.study, folder)
    data = json.loads((folder / "memo.json").read_text())
    Draft202012Validator(json.loads(content("memo.schema.json").read_bytes())).validate(data)
    with bench.store.read() as connection:
        assert verify.findings(connection) == []
    return data


def test_a_study_of_pairs_made_here_is_verified_from_the_check_to_the_memo(draft, pair, tmp_path):
    made = pair(items_for())
    prepared(draft, tmp_path / "items.jsonl")
    assert "unverified" not in warned(draft)
    memo = memo_of(draft, tmp_path / "memo")
    assert memo["study"]["pairing"] == "verified"
    told = {"filter": "tidy", "filter_version": "1.0"}
    assert {key: memo["software"][key] for key in told} == told
    assert json.loads(memo["software"]["filter_config"]) == CONFIG
    ((manifest,),) = draft.rows("select content from manifest")
    assert json.loads(manifest)["pairing"] == TIDY.as_data() | {"files": [made.sha256]}
    assert "not verified" not in (tmp_path / "memo" / "memo.md").read_text()


def test_a_file_in_which_one_byte_was_changed_is_imported_and_unverified(draft, pair, tmp_path):
    pair(items_for())
    prepared(draft, (tmp_path / "items.jsonl").read_bytes() + b"\n")
    assert "The pairs were imported, not made here" in warned(draft)
    memo = memo_of(draft, tmp_path / "memo")
    assert (memo["study"]["pairing"], memo["software"].keys()) == ("imported_unverified", {"evenhand"})


def test_files_paired_here_and_files_imported_do_not_mix(draft, pair, tmp_path):
    pair(items_for()[:4])
    prepared(draft, tmp_path / "items.jsonl", jsonl(item_rows()[4:]))
    assert "Some of the pairs were imported, not made here (2)" in warned(draft)
    assert memo_of(draft, tmp_path / "memo")["study"]["pairing"] == "imported_unverified"


def test_two_files_of_one_filter_are_verified_and_a_replacement_counts_alone(draft, pair, tmp_path):
    pair(items_for()[:4], "one.jsonl")
    pair(items_for()[4:], "two.jsonl")
    prepared(draft, jsonl(item_rows()))
    prepared(draft, tmp_path / "one.jsonl", tmp_path / "two.jsonl")
    assert memo_of(draft, tmp_path / "memo")["study"]["pairing"] == "verified"


def test_pairs_of_two_versions_must_be_acknowledged_and_are_unverified(draft, pair, tmp_path):
    pair(items_for()[:4], "one.jsonl")
    pair(items_for()[4:], "two.jsonl", made_by=Filter.of("tidy", "1.1", CONFIG))
    prepared(draft, tmp_path / "one.jsonl", tmp_path / "two.jsonl")
    assert {each.code: each.count for each in preparing.check(draft.store, draft.study).acknowledge} == {
        "pairing_mixed": 2
    }
    assert "more than one filter, version or configuration" in warned(draft)
    assert memo_of(draft, tmp_path / "memo")["study"]["pairing"] == "imported_unverified"


def test_where_two_versions_gave_the_same_bytes_the_newest_pairing_counts(draft, pair, tmp_path):
    newer = Filter.of("tidy", "1.1", CONFIG)
    assert pair(items_for(), "one.jsonl").sha256 == pair(items_for(), "two.jsonl", made_by=newer).sha256
    prepared(draft, tmp_path / "one.jsonl")
    assert memo_of(draft, tmp_path / "memo")["software"]["filter_version"] == "1.1"


def test_a_protocol_that_names_another_filter_is_an_error_of_the_check(draft, pair, tmp_path):
    pair(items_for())
    prepared(draft, tmp_path / "items.jsonl")
    protocol = PROTOCOL + '[engine]\nfilter = "yazses"\nfilter_version = "none"\n'
    preparing.set_protocol(draft.store, draft.world, "lena", draft.study, protocol.encode(), "p.toml")
    assert [each.field for each in preparing.check(draft.store, draft.study).errors] == ["engine.filter"]
    prepared(draft, jsonl(item_rows()))
    assert preparing.check(draft.store, draft.study).errors == ()


@pytest.mark.parametrize(
    ("made_by", "field"),
    [
        (Filter.of("P-003", "1", {}), "filter"),
        (Filter.of("tidy", "ep-two", {}), "version"),
        (Filter.of("tidy", "1", {"examples": ["do not not open it yet"]}), "configuration"),
    ],
)
def test_a_filter_that_says_something_private_of_itself_stops_the_freeze(draft, pair, tmp_path, made_by, field):
    pair(items_for(), made_by=made_by)
    prepared(draft, tmp_path / "items.jsonl")
    found = preparing.check(draft.store, draft.study).errors
    assert found[0].field == f"pairing ({field})"
    assert "do not not open" not in str(found)


def test_a_configuration_of_numbers_and_of_words_that_people_are_called_stops_nothing(draft, pair, tmp_path):
    rows = [row | {"cluster": str(number)} for number, row in enumerate(items_for(), start=11)]
    pair(rows, made_by=Filter.of("tidy", "2.46.0", {"runs": [11, 12], "drop": ["rosa", "um"]}))
    prepared(draft, tmp_path / "items.jsonl")
    assert memo_of(draft, tmp_path / "memo")["study"]["pairing"] == "verified"


@pytest.mark.parametrize("frozen", [False, True], ids=["draft", "frozen"])
@pytest.mark.parametrize(
    "tampering",
    [
        "update pairing set version = '2'",
        "update pairing set config = '{}'",
        "update pairing set raw_sha256 = texts_sha256",
        "update pairing set sha256 = texts_sha256",
        "delete from pairing where id = 2",
        "update item set pairing = null where item_id = 'P-002'",
        "update item set pairing = 1",
        "update item set pairing = 9 where item_id = 'P-001'",
        "update item set content = replace(content, 'the pen', 'the pan')",
    ],
)
def test_verify_names_whatever_the_pairing_follows_from(draft, pair, tmp_path, tampering, frozen):
    pair(items_for(), "other.jsonl", made_by=Filter.of("tidy", "2", CONFIG))
    pair(items_for(), "all.jsonl")
    pair(items_for()[:2], "some.jsonl")
    prepared(draft, tmp_path / "some.jsonl")
    prepared(draft, jsonl(item_rows()[:1]), jsonl(item_rows()[1:]))
    prepared(draft, tmp_path / "all.jsonl")
    if frozen:
        freezing.freeze(draft.store, draft.world, "lena", draft.study)
    with draft.store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("BEGIN")
        assert verify.findings(connection) == []
        connection.exec_driver_sql(tampering)
        assert verify.findings(connection) != []
        connection.rollback()
        connection.exec_driver_sql("PRAGMA foreign_keys = ON")


def test_a_mark_set_by_hand_on_a_pair_that_was_imported_verifies_nothing(draft, pair, tmp_path):
    pair(items_for())
    rows = item_rows()
    rows[2]["on"] = "do open it now"
    prepared(draft, jsonl(rows))
    draft.change("update item set pairing = 1")
    assert "unverified" in warned(draft)


def test_a_program_goes_the_same_way(draft, pair, tmp_path):
    made = pair(items_for(), start=partial(command.started, program(tmp_path, PROGRAM), 20))
    assert made.filter == TIDY
    prepared(draft, tmp_path / "items.jsonl")
    assert memo_of(draft, tmp_path / "memo")["study"]["pairing"] == "verified"
