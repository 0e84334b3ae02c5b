"""A whole small study judged by hand: every number and the four variants of its verdict."""

import json
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain import gate, reliability, results
from app.domain.blinding import reveal
from app.domain.judgement import Judgement
from app.domain.outcome import Adjudication, JudgedItem

EXAMPLE = json.loads((Path(__file__).parents[1] / "fixtures" / "worked_example.json").read_text())
ITEMS = {row["item"]: row for row in EXAMPLE["items"]}
ON = {"on_panel": "A", "panel": "A"}
SAFE_ON = {"label": "safe-cleanup", **ON}


def coding(seen):
    return reveal(Judgement(seen["label"], seen["panel"]), seen["on_panel"])


def adjudication(row):
    if row is None:
        return None
    if row["final"] == "unresolved":
        return Adjudication(coding(row["first"]), "unresolved")
    return Adjudication(coding(row["first"]), "change", coding(row["final"]))


def judged(row):
    reviews = tuple(coding(row[key]) for key in ("r1", "r2") if row[key])
    return JudgedItem(
        stratum=row["stratum"],
        cluster=row["cluster"],
        control=row["stratum"] == "fluent",
        changed=row["changed"],
        auto_coded=not row["changed"],
        first_signed=reviews,
        signed=reviews,
        recorded=reviews,
        adjudication=adjudication(row["adj"]),
    )


def study(changes=None):
    rows = deepcopy(ITEMS)
    for number, change in (changes or {}).items():
        rows[number].update(change)
    return results.Results.of([judged(row) for row in rows.values()])


def verdict(found, max_unassessable=0):
    return gate.evaluate(replace(results.gate_facts(found), max_unassessable=max_unassessable))


def counts(rate):
    return [rate.numerator, rate.denominator]


V1 = {1: {"r1": SAFE_ON, "r2": SAFE_ON}, 6: {"adj": ITEMS[6]["adj"] | {"final": SAFE_ON}}}
V2 = V1 | {4: {"adj": ITEMS[4]["adj"] | {"final": {"label": "benign-retention", "panel": None, "on_panel": "A"}}}}
CANNOT = {"label": "unassessable-disputed", "panel": None, "on_panel": "A"}
V3 = V2 | {7: {"r1": {"label": "destructive-content", **ON}, "adj": {"first": CANNOT, "final": CANNOT}}}
V4 = {6: {"adj": None}}


def test_the_memo_numbers_are_those_counted_by_hand():
    found, expected = study(), EXAMPLE["expected"]
    primary, agreed, third = results.primary(found), reliability.agreement(found), reliability.adjudication(found)
    interval = primary.introduced.intervals
    assert results.sample_counts(found).model_dump() == expected["sample"]
    assert counts(primary.introduced) == [2, 6]
    assert interval["clopper_pearson"] == pytest.approx(expected["introduced"]["clopper_pearson"])
    assert interval["korn_graubard"] == pytest.approx(expected["introduced"]["korn_graubard"])
    assert (primary.introduced.deff, primary.introduced.n_eff) == pytest.approx((1.0, 3.9146410838))
    assert counts(primary.introduced_counting_unresolved) == expected["introduced_counting_unresolved"]
    assert counts(primary.introduced_among_changed) == expected["introduced_among_changed"]
    for stratum, rates in expected["by_stratum"].items():
        assert counts(primary.by_stratum[stratum].introduced) == rates["introduced"]
        unresolved = primary.by_stratum[stratum].introduced_counting_unresolved
        assert counts(unresolved) == rates["counting_unresolved"]
    for label, damage in expected["by_label"].items():
        assert primary.by_label[label].model_dump() == damage
    controls = results.controls(found)
    assert counts(controls.changed) == expected["controls"]["changed"]
    assert (controls.safe, controls.destructive, controls.other) == (0, 1, 1)
    cleanup = results.cleanup(found)
    for name, rate in expected["cleanup"].items():
        assert counts(getattr(cleanup, name)) == rate
    wanted = expected["agreement"]
    assert agreed.n == wanted["n"]
    assert (counts(agreed.observed), counts(agreed.routing)) == (wanted["observed"], wanted["routing"])
    for name in ("kappa", "ac1", "alpha", "brennan_prediger"):
        assert getattr(agreed, name).value == pytest.approx(wanted[name]), name
    for name in ("destructive", "introduced"):
        table = getattr(agreed, name)
        assert list(table.counts) == wanted[f"{name}_2x2"]
        assert counts(table.positive) == wanted[f"{name}_positive"]
        assert counts(table.negative) == wanted[f"{name}_negative"]
    for name in ("routed", "confirmed", "changed", "unresolved", "pending"):
        assert getattr(third, name) == expected["adjudication"][name], name
    assert counts(third.first_judgement_stood) == expected["adjudication"]["first_judgement_stood"]


def test_the_verdict_lists_every_condition_that_holds():
    found = verdict(study())
    listed = {reason.code: reason.count for reason in found.reasons}
    assert found.status == EXAMPLE["expected"]["verdict"]["status"]
    assert listed == {"confirmed_introduced": 2, **EXAMPLE["expected"]["verdict"]["also_listed"]}


@pytest.mark.parametrize(("name", "changes", "tolerated"), [("V1", V1, 0), ("V2", V2, 1), ("V3", V3, 1), ("V4", V4, 0)])
def test_each_variant_gives_its_verdict(name, changes, tolerated):
    found = study(changes)
    expected = next(variant for variant in EXAMPLE["variants"] if variant["name"] == name)["expected"]
    assert verdict(found, tolerated).status == expected["status"]
    if "introduced" in expected:
        assert counts(results.primary(found).introduced) == expected["introduced"]
    assert results.sample_counts(found).pending == expected.get("pending", 0)
