"""What a study shows and does not, and its methods: sentences from the facts of the memo."""

import pytest

from app.domain.memo import Seats
from app.domain.statistics import sap, wer
from app.domain.word_errors import Spoken, word_errors
from app.report import markdown, wording
from app.report.cells import Column, Rough, shown
from app.report.findings import does_not_show, shows
from app.report.methods import methods, sources

JUDGED = ["PASS", "FAIL", "INCONCLUSIVE"]


def test_a_fail_says_on_how_many_items_and_in_how_many_clusters(memo):
    assert any("damage on 2 items, in" in said and "of 4 episodes" in said for said in shows(memo))


@pytest.mark.parametrize(
    ("confirmed", "by_both", "said"),
    [
        (1, 1, "Both reviewers marked introduced damage on it."),
        (2, 2, "Both reviewers marked introduced damage on each of them."),
        (3, 1, "1 of them was marked by both reviewers; the adjudicator settled the other 2."),
        (1, 0, "It was not marked by both reviewers: the adjudicator settled it."),
        (2, 0, "None of them was marked by both reviewers: the adjudicator settled each."),
        (2, None, None),
    ],
)
def test_how_sure_a_confirmed_edit_is_is_told_by_how_many_people_saw_it(memo, confirmed, by_both, said):
    rate = memo.primary.introduced.model_copy(update={"numerator": confirmed})
    primary = memo.primary.model_copy(update={"introduced": rate, "seen_by_both": by_both})
    told = [line for line in shows(memo.model_copy(update={"primary": primary})) if "both reviewers" in line.lower()]
    assert told == ([said] if said else [])


def test_a_pass_says_how_many_items_the_filter_changed(memos):
    assert any("has confirmed introduced damage; the filter changed" in said for said in shows(memos["PASS"]))


def test_a_blocked_study_shows_nothing_of_the_filter(memos):
    assert shows(memos["BLOCKED"]) == ("Why the study is blocked. Of the filter it shows nothing.",)


def test_few_clusters_are_said_in_words_and_printed_without_decimals(memo):
    assert any("there are 4 episodes only" in said for said in does_not_show(memo))
    text = markdown.render(memo)
    assert "rough, for it rests on 4 episodes" in text
    assert "1.8% to 85.9%" not in text
    assert "2% to 86%" in text


def test_many_clusters_are_no_reason_for_a_warning(memo):
    assert not wording.resting_on(memo, 40)
    rates = {
        name: getattr(memo.primary, name).model_copy(update={"clusters": 40})
        for name in ("introduced", "introduced_counting_unresolved")
    }
    made = memo.model_copy(update={"primary": memo.primary.model_copy(update=rates)})
    assert "rests on" not in markdown.render(made)


def test_judges_whose_qualification_nobody_attested_are_counted(memo):
    assert "What qualifies 1 of 3 judges: nobody attested it." in does_not_show(memo)


def test_judges_are_counted_and_never_named(memo):
    text = markdown.render(memo)
    assert "| Reviewers | 2; the lead attested the qualification of 2 |" in text
    assert "| Adjudicators | 1; the lead attested the qualification of 0 |" in text


@pytest.mark.parametrize("software", [{"filter": "none", "filter_version": "none"}, {}])
def test_a_filter_that_the_protocol_does_not_name_is_not_named_none(memo, software):
    made = memo.model_copy(update={"software": {"evenhand": "0.1.0", **software}})
    assert "Which filter this was: the protocol names none." in does_not_show(made)
    assert wording.subject(made) == "Closed on 2026-11-30."
    assert "went through the filter switched off" in methods(made)[0]


def test_methods_name_the_filter_and_how_words_were_compared(memo):
    counted = (wer.Edits(4, 1, 0, 0), wer.Edits(4, 0, 0, 0))
    scores = (sap.Score(2, 8, sap.WITH), sap.Score(0, 8, sap.WITH))
    heard = [Spoken("fluent", "a", ("verbatim", "semantic"), dict.fromkeys(("verbatim", "semantic"), counted), scores)]
    made = memo.model_copy(update={"wer": word_errors(heard)})
    assert "went through the filter (yazses 2.46.0) switched off" in methods(made)[0]
    assert "without case or punctuation at their edges; fillers and repetitions stayed" in methods(made)[2]
    assert "takes the nearer of the two references" in methods(made)[2]
    assert any("Speech Accessibility Project Challenge" in source for source in sources(made))
    assert not any("Speech Accessibility" in source for source in sources(memo))


def test_dates_of_freeze_and_close_stand_in_the_memo(memo):
    text = markdown.render(memo)
    assert "| Frozen | 2026-11-02, 08:30 UTC |" in text
    assert "| Closed | 2026-11-30, 16:00 UTC |" in text


def test_confirmed_means_one_thing(memo):
    assert "Confirmed: the final answer" not in markdown.render(memo)


@pytest.mark.parametrize("status", JUDGED)
def test_methods_are_three_paragraphs_with_their_sources(memos, status):
    told = " ".join(methods(memos[status]))
    assert len(methods(memos[status])) == 3
    assert "frozen on 2026-11-02" in told
    assert "equal in every character" in told
    for name in ("Korn", "Clopper", "Cicchetti", "Shao", "McNemar", "Newcombe"):
        assert name in told
        assert any(name in source for source in sources(memos[status])), name


def test_methods_are_not_told_of_what_was_never_frozen(memos):
    conduct = memos["BLOCKED"].conduct.model_copy(update={"frozen_at": None})
    assert methods(memos["BLOCKED"].model_copy(update={"conduct": conduct})) == ()


def test_without_an_adjudicator_the_methods_say_so(memo):
    judges = memo.conduct.judges | {"adjudicator": Seats(judges=0, attested=0, left=0)}
    made = memo.model_copy(update={"conduct": memo.conduct.model_copy(update={"judges": judges})})
    assert "There was no adjudicator" in " ".join(methods(made))


@pytest.mark.parametrize(
    ("cell", "kind", "words"),
    [
        (0.98765, "index", "0.99"),
        (-0.0004, "index", "0.00"),
        ((-0.006, 0.987), "indexes", "-0.01 to 0.99"),
        (137.14, "size", "137"),
        (27.5, "tally", "27.5"),
        (1654.0, "tally", "1654"),
        (0.0001, "p", "under 0.001"),
        (Rough(0.0018, 0.859), "range", "under 1% to 86%"),
        ((0.01, 0.27), "range", "1.0% to 27.0%"),
        ((0.115, 0.305), "range", "11.5% to 30.5%"),
        ((0.0035, 0.033), "between", "0.4 to 3.3 points"),
        (0.2125, "share", "21.3%"),
        (0.5, "share", "50.0%"),
        (0.125, "index", "0.13"),
    ],
)
def test_numbers_for_reading_claim_no_more_than_they_know(cell, kind, words):
    assert shown(cell, Column("", kind)).replace("\u00a0", " ") == words
