"""The practice round: first, with feedback at once, in texts A and B and never in arms."""

import re
from collections import Counter

import pytest

from app.actions import practising, replacing, withdrawing
from app.actions.reviewing import Judge
from tests.house import PROTOCOL, Page, frozen_study, item_rows, practice_row
from tests.sounds import wav
from tests.web.way import PAIRS

RULES = PROTOCOL + "[review]\npractice = true\n"
ROUND = [practice_row(number) for number in (1, 2, 3)]


@pytest.fixture
def study(store, world, people):
    return frozen_study(store, world, protocol=RULES, rows=item_rows(PAIRS) + ROUND)


@pytest.fixture
def rosa(study, visit):
    return visit("rosa")


def shorter(page):
    """Return the text that lost the negation."""
    return "A" if len(page.panels["A"]) < len(page.panels["B"]) else "B"


def answered(person, **said):
    """Answer the next practice item; return its address and the page with the feedback."""
    where, page = person.next_page()
    sent = person.answer(
        page, **(said or {"label": "destructive-content", "panel": shorter(page), "reason": "negation"})
    )
    assert (sent.status_code, sent.headers["location"]) == (303, where)
    return where, person.page(where)


def test_the_round_comes_before_the_first_item(rosa, store):
    for _ in ROUND:
        assert "/practice/" in answered(rosa)[0]
    assert "/practice/" not in rosa.next_page()[0]
    with store.read() as connection:
        item = connection.exec_driver_sql("select token from slot where account_id = 1").scalar()
    assert rosa.get(f"/review/{item}").status_code == 200


def test_an_item_opened_by_its_address_leads_to_the_round_first_and_no_form_shows_it_before(rosa, store):
    with store.read() as connection:
        item = connection.exec_driver_sql("select token from slot where account_id = 1").scalar()
    assert rosa.get(f"/review/{item}").headers["location"] == "/review/next"
    csrf = re.search(r'name="csrf" value="([^"]+)"', rosa.get("/review").text)[1]
    for path, fields in (("", {}), ("/draft", {"version": "99"}), ("/draft", {"version": "0"})):
        answer = rosa.post(f"/review/{item}{path}", {"csrf": csrf, "note": "first", **fields})
        assert "data-panel" not in answer.text
        assert answer.status_code in {303, 409}
    assert rosa.get(f"/review/{item}/audio").status_code == 404
    with store.read() as connection:
        assert connection.exec_driver_sql("select count(*) from draft").scalar() == 0


def test_a_new_round_is_begun_in_the_study_of_the_page_alone(rosa, store):
    for _ in ROUND:
        answered(rosa)
    page = rosa.page("/review/practice")
    form = page.form_to("/review/practice")
    assert rosa.send(form, study="another").status_code == 409
    assert rosa.send(form).status_code == 303


def test_a_right_answer_is_told_with_its_explanation(rosa):
    _, page = answered(rosa)
    assert "As expected" in page.text
    assert "A “not” is gone." in page.text


def test_a_wrong_answer_is_told_beside_the_expected_one_in_texts_and_never_in_arms(rosa):
    _, page = answered(rosa, label="benign-retention")
    assert "Another answer was expected" in page.text
    told = page.text[page.text.index("The expected answer") : page.text.index("Next practice item")]
    assert f"Text {shorter(page)}" in told
    assert not re.search(r"\b(arm|filter\w*|off|on)\b", told, re.IGNORECASE)


def test_the_first_answer_stands(rosa, store):
    where, _ = answered(rosa, label="benign-retention")
    with store.read() as connection:
        before = connection.exec_driver_sql("select answer, right from practice where answer is not null").all()
    form = {"csrf": rosa.page("/account").form_to("/logout").fields["csrf"], "label": "no-material-edit"}
    assert rosa.post(where, form).status_code == 303
    with store.read() as connection:
        assert connection.exec_driver_sql("select answer, right from practice where answer is not null").all() == before


def test_a_faulty_answer_is_422_with_its_input_kept(rosa):
    _, page = rosa.next_page()
    sent = rosa.answer(page, label="safe-cleanup")
    assert sent.status_code == 422
    assert Page(sent.text).judging_form().fields["label"] == ["safe-cleanup"]


def test_for_htmx_the_answer_is_the_items_own_fragment_with_the_feedback(rosa):
    _, page = rosa.next_page()
    sent = rosa.send(page.judging_form(), headers={"HX-Request": "true"}, label="benign-retention")
    assert sent.status_code == 200
    assert sent.text.startswith('<section id="item"')
    assert "Another answer was expected" in sent.text


def test_the_summary_says_how_it_went_and_a_new_round_begins_anew(rosa, store):
    first = {answered(rosa)[0] for _ in ROUND}
    assert "3 of 3 as expected" in rosa.page("/review/practice").text
    assert rosa.send(rosa.page("/review/practice").form_to("/review/practice")).status_code == 303
    page = rosa.page("/review/practice")
    assert "0 of 3" in page.text
    fresh = {link for link in page.links if "/review/practice/" in link}
    assert fresh.isdisjoint(first)
    assert rosa.get(first.pop()).status_code == 404
    assert "/practice/" not in rosa.next_page()[0], "a second round is nobody's duty"


def begin_again(person):
    page = person.page("/review/practice")
    assert person.send(page.form_to("/review/practice")).status_code == 303


def test_where_the_study_asks_for_a_share_the_round_comes_again_until_it_is_reached(store, world, people, visit):
    rules = RULES + "practice_pass = 0.6\n"
    frozen_study(store, world, protocol=rules, rows=item_rows(PAIRS) + ROUND)
    rosa = visit("rosa")
    with store.read() as connection:
        item = connection.exec_driver_sql("select token from slot where account_id = 1").scalar()
    assert "2 of 3 answers or more must be as expected" in rosa.page("/review/practice").text
    for said in ({}, {"label": "benign-retention"}, {"label": "benign-retention"}):
        answered(rosa, **said)
    page = rosa.page("/review/practice")
    assert "1 of 3 as expected. In this study it must be 2 or more" in page.text
    assert "Go on to the study" not in page.text
    assert rosa.get("/review/next").headers["location"] == "/review/practice"
    assert rosa.get(f"/review/{item}").headers["location"] == "/review/next"
    begin_again(rosa)
    for said in ({}, {"label": "benign-retention"}, {}):
        answered(rosa, **said)
    assert "Go on to the study" in rosa.page("/review/practice").text
    assert rosa.get(f"/review/{item}").status_code == 200
    begin_again(rosa)
    for _ in ROUND:
        where = next(link for link in rosa.page("/review/practice").links if link.startswith("/review/practice/"))
        rosa.answer(rosa.page(where), label="benign-retention")
    assert rosa.get(f"/review/{item}").status_code == 200, "once reached, later rounds are nobody's duty"


def test_each_judge_practises_and_the_adjudicator_need_not_wait_for_the_queue(study, visit):
    ines = visit("ines").practise("/adjudicate")
    assert "3 of 3 answered" in " ".join(ines.page("/adjudicate/practice").text.split())
    assert ines.get("/adjudicate/next").headers["location"] == "/adjudicate"


def test_nothing_of_it_enters_the_study(rosa, store):
    rosa.practise()
    with store.read() as connection:
        assert connection.exec_driver_sql("select count(*) from judgement").scalar() == 0
        assert connection.exec_driver_sql("select count(*) from slot where account_id = 1").scalar() == len(PAIRS)


def test_a_withdrawn_practice_item_is_in_nobodys_round_any_more(rosa, store, world):
    withdrawing.withdraw(store, world, "lena", "pilot", "item", "T-2", "a participant asked")
    assert "0 of 2" in rosa.page("/review/practice").text
    rosa.practise()
    assert "/practice/" not in rosa.next_page()[0]


def test_a_study_without_a_round_has_no_page_for_it(store, world, people, visit):
    frozen_study(store, world, rows=item_rows(PAIRS))
    assert visit("rosa").get("/review/practice").status_code == 404


def test_nothing_is_answered_before_the_round(rosa, store):
    with store.read() as connection:
        token = connection.exec_driver_sql("select token from slot where account_id = 1").scalar()
    csrf = rosa.page("/account").form_to("/logout").fields["csrf"]
    form = {"csrf": csrf, "version": "0", "key": "k", "label": "no-material-edit"}
    assert rosa.post(f"/review/{token}", form).status_code == 409
    assert rosa.post(f"/review/{token}/flag", form).status_code == 409
    assert rosa.post(f"/review/{token}/flag", form, **{"HX-Request": "true"}).status_code == 409
    with store.read() as connection:
        assert connection.exec_driver_sql("select count(*) from judgement").scalar() == 0


def test_the_list_is_empty_and_finds_no_word_before_the_round(rosa):
    csrf = rosa.page("/account").form_to("/logout").fields["csrf"]
    assert "entries" not in rosa.get("/review").text
    assert "entries" not in rosa.post("/review", {"csrf": csrf, "words": "line"}).text
    rosa.practise()
    assert "entries" in rosa.get("/review").text


def test_the_sides_of_a_round_are_each_drawn_by_itself_so_that_many_rounds_tell_no_arm(study, store, world):
    judge, counts = Judge(1, "rosa", study), Counter()
    for _ in range(64):
        practising.again(store, world, judge)
        with store.read() as connection:
            found = connection.exec_driver_sql("select sum(on_panel = 'A') from practice where account_id = 1")
            counts[found.scalar()] += 1
    assert set(counts) == {0, 1, 2, 3}, "balanced, every round would be an equation in the arms"


def test_whoever_was_replaced_before_practising_is_led_to_no_round(rosa, store, world):
    replacing.replace(store, world, "lena", "pilot", "rosa", "otto", "she moved away")
    assert rosa.get("/review/next").headers["location"] == "/review"


def test_a_practice_item_has_its_recording(store, world, people, visit):
    rows = [*item_rows(PAIRS), practice_row() | {"audio": "a.wav"}]
    frozen_study(store, world, protocol=RULES, rows=rows, sounds={"a.wav": wav()})
    rosa, ravi = visit("rosa"), visit("ravi")
    where, _ = rosa.next_page()
    assert f"{where}/audio" in rosa.get(where).text
    heard = rosa.get(f"{where}/audio", headers={"Range": "bytes=0-3"})
    assert (heard.status_code, heard.content) == (206, b"RIFF")
    assert ravi.get(f"{where}/audio").status_code == 404


def test_an_item_that_was_withdrawn_says_so(rosa, store, world):
    where, page = rosa.next_page()
    number = page.panels["A"][-1]
    withdrawing.withdraw(store, world, "lena", "pilot", "item", f"T-{number}", "a participant asked")
    assert rosa.get(where).status_code == 409
    assert "no longer part of the study" in rosa.get(where).text
