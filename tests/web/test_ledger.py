"""The rights ledger on its page: entered source by source, decided, and what was decided before."""

import tomllib

import pytest

from app.actions.ledger import CASES, cases
from app.config import content
from app.domain.privacy import numeric
from app.domain.rights import FIELDS, OPERATIONS
from app.store import studies, verify
from tests.house import Page, draft_study, item_rows

RIGHTS = "/lead/studies/pilot/rights"
ENTRY = f"{RIGHTS}/entry"


@pytest.fixture
def lead(visit, store, world, people):
    rows = item_rows()
    rows[0]["source"] = "a second source & more"
    draft_study(store, world, rows=rows)
    return visit("lena")


def ledger(store):
    with store.read() as connection:
        return {each.source: each for each in studies.ledger(connection, "pilot")}


def enter(person, path=ENTRY, **said):
    return person.send(person.page(path).form_to(ENTRY), **said)


def every_field(**changes):
    fields = dict.fromkeys(set(FIELDS) - {"permitted_operations", "retain_until"}, "none")
    fields |= {"kind": "synthetic", "decision": "unknown", "source": "a second source & more"}
    return fields | {"permitted_operations": ["store", "derive"]} | changes


def test_a_source_that_items_use_and_the_ledger_lacks_has_a_button_to_its_form(lead):
    page = lead.page(RIGHTS)
    assert "not in the ledger" in page.text
    (link,) = [link for link in page.links if "source=a%20second" in link]
    form = lead.page(link).form_to(ENTRY)
    assert form.fields["source"] == ["a second source & more"]
    assert (form.fields["kind"], form.fields["decision"]) == (["synthetic"], ["unknown"])
    assert form.fields["decided_by"] == ["lena"]


def test_an_entry_is_stored_beside_the_others(lead, store):
    assert enter(lead, **every_field()).status_code == 303
    assert set(ledger(store)) == {"invented", "a second source & more"}
    assert ledger(store)["a second source & more"].permitted_operations == ("store", "derive")
    page = Page(lead.get(RIGHTS).text).text
    assert "rights are unknown; unknown means no" in page


def test_the_page_names_which_operation_a_source_lacks(lead):
    enter(lead, **every_field(decision="approved"))
    assert "the ledger does not permit: publish_aggregate" in lead.get(RIGHTS).text
    assert "the ledger does not permit: publish_aggregate" in lead.get("/lead/studies/pilot/freeze").text


def test_an_entry_is_edited_and_its_former_decision_stays_readable(lead, store):
    (link,) = [link for link in lead.page(RIGHTS).links if link.endswith("source=invented")]
    form = lead.page(link).form_to(ENTRY)
    assert form.fields["permitted_operations"] == [
        "store",
        "play",
        "derive",
        "publish_aggregate",
        "publish_manifest_hash",
    ]
    assert form.fields["licence"] == ["Apache-2.0"]
    assert lead.send(form, decision="refused", decided_by="the board").status_code == 303
    assert ledger(store)["invented"].decision == "refused"
    told = " ".join(Page(lead.get(RIGHTS).text).text.split())
    assert "lena replaced approved, decided by the project's lawyer on 2026-01-01" in told
    with store.read() as connection:
        assert verify.findings(connection) == []


def test_every_faulty_field_is_told_beside_it_and_nothing_is_stored(lead, store):
    before = ledger(store)
    answer = enter(lead, **every_field(licence=" ", kind="speech", permitted_operations=["sell"], consent="x" * 5000))
    assert answer.status_code == 422
    for key in ("licence", "kind", "permitted_operations", "consent"):
        assert f'id="error-{key}"' in answer.text
    assert Page(answer.text).form_to(ENTRY).fields["source"] == ["a second source & more"]
    assert ledger(store) == before


def test_after_the_freeze_no_entry_is_taken(visit, study, store):
    lena = visit("lena")
    assert lena.get(ENTRY).status_code == 409
    csrf = lena.page("/account").form_to("/account").fields["csrf"]
    assert lena.post(ENTRY, every_field(csrf=csrf)).status_code == 409
    assert ledger(store)["invented"].decision == "approved"


@pytest.mark.parametrize("case", CASES)
def test_a_case_fills_in_what_is_typical_says_what_to_check_and_decides_nothing(lead, case):
    found = next(each for each in cases() if each.key == case)
    page = lead.page(f"{ENTRY}?case={case}&source=invented")
    form = page.form_to(ENTRY)
    assert form.fields.get("permitted_operations", []) == found.entry["permitted_operations"]
    assert all(each in page.text for each in found.check)
    assert "This is no legal advice" in page.text
    assert "decision" not in found.entry


@pytest.mark.parametrize("case", CASES)
def test_a_case_knows_only_keys_and_operations_of_the_ledger(case):
    told = tomllib.loads(content(f"ledger/{case}.toml").read_text(encoding="utf-8"))
    assert set(told) == {"title", "about", "check", "entry"}
    assert set(told["entry"]) <= set(FIELDS) - {"source", "decision", "decided_by", "decided_at"}
    assert set(told["entry"]["permitted_operations"]) <= set(OPERATIONS)
    assert len(told["check"]) >= 3


@pytest.mark.parametrize("name", [*(f"ledger/{case}.toml" for case in CASES), "starter/rights.toml"])
def test_no_packaged_entry_says_a_number_that_an_item_may_be_called(name):
    told = tomllib.loads(content(name).read_text(encoding="utf-8"))
    entries = told["source"] if "source" in told else [told["entry"]]
    texts = [value for entry in entries for value in entry.values() if isinstance(value, str)]
    assert texts
    assert not [text for text in texts if numeric(text)]


def test_every_packaged_case_is_offered():
    assert {path.stem for path in content("ledger").glob("*.toml")} == set(CASES)


def test_an_unknown_case_is_no_case(lead):
    assert lead.get(f"{ENTRY}?case=anything").status_code == 200


def test_an_entry_that_comes_too_late_keeps_both_versions(lead, store):
    (link,) = [link for link in lead.page(RIGHTS).links if link.endswith("source=invented")]
    form = lead.page(link).form_to(ENTRY)
    assert lead.send(form, licence="CC BY 4.0").status_code == 303
    answer = lead.send(form, publisher="somebody else")
    assert answer.status_code == 409
    told = " ".join(Page(answer.text).text.split())
    assert "changed elsewhere" in told
    assert "Stored by now: CC BY 4.0" in told
    assert told.count("Stored by now") == 2
    assert ledger(store)["invented"].licence == "CC BY 4.0"
    assert lead.send(Page(answer.text).form_to(ENTRY)).status_code == 303
    assert (ledger(store)["invented"].licence, ledger(store)["invented"].publisher) == ("Apache-2.0", "somebody else")


def test_an_empty_form_does_not_replace_an_entry_that_is_there(lead, store):
    answer = enter(lead, **every_field(source="invented"))
    assert (answer.status_code, ledger(store)["invented"].licence) == (409, "Apache-2.0")


def test_an_entry_may_be_given_another_name_that_is_free(lead, store):
    form = lead.page(f"{ENTRY}?source=invented").form_to(ENTRY)
    assert lead.send(form, source="of another name").status_code == 303
    assert lead.send(form, source="of another name").status_code == 409
    assert set(ledger(store)) == {"invented", "of another name"}
