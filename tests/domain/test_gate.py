from dataclasses import replace

import pytest

from app.domain.gate import Facts, evaluate

CLEAN = Facts(judged_changed=5, control_strata=1)


def told(facts):
    found = evaluate(facts)
    return found.status, {reason.code: reason.count for reason in found.reasons}


def with_facts(**given):
    return told(replace(CLEAN, **given))


HOLDING = [
    ({"pending": 3}, "pending", 3),
    ({"disputed": 2}, "disputed", 2),
    ({"recorded_harm_unresolved": 4}, "recorded_harm_unresolved", 4),
    ({"unassessable": 2}, "unassessable", 2),
    ({"unassessable": 3, "max_unassessable": 2}, "unassessable", 3),
    ({"judged_changed": 0}, "nothing_to_judge", 0),
    ({"control_strata": 0}, "no_controls", 0),
    ({"sentinel_detection": 0.5, "min_sentinel_detection": 0.8}, "sentinel_detection", 0),
    ({"sentinel_detection": None, "min_sentinel_detection": 0.8}, "sentinel_detection", 0),
]


@pytest.mark.parametrize(("given", "code", "count"), HOLDING)
def test_each_of_these_alone_holds_the_verdict(given, code, count):
    assert with_facts(**given) == ("INCONCLUSIVE", {code: count})


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"unassessable": 2, "max_unassessable": 2},
        {"sentinel_detection": 0.8, "min_sentinel_detection": 0.8},
        {"sentinel_detection": 0.1, "min_sentinel_detection": None},
    ],
)
def test_with_nothing_to_hold_it_the_verdict_is_pass(given):
    assert with_facts(**given) == ("PASS", {})


def test_the_tolerance_for_unassessable_items_never_covers_recorded_harm():
    found = with_facts(unassessable=1, max_unassessable=5, recorded_harm_unresolved=1)
    assert found == ("INCONCLUSIVE", {"recorded_harm_unresolved": 1})


@pytest.mark.parametrize("given", [given for given, _, _ in HOLDING] + [{"rights_revoked": 1}])
def test_one_confirmed_introduced_edit_fails_whatever_else_holds_and_that_is_listed_too(given):
    status, reasons = with_facts(introduced=1, **given)
    assert status == "FAIL"
    assert reasons == {"confirmed_introduced": 1, **with_facts(**given)[1]}


def test_rights_revoked_after_the_freeze_block_what_would_pass_or_be_held():
    assert with_facts(rights_revoked=2) == ("BLOCKED", {"rights": 2})
    assert with_facts(rights_revoked=2, disputed=1) == ("BLOCKED", {"rights": 2, "disputed": 1})


@pytest.mark.parametrize(
    ("given", "reasons"),
    [
        ({"rights_missing": 1}, {"rights": 1}),
        ({"references_missing": 7}, {"references": 7}),
        ({"rights_missing": 2, "references_missing": 1}, {"rights": 2, "references": 1}),
    ],
)
def test_before_the_freeze_missing_rights_or_references_block(given, reasons):
    assert with_facts(frozen=False, **given) == ("BLOCKED", reasons)


def test_before_the_freeze_there_is_no_verdict_where_nothing_blocks():
    assert evaluate(Facts(frozen=False, pending=9)) is None


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({}, "PASS"),
        ({"introduced": 1}, "FAIL"),
        ({"disputed": 1}, "INCONCLUSIVE"),
        ({"rights_revoked": 1}, "BLOCKED"),
        ({"frozen": False, "rights_missing": 1}, "BLOCKED"),
    ],
)
def test_the_synthetic_scope_ends_every_verdict_in_its_suffix(given, rule):
    found = evaluate(replace(CLEAN, synthetic=True, **given))
    assert found.status == f"{rule}_SYNTHETIC"
    assert evaluate(replace(CLEAN, **given)).status == rule


def test_what_only_informs_changes_no_verdict():
    assert with_facts(withdrawn=4) == ("PASS", {"withdrawn": 4})
    assert with_facts(introduced=2, type_unsettled=1) == ("FAIL", {"confirmed_introduced": 2, "type_unsettled": 1})


@pytest.mark.parametrize(
    ("facts", "rule"),
    [
        ({"withdrawn": 4}, "PASS"),
        ({"withdrawn": 4, "pending": 1}, "INCONCLUSIVE"),
        ({"withdrawn": 4, "rights_revoked": 1}, "BLOCKED"),
        ({"withdrawn": 4, "rights_revoked": 1, "pending": 1, "control_strata": 0}, "BLOCKED"),
        ({"withdrawn": 4, "rights_revoked": 1, "introduced": 1}, "FAIL"),
        ({"withdrawn": 4, "introduced": 1}, "FAIL"),
    ],
)
def test_a_revoked_source_blocks_unless_the_rest_fails_and_a_participants_withdrawal_blocks_nothing(facts, rule):
    status, listed = with_facts(**facts)
    assert status == rule
    assert {name: listed.get(code, 0) for name, code in (("withdrawn", "withdrawn"), ("rights_revoked", "rights"))} == {
        name: facts.get(name, 0) for name in ("withdrawn", "rights_revoked")
    }


COUNTED = (
    "introduced", "pending", "disputed", "recorded_harm_unresolved", "unassessable", "rights_revoked", "withdrawn",
    "type_unsettled",
)  # fmt: skip


@pytest.mark.parametrize("name", COUNTED)
def test_a_reason_says_in_words_how_many(name):
    one, many = (evaluate(replace(CLEAN, **{name: count})).reasons[0].text for count in (1, 12))
    assert "12" in many
    assert one != many
    assert not any(character.isdigit() for character in one.replace("tolerates 0", ""))


def test_several_conditions_are_all_listed():
    holding = {"pending": 1, "disputed": 1, "unassessable": 1, "control_strata": 0, "judged_changed": 0}
    listed = {"pending": 1, "disputed": 1, "unassessable": 1, "no_controls": 0, "nothing_to_judge": 0}
    assert with_facts(**holding) == ("INCONCLUSIVE", listed)
