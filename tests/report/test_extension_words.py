"""What a memo says where strata are reported apart: the verdict counts them, and the words around it do too."""

import pytest

from app.domain import results
from app.domain.judgement import Coding
from app.domain.outcome import Adjudication, JudgedItem
from app.report import markdown, wording
from app.report.findings import does_not_show, shows
from app.report.methods import methods
from app.report.tables import tables
from tests.domain import test_worked_example as example

HARM, FINE, KEPT = Coding("destructive-content", "on"), Coding("safe-cleanup", "on"), Coding("benign-retention")
OTHER_HARM = Coding("destructive-structure", "on")
SETTLED_SAFE = Adjudication(FINE, "keep", FINE)
OPEN = Adjudication(FINE, "unresolved", unresolved_reason="needs_policy")


def item(one, two=None, step=None):
    pair = (one, two or one)
    return JudgedItem(
        "prolongation",
        "e1",
        control=False,
        changed=True,
        first_signed=pair,
        signed=pair,
        recorded=pair,
        adjudication=step,
    )


@pytest.fixture
def with_blocks(memo_of):
    """Make a memo of the worked example, or of its variant, beside items of an extension."""

    def made(*items, changes=None, **facts):
        apart = results.Results.of(items, extension=["prolongation"]).apart
        return memo_of(changes, given={"apart": apart}, facts=facts or None)

    return made


def test_harm_in_the_extension_alone_is_the_headline_of_the_fail_it_makes(with_blocks):
    made = with_blocks(item(HARM), item(HARM), changes=example.V2, max_unassessable=1)
    assert wording.headline(made) == (
        "The filter introduced a confirmed destructive edit on 2 of 2 items of the extension (Prolongation), and on "
        "none of the 7 others; one is enough to fail."
    )
    assert made.verdict.reasons[0].text == (
        "2 confirmed destructive edits were introduced by the filter, all of them in the extension."
    )


def test_harm_on_both_sides_is_added_up_in_the_headline_as_in_the_reasons(with_blocks):
    made = with_blocks(item(HARM), item(FINE))
    assert wording.headline(made) == (
        "The filter introduced a confirmed destructive edit on 3 items: 2 of 6 with a final answer, and 1 of 2 in the "
        "extension, reported apart; one is enough to fail."
    )
    assert made.verdict.reasons[0].text == (
        "3 confirmed destructive edits were introduced by the filter, 1 of them in the extension."
    )


def test_an_extension_without_harm_is_named_beside_the_harm_elsewhere(with_blocks):
    assert "2 of 6 items with a final answer, and on none of 1 in the extension;" in wording.headline(
        with_blocks(item(FINE))
    )


def test_a_pass_counts_the_extension_that_it_covers(with_blocks):
    made = with_blocks(item(FINE), changes=example.V2, max_unassessable=1)
    assert "(0 of 7 items; nor in the extension, 0 of 1)" in wording.headline(made)
    assert "(0 of 7 items, and 0 of 1 in the extension)" in wording.may_claim(made)[0]


def test_what_may_be_claimed_of_a_fail_has_both_counts(with_blocks):
    told = wording.may_claim(with_blocks(item(HARM), item(FINE, KEPT, OPEN)))
    assert "(2 of 6 items, and 1 of 1 in the extension)" in told[0]
    assert told[1].endswith("and 2 of 2 in the extension.")


def test_damage_found_in_the_extension_is_named_for_investigation(with_blocks):
    made = with_blocks(item(HARM), changes=example.V2, max_unassessable=1)
    assert "To investigate, by kind of damage: Meaning changed: words (1 item)." in wording.what_follows(made)


def test_what_a_study_shows_speaks_of_the_extension(with_blocks):
    told = " ".join(shows(with_blocks(item(HARM), changes=example.V2, max_unassessable=1)))
    assert "; 1 more item of an extension (Prolongation) is reported apart." in told
    assert "No item of 7 outside the extension with a final answer has confirmed introduced damage" in told
    assert "In the extension it introduced confirmed damage on 1 of 1 items with a final answer." in told


def test_bounds_are_headed_by_where_nothing_was_found(with_blocks, memos):
    made = with_blocks(item(HARM), changes=example.V2, max_unassessable=1)
    assert "### Upper bounds outside the extension, where nothing was found" in markdown.render(made)
    assert "### Upper bounds where nothing was found" in markdown.render(memos["PASS"])


def test_disputes_of_the_extension_are_counted_in_the_reasons_and_listed_with_the_others(with_blocks):
    made = with_blocks(item(FINE, KEPT, OPEN))
    listed = sum(row[-1] for row in tables(made)["disputed"].rows)
    assert [each.count for each in made.verdict.reasons if each.code == "disputed"] == [listed]
    assert any("in the extension" in row for row in tables(made)["disputed"].rows)
    assert "1 of them in the extension" in next(r.text for r in made.verdict.reasons if r.code == "disputed")


def test_the_memo_says_which_numbers_count_the_extension(with_blocks):
    made = with_blocks(item(FINE), item(FINE))
    text = markdown.render(made)
    assert "no other number of this memo" not in text
    assert "so do the numbers under Blinding, quality and effort; no rate does." in text
    assert (
        text.count("2 more items of an extension (Prolongation) are reported apart.") == 2
    )  # What it shows, and Sample
    assert "A further 2 utterances of a stratum declared as an extension were judged in the same lists" in text


def test_what_stays_open_in_the_extension_is_open(with_blocks, memo):
    def unresolved(each):
        return next(said for said in does_not_show(each) if said.startswith("What the filter did on"))

    assert unresolved(memo).startswith("What the filter did on 2 items:")
    assert unresolved(with_blocks(item(FINE, KEPT, OPEN))).startswith("What the filter did on 3 items:")


def test_a_study_whose_items_are_all_apart_is_not_called_blocked(memo_of):
    apart = results.Results.of([item(HARM)], extension=["prolongation"]).apart
    told = shows(memo_of(judged=False, given={"apart": apart}))
    assert not any("blocked" in said for said in told)


@pytest.mark.parametrize("denied", [1, 2])
def test_the_cover_says_that_the_adjudicator_saw_no_damage_where_two_did(with_blocks, denied):
    made = with_blocks(*[item(HARM, OTHER_HARM, SETTLED_SAFE)] * denied)
    told = {
        1: "On one of the confirmed edits both reviewers saw introduced damage and the adjudicator none: it counts, "
        "and its kind is not settled.",
        2: "On 2 of the confirmed edits both reviewers saw introduced damage and the adjudicator none: they count, "
        "and their kinds are not settled.",
    }[denied]
    assert told in wording.caveats(made)
    assert told in shows(made)


def test_where_nobody_was_contradicted_the_cover_does_not_speak_of_it(memo):
    assert not any("the adjudicator none" in said for said in (*wording.caveats(memo), *shows(memo)))


def test_methods_claim_no_bootstrap_that_was_not_made(memo_of):
    few = " ".join(methods(memo_of(given={"resamples": 10_000})))
    assert "bootstrap" not in few
    assert "Evenhand showed no outcome" not in few
    note = tables(memo_of(given={"resamples": 10_000}))["coefficients"].note
    assert "No bootstrap: it needs 12 episodes, and there are 4." in note


def test_methods_name_every_way_of_the_difference_in_damage_and_what_it_assumes(memo):
    told = " ".join(methods(memo))
    assert "Newcombe's interval (1998, method 10) and McNemar's exact p (1947)." in told
    assert "as if items were independent" in told
    assert "The difference in damage, on minus off, has a jackknife interval by episode" in told


def test_methods_say_when_everything_was_frozen_and_no_more(memo):
    text = markdown.render(memo)
    assert "before anybody judged an item" in text
    assert "saw an outcome" not in text
    assert "Evenhand showed no outcome between the freeze and the close." in text
    assert "judged the items on which the two differed, and settled those that could be settled." in text
