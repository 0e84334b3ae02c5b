"""The known answer of a sentinel or practice item."""

import pytest

from app.domain.expected import Expected, parse
from app.domain.item import ANSWER, Item
from app.domain.item import parse as parse_item
from tests.house import item_rows

RIGHT = {"label": "destructive-content", "arm": "on", "reasons": ["negation"], "explanation": "The “not” is gone."}
ROW = item_rows()[0]


def faults(*, identical=False, **changes):
    found = parse({key: value for key, value in (RIGHT | changes).items() if value != "leave out"}, identical=identical)
    return found if isinstance(found, dict) else {}


def test_a_known_answer_is_kept_in_arms():
    found = parse(RIGHT, identical=False)
    assert found == Expected("destructive-content", "on", ("negation",), "The “not” is gone.")
    assert found.coding.introduced == "destructive-content"
    assert Expected.of(found.as_data()) == found


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"label": "leave out"}, "expected.label"),
        ({"label": "harmless"}, "expected.label"),
        ({"label": 7}, "expected.label"),
        ({"arm": "A"}, "expected.arm"),
        ({"arm": ["on"]}, "expected.arm"),
        ({"arm": "leave out"}, "expected.arm"),
        ({"label": "safe-cleanup", "arm": "both", "reasons": []}, "expected.arm"),
        ({"label": "no-material-edit", "reasons": []}, "expected.arm"),
        ({"reasons": []}, "expected.reasons"),
        ({"reasons": "negation"}, "expected.reasons"),
        ({"reasons": ["reversed"]}, "expected.reasons"),
        ({"reasons": ["negation", "reversed"]}, "expected.reasons"),
        ({"reasons": [["negation"]]}, "expected.reasons"),
        ({"explanation": "x" * 2_001}, "expected.explanation"),
        ({"explanation": 5}, "expected.explanation"),
        ({"because": "so"}, "expected.because"),
        ({"identical": True}, "expected.arm"),
    ],
)
def test_an_answer_that_the_codebook_does_not_have_is_named_by_its_field(changes, field):
    assert list(faults(**changes)) == [field]


@pytest.mark.parametrize("value", ["safe-cleanup", ["safe-cleanup"], 3, True])
def test_an_answer_is_an_object(value):
    found = parse_item(ROW | {"role": "sentinel", "expected": value}, "items.jsonl", 4)
    assert [(problem.field, problem.expected) for problem in found] == [("expected", ANSWER)]


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"role": "sentinel"}, "expected"),
        ({"role": "practice"}, "expected"),
        ({"expected": RIGHT}, "expected"),
        ({"role": "study", "expected": RIGHT}, "expected"),
        ({"role": "practice", "expected": RIGHT | {"explanation": " "}}, "expected.explanation"),
        ({"role": "control"}, "role"),
    ],
)
def test_a_role_and_a_known_answer_belong_together(more, field):
    found = parse_item(ROW | more, "items.jsonl", 4)
    assert [(problem.line, problem.field) for problem in found] == [(4, field)]


def test_a_study_item_is_digested_as_before_there_were_other_roles():
    item = parse_item(ROW, "", None)
    assert {"role", "expected"}.isdisjoint(item.as_data())
    assert Item.of(item.as_data()) == item


def test_a_sentinel_comes_back_whole():
    item = parse_item(ROW | {"role": "sentinel", "expected": RIGHT}, "", None)
    assert Item.of(item.as_data()) == item
    assert item.as_data()["role"] == "sentinel"
