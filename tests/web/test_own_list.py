"""A judge's own index: the list by state, answer, words and page; progress; the sign-off and its receipt."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import event

from app.actions import closing, withdrawing
from app.store import judging, receipts, verify
from tests.house import PROTOCOL, Page, frozen_study, item_rows

SAME, HARM = {"label": "no-material-edit"}, {"label": "destructive-content", "panel": "both", "reason": "negation"}
REVIEWED = PROTOCOL + '[review]\nidentical_pairs = "review"\n'
MANY = PROTOCOL.replace("word_repetition = 4, fluent = 2", "word_repetition = 400, fluent = 400")


def numbers(html):
    """Return the numbers in the list of an index."""
    found = re.search(r'<ol class="entries">.*?</ol>', html, re.DOTALL)
    return [int(each) for each in re.findall(r'class="number">.*?</span>(\d+)<', found[0])] if found else []


def tokens(html):
    found = re.search(r'<ol class="entries">.*?</ol>', html, re.DOTALL)
    return re.findall(r'href="/\w+/([\w-]+)"', found[0]) if found else []


def shown(person, query="", base="/review"):
    answer = person.get(f"{base}{query}")
    assert answer.status_code == 200, answer.text
    return numbers(answer.text)


def search(person, words, base="/review", **more):
    answer = person.send(person.page(base).form_to(base), words=words, **more)
    assert answer.status_code == 200
    return answer.text


def judge_all(person, said, base="/review"):
    while (found := person.next_page(base)) is not None:
        assert person.answer(found[1], **said).status_code == 303
    assert person.sign_off(base).status_code == 303


def place(person, words, base="/review"):
    """Return the number of the one item whose texts hold some words."""
    (found,) = numbers(search(person, words, base))
    return found


@pytest.fixture
def rosa(store, world, people, visit):
    """A reviewer with six items: the first is answered, the second answered and changed, the third drafted."""
    frozen_study(store, world, protocol=REVIEWED)
    rosa = visit("rosa")
    first, second, third = (f"/review/{token}" for token in tokens(rosa.get("/review").text)[:3])
    rosa.answer(rosa.page(first), **SAME)
    rosa.answer(rosa.page(second), **HARM)
    rosa.send(rosa.page(second).judging_form(), path=f"{second}/draft", note="or not?")
    rosa.send(rosa.page(third).judging_form(), path=f"{third}/draft", note="hm")
    rosa.send(rosa.page(first).judging_form(), path=f"{first}/flag")
    return rosa


@pytest.fixture
def many(store, world, people, visit):
    """A reviewer with 230 items."""
    pairs = [("word_repetition", f"ep-{n % 9}", f"so so take {n} of it", f"so take {n} of it") for n in range(230)]
    frozen_study(store, world, protocol=MANY, rows=item_rows(pairs))
    return visit("rosa")


# The list


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [1, 2, 3, 4, 5, 6]),
        ("?show=open", [3, 4, 5, 6]),
        ("?show=answered", [1, 2]),
        ("?show=drafted", [2, 3]),
        ("?show=flagged", [1]),
        ("?answer=no-material-edit", [1]),
        ("?show=drafted&answer=destructive-content", [2]),
        ("?show=open&answer=destructive-content", []),
        ("?answer=unresolved", []),
    ],
)
def test_the_list_shows_what_is_asked_for_with_its_own_numbers(rosa, query, found):
    assert shown(rosa, query) == found


def test_an_answer_is_listed_with_the_text_that_it_names(rosa):
    listed = " ".join(rosa.get("/review").text.split())
    assert "Changes not sent" in listed  # an answer that is being changed is told as that
    rosa.answer(rosa.page(f"/review/{tokens(listed)[2]}"), label="safe-cleanup", panel="B", note="")
    rosa.answer(rosa.page(f"/review/{tokens(listed)[3]}"), **HARM)
    listed = rosa.get("/review").text
    assert "Disfluency gone from B, meaning intact" in listed
    assert "Meaning changed: words, in both" in listed


def test_a_choice_without_words_leads_to_an_address_of_its_own(rosa):
    form = rosa.page("/review").form_to("/review")
    assert rosa.send(form, show="open", page="1").headers["location"] == "/review?show=open"
    assert rosa.send(form, answer="safe-cleanup").headers["location"] == "/review?answer=safe-cleanup"
    assert rosa.send(form).headers["location"] == "/review"


def test_words_are_found_in_either_text_and_in_the_reference_that_is_shown(rosa):
    assert len(numbers(search(rosa, "I WANT the pen"))) == 1  # stands in one text alone
    assert place(rosa, "i i want") == place(rosa, "i want the")
    assert len(numbers(search(rosa, "the same in both"))) == 1
    assert len(numbers(search(rosa, "what number 3 was meant"))) == 1
    assert numbers(search(rosa, "was meant to say")) == [1, 2, 3, 4, 5, 6]
    assert numbers(search(rosa, "was meant to say", show="flagged")) == [1]


def test_what_is_not_shown_is_not_searched(store, world, people, visit):
    rows = [
        row | {"raw_hypothesis": f"raw secret {n}", "tags": ["tagged"], "verbatim_reference": f"verbatim {n}"}
        for n, row in enumerate(item_rows())
    ]
    frozen_study(store, world, protocol=REVIEWED, rows=rows)
    rosa = visit("rosa")
    for words in ("secret", "raw_hypothesis", "tagged", "verbatim", "P-001", "ep-one", "fluent", "invented"):
        assert "No item found" in search(rosa, words), words
    assert len(numbers(search(rosa, "number 1 was"))) == 1


def test_words_stay_in_the_form_and_nowhere_else(rosa, store, caplog):
    caplog.set_level("DEBUG")
    html = search(rosa, "the pen")
    assert 'value="the pen"' in html
    assert not re.search(r'(?:href|action)="[^"]*pen', html)
    assert "the pen" not in caplog.text
    with store.read() as connection:
        events = connection.exec_driver_sql("select detail from audit_event").scalars().all()
    assert not any("pen" in each for each in events)
    assert numbers(rosa.get("/review?words=the+pen").text) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("asked", [{"show": "all of them"}, {"words": "x" * 201}, {"answer": "x"}, {"page": "one"}])
def test_what_the_list_does_not_offer_is_422_with_the_list_still_there(rosa, asked):
    answer = rosa.send(rosa.page("/review").form_to("/review"), **asked)
    assert answer.status_code == 422
    assert numbers(answer.text) == [1, 2, 3, 4, 5, 6]
    assert Page(answer.text).form_to("/review").fields["words"] == [asked.get("words", "")]


def test_a_search_needs_the_form_of_this_session(rosa):
    assert rosa.post("/review", {"words": "pen", "csrf": "wrong"}).status_code == 403


def test_a_long_list_comes_in_pages_that_keep_what_was_asked_for(many):
    assert shown(many) == list(range(1, 101))
    assert shown(many, "?page=3") == list(range(201, 231))
    assert shown(many, "?page=99") == list(range(201, 231))
    html = search(many, "take 1", page="2")  # of 0 to 229 with a 1 in front: 1, 10 to 19, 100 to 199
    assert len(numbers(html)) == 11
    form = Page(html).form_to("/review")
    assert form.fields["words"] == ["take 1"]
    assert many.send(form, words="", show="open", page="3").headers["location"] == "/review?show=open&page=3"


def test_the_list_takes_few_queries_whatever_its_length(many, store):
    seen, engine = [], store.engine

    def count(*arguments):
        seen.append(arguments[2])

    event.listen(engine, "before_cursor_execute", count)
    many.get("/review")
    event.remove(engine, "before_cursor_execute", count)
    assert len(seen) < 25


def test_an_item_keeps_its_number_when_others_are_left_out(many):
    all_of_them = dict(zip(tokens(many.get("/review").text), shown(many), strict=True))
    html = search(many, "take 11")
    for token, number in zip(tokens(html), numbers(html), strict=True):
        assert all_of_them.get(token, number) == number
        assert f"Item {number} of 230" in many.page(f"/review/{token}").text


def test_the_adjudicators_list_is_empty_before_the_queue_opens_whatever_is_asked(study, visit):
    ines = visit("ines")
    for query in ("", "?show=open", "?answer=unresolved"):
        answer = ines.get(f"/adjudicate{query}")
        assert numbers(answer.text) == []
        assert "Words in a text" not in answer.text
    form = ines.page("/adjudicate").form_to("/adjudicate/sign-off")
    answer = ines.post("/adjudicate", {"csrf": form.fields["csrf"][0], "words": "the pen"})
    assert (answer.status_code, numbers(answer.text)) == (200, [])


def test_an_adjudicator_finds_what_could_not_be_settled(study, visit):
    judge_all(visit("rosa"), SAME)
    judge_all(visit("ravi"), HARM)
    ines = visit("ines")
    where, page = ines.next_page("/adjudicate")
    ines.answer(page, **SAME)
    ines.answer(ines.page(where), decision="unresolved", unresolved_reason="needs_policy")
    assert shown(ines, "?answer=unresolved", "/adjudicate") == [1]
    assert "Cannot be settled" in ines.get("/adjudicate?answer=unresolved").text


# Sign-off


def test_the_sign_off_lists_what_is_unanswered_not_sent_and_flagged(rosa):
    html = rosa.get("/review").text
    part = html[html.index("<summary>Sign off") : html.index("I have finished")]
    lists = [re.findall(r">(\d+)<", each) for each in re.findall(r"<ul.*?</ul>", part, re.DOTALL)]
    assert lists == [["3", "4", "5", "6"], ["2", "3"], ["1"]]


def test_a_long_list_of_what_is_unanswered_leads_on_to_the_list(many):
    html = many.get("/review").text
    assert 'href="/review?show=open">and 130 more' in html


@pytest.fixture
def signed(rosa):
    judge_all(rosa, SAME)
    return rosa


def test_a_receipt_is_checked_at_the_moment_it_is_asked_for(signed, store):
    digest = re.search(r'class="digest">(\w{64})<', signed.get("/review").text)[1]
    assert 'href="/review/receipt"' in signed.get("/review").text
    html = signed.get("/review/receipt").text
    assert digest in html
    assert "Yes" in html
    with store.write() as connection:
        connection.exec_driver_sql("update judgement set label = 'benign-retention' where id = 1 + 0 and version = 1")
        connection.exec_driver_sql("update judgement set note = note || '!' where id = (select max(id) from judgement)")
    html = signed.get("/review/receipt").text
    assert "No</strong>" in html
    assert digest in html


def test_without_a_sign_off_there_is_nothing_to_check(rosa):
    assert "nothing to check" in rosa.page("/review/receipt").text


def test_a_reopened_set_has_both_receipts_and_each_still_holds(signed, store, world):
    closing.reopen(store, world, "lena", "pilot", "rosa", "a slip")
    first = f"/review/{tokens(signed.get('/review').text)[0]}"
    signed.answer(signed.page(first), **HARM)
    assert signed.sign_off().status_code == 303
    html = signed.get("/review/receipt").text
    assert html.count("<strong>Yes") == 2
    assert "Signed, then reopened" in html


@pytest.mark.parametrize("noted", [True, False], ids=["with a note", "without"])
def test_a_receipt_holds_when_an_item_left_before_and_another_after_it(store, world, people, visit, noted):
    frozen_study(store, world, protocol=REVIEWED)
    rosa = visit("rosa")
    said = SAME | ({"note": "I knew a garden like this."} if noted else {})
    while (found := rosa.next_page()) is not None:
        rosa.answer(found[1], **said)
    withdrawing.withdraw(store, world, "lena", "pilot", "item", "P-001", "a participant asked")
    assert rosa.sign_off().status_code == 303
    withdrawing.withdraw(store, world, "lena", "pilot", "item", "P-002", "a participant asked")
    assert "<strong>Yes" in rosa.get("/review/receipt").text
    with store.read() as connection:
        assert [each.holds for each in receipts.checked(connection, "pilot")] == [True]
        assert verify.findings(connection) == []


def test_verify_names_a_sign_off_whose_answers_are_others(signed, store):
    with store.write() as connection:
        connection.exec_driver_sql("update judgement set panel = 'B' where panel = 'both'")
    with store.read() as connection:
        found = verify.findings(connection)
    assert "study pilot: the stored answers of rosa no longer give the digest of sign-off 1" in found


def test_a_judge_sees_the_own_receipts_alone(signed, visit):
    assert "nothing to check" in visit("ravi").page("/review/receipt").text


# Progress


def put_forward(app, **by):
    """Put the application's clock forward for good."""
    house = app.state.house
    now = house.world.now
    app.state.house = replace(house, world=replace(house.world, now=lambda: now() + timedelta(**by)))


def test_pace_and_time_left_appear_after_five_answers(many):
    for _ in range(5):
        many.answer(many.next_page()[1], **SAME)
        assert ("Your pace" in many.page("/review").text) is (_ == 4)
    text = " ".join(many.page("/review").text.split())
    assert re.search(r"Your pace: about \d+ seconds an item; about \d+ minutes left\.", text)


def test_a_pause_does_not_slow_the_pace(many, app):
    for number in range(10):
        if number == 5:
            put_forward(app, minutes=6)
        many.answer(many.next_page()[1], **SAME)
    assert re.search(r"about (5|10) seconds an item", many.page("/review").text)


def test_after_fifty_minutes_without_a_pause_a_break_is_suggested_on_list_and_item(many, app):
    for _ in range(13):
        _, page = many.next_page()
        assert "without a pause" not in page.text
        many.answer(page, **SAME)
        put_forward(app, minutes=4)
    assert re.search(r"5\d minutes without a pause", many.next_page()[1].text)
    assert re.search(r"5\d minutes without a pause", many.page("/review").text)
    put_forward(app, minutes=6)
    assert "without a pause" not in many.next_page()[1].text
    assert "without a pause" not in many.page("/review").text


def test_where_work_stopped_is_told_on_a_later_day(store, many, app, visit):
    for _ in range(3):
        many.answer(many.next_page()[1], **SAME)
    assert "You stopped" not in many.page("/review").text
    put_forward(app, hours=20)
    rosa = visit("rosa")  # the session of the day before is over
    text = " ".join(rosa.page("/review").text.split())
    assert "You stopped at item 3, 5 January 2026, 09:" in text


def test_progress_is_of_the_own_list_alone(store, world, people, visit):
    """What others do moves nothing of it."""
    frozen_study(store, world, protocol=REVIEWED)
    rosa, ravi = visit("rosa"), visit("ravi")
    for _ in range(5):
        rosa.answer(rosa.next_page()[1], **SAME)
    with store.read() as connection:
        before = judging.desk(connection, "pilot", 1), judging.tally(connection, "pilot", 1)
    judge_all(ravi, SAME)
    with store.read() as connection:
        assert (judging.desk(connection, "pilot", 1), judging.tally(connection, "pilot", 1)) == before


def test_a_signed_or_closed_set_has_no_pace_and_no_break(signed, store, world):
    assert "Your pace" not in signed.page("/review").text
    closing.close(store, world, "lena", "pilot", "it is enough")
    assert "This study is closed" in signed.page("/review").text
    assert shown(signed, "?show=answered") == [1, 2, 3, 4, 5, 6]
