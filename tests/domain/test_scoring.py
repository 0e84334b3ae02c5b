"""Scoring without a study: rows, systems, baselines."""

import pytest

from app.domain.errors import InvalidInput
from app.domain.scoring import OWN, SAP2025, Board, Utterance, parse

ROW = {"item_id": "u1", "verbatim_reference": "um I went", "semantic_reference": "I went", "hypothesis": "I went"}


def scored(rows, profile=OWN, baseline=None):
    board = Board(profile, "hyp.jsonl")
    for line, row in enumerate(rows, start=1):
        assert board.take(parse(row, "hyp.jsonl", line), line) == []
    return board.result(baseline)


def rows(n=6, **more):
    return [ROW | {"item_id": f"u{k}", "cluster": f"s{k}"} | more for k in range(n)]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"item_id": None}, "item_id"),
        ({"item_id": 7}, "item_id"),
        ({"hypothesis": None}, "hypothesis"),
        ({"hypothesis": 7}, "hypothesis"),
        ({"hypotheses": ["a"]}, "hypotheses"),
        ({"hypotheses": {"a": 7}}, "a"),
        ({"hypotheses": {"hypothesis": "x"}}, "hypotheses"),
        ({"hypotheses": {"": "x"}}, "hypotheses"),
        ({"verbatim_reference": []}, "verbatim_reference"),
        ({"reference": "x"}, "reference"),
        ({"cluster": 7}, "cluster"),
        ({"stratum": ""}, "stratum"),
    ],
)
def test_a_faulty_row_is_told_with_its_line_and_field_and_without_its_text(change, field):
    found = parse(ROW | change, "hyp.jsonl", 4)
    assert isinstance(found, list)
    assert [(problem.line, problem.field) for problem in found] == [(4, field)]
    assert "went" not in str(found[0])


def test_a_row_of_an_items_file_is_two_systems():
    item = {"source": "s", "raw_hypothesis": "x", "off": "a", "on": "b", "tags": ["t"], "item_id": "1"}
    assert parse(item, "items.jsonl", 1).texts == {"off": "a", "on": "b"}


def test_off_is_the_baseline_unless_another_is_named():
    two = [ROW | {"item_id": f"u{n}", "cluster": f"s{n}", "off": "um I went", "on": "I went"} for n in range(6)]
    two = [{key: value for key, value in row.items() if key != "hypothesis"} for row in two]
    found = scored(two)
    by = {(line.reference, line.system): line for line in found.lines}
    assert found.baseline == "off"
    assert by["verbatim", "on"].difference == pytest.approx(1 / 3)
    assert by["verbatim", "off"].difference is None
    assert {line.system: line.difference for line in scored(two, baseline="on").lines}["off"] is not None


def test_a_baseline_that_is_no_system_is_refused_with_those_that_there_are():
    with pytest.raises(InvalidInput, match="hypothesis"):
        scored(rows(), baseline="whisper")


def test_a_name_given_twice_and_other_systems_than_before_are_problems():
    board = Board(OWN, "hyp.jsonl")
    assert board.take(Utterance("u1", {"a": "x"}, {"verbatim": "x"}), 1) == []
    assert [p.field for p in board.take(Utterance("u1", {"a": "x"}, {}), 2)] == ["item_id"]
    assert [p.field for p in board.take(Utterance("u2", {"b": "x"}, {}), 3)] == ["hypotheses"]


@pytest.mark.parametrize(
    ("profile", "change"),
    [(OWN, {"verbatim_reference": None, "semantic_reference": None}), (SAP2025, {"semantic_reference": None})],
)
def test_where_nothing_can_be_scored_it_is_said_what_is_missing(profile, change):
    with pytest.raises(InvalidInput, match="reference"):
        scored(rows(**change), profile)


def test_an_empty_reference_is_counted_apart():
    found = scored([*rows(), ROW | {"item_id": "e", "semantic_reference": "..."}], SAP2025)
    assert [(line.scored, line.empty_references) for line in found.lines] == [(6, 1)]
    assert found.lines[0].kinds == {"with": 0, "without": 6, "neither": 0}


def test_rows_that_name_no_cluster_have_no_interval():
    found = scored([{key: value for key, value in row.items() if key != "cluster"} for row in rows()])
    assert {line.interval_null_reason for line in found.lines} == {"one_cluster"}
    assert found.clusters == 0


def test_strata_stand_beside_the_whole_where_there_are_two():
    found = scored([*rows(3, stratum="a"), *(row | {"item_id": f"v{row['item_id']}"} for row in rows(3, stratum="b"))])
    assert {line.stratum for line in found.lines} == {None, "a", "b"}
    assert {line.stratum for line in scored(rows(3, stratum="a")).lines} == {None}
