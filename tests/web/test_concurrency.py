"""The same request fifty times at once, and two tabs on one item."""

from concurrent.futures import ThreadPoolExecutor

from tests.house import PAIRS, Page


def stored(store, sql="select count(*) from judgement"):
    with store.read() as connection:
        return connection.exec_driver_sql(sql).scalar()


def test_the_same_key_fifty_times_at_once_stores_one_row_and_gives_fifty_equal_answers(study, store, visit):
    rosa = visit("rosa")
    _, page = rosa.next_page()
    form = page.judging_form()

    def send(_):
        answer = rosa.send(form, label="no-material-edit", headers={"HX-Request": "true"})
        return answer.status_code, answer.headers.raw, answer.content

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(send, range(50)))
    assert stored(store) == 1
    assert stored(store, "select count(*) from audit_event where event = 'review.stored'") == 1
    assert answers[0][0] == 200
    assert all(answer == answers[0] for answer in answers)


def test_a_stale_form_is_a_conflict_that_keeps_both_answers(study, store, visit):
    rosa = visit("rosa")
    _, page = rosa.next_page()
    assert rosa.answer(page, label="no-material-edit", note="from the first tab").status_code == 303
    answer = rosa.answer(page, label="benign-retention", note="from the second tab")
    assert answer.status_code == 409
    assert "from the first tab" in answer.text
    assert "from the second tab" in answer.text
    assert stored(store) == 1


def test_after_a_conflict_the_form_can_be_sent_again(study, store, visit):
    rosa = visit("rosa")
    _, page = rosa.next_page()
    rosa.answer(page, label="no-material-edit")
    conflict = Page(rosa.answer(page, label="benign-retention").text)
    assert rosa.send(conflict.judging_form()).status_code == 303
    assert stored(store, "select group_concat(label) from judgement") == "no-material-edit,benign-retention"


def test_two_reviewers_at_once_lose_nothing(study, store, visit):
    def review(name):
        person = visit(name)
        while (found := person.next_page()) is not None:
            person.answer(found[1], label="no-material-edit")
        return person.sign_off().status_code

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(review, ["rosa", "ravi"])) == [303, 303]
    judged = sum(off != on for _, _, off, on in PAIRS)
    assert stored(store) == 2 * judged
