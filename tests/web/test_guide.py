"""The guide on its page and beside the form: one source, as frozen with the study."""

import pytest

from app.domain import codebook
from app.web.guidance import packaged
from tests.house import PROTOCOL, frozen_study, item_rows, practice_row
from tests.web.way import PAIRS

GUIDE = packaged()
OLD = 'title = "How it was told"\n[[sections]]\ntitle = "When?"\nparagraphs = ["Always."]\nexamples = ["“a” and “b”"]\n'


@pytest.fixture
def study(store, world, people):
    rules = PROTOCOL + "[review]\npractice = true\n"
    return frozen_study(store, world, protocol=rules, rows=[*item_rows(PAIRS), practice_row()])


def told(page):
    """Return what a page says, in one line."""
    return " ".join(page.text.split())


def test_the_guide_asks_every_step_in_order_and_leads_to_its_answer(study, visit):
    rosa = visit("rosa")
    page = rosa.page("/guide")
    places = [page.text.index(step.question) for step in (*GUIDE.path, GUIDE.otherwise)]
    assert places == sorted(places)
    assert {f"#answer-{label.key}" for label in codebook.LABELS} <= set(page.links)
    assert all(f'id="answer-{label.key}"' in rosa.get("/guide").text for label in codebook.LABELS)


def test_the_guide_shows_both_texts_of_every_pair_with_answer_and_why(study, visit):
    page = told(visit("rosa").page("/guide"))
    for pair in (*GUIDE.edges, *(pair for each in GUIDE.answers.values() for pair in each.pairs)):
        assert all(" ".join(text.split()) in page for text in (pair.a, pair.b))
        assert " ".join(pair.why.split()) in page


def test_the_room_beside_the_answers_says_what_the_guide_says(study, visit):
    rosa = visit("rosa")
    for page in (rosa.next_page()[1], rosa.practise() and rosa.next_page()[1]):
        found = told(page)
        assert all(step.short in found for step in (*GUIDE.path, GUIDE.otherwise))
        assert all(GUIDE.answers[label.key].pairs[0].why in found for label in codebook.LABELS)


def test_feedback_names_the_step_of_the_guide_that_holds(study, visit):
    rosa = visit("rosa")
    where, page = rosa.next_page()
    rosa.answer(page, label="no-material-edit")
    assert f"Step 2 of the guide: {GUIDE.path[1].short}" in told(rosa.page(where))


def test_guidelines_frozen_by_an_earlier_version_are_shown_as_they_were(study, visit, store):
    with store.write() as connection:
        connection.exec_driver_sql("update study set guidelines = ?", (OLD,))
    rosa = visit("rosa")
    page = told(rosa.page("/guide"))
    assert "How it was told" in page
    assert "Always." in page
    assert GUIDE.path[0].question not in page
    assert GUIDE.path[0].short in told(rosa.next_page()[1])


def test_without_a_study_the_packaged_guide_is_shown(visit, people):
    assert GUIDE.path[0].question in told(visit("lena").page("/guide"))
