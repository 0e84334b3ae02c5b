"""evenhand study import of a table with a column map, its report of problems, and study prefill."""

import stat

import pytest

from app.store import studies
from app.store.migrate import open_store
from tests.cli.test_cli import evenhand
from tests.house import PROTOCOL

TABLE = "Nr|Gruppe|off|on\n1|fluent|schöne Grüße|schöne Grüße\n2|rare|das das|das\n"
MAP = 'item_id = "Nr"\nstratum = "Gruppe"\nraw_hypothesis = "off"\nsource = { constant = "pilot" }\n'
MAP += 'cluster = { constant = "ep" }\n'


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder to stand in with a draft, a table and its map."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVENHAND_STORE", raising=False)
    (tmp_path / "protocol.toml").write_text(PROTOCOL)
    (tmp_path / "pairs.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "map.toml").write_text(MAP)
    assert evenhand("study", "create", "protocol.toml").code == 0
    return tmp_path


def take(*more, items="pairs.csv"):
    return evenhand("study", "import", "pilot", items, *more)


def stored(place):
    store = open_store(place / "evenhand-store")
    with store.read() as connection:
        found = [item for _, item in studies.items(connection, "pilot")]
    store.close()
    return found


def test_a_column_map_says_what_is_what_and_leaves_out_what_is_called_as_items_keys(place):
    assert take("--columns", "map.toml", "--json").data == {"study": "pilot", "imported": 2, "removed": 0}
    assert [(each.item_id, each.on, each.source) for each in stored(place)] == [
        ("1", "schöne Grüße", "pilot"),
        ("2", "das", "pilot"),
    ]


def test_without_a_map_the_answer_says_that_there_is_one(place):
    (place / "pairs.csv").write_text(TABLE.replace("|", ";"), encoding="utf-8")
    answer = take()
    assert answer.code == 1
    assert "column map" in answer.err


def test_cp1252_is_taken_only_if_it_is_said(place):
    (place / "pairs.csv").write_bytes(TABLE.encode("cp1252"))
    refused = take("--columns", "map.toml")
    assert refused.code == 1
    assert "CSV UTF-8 (Comma delimited)" in refused.err
    assert "these are its letters" in refused.err
    assert "ß ö ü" in refused.err
    assert "Gr" not in refused.err.replace("Gruppe", "")
    assert take("--columns", "map.toml", "--encoding", "cp1252").code == 0
    assert stored(place)[0].off == "schöne Grüße"
    assert take("--columns", "map.toml", "--encoding", "latin-1").code == 2


@pytest.mark.parametrize(
    ("told", "where"),
    [
        (MAP.replace('"Nr"', '"Number"'), "field Number: the list has no such column"),
        (MAP.replace("cluster", "klasse"), "map.toml, field klasse: unknown key"),
        (MAP.partition("cluster")[0], "map.toml, field cluster: every item needs it"),
        (MAP + 'on = "off"\n', "map.toml, field on: the same column as for off"),
    ],
)
def test_a_map_that_does_not_fit_is_refused(place, told, where):
    (place / "map.toml").write_text(told)
    answer = take("--columns", "map.toml")
    assert answer.code == 1
    assert where in answer.err
    assert stored(place) == []


def test_json_takes_no_map(place):
    (place / "items.jsonl").write_text('{"item_id": "a"}\n')
    assert "a column map is for tables" in take("--columns", "map.toml", items="items.jsonl").err


def test_problems_go_to_a_new_file_too_that_its_owner_alone_can_read(place):
    (place / "pairs.csv").write_text(TABLE + "|fluent|quokka|quokka\n", encoding="utf-8")
    answer = take("--columns", "map.toml", "--report", "problems.csv")
    assert answer.code == 1
    assert "pairs.csv, line 4, field Nr: every item needs it" in answer.err
    report = place / "problems.csv"
    assert report.read_text("utf-8-sig").splitlines()[1] == "4,Nr,empty,unique name of the item,pairs.csv"
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert "quokka" not in report.read_text("utf-8-sig")


def test_a_report_never_overwrites_and_is_not_written_where_all_is_right(place):
    assert take("--columns", "map.toml", "--report", "problems.csv").code == 0
    assert not (place / "problems.csv").exists()
    (place / "problems.csv").write_text("mine")
    answer = take("--columns", "map.toml", "--replace", "--report", "problems.csv")
    assert answer.code == 1
    assert "exists already" in answer.err
    assert (place / "problems.csv").read_text() == "mine"


def test_prefill_plans_what_is_there_and_enters_sources_undecided():
    take("--columns", "map.toml")
    answer = evenhand("study", "prefill", "pilot", "--strata", "--sources", "--json")
    assert answer.data == {"study": "pilot", "strata": {"fluent": 1, "rare": 1}, "sources": ["pilot"]}
    assert "rights are unknown" in evenhand("study", "check", "pilot").out
    assert evenhand("study", "prefill", "pilot", "--strata").code == 1
    assert evenhand("study", "prefill", "pilot").code == 2
    assert evenhand("study", "prefill", "pilot", "--practice", "--json").data == {"study": "pilot", "practice": 10}
    assert evenhand("study", "prefill", "pilot", "--practice").code == 1


def test_of_what_prefill_is_asked_for_only_what_is_new_is_taken_over_and_the_rest_is_said(place):
    take("--columns", "map.toml")
    assert evenhand("study", "prefill", "pilot", "--sources").code == 0
    answer = evenhand("study", "prefill", "pilot", "--strata", "--sources")
    assert (answer.code, answer.out.splitlines()[0]) == (0, "Planned: fluent 1, rare 1.")
    assert "an entry for each source of the items already" in answer.out
    again = evenhand("study", "prefill", "pilot", "--strata", "--sources")
    assert again.code == 1
    assert "these numbers already" in again.err
    assert "for each source" in again.err
