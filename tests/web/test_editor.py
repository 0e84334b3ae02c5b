"""The protocol editor: every field on the page, a preview that changes nothing, a save that overwrites nobody."""

import re

import pytest

from app.actions import preparing
from app.config import DEMO_MARK
from app.domain.explanation import SECTIONS
from app.domain.protocol import BY_SECTION
from app.store import audit, studies, verify
from app.web.protocol_form import APART, MOST_ROWS
from tests.house import PROTOCOL, Page, draft_study

PLACE = "/lead/studies/pilot"
EDIT = f"{PLACE}/protocol/edit"


@pytest.fixture
def lead(visit, store, world, people):
    draft_study(store, world)
    return visit("lena")


def form_of(lead, path=EDIT):
    return lead.page(path).form_to(EDIT)


def stored(store):
    with store.read() as connection:
        return studies.protocol_of(studies.get(connection, "pilot"))


def saved(store):
    with store.read() as connection:
        return audit.events(connection, "protocol.set")


def words(answer):
    return " ".join(Page(answer.text).text.split())


def test_the_page_has_every_built_field_with_its_explanation(lead):
    html = lead.get(EDIT).text
    told = " ".join(Page(html).text.split())
    for section, fields in BY_SECTION.items():
        assert SECTIONS[section] in told
        for field in fields:
            assert field.explanation.text in told, field.name
            assert all(meaning in told for meaning in field.explanation.choices.values()), field.name
            if field.explanation.control not in APART:
                assert re.search(rf'name="{re.escape(field.name)}[".]', html), field.name


def test_a_default_is_marked(lead):
    html = lead.get(EDIT).text
    assert re.search(r'value="exact" checked>.*?class="safe">default<', html)
    assert not re.search(r'value="whitespace"[^>]*>[^/]*/strong> <span class="safe">', html)
    assert "Default: 10000." in words(lead.get(EDIT))


def test_an_untouched_form_saves_the_same_protocol_in_one_event(lead, store):
    before = stored(store)
    answer = lead.send(form_of(lead), to="save")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{EDIT}?saved=yes")
    assert stored(store) == before
    (event,) = saved(store)
    assert event.actor == "lena"
    with store.read() as connection:
        assert verify.findings(connection) == []


def test_what_is_entered_is_saved_and_shown_again(lead, store):
    changes = {"study.title": "Another title", "review.highlight": "false", "row.0.number": "7", "row.2.name": "more"}
    answer = lead.send(form_of(lead), **changes, **{"row.2.number": "9", "row.2.role": "control"})
    assert answer.status_code == 303, words(answer)
    rules = stored(store)
    assert (rules.title, rules["review.highlight"], rules.controls) == ("Another title", False, {"fluent", "more"})
    assert sum(rules.strata.values()) == 7 + 4 + 9
    assert "Saved." in words(lead.get(answer.headers["location"]))
    assert form_of(lead).fields["study.title"] == ["Another title"]


def test_every_faulty_field_is_told_beside_it_and_above_and_nothing_is_saved(lead, store):
    before = stored(store)
    faulty = {"row.0.number": "many", "statistics.confidence": "95", "engine.filter_config": "{", "study.scope": "all"}
    answer = lead.send(form_of(lead), **faulty, **{"study.title": "Kept"})
    assert answer.status_code == 422
    for name in faulty:
        assert f'id="error-{name}"' in answer.text, name
        assert f'href="#field-{name}"' in answer.text, name
        assert f'id="field-{name}"' in answer.text, name
    kept = Page(answer.text).form_to(EDIT).fields
    assert (kept["study.title"], kept["row.0.number"], kept["engine.filter_config"]) == (["Kept"], ["many"], ["{"])
    assert (stored(store), saved(store)) == (before, [])


def test_a_preview_says_what_the_entries_would_cost_and_changes_nothing(lead, store):
    before = stored(store)
    changes = {"row.2.name": "much", "row.2.number": "994", "study.title": "Kept"}
    answer = lead.send(form_of(lead), to="preview", pace="60", **changes)
    assert answer.status_code == 200
    assert "as entered, not saved" in words(answer)
    assert "994" in words(answer).split("What it can show")[1]
    assert Page(answer.text).form_to(EDIT).fields["study.title"] == ["Kept"]
    assert (stored(store), saved(store)) == (before, [])


def test_a_preview_of_a_faulty_form_names_the_fault(lead):
    answer = lead.send(form_of(lead), to="preview", **{"row.0.number": "many"}, pace="0")
    assert answer.status_code == 422
    assert 'id="error-pace"' in answer.text
    assert 'id="error-row.0.number"' in answer.text


def test_a_save_that_comes_too_late_keeps_both_versions(lead, store, world):
    form = form_of(lead)
    theirs = PROTOCOL.replace("A small pilot", "Their title").replace("fluent = 2", "fluent = 3")
    preparing.set_protocol(store, world, "local", "pilot", theirs.encode(), "protocol.toml")
    answer = lead.send(form, **{"study.title": "My title"})
    assert answer.status_code == 409
    told = words(answer)
    assert "changed elsewhere" in told
    assert "Stored by now: Their title" in told
    assert "Stored by now: fluent 3, word_repetition 4" in told
    assert told.count("Stored by now") == 2
    assert stored(store).title == "Their title"
    again = Page(answer.text).form_to(EDIT)
    assert again.fields["study.title"] == ["My title"]
    assert lead.send(again).status_code == 303
    assert (stored(store).title, stored(store).strata["fluent"]) == ("My title", 2)


@pytest.mark.parametrize("to", ["save", "preview"])
def test_a_form_that_lacks_fields_is_refused_and_changes_nothing(lead, store, to):
    before, whole = stored(store), form_of(lead)
    rows = {name: None for name in whole.fields if name.startswith("row.")}
    for lacking in ({"former": None}, {"study.title": None}, {"selection.agreement.n": None}, rows):
        answer = lead.send(whole, **lacking, to=to)
        assert answer.status_code == 422, lacking
        assert "Nothing was saved this form is not whole" in words(answer)
        # What is stored, not what came: else the next press would empty it.
        again = Page(answer.text).form_to(EDIT).fields
        assert (again["former"], again["study.title"]) == (whole.fields["former"], whole.fields["study.title"])
    bare = {name: whole.fields[name] for name in ("csrf", "former")} | {"to": [to]}
    assert lead.post(EDIT, bare).status_code == 422
    assert (stored(store), saved(store)) == (before, [])


def test_a_form_in_which_no_reference_and_no_choice_is_ticked_is_whole(lead, store):
    assert lead.send(form_of(lead), **{"references.shown": None, "review.practice": None}).status_code == 303
    assert stored(store)["references.shown"] == []


def test_a_plan_fills_the_rows_and_saves_nothing(lead, store):
    before = stored(store)
    answer = lead.get(f"{EDIT}?plan=default")
    assert "as planned here, not saved" in words(answer)
    form = Page(answer.text).form_to(EDIT)
    assert [form.fields[f"row.{n}.number"] for n in range(4)] == [["40"]] * 4
    assert stored(store) == before
    assert lead.send(form).status_code == 303
    assert sum(stored(store).strata.values()) == 160
    assert lead.get(f"{EDIT}?plan=nonsense").status_code == 200


def test_a_frozen_protocol_is_not_edited(visit, study, store):
    lena = visit("lena")
    assert lena.get(EDIT).status_code == 409
    assert f'href="{EDIT}"' not in lena.get(f"{PLACE}/protocol").text
    csrf = lena.page("/account").form_to("/account").fields["csrf"]
    assert lena.post(EDIT, {"csrf": csrf, "former": "x"}).status_code == 409


def test_a_form_opened_before_the_freeze_changes_nothing_after_it(lead, store, world):
    from app.actions import freezing

    form, before = form_of(lead), stored(store)
    codes = [each.code for each in preparing.check(store, "pilot").acknowledge]
    freezing.freeze(store, world, "local", "pilot", codes)
    assert lead.send(form, **{"study.title": "Late"}).status_code == 409
    assert stored(store) == before


def test_in_a_demo_no_study_becomes_one_of_real_speech(lead, store):
    (store.folder / DEMO_MARK).touch()
    answer = lead.send(form_of(lead), **{"study.scope": "corpus"})
    assert (answer.status_code, "its passwords are no secret" in words(answer)) == (409, True)
    assert "Both versions" not in words(answer)


def test_more_strata_than_a_form_holds_are_left_to_the_file(lead, store, world):
    many = ", ".join(f"s{n} = 1" for n in range(MOST_ROWS + 1))
    rules = PROTOCOL.replace("word_repetition = 4", many)
    preparing.set_protocol(store, world, "local", "pilot", rules.encode(), "protocol.toml")
    assert (lead.get(EDIT).status_code, "Change its file" in lead.get(EDIT).text) == (409, True)


def test_the_most_strata_that_are_edited_fit_a_form(lead, store, world):
    many = ", ".join(f"s{n} = 1" for n in range(MOST_ROWS - 1))
    rules = PROTOCOL.replace("word_repetition = 4", many)
    preparing.set_protocol(store, world, "local", "pilot", rules.encode(), "protocol.toml")
    assert lead.send(form_of(lead)).status_code == 303
    assert len(stored(store).strata) == MOST_ROWS


def test_the_cost_of_what_is_there_stands_on_the_study_s_page_until_the_close(lead):
    told = words(lead.get(PLACE))
    assert "What it costs" in told
    assert "Each of 2 reviewers" in told
    slow, usual = (words(lead.get(f"{PLACE}{query}")) for query in ("?pace=600", ""))
    assert "40 min" in slow
    assert "40 min" not in usual


@pytest.mark.parametrize("path", [PLACE, EDIT])
def test_a_pace_that_is_none_is_told_beside_it(lead, path):
    answer = lead.get(f"{path}?pace=<b>fast")
    assert (answer.status_code, 'id="error-pace"' in answer.text, "<b>fast" in answer.text) == (422, True, False)


def test_a_closed_study_has_results_instead_of_a_preview(visit, study):
    lena = visit("lena")
    assert "What it costs" in lena.get(PLACE).text
    assert lena.send(lena.page(PLACE).form_to(f"{PLACE}/close"), reason="we stop").status_code == 303
    assert "What it costs" not in lena.get(PLACE).text


def begin(lena, **said):
    form = lena.page("/lead/new").form_to("/lead/new/plan")
    return lena.send(form, **{"id": "begun", "title": "A title", "scope": "synthetic"} | said)


@pytest.mark.parametrize(("plan", "items"), [("default", 160), ("large", 300), ("trial", 20), ("none", 0)])
def test_a_study_begins_with_a_plan_and_goes_on_in_the_editor(people, visit, store, plan, items):
    lena = visit("lena")
    answer = begin(lena, plan=plan)
    assert answer.headers["location"] == "/lead/studies/begun/protocol/edit"
    with store.read() as connection:
        rules = studies.protocol_of(studies.get(connection, "begun"))
    assert (sum(rules.strata.values()), rules.title) == (items, "A title")
    assert lena.get(answer.headers["location"]).status_code == 200


def test_what_is_missing_to_begin_is_told_and_what_was_entered_stays(people, visit, store):
    lena = visit("lena")
    answer = begin(lena, id="no good", title="", scope=None, plan="x", question="Mine?")
    assert answer.status_code == 422
    for name in ("id", "title", "scope", "plan"):
        assert f'id="error-{name}"' in answer.text, name
    kept = Page(answer.text).form_to("/lead/new/plan").fields
    assert (kept["id"], kept["question"]) == (["no good"], ["Mine?"])
    assert begin(lena).status_code == 303
    assert (begin(lena).status_code, "There is a study" in begin(lena).text) == (409, True)


def test_a_title_that_nobody_can_see_is_refused_beside_its_field(people, visit):
    answer = begin(visit("lena"), title="\u2060", question="Does it hold?", plan="none")
    assert answer.status_code == 422
    assert 'href="#field-title"' in answer.text
    assert 'id="error-title"' in answer.text
