"""After the close the lead looks at single cases: texts with their arms, codings without names, each look on record."""

import pytest

from app.actions import closing, withdrawing
from app.store import audit
from tests.house import item_rows
from tests.web.way import PAIRS

PLACE = "/lead/studies/pilot/cases"


def review(person, base="/review", **said):
    while (found := person.next_page(base)) is not None:
        answer = person.answer(found[1], **said)
        assert answer.status_code == 303, answer.text
    person.sign_off(base)


@pytest.fixture
def closed(store, world, study, visit):
    """A study in which two reviewers disagree on everything, and the third settles or leaves it."""
    review(visit("rosa"), label="destructive-content", panel="both", reason="negation", note="sounded tired")
    review(visit("ravi"), label="unassessable-disputed", reason="source_ambiguous")
    ines = visit("ines")
    left = True
    while (found := ines.next_page("/adjudicate")) is not None:
        settling = "decision" in found[1].judging_form().names
        said = {"decision": "unresolved", "unresolved_reason": "needs_policy"} if left else {"decision": "keep"}
        ines.answer(found[1], label="unassessable-disputed", reason="segment_cut_off", **(said if settling else {}))
        left = left and not settling
    ines.sign_off("/adjudicate")
    closing.close(store, world, "local", "pilot")


def seen(store):
    with store.read() as connection:
        return [event.detail for event in audit.events(connection, "cases.seen")]


def test_a_case_shows_both_texts_by_arm_the_reference_and_the_codings_with_their_reasons(visit, closed):
    page = visit("lena").page(f"{PLACE}?kind=disputed").text
    headings = ("Filter off", "Filter on", "What was meant", "Another review")
    for told in (*headings, "Negation", "It needs a decision on policy"):
        assert told in page, told


def test_neither_name_nor_note_nor_id_is_on_the_page(visit, closed):
    lena = visit("lena")
    page = lena.get(PLACE).text
    body = page[page.index('class="sheet case"') :]
    assert not [word for word in ("rosa", "ravi", "ines", "sounded tired", "P-00", "ep-one") if word in body]


def test_cases_are_counted_by_kind_and_filtered_by_it(visit, closed):
    lena = visit("lena")
    assert "Disputed (1)" in lena.get(PLACE).text
    assert lena.get(f"{PLACE}?kind=disputed").text.count('class="sheet case"') == 1
    assert "There is no such case" in lena.get(f"{PLACE}?kind=pending").text


@pytest.mark.parametrize("query", ["?kind=fine", "?page=0", "?page=99", "?page=x", "?page=1234567890123456789"])
def test_a_page_that_there_is_not_is_not_found_and_no_look(visit, closed, store, query):
    assert visit("lena").get(f"{PLACE}{query}").status_code in {404, 422}
    assert seen(store) == []


def test_each_look_is_one_event_with_counts_alone(visit, closed, store):
    lena = visit("lena")
    lena.get(PLACE)
    lena.get(f"{PLACE}?kind=disputed")
    assert [(each["kind"], each["page"], each["items"]) for each in seen(store)] == [("all", 1, 4), ("disputed", 1, 1)]


def test_before_the_close_a_look_is_refused_and_the_refusal_is_on_record(visit, study, store):
    answer = visit("lena").get(PLACE)
    assert answer.status_code == 409
    assert "Filter on" not in answer.text
    with store.read() as connection:
        assert [event.actor for event in audit.events(connection, "outcome.refused")] == ["lena"]


def test_what_was_erased_after_the_close_keeps_its_place_without_its_texts(visit, closed, store, world):
    withdrawing.withdraw(store, world, "lena", "pilot", "source", "invented", "taken back")
    page = visit("lena").get(PLACE).text
    assert "erased by a withdrawal after the close" in page
    assert not [row["on"] for row in item_rows(PAIRS) if row["on"] in page]


def test_nothing_of_a_case_can_be_exported(visit, closed):
    page = visit("lena").page(PLACE)
    assert [form.action for form in page.forms if "cases" in form.action] == []
    assert not [link for link in page.links if "cases" in link and not link.partition("?")[0].endswith("/cases")]
