"""The lead withdraws in two deliberate steps; judges are told calmly, and nothing of why, who or which."""

from tests.house import PROTOCOL, Page, draft_study, frozen_study

PLACE = "/lead/studies/pilot/withdraw"


def ask(person, **said):
    return person.send(person.page(PLACE).form_to(PLACE), **said)


def confirmed(person, **said):
    page = Page(ask(person, **said).text)
    return person.send(page.form_to(PLACE), confirm="yes")


def count(store, sql):
    with store.read() as connection:
        return connection.exec_driver_sql(sql).scalar()


ITEM = {"kind": "item", "value": "P-001", "reason": "a participant asked"}
CLUSTER = {"kind": "cluster", "value": "ep-one", "reason": "a participant asked"}
SOURCE = {"kind": "source", "value": "invented", "reason": "taken back by its publisher"}


def test_the_first_step_says_what_would_happen_and_does_nothing(visit, study, store):
    answer = ask(visit("lena"), **CLUSTER)
    assert answer.status_code == 200
    assert "Withdraw 3 items of 6?" in answer.text
    assert "This cannot be undone" in answer.text
    assert count(store, "select count(*) from item where withdrawal is not null") == 0


def test_the_second_step_withdraws_and_the_page_lists_it(visit, study, store):
    lena = visit("lena")
    answer = confirmed(lena, **CLUSTER)
    assert (answer.status_code, answer.headers["location"]) == (303, PLACE)
    assert count(store, "select count(*) from item where withdrawal is not null") == 3
    page = lena.get(PLACE).text
    assert "3 items" in page
    assert "a participant asked" in page
    assert "by lena" in page
    assert "ep-one" not in page
    assert "3 of them" in lena.get("/lead/studies/pilot").text
    assert "(2 withdrawn)" in lena.get("/lead/studies/pilot/items").text


def test_what_changed_between_the_steps_is_asked_again(visit, study, store):
    lena, other = visit("lena"), visit("lena")
    page = Page(ask(lena, **CLUSTER).text)
    confirmed(other, **ITEM)
    answer = lena.send(page.form_to(PLACE), confirm="yes")
    assert answer.status_code == 409
    assert "2 items now, not 3" in answer.text
    assert count(store, "select count(*) from item where withdrawal is not null") == 1


def test_every_faulty_field_is_told_and_what_was_typed_is_kept(visit, study, store):
    lena = visit("lena")
    for wrong, told in (
        ({"value": "P-999"}, "no item of this study has this id"),
        ({"reason": " "}, "expected text of 1 to"),
        ({"reason": "about P-001"}, "holds something private of the study"),
        ({"kind": "stratum"}, "expected one of: item, cluster, source"),
    ):
        answer = ask(lena, **ITEM | wrong)
        assert answer.status_code == 422
        assert told in answer.text
    both = ask(lena, **ITEM | {"value": "P-999", "reason": " "}).text
    assert 'id="error-value"' in both
    assert 'id="error-reason"' in both
    assert 'value="a participant asked"' in ask(lena, **ITEM | {"value": "P-999"}).text
    assert count(store, "select count(*) from withdrawal") == 0


def test_a_confirmation_without_the_number_it_was_shown_is_no_confirmation(visit, study, store):
    assert ask(visit("lena"), **ITEM, confirm="yes").status_code == 200
    assert ask(visit("lena"), **ITEM, confirm="yes", expected="many").status_code == 200
    assert count(store, "select count(*) from withdrawal") == 0


def test_a_judge_with_the_item_open_is_told_calmly_and_goes_on(visit, study):
    rosa, lena = visit("rosa"), visit("lena")
    where, page = rosa.next_page()
    number = next(
        number
        for number in range(1, 7)
        if (rosa.client and f"What number {number} was meant to say." in rosa.get(where).text)
    )
    confirmed(lena, **ITEM | {"value": f"P-{number:03}"})
    for answer in (rosa.get(where), rosa.answer(page, label="no-material-edit")):
        assert answer.status_code == 409
        assert "no longer part of the study" in answer.text
        assert "participant" not in answer.text
    form = page.judging_form()
    assert rosa.send(form, path=f"{where}/draft", note="half a thought").status_code == 409
    sent = rosa.send(form, headers={"HX-Request": "true"}, label="no-material-edit")
    assert (sent.status_code, sent.headers["hx-redirect"]) == (409, where)
    assert "of 3 answered" in Page(rosa.get("/review").text).text
    other, page = rosa.next_page()
    assert other != where
    assert "Item 1 of 3" in page.text


def test_numbers_stay_without_a_gap(visit, study):
    rosa, lena = visit("rosa"), visit("lena")
    confirmed(lena, **ITEM)
    paths = [link for link in rosa.page("/review").links if link.startswith("/review/") and not link.endswith("next")]
    titles = [rosa.page(path).text for path in dict.fromkeys(paths)]
    assert len(titles) == 3
    assert all(f"Item {number} of 3" in title for number, title in enumerate(titles, start=1))


def test_an_item_that_was_never_in_the_adjudicators_queue_stays_404(visit, study, store):
    lena, ines = visit("lena"), visit("ines")
    token = count(store, "select token from slot where adjudication and item = 1")
    confirmed(lena, **ITEM)
    for name in ("rosa", "ravi"):
        person = visit(name)
        while (found := person.next_page()) is not None:
            person.answer(found[1], label="no-material-edit")
        person.sign_off()
    assert ines.get("/adjudicate").status_code == 200
    assert ines.get(f"/adjudicate/{token}").status_code == 404


def test_somebody_elses_withdrawn_item_stays_404(visit, study, store):
    token = count(
        store, "select token from slot join account a on a.id = account_id where item = 1 and a.name = 'ravi'"
    )
    confirmed(visit("lena"), **ITEM)
    assert visit("rosa").get(f"/review/{token}").status_code == 404
    assert visit("ravi").get(f"/review/{token}").status_code == 409


def test_revoking_on_the_rights_page_refuses_the_source_and_withdraws_its_items(visit, study, store):
    lena = visit("lena")
    rights = "/lead/studies/pilot/rights"
    page = Page(lena.send(lena.page(rights).form_to(PLACE), reason="taken back by its publisher").text)
    assert "the verdict will be BLOCKED" in page.text
    assert lena.send(page.form_to(PLACE), confirm="yes").status_code == 303
    told = Page(lena.get(rights).text).text
    assert "refused" in told
    assert "lena replaced approved" in " ".join(told.split())
    assert "taken back by its publisher" in told
    assert "Revoke the rights" not in told
    assert "6 items, 6 of them withdrawn" in told


def test_a_closed_study_still_erases_and_says_so(visit, study, store):
    lena = visit("lena")
    place = "/lead/studies/pilot"
    lena.send(lena.page(place).form_to(f"{place}/close"), reason="we stop here")
    before = lena.get(f"{place}/results").text
    page = ask(lena, **SOURCE)
    assert "its counts and its memo stay as they are" in page.text
    assert confirmed(lena, **SOURCE).status_code == 303
    assert count(store, "select count(*) from item where content is not null") == 0
    assert lena.get(f"{place}/results").text == before
    assert "after the close" in lena.get(PLACE).text


def test_from_a_draft_items_are_removed(visit, store, world, people):
    draft_study(store, world)
    lena = visit("lena")
    assert "Remove 3 items of 6?" in ask(lena, **CLUSTER).text
    assert confirmed(lena, **CLUSTER).status_code == 303
    assert count(store, "select count(*) from item") == 3


def test_only_studies_that_one_leads_are_named_as_having_the_same(visit, study, store, world):
    for name, leads in (("second", ["lena"]), ("third", ["otto"])):
        rules = PROTOCOL.replace('"pilot"', f'"{name}"')
        frozen_study(store, world, protocol=rules)
        with store.write() as connection:
            if leads == ["otto"]:
                connection.exec_driver_sql("delete from member where study_id = 'third' and role = 'lead'")
    told = ask(visit("lena"), **ITEM).text
    assert "second" in told
    assert "third" not in told


def test_files_that_are_still_read_are_told_on_the_page(visit, study, store, monkeypatch):
    monkeypatch.setattr("app.store.db.PATIENCE", 50)
    lena = visit("lena")
    with store.engine.connect() as reader:
        reader.exec_driver_sql("BEGIN")
        reader.exec_driver_sql("select count(*) from item").scalar()
        assert confirmed(lena, **ITEM).status_code == 303
        assert "still being read" in lena.get(PLACE).text
        reader.rollback()
    assert ask(lena, **ITEM).status_code == 422
    store.finish_erasure()
    assert "still being read" not in lena.get(PLACE).text
