"""Ids and names that memos contain anyway are refused when they are created."""

import pytest

from app.actions import accounts, preparing
from app.domain.errors import InvalidInput, Refused
from app.domain.mapping import parse
from tests.house import CHEAP, PROTOCOL, draft_study, item_rows, jsonl

COLLIDING = ("fluent", "reviewer", "Speaker 0", "Episode 12", "the study", "INTRODUCED", "0.5 control", "--")


def draft(store, world):
    return preparing.create(store, world, "local", PROTOCOL.encode(), "protocol.toml")


def imported(store, world, study, **changes):
    rows = item_rows()
    rows[2] |= changes
    return preparing.import_items(store, world, "local", study, jsonl(rows), "items.jsonl")


@pytest.mark.parametrize("field", ["item_id", "cluster"])
@pytest.mark.parametrize("value", COLLIDING)
def test_an_id_made_of_the_memos_own_words_is_refused_by_file_line_and_field_with_a_way_out(store, world, field, value):
    study = draft(store, world)
    with pytest.raises(InvalidInput) as refused:
        imported(store, world, study, **{field: value})
    (problem,) = refused.value.problems
    assert (problem.where, problem.line, problem.field) == ("items.jsonl", 3, field)
    assert "“c_”" in problem.message
    assert value not in str(problem)
    with store.read() as connection:
        assert connection.exec_driver_sql("select count(*) from item").scalar() == 0


@pytest.mark.parametrize("field", ["item_id", "cluster"])
@pytest.mark.parametrize("value", ["c_fluent", "c_Speaker 0", "speaker_00", "SPK1", "ep-01", "5727", "0.5", "12"])
def test_the_way_out_is_taken_and_so_are_numbers_alone(store, world, field, value):
    assert imported(store, world, draft(store, world), **{field: value}).items == 6


def test_a_table_names_the_column_of_its_own(store, world):
    study = draft(store, world)
    head = "Nr,Group,Speaker,Where,Raw,Without,With\n"
    data = f"{head}A1,fluent,Speaker 0,invented,x,x y,x\n".encode()
    names = {"item_id": "Nr", "stratum": "Group", "cluster": "Speaker", "source": "Where"}
    columns = parse(names | {"raw_hypothesis": "Raw", "off": "Without", "on": "With"})
    with pytest.raises(InvalidInput) as refused:
        preparing.import_items(store, world, "local", study, data, "table.csv", columns=columns)
    (problem,) = refused.value.problems
    assert (problem.where, problem.line) == ("table.csv", 2)
    assert "Speaker" in problem.field


def test_strata_and_sources_may_be_called_as_the_memo_prints_them(store, world):
    assert imported(store, world, draft(store, world), stratum="fluent", source="invented").items == 6


def test_the_check_says_how_many_ids_are_numbers_alone_and_what_helps(store, world, people):
    rows = item_rows()
    assert not any("numbers alone" in told for told in checked(store, world, rows))
    rows[0] |= {"cluster": "5727"}
    rows[1] |= {"cluster": "5727", "item_id": "12"}
    (told,) = [told for told in checked(store, world, rows, "another") if "numbers alone" in told]
    assert "numbers alone: 2." in told
    assert "A letter before each" in told


def checked(store, world, rows, study="pilot"):
    draft_study(store, world, protocol=PROTOCOL.replace('"pilot"', f'"{study}"'), rows=rows)
    return preparing.check(store, study).warnings


@pytest.mark.parametrize("name", ["reviewer", "Lead", "study", "fluent", "case", "12", "0.5", "2026", "__"])
def test_an_accounts_name_that_memos_contain_anyway_is_refused(store, world, name):
    with pytest.raises(InvalidInput) as refused:
        accounts.add(store, world, CHEAP, name, lead=False)
    (problem,) = refused.value.problems
    assert problem.field == "name"
    assert "choose another" in problem.message


@pytest.mark.parametrize("name", ["rosa", "will", "mark", "grace", "judge-1", "reviewer1", "r.case", "p12"])
def test_peoples_names_are_taken(store, world, name):
    assert accounts.add(store, world, CHEAP, name, lead=False)


@pytest.mark.parametrize("name", ["s\u0430m.a", "\u0440osa", "r\u03bfsa", "\u1160\u1160", "sam\u1160", "\u0561nna"])
def test_a_name_of_several_scripts_or_with_what_cannot_be_seen_is_refused(store, world, name):
    with pytest.raises(InvalidInput) as refused:
        accounts.add(store, world, CHEAP, name, lead=False)
    assert [problem.field for problem in refused.value.problems] == ["name"]


ALIKE = [
    ("soso", "\u0455\u043e\u0455\u043e"),
    ("BOB.a", "\u0412\u041e\u0412.\u0430"),
    ("al.l", "al.1"),
    ("Iris", "lris"),
]


@pytest.mark.parametrize(("first", "second"), [*ALIKE, *(pair[::-1] for pair in ALIKE)])
def test_a_name_that_looks_like_that_of_an_account_is_refused_whichever_came_first(store, world, first, second):
    accounts.add(store, world, CHEAP, first, lead=False)
    with pytest.raises(Refused) as refused:
        accounts.add(store, world, CHEAP, second, lead=False)
    assert refused.value.code == "looks_alike"


@pytest.mark.parametrize(
    "name",
    [
        "\u0440\u043e\u0437\u0430",
        "\u03bd\u03af\u03ba\u03b7",
        "\u5c71\u7530",
        "\u5c71\u7530-a",
        "\u064a\u0648\u0633\u0641",
        "zoë.k",
    ],
)
def test_names_of_one_script_are_taken_whichever_it_is(store, world, name):
    assert accounts.add(store, world, CHEAP, name, lead=False)
