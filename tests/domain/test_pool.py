import json

import pytest

from app.domain import columns, pool
from app.domain.errors import MOST_PROBLEMS
from app.domain.pool import Candidate

COLUMNS = columns.parse(
    {
        "item_id": ["show", "clip"],
        "cluster": "show",
        "source": {"constant": "ours"},
        "labels": {"pause": "Pause", "plain": "None"},
        "exclude": {"noise": "Noise"},
    },
    "map.toml",
)
ROW = {"show": "run", "clip": 7, "Pause": "2", "None": 0, "Noise": " 1", "not mapped": {"x": []}}


def read(*rows, annotators=3):
    return pool.candidates(enumerate(rows, start=2), COLUMNS, annotators, "pool.csv")


def only_problem(**changes):
    found, (problem,) = read(ROW | changes)
    assert found == []
    assert (problem.where, problem.line) == ("pool.csv", 2)
    return problem.field, problem.message


def test_a_row_is_read_by_its_columns():
    assert read(ROW) == ([Candidate("run_7", "run", "ours", (2, 0), (1,))], [])


def test_text_and_number_are_the_same_candidate():
    assert read(ROW) == read(ROW | {"clip": " 7 ", "Pause": 2, "None": "0", "Noise": "1"})


@pytest.mark.parametrize("count", [4, "4", -1, "-1", 1.0, "1.0", "", " ", None, True, "two", [1], "٢", 10**30])
def test_a_count_is_a_whole_number_up_to_the_number_of_annotators(count):
    field, message = only_problem(Pause=count)
    assert field == "Pause"
    assert message.startswith("expected a whole number from 0 to 3, the number of annotators; found ")


def test_a_wrong_number_is_repeated_and_a_wrong_text_is_not():
    assert only_problem(Pause="12")[1].endswith("found 12")
    assert only_problem(Pause="Anna")[1].endswith("found something else")
    assert only_problem(Pause="")[1].endswith("found nothing")


@pytest.mark.parametrize("value", ["", "  ", None, True, 1.5, ["run"]])
def test_a_name_is_text_or_a_whole_number(value):
    assert only_problem(clip=value) == ("clip", "every candidate needs it; expected text or a whole number")


@pytest.mark.parametrize("value", ["x" * 201, "a\nb", "a\u200bb"])
def test_a_name_must_be_one_that_items_may_have(value):
    field, message = only_problem(clip=value)
    assert field == "show + clip"
    assert "expected text of 1 to 200 characters" in message
    assert value not in message


def test_a_candidate_that_stands_twice_is_an_error_whatever_its_counts():
    found, (problem,) = read(ROW, ROW | {"Pause": "3"})
    assert len(found) == 1
    assert str(problem) == "pool.csv, line 3, field show + clip: this candidate stands on line 2 already"


def test_every_problem_is_collected_up_to_a_limit():
    _, problems = read({}, ROW | {"Pause": 9, "Noise": 9})
    assert [(each.line, each.field) for each in problems] == [
        *((2, field) for field in ("show + clip", "show", "Pause", "None", "Noise")),
        *((3, field) for field in ("Pause", "Noise")),
    ]
    _, problems = read(*[{}] * 100_000)
    assert MOST_PROBLEMS < len(problems) < MOST_PROBLEMS + 10


def test_the_line_of_a_candidate_in_a_digest_is_canonical_json():
    line = Candidate("é_7", "run", 'o"urs', (2, 0), ()).line()
    assert line == '["é_7","run","o\\"urs",[2,0],[]]\n'.encode()
    assert json.loads(line)[3] == [2, 0]
