"""A protocol as controls and back: what is left as it was keeps its value, and what is wrong is named."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config import content
from app.domain.errors import InvalidInput
from app.domain.plan import PLANS
from app.domain.protocol import FIELDS, parse
from app.formats.toml import read_toml
from app.web import protocol_form as form

BARE = parse({"study": {"id": "pilot"}})
FULL = parse(
    {
        "study": {"id": "pilot", "title": "A pilot", "scope": "corpus", "question": "Is it kept?\nAll of it?"},
        "selection": {
            "strata": {"sound repetition": 40, "blocks": 5, "fluent": 12},
            "controls": ["fluent"],
            "extension": ["blocks"],
            "agreement": {"k": 1, "n": 2},
            "precedence": ["one, or another", "fluent"],
            "cluster_cap": 4,
        },
        "references": {"shown": ["verbatim", "semantic"], "required": True},
        "review": {"highlight": False, "comparator": "whitespace"},
        "statistics": {"confidence": 0.9},
        "engine": {
            "beam": 5,
            "python": 3.11,
            "device": "5",
            "model": '{"a": 1}',
            "filter_config": {"enabled": True, "gaps": [1, 2.5, {"x": "y"}]},
        },
    }
)
STARTER = parse(read_toml(content("starter/protocol.toml").read_bytes(), "protocol.toml"))


def wrong(rules=FULL, **changes):
    changed = form.controls(rules) | {name.replace("__", "."): [value] for name, value in changes.items()}
    with pytest.raises(InvalidInput) as found:
        form.read(changed, rules)
    return {problem.field: problem.message for problem in found.value.problems}


def entered(rules=FULL, **changes):
    changed = form.controls(rules) | {name.replace("__", "."): [value] for name, value in changes.items()}
    return form.read(changed, rules)


@pytest.mark.parametrize("rules", [BARE, FULL, STARTER], ids=["bare", "full", "starter"])
def test_a_form_that_nobody_touched_gives_the_same_protocol(rules):
    assert form.read(form.controls(rules), rules) == rules
    assert form.differing(form.controls(rules), rules) == set()


def test_line_breaks_as_browsers_send_them_change_nothing():
    sent = {name: [value.replace("\n", "\r\n") for value in values] for name, values in form.controls(FULL).items()}
    assert form.read(sent, FULL) == FULL


plain = st.recursive(
    st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(plain.filter(lambda value: value != ""))
def test_whatever_a_fact_is_an_untouched_control_keeps_it(value):
    rules = parse({"study": {"id": "pilot"}, "engine": {"filter_config": value}})
    again = form.read(form.controls(rules), rules)["engine.filter_config"]
    assert (again, type(again)) == (value, type(value))


@pytest.mark.parametrize("name", [field.name for field in FIELDS])
def test_every_built_field_is_a_control_of_the_form_or_part_of_the_strata(name):
    (field,) = [field for field in FIELDS if field.name == name]
    shown = any(key == name or key.startswith(f"{name}.") for key in form.controls(FULL))
    assert shown is (field.explanation.control not in form.APART)


@pytest.mark.parametrize(
    ("control", "text", "name", "value"),
    [
        ("study__title", "  Another  ", "study.title", "Another"),
        ("study__question", "One?\r\nTwo?", "study.question", "One?\nTwo?"),
        ("selection__precedence", "b\r\n\r\n a ", "selection.precedence", ["b", "a"]),
        ("selection__cluster_cap", "", "selection.cluster_cap", 0),
        ("selection__agreement.k", "2", "selection.agreement", {"k": 2, "n": 2}),
        ("references__required", "false", "references.required", False),
        ("statistics__confidence", "0,99", "statistics.confidence", 0.99),
        ("gate__max_unassessable", " 3 ", "gate.max_unassessable", 3),
        ("engine__repo_commit", "1234567", "engine.repo_commit", "1234567"),
        ("engine__repo_commit", "5e10", "engine.repo_commit", "5e10"),
        ("engine__beam", "6", "engine.beam", "6"),
        ("engine__filter_config", '{"enabled": false}', "engine.filter_config", {"enabled": False}),
        ("engine__filter_config", "as it comes", "engine.filter_config", "as it comes"),
        ("engine__filter_config", "", "engine.filter_config", None),
    ],
)
def test_what_is_entered_becomes_a_value(control, text, name, value):
    assert entered(**{control: text})[name] == value


def test_nothing_ticked_is_no_reference_and_nothing_sent_leaves_a_field_alone():
    sent = form.controls(FULL)
    del sent["references.shown"], sent["study.title"], sent["references.required"]
    found = form.read(sent, FULL)
    assert found["references.shown"] == []
    assert (found["study.title"], found["references.required"]) == ("A pilot", True)


def test_strata_are_added_changed_and_taken_out_by_their_rows():
    changes = {"row.0.number": "41", "row.1.name": "", "row.1.number": "", "row.9.name": "new", "row.9.number": "3"}
    found = entered(**changes, **{"row.9.role": "control"})
    assert found.strata == {"sound repetition": 41, "fluent": 12, "new": 3}
    assert (found.controls, found["selection.extension"]) == ({"fluent", "new"}, [])


def test_emptying_all_rows_leaves_a_protocol_without_strata():
    sent = {name: [""] if name.startswith("row.") else values for name, values in form.controls(FULL).items()}
    assert form.read(sent, FULL).strata == {}


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"row.0.number": "0"}, "row.0.number"),
        ({"row.0.number": "1000001"}, "row.0.number"),
        ({"row.0.number": "99999999999999999999"}, "row.0.number"),
        ({"row.0.number": "4.5"}, "row.0.number"),
        ({"row.0.number": ""}, "row.0.number"),
        ({"row.0.name": " "}, "row.0.name"),
        ({"row.2.name": "blocks"}, "row.2.name"),
        ({"row.0.role": "both"}, "row.0.role"),
    ],
)
def test_a_faulty_row_is_named_by_its_control(row, field):
    assert set(wrong(**row)) == {field}


def test_every_faulty_control_is_named_at_once():
    found = wrong(
        study__scope="both",
        selection__cluster_cap="few",
        **{"selection__agreement.k": "9", "row.0.number": "many"},
        references__shown="all",
        statistics__confidence="95",
        engine__filter_config='{"enabled": True}',
        nothing__here="x",
    )
    assert set(found) == {
        "study.scope", "selection.cluster_cap", "selection.agreement", "row.0.number", "references.shown",
        "statistics.confidence", "engine.filter_config", "nothing.here",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", ["{", "[1,", "{'a': 1}", '{"a": 1, "a": 2}', '{"a": null}', "[NaN]", "[1e999]", "[" * 5_000, '["\\u0000"]']
)
def test_a_fact_that_begins_like_json_and_is_none_that_can_be_kept_is_refused(text):
    assert set(wrong(engine__filter_config=text)) == {"engine.filter_config"}


def test_what_differs_from_what_is_stored_is_named_by_its_field():
    sent = form.controls(FULL) | {"study.title": ["Mine"], "selection.agreement.n": ["4"], "row.0.number": ["1"]}
    del sent["references.shown"]
    assert form.differing(sent, FULL) == {"study.title", "selection.agreement", "selection.strata", "references.shown"}


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.key)
def test_a_plan_replaces_the_strata_and_nothing_else(plan):
    found = form.read(form.with_plan(form.controls(FULL), plan), FULL)
    assert (found.strata, found.controls) == (plan.strata, {"fluent"})
    apart = {"selection.strata", "selection.controls", "selection.extension"}
    assert {name: found[name] for name in found.values if name not in apart} == {
        name: FULL[name] for name in FULL.values if name not in apart
    }


def test_a_page_has_the_filled_rows_and_empty_ones_that_are_nobodys():
    found = form.rows_to_fill(form.controls(FULL))
    assert [row.name for row in found] == ["sound repetition", "blocks", "fluent", *[""] * form.EMPTY_ROWS]
    assert len({row.place for row in found}) == len(found)


def test_a_text_that_looks_like_json_is_shown_as_it_is():
    assert form.text_of('{"a": 1}') == '{"a": 1}'
    assert json.loads(form.text_of({"a": [1, "é"]})) == {"a": [1, "é"]}
