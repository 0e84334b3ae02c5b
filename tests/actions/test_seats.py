"""Who may sit where: nobody who may know the arms judges unseen, and an account belongs to whoever made it."""

import pytest

from app.actions import accounts, closing, freezing, preparing, replacing, reporting
from app.domain.errors import InvalidInput, Refused
from app.report import bundle
from app.store import audit
from tests.house import CHEAP, PROTOCOL, draft_study, frozen_study, item_rows, jsonl, password_of, seats

NEXT = PROTOCOL.replace('id = "pilot"', 'id = "second"\nparent = "pilot"')
OTHER = PROTOCOL.replace('id = "pilot"', 'id = "second"')


@pytest.fixture
def house(store, world, people):
    """Return a store with a second lead, and a judge's account that each of the two made in the browser."""
    accounts.add(store, world, CHEAP, "liam", lead=True, password=password_of("liam"))
    for lead, judge in (("lena", "mine.a"), ("liam", "nina.k")):
        accounts.add(store, world, CHEAP, judge, lead=False, password=password_of(judge), actor=lead)
    return store


def assign(house, world, study, actor="local", reviewers=("rosa", "ravi"), leads=("lena",), adjudicator="ines"):
    preparing.assign(house, world, actor, study, seats(reviewers, leads, adjudicator), "linguists")


def freeze(house, world, study, *codes):
    return freezing.freeze(house, world, "local", study, codes)


def codes_of(house, study):
    return {each.code: each.count for each in preparing.check(house, study).acknowledge}


def memo_of(house, world, study="pilot"):
    return reporting.memo_of(house, world, "lena", study)


def leads_once(house, world, study):
    assign(house, world, study, leads=["lena", "otto"])
    assign(house, world, study)


def imports(house, world, study):
    preparing.import_items(house, world, "otto", study, jsonl(item_rows()), "items.jsonl", replace=True)


KNOWING = pytest.mark.parametrize("learns", [leads_once, imports])


@KNOWING
def test_who_knew_the_study_takes_over_from_no_reviewer(house, world, learns):
    study = draft_study(house, world)
    learns(house, world, study)
    freeze(house, world, study)
    with pytest.raises(InvalidInput, match="may know which text is which: choose somebody else") as refused:
        replacing.replace(house, world, "lena", study, "rosa", "otto", "she moved away")
    assert [problem.field for problem in refused.value.problems] == ["newcomer"]
    with house.read() as connection:
        assert audit.events(connection, "reviewer.replaced", "deviation.logged") == []


@KNOWING
def test_who_knew_the_study_and_judges_it_is_acknowledged_at_the_freeze_and_counted_in_the_memo(house, world, learns):
    study = draft_study(house, world)
    learns(house, world, study)
    assign(house, world, study, reviewers=["otto", "ravi"])
    assert codes_of(house, study) == {"importer_judges": 1}
    with pytest.raises(Refused, match="importer_judges"):
        freeze(house, world, study)
    freeze(house, world, study, "importer_judges")
    closing.close(house, world, "lena", study, "we stop")
    memo = memo_of(house, world)
    assert {role: seat.informed for role, seat in memo.conduct.judges.items()} == {"reviewer": 1, "adjudicator": 0}
    text = bundle.bundle(memo)["memo.md"].decode()
    assert "How blind 1 of 3 judges were: they had led the study or imported items." in text
    assert "Of 3 judges 1 had led the study or imported items, and may have known both texts." in text


def test_who_led_the_study_that_this_one_follows_is_counted(house, world):
    first = draft_study(house, world)
    assign(house, world, first, leads=["lena", "otto"])
    second = draft_study(house, world, protocol=NEXT)
    assign(house, world, second, reviewers=["otto", "ravi"])
    assert codes_of(house, second) == {"importer_judges": 1}


def test_naming_a_foreign_study_as_the_parent_does_not_tell_who_leads_it(house, world):
    first = draft_study(house, world)
    assign(house, world, first, leads=["lena", "otto"])
    second = draft_study(house, world, protocol=NEXT)
    assign(house, world, second, reviewers=["otto", "ravi"], leads=["liam"])
    # The fixture's own seats had lena lead it for a moment: a study that she never led.
    with house.write() as connection:
        connection.exec_driver_sql(
            "delete from audit_event where study_id = 'second' and event = 'people.assigned' and detail like '%lena%'"
        )
    assert codes_of(house, second) == {}


def test_a_study_that_names_itself_or_a_circle_as_its_parent_comes_to_an_end(house, world):
    first = draft_study(house, world, protocol=PROTOCOL.replace('id = "pilot"', 'id = "pilot"\nparent = "second"'))
    draft_study(house, world, protocol=NEXT)
    assert codes_of(house, first) == {}


def test_the_memo_counts_the_accounts_that_a_lead_made_or_gave_a_code(house, world):
    study = draft_study(house, world)
    assign(house, world, study, reviewers=["mine.a", "nina.k"])
    freeze(house, world, study)
    accounts.reset(house, world, "ines", actor="lena")
    closing.close(house, world, "lena", study, "we stop")
    memo = memo_of(house, world)
    assert {role: seat.by_lead for role, seat in memo.conduct.judges.items()} == {"reviewer": 1, "adjudicator": 1}
    text = bundle.bundle(memo)["memo.md"].decode()
    assert "for 1 a lead made the account or gave a code" in text
    assert "For 2 of 3 judges a lead of the study made the account, or gave a code." in text


def test_a_former_leads_accounts_count_too(house, world):
    study = draft_study(house, world)
    assign(house, world, study, leads=["lena", "liam"])
    assign(house, world, study, reviewers=["rosa", "nina.k"])
    freeze(house, world, study)
    closing.close(house, world, "lena", study, "we stop")
    assert memo_of(house, world).conduct.judges["reviewer"].by_lead == 1


def test_a_code_that_is_given_after_the_close_changes_no_memo(house, world):
    study = frozen_study(house, world)
    closing.close(house, world, "lena", study, "we stop")
    before = bundle.bundle(memo_of(house, world))
    accounts.reset(house, world, "rosa", actor="lena")
    assert bundle.bundle(memo_of(house, world)) == before


ACTS = pytest.mark.parametrize("act", [accounts.reset, accounts.disable])


def refused_code(act, house, world, name, actor):
    with pytest.raises(Refused) as refused:
        act(house, world, name, actor=actor)
    return refused.value.code


@ACTS
@pytest.mark.parametrize("name", ["nina.k", "otto"])
def test_an_account_without_a_part_is_changed_by_whoever_made_it_alone(house, world, act, name):
    assert refused_code(act, house, world, name, "lena") == "not_made"
    act(house, world, "mine.a", actor="lena")
    act(house, world, "nina.k", actor="liam")
    act(house, world, name)  # on the command line


@ACTS
def test_a_seat_in_a_draft_gives_its_lead_no_say_and_takes_none_away(house, world, act):
    study = draft_study(house, world)
    assign(house, world, study, "lena", reviewers=["rosa", "nina.k"])
    assert refused_code(act, house, world, "nina.k", "lena") == "not_made"
    act(house, world, "nina.k", actor="liam")


@ACTS
def test_from_the_freeze_on_the_lead_of_the_study_helps_its_judges_and_who_made_them_does_not(house, world, act):
    study = draft_study(house, world)
    assign(house, world, study, reviewers=["rosa", "nina.k"])
    freeze(house, world, study)
    assert refused_code(act, house, world, "nina.k", "liam") == "not_yours"
    act(house, world, "nina.k", actor="lena")
    act(house, world, "rosa", actor="lena")


@ACTS
def test_a_draft_is_read_by_whoever_leads_it_and_so_nobody_takes_over_their_account(house, world, act):
    study = draft_study(house, world)
    assign(house, world, study, leads=["lena", "nina.k"])
    assert refused_code(act, house, world, "nina.k", "liam") == "lead_account"


def refused_lead(house, world, study, actor, name):
    with pytest.raises(InvalidInput, match="choose somebody who may lead") as refused:
        assign(house, world, study, actor, leads=[actor, name])
    return [problem.field for problem in refused.value.problems]


def test_no_lead_makes_another_leads_judge_a_lead_which_would_take_the_judge_out_of_their_hands(house, world):
    study = draft_study(house, world)
    assert refused_lead(house, world, study, "lena", "nina.k") == ["lead"]
    draft_study(house, world, protocol=OTHER)
    assign(house, world, "second", reviewers=["otto", "ravi"], leads=["liam"], adjudicator=None)
    freeze(house, world, "second")
    assert refused_lead(house, world, study, "lena", "otto") == ["lead"]
    assign(house, world, study, "lena", leads=["lena", "liam"])  # that liam leads here is not his doing
    with pytest.raises(InvalidInput, match="choose somebody who may lead"):
        assign(house, world, study, "lena", leads=["lena", "liam", "nina.k"])
    for name in ("liam", "mine.a"):  # who may lead, and an own account
        assign(house, world, study, "lena", leads=["lena", name])
    assign(house, world, study, leads=["lena", "nina.k"])  # on the command line
    assign(house, world, study, "lena", leads=["lena", "nina.k"])  # who leads it already


@pytest.mark.parametrize(("judge", "giver", "warned"), [
    ("rosa", None, False), ("mine.a", None, False), ("nina.k", None, True), ("nina.k", "local", False),
])  # fmt: skip
def test_the_check_warns_of_judges_whose_code_was_in_a_strangers_hands(house, world, judge, giver, warned):
    study = draft_study(house, world)
    if giver:
        accounts.reset(house, world, judge, actor=giver)
    assign(house, world, study, reviewers=[judge, "ravi"])
    told = [each for each in preparing.check(house, study).warnings if "last given a code" in each]
    assert bool(told) is warned
