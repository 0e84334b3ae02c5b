"""The words around the memo's numbers: what each rests on, adds up to, and does not say."""

import pytest

from app.domain import memo as shapes
from app.domain import reliability, results, word_errors
from app.domain.judgement import Coding
from app.domain.measured import Measured
from app.domain.outcome import Adjudication, JudgedItem
from app.domain.statistics import sap, wer
from app.domain.statistics.quality import Guess
from app.domain.word_errors import Spoken
from app.report import markdown, wording
from app.report.cells import Rough, RoughShare
from app.report.findings import shows
from app.report.html import render
from app.report.tables import tables

HARM, OTHER_HARM = Coding("destructive-content", "on"), Coding("destructive-structure", "on")
BOTH_WAYS = Coding("destructive-content", "on", also="destructive-structure")
FINE, CANNOT = Coding("safe-cleanup", "on"), Coding("unassessable-disputed")


def item(one, two=None, *, cluster="e1", stratum="word_repetition", step=None):
    pair = (one, two or one)
    return JudgedItem(
        stratum,
        cluster,
        control=stratum == "fluent",
        changed=True,
        first_signed=pair,
        signed=pair,
        recorded=pair,
        adjudication=step,
    )


def of(memo_of, *items, **parts):
    return memo_of(given={"cases": results.Results.of(items).cases}, **parts)


def with_guesses(memo_of, told, judge=1):
    found = results.Results.of([], guessed=True)
    guesses = tuple(Guess(judge if judge is not None else at % 5, "reviewer", each) for at, each in enumerate(told))
    return memo_of(quality=reliability.quality(found, Measured(guesses=guesses), 0))


def column(made, title):
    at = [head.startswith(title) for head in made.header].index(True)
    return [row[at] for row in made.rows]


def test_an_interval_is_rough_by_the_clusters_that_it_rests_on_and_not_by_those_of_the_study(memo_of):
    many = [item(FINE, cluster=f"e{n}", stratum="fluent") for n in range(12)]
    made = tables(of(memo_of, *many, item(FINE, cluster="e1"), item(HARM, cluster="e2")))["by-stratum"]
    intervals = column(made, "95% interval, by episode")
    assert column(made, "Episodes") == [12, 12, 12, 2, 2, 2]
    assert [isinstance(each, Rough) for each in intervals] == [False] * 3 + [True] * 3
    assert "An interval on fewer than 12 episodes is rough, and given in whole per cents" in made.note


def test_a_bound_by_few_clusters_is_rounded_in_the_table_as_on_the_cover(memos):
    found = column(tables(memos["PASS"])["zero-event"], "Among all items")
    assert [isinstance(each, RoughShare) for each in found] == [False, True, False, False]
    text = markdown.render(memos["PASS"])
    assert "(Korn-Graubard) ends at 59%" in text
    assert "| 59% |" in text


@pytest.mark.parametrize("name", ["by-stratum", "agreement-by-stratum", "extension", "word-errors-by-stratum"])
def test_tables_by_stratum_say_how_many_clusters_each_row_has(memo, name):
    assert "Episodes" in tables(memo)[name].header


def test_mcnemars_p_says_what_it_assumes(memo):
    assert "McNemar's exact p, assumes independent items" in tables(memo)["damage-difference"].header


def test_negative_agreement_says_that_it_counts_what_could_not_be_judged(memo_of):
    made = of(memo_of, item(CANNOT), item(FINE))
    assert made.agreement.introduced.negative.numerator == 4
    text = markdown.render(made)
    assert "Introduced damage not marked, “cannot be judged” included (negative)" in text
    assert "never as safe" not in text.split("### Two reviewers on introduced damage")[1]


def test_few_guesses_are_too_few_to_say(memo_of):
    made = with_guesses(memo_of, [True, True, True, None, None])
    assert "the one reviewer was right 3 and wrong 0 times of 5: too few to say." in " ".join(shows(made))


def test_an_index_of_many_guesses_stands_with_its_interval(memo_of):
    told = " ".join(shows(with_guesses(memo_of, [True] * 12 + [False] * 8)))
    assert (
        "a blinding index of 0.20, where 0 is chance; 95% interval as if guesses were independent -0.23 to 0.63" in told
    )
    by_judge = " ".join(shows(with_guesses(memo_of, [True] * 12 + [False] * 8, judge=None)))
    assert "95% interval by judge" in by_judge


@pytest.mark.parametrize(
    ("reason", "judges", "words"),
    [
        ("one_cluster", 1, "one judge only"),
        ("few_clusters", 2, "two judges only: an interval by judge needs four"),
        ("few_clusters", 3, "three judges only: an interval by judge needs four"),
    ],
)
def test_where_a_cluster_is_a_judge_the_words_say_judge(reason, judges, words):
    assert wording.why_by_judge(reason, judges) == words


def test_guesses_and_judges_stand_in_columns_of_their_own(memo_of):
    made = tables(with_guesses(memo_of, [True, False]))["judges"]
    assert (column(made, "Guesses")[0], column(made, "Judges")[0]) == (2, 1)


def test_settled_answers_add_up_and_say_where_the_others_are(memo_of):
    against = Adjudication(FINE, "keep", FINE)
    left_open = Adjudication(FINE, "unresolved", unresolved_reason="needs_policy")
    items = [item(FINE), item(HARM), item(HARM, OTHER_HARM, step=against), item(FINE, HARM, step=left_open)]
    made = tables(of(memo_of, *items))["taxonomy"]
    assert made.title == "Settled answers"
    assert made.rows[-1] == ("All", "all", 2, 0, 0, 0)
    assert made.note == (
        "Of 4 items for people to judge: 2 here, 1 disputed, 1 on which the adjudicator's answer does not rule "
        "(dissent)."
    )


def test_what_became_of_disfluent_items_adds_up(memo):
    found = memo.cleanup
    parts = (found.safe_cleanup.numerator, found.unchanged.numerator, found.retained.numerator, found.other)
    assert sum(parts) == found.safe_cleanup.denominator
    assert any(row[0] == "Damaged, unresolved or not counted here" for row in tables(memo)["cleanup"].rows)


def test_damage_of_another_kind_in_either_text_is_explained_where_it_counts_as_introduced(memo_of, memo):
    assert (
        "1 item damaged in both texts counts as introduced"
        in tables(of(memo_of, item(BOTH_WAYS)))["damaged-off-on"].note
    )
    assert tables(of(memo_of, item(HARM)))["damaged-off-on"].note == ""
    assert "the item may be damaged in another way with it on" in tables(memo)["damage"].caption


def test_word_errors_say_what_they_do_not(memo_of):
    edits = (wer.Edits(4, 1, 0, 0), wer.Edits(4, 0, 0, 0))
    score = (sap.Score(2, 8, sap.WITH), sap.Score(0, 6, sap.WITHOUT))
    spoken = [Spoken("fluent", "e1", ("verbatim", "semantic"), {"verbatim": edits, "semantic": edits}, score)]
    text = markdown.render(memo_of(wer=word_errors.word_errors(spoken)))
    assert "a filter that removes them scores worse against it even where nothing is lost" in text
    assert "The challenge takes the nearer reference of each utterance, so off and on have different words" in text
    for term in ("- SAP: ", "- Verbatim reference: ", "- Semantic reference: ", "- Word error rate: "):
        assert term in text


def test_the_design_effect_is_told_beside_the_items_that_it_does_not_explain(memo):
    assert "Effective items are fewer also because there are few episodes." in tables(memo)["primary"].note
    for term in ("- Design effect: ", "- Effective items: ", "- Prevalence index: "):
        assert term in markdown.render(memo)


def test_reasons_to_investigate_are_those_of_all_damage_and_the_most_frequent_come_first(memo_of):
    once, twice = (Coding("destructive-content", "on", reasons=(key,)) for key in ("name", "negation"))
    told = wording.what_follows(of(memo_of, item(once), item(twice), item(twice)))[-1]
    assert told.startswith("Reasons that deciding judges gave for damage, introduced or not: ")
    assert told.index("(2 items)") < told.index("(1 item)")


def test_severity_is_spoken_of_where_there_are_severities(memo):
    made = tables(memo)
    assert "severity never bears on the verdict" in made["severities"].caption
    assert "severity" not in made["reasons"].caption


def test_the_cover_names_the_filter_its_version_and_the_close(memo, memos):
    assert wording.subject(memo) == "Filter: yazses 2.46.0; closed on 2026-11-30."
    assert "Filter: yazses 2.46.0; closed on 2026-11-30." in markdown.render(memo)
    assert "Filter: yazses 2.46.0; closed on 2026-11-30." in render(memo)
    draft = memo.model_copy(update={"conduct": memo.conduct.model_copy(update={"closed_at": None}), "software": {}})
    assert wording.subject(draft) == "Not closed."


def test_no_mark_at_all_is_said_in_words(memo_of):
    told = [figure.value for figure in wording.figures(of(memo_of, item(FINE)))]
    assert told[-1] == "nobody marked any"


def test_none_is_a_word(memo_of):
    both = Coding("destructive-content", "both")
    assert any(
        "Both texts of 1 item were damaged, and of none the off text alone." in said
        for said in shows(of(memo_of, item(both)))
    )


def test_audits_and_known_answers_show_their_exact_interval(memo):
    audited = shapes.Rate(numerator=3, denominator=4, value=0.75, intervals={"clopper_pearson": (0.19, 0.99)})
    made = memo.model_copy(update={"adjudication": memo.adjudication.model_copy(update={"audit_agreed": audited})})
    assert "19.0% to 99.0%" in markdown.render(made)


def test_the_picture_by_stratum_names_the_unit_as_its_table_does(memo):
    assert "a full line is the interval by episode" in markdown.render(memo)


def test_no_claim_is_worded_as_before(memo, memos):
    text = markdown.render(memo) + markdown.render(memos["PASS"])
    assert "The verdict blocks every claim that the filter was validated." in text
    assert "Everything that stands against a PASS, whatever the verdict." in text
    assert "(intraclass correlation)" in text
    for gone in ("more than it knows", "no variance between", "of 0 items the off text", "every condition of the gate"):
        assert gone not in text
