from dataclasses import replace

import pytest

from app.domain.item import Item
from app.domain.pairing import Filter, Origin
from app.domain.protocol import parse
from app.domain.readiness import People, assess
from app.domain.rights import parse as parse_rights
from tests.domain.test_protocol import changed, corpus
from tests.domain.test_rights import TABLE

ENOUGH = People(reviewers=2, adjudicators=1, leads=1)
LEDGER = parse_rights({"source": [TABLE]})
REAL = parse_rights({"source": [TABLE | {"kind": "corpus"}]})
OPEN = [replace(LEDGER[0], publisher="not known yet", licence="not known yet")]
WORDS = Item("P-1", "words", "ep-one", "invented", "I I go", "I I go", "I go", semantic_reference="I am going")
FLUENT = replace(WORDS, item_id="P-2", stratum="fluent", raw_hypothesis="I go", off="I go", on="I go")
ITEMS = [WORDS, FLUENT]
STRATA = {"words": 1, "fluent": 1}
IMPORTED = Origin(imported=2)
UNASKED = {"id": "pilot", "title": "A pilot", "scope": "synthetic"}


def report(items=ITEMS, people=ENOUGH, ledger=LEDGER, data=None, origin=IMPORTED, **settings):
    plan = {"selection__strata": STRATA, "selection__controls": ["fluent"]}
    return assess(parse(data or changed(**plan | settings)), items, ledger, people, origin)


def errors(**given):
    return [problem.field for problem in report(**given).errors]


def codes(**given):
    return {each.code: each.count for each in report(**given).acknowledge}


def test_a_draft_with_all_it_needs_has_no_error_and_nothing_to_acknowledge():
    assert (errors(), codes()) == ([], {})


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"items": []}, "items"),
        ({"items": [WORDS, replace(FLUENT, stratum="other")]}, "items"),
        ({"ledger": []}, "rights"),
        ({"people": replace(ENOUGH, reviewers=1)}, "reviewers"),
        ({"people": replace(ENOUGH, leads=0)}, "lead"),
        ({"review__practice_pass": 0.8}, "review.practice_pass"),
        ({"items": [replace(WORDS, semantic_reference=None), FLUENT], "references__required": True}, "items"),
        ({"data": {"study": UNASKED, "selection": {"strata": STRATA}}}, "study.question"),
    ],
)
def test_each_of_these_is_an_error_of_its_field(given, field):
    assert errors(**given) == [field]


def test_a_corpus_study_needs_a_reference_for_each_item_and_the_policy_of_its_references():
    whole = corpus(selection__strata=STRATA)
    assert errors(data=whole, ledger=REAL) == ["references.semantic_policy"]
    bare = [replace(each, semantic_reference=None) for each in ITEMS]
    assert errors(data=whole, ledger=REAL, items=bare) == ["items"]


@pytest.mark.parametrize(
    ("given", "said", "unsaid"),
    [
        ({}, ["unverified"], ["adjudicator", "control"]),
        ({"people": replace(ENOUGH, adjudicators=0)}, ["unverified", "no adjudicator"], ["control"]),
        ({"selection__controls": []}, ["unverified", "no control"], ["adjudicator"]),
        ({"items": [WORDS]}, ["No item is of a control stratum"], ["There is no control stratum"]),
        ({"ledger": OPEN}, ["“invented” is approved, and the ledger says “not known yet” of: publisher, licence."], []),
        ({"ledger": [*LEDGER, replace(OPEN[0], source="elsewhere")]}, ["unverified"], ["not known yet"]),
    ],
)
def test_what_weakens_a_study_without_stopping_it_is_a_warning(given, said, unsaid):
    warnings = " ".join(report(**given).warnings)
    assert all(part in warnings for part in said)
    assert not any(part in warnings for part in unsaid)


TIDY = Filter.of("tidy", "1", {})


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        (Origin(TIDY, ("a",), here=2), None),
        (Origin(imported=2), "The pairs were imported, not made here"),
        (Origin(here=1, imported=1), "Some of the pairs were imported, not made here (1)"),
        (Origin(here=2, otherwise=1), "more than one filter, version or configuration"),
    ],
)
def test_that_the_pairing_is_unverified_is_said_only_where_it_is_true(origin, said):
    told = [warning for warning in report(origin=origin).warnings if "pair" in warning]
    assert [said in warning for warning in told] == ([True] if said else [])


def test_a_protocol_that_contradicts_the_pairing_is_an_error_and_one_of_imported_pairs_is_not():
    named = {"data": changed(selection__strata=STRATA, selection__controls=["fluent"], engine__filter="yazses")}
    assert errors(origin=Origin(TIDY, ("a",), here=2), **named) == ["engine.filter"]
    assert errors(**named) == []


@pytest.mark.parametrize(
    ("given", "acknowledge"),
    [
        ({"origin": Origin(here=2, otherwise=1)}, {"pairing_mixed": 1}),
        ({"people": replace(ENOUGH, unattested=3)}, {"unattested": 3}),
        ({"items": [WORDS, replace(FLUENT, raw_hypothesis="I gone")]}, {"off_unlike_raw": 1}),
        ({"items": [WORDS, replace(FLUENT, raw_hypothesis="I gone")], "engine__off_equals_raw": False}, {}),
        ({"items": [WORDS, replace(FLUENT, tags=("block", "fluent"))]}, {"controls_with_tags": 1}),
        ({"items": [WORDS, replace(FLUENT, tags=("fluent",))]}, {}),
        ({"items": [replace(WORDS, tags=("block",)), FLUENT]}, {}),
        ({"selection__strata": {"words": 3, "fluent": 2}}, {"shortage": 3}),
        ({"items": [*ITEMS, replace(WORDS, item_id="P-3")]}, {"surplus": 1}),
        ({"items": [WORDS, replace(WORDS, item_id="P-3")]}, {"shortage": 1, "surplus": 1}),
    ],
)
def test_what_the_lead_must_acknowledge_has_a_code_and_a_count(given, acknowledge):
    assert codes(**given) == acknowledge


@pytest.mark.parametrize(
    ("reference", "verbatim", "shown", "count"),
    [
        ("I go", None, ["semantic"], 1),
        ("I I go", None, ["semantic"], 1),
        ("I go.", None, ["semantic"], 0),
        ("I am going", "I I go", ["semantic"], 0),
        ("I am going", "I I go", ["semantic", "verbatim"], 1),
        ("I go", "I I go", ["semantic", "verbatim"], 0),
        ("I go", None, [], 0),
    ],
)
def test_items_whose_shown_references_equal_exactly_one_text_are_counted(reference, verbatim, shown, count):
    telling = replace(WORDS, semantic_reference=reference, verbatim_reference=verbatim)
    found = report(items=[telling, FLUENT], references__shown=shown)
    assert found.equal_one_panel == count
    assert {each.code: each.count for each in found.acknowledge} == (
        {"references_equal_one_panel": count} if count else {}
    )


def test_a_reference_equal_to_both_texts_gives_no_arm_away():
    assert report(items=[WORDS, replace(FLUENT, semantic_reference="I go")]).equal_one_panel == 0


def test_the_counts_of_what_blocks_are_kept_for_a_blocked_memo():
    bare = replace(WORDS, item_id="P-3", semantic_reference=None, verbatim_reference="I I go")
    lost = [replace(WORDS, source="elsewhere"), replace(bare, source="a third"), bare, FLUENT]
    found = report(items=lost, references__required=True)
    assert (found.rights_missing, found.references_missing) == (2, 2)
    both = report(items=lost, references__required=True, references__shown=["verbatim", "semantic"])
    assert both.references_missing == 4


def test_the_report_as_data_is_what_the_check_command_prints():
    data = report(people=People(reviewers=2, leads=1, unattested=1)).as_data()
    assert data.keys() == {"errors", "warnings", "acknowledge"}
    assert [each.keys() for each in data["acknowledge"]] == [{"code", "text", "count"}]
