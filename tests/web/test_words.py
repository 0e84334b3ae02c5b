"""What the judges' pages say: the question, what counts as the same, what differs, and where one comes from."""

import pytest

from tests.house import PROTOCOL, frozen_study, item_rows, practice_row

LIST = [("fluent", "ep-one", "milk\neggs\nflour", "milk eggs flour")]
SPACED = [("fluent", "ep-one", "milk  and eggs", "milk and eggs")]
EQUAL = [("fluent", "ep-one", "milk and eggs", "milk and eggs")]
GONE = {"label": "safe-cleanup", "arm": "on", "reasons": [], "explanation": "The “so” is said once."}


def told(page):
    return " ".join(page.text.split())


@pytest.fixture
def item(store, world, people, visit):
    """Return the words of the first item's page of a study with some rows."""

    def shown(pairs, rules="", **more):
        rows = [row | more for row in item_rows(pairs)]
        frozen_study(store, world, protocol=PROTOCOL + rules, rows=rows)
        return told(visit("rosa").next_page()[1])

    return shown


def test_lines_that_differ_are_told_and_not_called_invisible(item):
    found = item(LIST)
    assert "Line breaks differ." in found
    assert "what cannot be seen" not in found


def test_spaces_that_differ_are_called_invisible(item):
    assert "differ only in what cannot be seen" in item(SPACED)


def test_of_texts_that_differ_it_is_asked_whether_each_says_what_was_meant(item):
    assert "Does each text still say what was meant? What differs is marked." in item(SPACED)


def test_where_nothing_is_marked_the_question_does_not_say_so(item):
    found = item(SPACED, "[review]\nhighlight = false\n")
    assert "Does each text still say what was meant?" in found
    assert "What differs is marked" not in found


def test_of_equal_texts_it_is_said_that_they_count_as_the_same(item):
    found = item(EQUAL, '[review]\nidentical_pairs = "review"\n')
    assert "Do the two texts still say what was meant?" in found
    assert "These count as the same." in found


def test_an_item_without_the_reference_that_the_study_shows_says_so(item):
    assert "No reference for this item." in item(SPACED, semantic_reference=None)


def test_whoever_names_the_text_that_still_has_it_is_told_so(store, world, people, visit):
    practice = practice_row() | {
        "off": "so so it is",
        "on": "so it is",
        "raw_hypothesis": "so so it is",
        "expected": GONE,
    }
    frozen_study(store, world, protocol=PROTOCOL + "[review]\npractice = true\n", rows=[*item_rows(SPACED), practice])
    rosa = visit("rosa")
    where, page = rosa.next_page()
    longer = max("AB", key=lambda name: len(page.panels[name]))
    rosa.answer(page, label="safe-cleanup", panel=longer)
    assert "You named the text that still has it; asked is the one that lost it." in told(rosa.page(where))


def test_what_is_missing_is_listed_in_the_order_of_the_page(store, world, people, visit):
    frozen_study(store, world, rows=item_rows(SPACED))
    rosa = visit("rosa")
    _, page = rosa.next_page()
    refused = rosa.answer(page, label="destructive-content").text
    assert refused.index('href="#field-panel"') < refused.index('href="#field-reason"')


def test_a_changed_answer_that_is_not_sent_says_that_the_earlier_one_counts(store, world, people, visit):
    frozen_study(store, world, rows=item_rows(SPACED))
    rosa = visit("rosa")
    where, page = rosa.next_page()
    rosa.answer(page, label="no-material-edit")
    rosa.send(rosa.page(where).judging_form(), path=f"{where}/draft", label="benign-retention")
    assert "Your earlier answer counts until you send." in told(rosa.page(where))


def test_the_account_leads_back_to_the_item_and_nowhere_else(store, world, people, visit):
    frozen_study(store, world, rows=item_rows(SPACED))
    rosa = visit("rosa")
    where, page = rosa.next_page()
    assert f"/account?back={where}" in page.links
    assert where in rosa.page(f"/account?back={where}").links
    assert rosa.get("/account?back=//elsewhere/review/x").text.count("elsewhere") == 0
