"""The third judge's pages: an own judgement first, then the two reviews, then a decision."""

import pytest

from tests.house import PROTOCOL, add_people, frozen_study

SAME, HARM = {"label": "no-material-edit"}, {"label": "destructive-content", "panel": "A", "reason": "negation"}


def judge_all(person, said, base="/review"):
    while (found := person.next_page(base)) is not None:
        assert person.answer(found[1], **said).status_code == 303
    assert person.sign_off(base).status_code == 303


@pytest.fixture
def differing(study, visit):
    """Two reviewers who differ on every item."""
    judge_all(visit("rosa"), SAME)
    judge_all(visit("ravi"), HARM)


def test_the_queue_is_shut_until_all_reviews_are_signed(study, visit):
    judge_all(visit("rosa"), SAME)
    ines = visit("ines")
    assert "Not open yet" in ines.page("/adjudicate").text
    assert ines.next_page("/adjudicate") is None
    assert ines.sign_off("/adjudicate").status_code == 409


def test_the_reviews_are_unfolded_only_after_the_own_judgement(differing, visit):
    ines = visit("ines")
    where, page = ines.next_page("/adjudicate")
    assert "One review" not in page.text
    assert "decision" not in page.judging_form().names
    ines.answer(page, **SAME)
    again = ines.next_page("/adjudicate")
    assert again[0] == where
    assert "One review" in again[1].text
    assert "Negation" in again[1].text


def test_a_decision_must_be_chosen_and_cannot_settle_needs_a_reason(differing, visit):
    ines = visit("ines")
    where, page = ines.next_page("/adjudicate")
    ines.answer(page, **SAME)
    page = ines.page(where)
    assert ines.answer(page, **SAME).status_code == 422
    assert ines.answer(page, decision="unresolved").status_code == 422
    assert ines.answer(page, decision="maybe").status_code == 422
    assert ines.answer(page, decision="unresolved", unresolved_reason="codebook_unclear").status_code == 303


def test_the_second_step_may_be_revised_until_sign_off(differing, visit, store):
    ines = visit("ines")
    where, page = ines.next_page("/adjudicate")
    ines.answer(page, **SAME)
    ines.answer(ines.page(where), decision="keep")
    assert ines.answer(ines.page(where), decision="change", **HARM).status_code == 303
    with store.read() as connection:
        kept = connection.exec_driver_sql(
            "select step, decision, label from judgement where decision is not null"
        ).all()
    assert [tuple(row) for row in kept] == [
        ("final", "keep", "no-material-edit"),
        ("final", "change", "destructive-content"),
    ]


def test_a_protocol_without_own_judgement_shows_the_reviews_at_once_and_offers_no_keep(store, world, visit):
    add_people(store, world)
    frozen_study(store, world, protocol=PROTOCOL + "[adjudication]\nown_judgement_first = false\n")
    judge_all(visit("rosa"), SAME)
    judge_all(visit("ravi"), HARM)
    ines = visit("ines")
    _, page = ines.next_page("/adjudicate")
    assert "One review" in page.text
    assert 'value="keep"' not in ines.get(ines.get("/adjudicate/next").headers["location"]).text
    assert ines.answer(page, decision="keep", **SAME).status_code == 422
    assert ines.answer(page, decision="change", **SAME).status_code == 303
    assert ines.next_page("/adjudicate")[0] != ines.get("/adjudicate").url.path


def test_an_adjudicator_with_nothing_to_decide_signs_off_all_the_same(study, visit):
    for name in ("rosa", "ravi"):
        judge_all(visit(name), SAME)
    ines = visit("ines")
    assert "Nothing to decide" in ines.page("/adjudicate").text
    assert ines.sign_off("/adjudicate").status_code == 303
    assert "Ready to close" in visit("lena").page("/lead/studies/pilot").text
