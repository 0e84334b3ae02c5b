"""What is a person's own: how pages look, whether single keys act, and a judge's flags."""

import pytest

from tests.house import Page
from tests.web.test_review_form import Controls, stored
from tests.web.way import snapshot

HX = {"HX-Request": "true"}


def set_look(person, **said):
    return person.send(person.page("/account").form_to("/account/look"), **said)


def test_light_or_dark_and_the_size_of_text_follow_the_person(study, visit):
    rosa = visit("rosa")
    assert "data-theme" not in rosa.get("/review").text
    assert set_look(rosa, theme="dark", text_size="largest").status_code == 303
    for person in (rosa, visit("rosa")):
        assert 'data-theme="dark" data-size="largest"' in person.get("/review").text
    assert "data-theme" not in visit("ravi").get("/review").text


def test_single_keys_are_switched_off_for_one_account(study, visit):
    rosa = visit("rosa")
    where, _ = rosa.next_page()
    assert {"js/keys.js", "data-keys", 'id="keys"'} == {
        each for each in ("js/keys.js", "data-keys", 'id="keys"') if each in rosa.get(where).text
    }
    assert set_look(rosa, shortcuts=None).status_code == 303
    html = rosa.get(where).text
    assert not any(each in html for each in ("js/keys.js", "data-keys", 'id="keys"', "data-keyed"))


@pytest.mark.parametrize("said", [{"theme": "mauve"}, {"text_size": "huge"}, {"theme": ""}])
def test_a_look_that_is_none_is_refused_beside_its_field(study, store, visit, said):
    rosa = visit("rosa")
    before = snapshot(store)
    answer = set_look(rosa, **said)
    assert answer.status_code == 422
    assert f'id="error-{next(iter(said))}"' in answer.text
    assert snapshot(store) == before


def flag(person, where, act="flag", headers=None, **said):
    return person.send(person.page(where).judging_form(), path=f"{where}/{act}", headers=headers, **said)


def test_a_flag_stands_in_the_own_list_and_at_sign_off_until_it_is_taken_away(study, visit):
    rosa = visit("rosa")
    where, _ = rosa.next_page()
    assert flag(rosa, where).headers["location"] == where
    assert "You flagged 1 for later" in rosa.get("/review").text
    assert f"{where}/unflag" in {given.get("formaction") for given in buttons(rosa.get(where).text)}
    assert flag(rosa, where, headers=HX).status_code == 204
    assert flag(rosa, where, "unflag").status_code == 303
    page = rosa.get("/review").text
    assert "You flagged" not in page
    assert "flagged" not in page[page.index("<ol") :].lower(), "no line of the list bears it"


def buttons(html):
    return [given for _, controls in Controls(html).forms for tag, given in controls if tag == "button"]


def test_a_flag_is_seen_by_nobody_else(study, visit):
    rosa, ravi = visit("rosa"), visit("ravi")
    before = ravi.get("/review").text, visit("lena").get("/lead/studies/pilot").text.split("csrf")[0]
    flag(rosa, rosa.next_page()[0])
    assert (ravi.get("/review").text, visit("lena").get("/lead/studies/pilot").text.split("csrf")[0]) == before


def test_flagging_without_a_script_keeps_what_was_entered(study, store, visit):
    rosa = visit("rosa")
    where, _ = rosa.next_page()
    assert flag(rosa, where, label="benign-retention", note="half").status_code == 303
    fields = rosa.page(where).judging_form().fields
    assert (fields["label"], fields["note"], stored(store)) == (["benign-retention"], ["half"], [])


def test_flagging_an_untouched_item_makes_no_draft(study, store, visit):
    rosa = visit("rosa")
    flag(rosa, rosa.next_page()[0])
    assert snapshot(store)["draft"] == []


def test_the_neighbours_of_an_item_are_those_of_the_own_list(study, visit):
    rosa = visit("rosa")
    listed = [
        link for link in Page(rosa.get("/review").text).links if link.startswith("/review/") and "next" not in link
    ]
    listed = list(dict.fromkeys(listed))
    for before, where, after in zip([None, *listed], listed, [*listed[1:], None], strict=False):
        links = Page(rosa.get(where).text).links
        assert {before, after} - {None} <= set(links)
        assert not (set(listed) - {before, where, after}) & set(links)
