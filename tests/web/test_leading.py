"""The lead's pages: preparing a study in the browser, accounts, and what a refusal says."""

import json
import re
import zipfile
from io import BytesIO

import pytest

from app.actions import accounts, freezing, preparing
from app.config import DEMO_MARK, content
from app.domain.errors import Refused
from app.domain.stage import NEXT, PREPARING
from app.store import audit, studies
from app.web.guard import MAX_BODY, MAX_UPLOAD
from tests.house import CHEAP, PROTOCOL, RIGHTS, Page, draft_study, frozen_study, item_rows, jsonl, password_of, seats

PLACE = "/lead/studies/pilot"
PARTS = ("", "/protocol", "/rights", "/items", "/people", "/freeze")


@pytest.fixture
def lena(people, visit):
    return visit("lena")


@pytest.fixture
def draft(store, world, people):
    return draft_study(store, world)


def send(person, path, data=b"", name="file", **fields):
    """Send a form with a file, as a browser would."""
    csrf = person.page("/account").form_to("/account").fields["csrf"][0]
    return person.client.post(path, data=fields | {"csrf": csrf}, files={"file": (name, data)}, headers=person.headers)


def create(lena, protocol=PROTOCOL):
    answer = send(lena, "/lead/new", protocol.encode(), "protocol.toml")
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def next_of(page):
    return page.text.split("Next:")[1].split(".")[0].strip() + "."


def events(store, *kinds):
    with store.read() as connection:
        return audit.events(connection, *kinds)


def test_whoever_creates_a_study_leads_it_and_stays_signed_in(store, lena):
    assert create(lena) == PLACE
    assert next_of(lena.page(PLACE)) == "Say what may be done with each source."
    assert [each.actor for each in events(store, "study.created", "people.assigned")] == ["lena", "lena"]


def test_the_next_step_goes_from_part_to_part_until_the_freeze(lena):
    place, told = create(lena), []
    files = {"rights": RIGHTS.encode(), "items": jsonl(item_rows())}
    for part, data in files.items():
        told.append(next_of(lena.page(place)))
        assert send(lena, f"{place}/{part}", data).status_code == 303
    told.append(next_of(lena.page(place)))
    form = lena.page(f"{place}/people").form_to(f"{place}/people")
    roles = {"role.rosa": "reviewer", "role.ravi": "reviewer", "role.ines": "adjudicator"}
    assert lena.send(form, **roles, attest="two linguists").headers["location"] == f"{place}/people?saved=yes"
    told.append(next_of(lena.page(place)))
    assert told == [each.told for each in PREPARING[1:]] + [NEXT["ready"].told]
    assert lena.send(lena.page(f"{place}/freeze").form_to(f"{place}/freeze")).headers["location"] == place
    assert next_of(lena.page(place)) == NEXT["reviewing"].told


def test_an_incomplete_protocol_is_the_first_thing_to_complete_and_may_be_replaced(lena):
    place = create(lena, PROTOCOL.replace('title = "A small pilot"\n', ""))
    assert next_of(lena.page(place)) == PREPARING[0].told
    assert "study.title" in lena.page(f"{place}/protocol").text
    assert send(lena, f"{place}/protocol", PROTOCOL.encode()).status_code == 303
    assert next_of(lena.page(place)) == PREPARING[1].told


def test_a_protocol_is_not_replaced_by_that_of_another_study(store, lena):
    place = create(lena)
    answer = send(lena, f"{place}/protocol", PROTOCOL.replace('"pilot"', '"other"').encode())
    assert (answer.status_code, "its id cannot change" in answer.text) == (422, True)
    with store.read() as connection:
        assert studies.protocol_of(studies.get(connection, "pilot")).id == "pilot"


@pytest.mark.parametrize("stage", ["draft", "frozen", "closed"])
def test_every_page_of_a_study_shows_its_stage_and_one_next_action(store, world, people, visit, stage):
    (draft_study if stage == "draft" else frozen_study)(store, world)
    lena = visit("lena")
    if stage == "closed":
        lena.send(lena.page(PLACE).form_to(f"{PLACE}/close"), reason="we stop")
    pages = PARTS + (("/results", "/export") if stage == "closed" else ())
    for part in pages:
        html = lena.get(f"{PLACE}{part}").text
        assert html.count('aria-current="step"') == 1, part
        assert html.count("<strong>Next:</strong>") == 1, part


def test_every_page_of_a_study_is_reached_from_every_other(store, study, lena):
    for part in PARTS:
        assert {f"{PLACE}{each}" for each in PARTS} <= set(lena.page(f"{PLACE}{part}").links)


def test_a_faulty_file_is_reported_line_by_line_and_nothing_of_it_is_stored(store, lena):
    place = create(lena)
    rows = item_rows()
    rows[1]["stratum"], rows[3]["item_id"] = 7, rows[0]["item_id"]
    answer = send(lena, f"{place}/items", jsonl(rows), "items.jsonl")
    assert answer.status_code == 422
    assert "Nothing of this file was stored" in answer.text
    table = Page(answer.text).text
    assert "text of 1 to 200 characters" in table
    assert "this name stands on line 1 too" in table
    assert "0 items" in lena.page(f"{place}/items").text


def test_a_second_file_adds_items_or_takes_the_place_of_the_first(store, lena):
    place = create(lena)
    send(lena, f"{place}/items", jsonl(item_rows()[:2]))
    send(lena, f"{place}/items", jsonl(item_rows()[2:]))
    assert "6 items" in lena.page(f"{place}/items").text
    send(lena, f"{place}/items", jsonl(item_rows()[:1]), replace="yes")
    assert "1 item" in lena.page(f"{place}/items").text


@pytest.mark.parametrize("part", ["/lead/new", f"{PLACE}/protocol", f"{PLACE}/rights", f"{PLACE}/items"])
def test_a_form_without_a_file_asks_for_one(lena, part):
    create(lena)
    answer = send(lena, part, name="")
    assert (answer.status_code, "choose a file first" in answer.text) == (422, True)


def test_a_frozen_study_takes_nothing_more_from_any_page(study, lena):
    for part, data in {"protocol": PROTOCOL.encode(), "rights": RIGHTS.encode(), "items": jsonl(item_rows())}.items():
        answer = send(lena, f"{PLACE}/{part}", data)
        assert (answer.status_code, "is frozen" in answer.text) == (409, True)
        assert f'action="{PLACE}/{part}"' not in lena.get(f"{PLACE}/{part}").text


def test_a_study_has_one_adjudicator_and_what_was_chosen_is_kept(store, draft, lena):
    form = lena.page(f"{PLACE}/people").form_to(f"{PLACE}/people")
    answer = lena.send(form, **{"role.otto": "adjudicator"}, attest="three friends")
    assert (answer.status_code, "one adjudicator at most" in answer.text) == (422, True)
    kept = Page(answer.text).form_to(f"{PLACE}/people").fields
    assert (kept["role.otto"], kept["attest"]) == (["adjudicator"], ["three friends"])


def test_a_lead_may_give_the_study_away(store, draft, lena):
    form = lena.page(f"{PLACE}/people").form_to(f"{PLACE}/people")
    answer = lena.send(form, **{"role.lena": "", "role.otto": "lead"})
    assert answer.headers["location"] == "/"
    with store.read() as connection:
        assert [each.name for each in studies.members(connection, "pilot") if each.role == "lead"] == ["otto"]


def test_the_freeze_waits_until_each_point_is_ticked(store, world, people, visit):
    draft_study(store, world, rows=item_rows()[:3])
    lena = visit("lena")
    form = lena.page(f"{PLACE}/freeze").form_to(f"{PLACE}/freeze")
    answer = lena.send(form)
    assert answer.status_code == 422
    assert "--acknowledge" not in answer.text
    assert lena.send(form, acknowledge=["shortage"]).status_code == 303
    (frozen,) = events(store, "study.frozen")
    assert (frozen.actor, frozen.detail["acknowledged"]) == ("lena", ["shortage"])


def test_a_draft_that_rights_block_can_export_its_memo(store, world, people, visit):
    draft_study(store, world, ledger=RIGHTS.replace('decision = "approved"', 'decision = "unknown"'))
    lena = visit("lena")
    assert f"{PLACE}/export" in lena.page(f"{PLACE}/freeze").links
    answer = lena.send(lena.page(f"{PLACE}/export").form_to(f"{PLACE}/export"), decision="none")
    memo = zipfile.ZipFile(BytesIO(answer.content)).read("memo-pilot/memo.json")
    assert json.loads(memo)["verdict"]["status"] == "BLOCKED_SYNTHETIC"


def test_a_memo_is_written_to_a_new_folder_of_the_store(store, study, lena):
    lena.send(lena.page(PLACE).form_to(f"{PLACE}/close"), reason="we stop")
    form = lena.page(f"{PLACE}/export").form_to(f"{PLACE}/export")
    answer = lena.send(form, decision="none", to="folder", folder="first")
    assert str(store.folder.absolute() / "exports" / "first") in answer.text
    assert (store.folder / "exports" / "first" / "memo.json").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_is_there_is_not_touched(store, study, lena):
    lena.send(lena.page(PLACE).form_to(f"{PLACE}/close"), reason="we stop")
    form = lena.page(f"{PLACE}/export").form_to(f"{PLACE}/export")
    lena.send(form, decision="none", to="folder", folder="first")
    answer = lena.send(form, decision="none", to="folder", folder="first")
    assert (answer.status_code, "exists already" in answer.text) == (409, True)


@pytest.mark.parametrize("name", ["", "..", "../x", "/x", "a/b", ".hidden", "a b", "x" * 65])
def test_a_browser_chooses_a_folder_by_a_plain_name_only(store, study, lena, name):
    lena.send(lena.page(PLACE).form_to(f"{PLACE}/close"), reason="we stop")
    form = lena.page(f"{PLACE}/export").form_to(f"{PLACE}/export")
    assert lena.send(form, decision="none", to="folder", folder=name).status_code == 422
    assert not (store.folder / "exports").exists()


def test_the_starter_files_make_a_study_that_is_ready(store, lena):
    files = {name: lena.get(f"/lead/starter/{name}").content for name in ("protocol.toml", "rights.toml", "items.csv")}
    assert files["items.csv"] == content("starter/items.csv").read_bytes()
    place = create(lena, files["protocol.toml"].decode())
    assert send(lena, f"{place}/rights", files["rights.toml"]).status_code == 303
    assert send(lena, f"{place}/items", files["items.csv"]).status_code == 303
    form = lena.page(f"{place}/people").form_to(f"{place}/people")
    lena.send(form, **{"role.rosa": "reviewer", "role.ravi": "reviewer"}, attest="linguists")
    assert next_of(lena.page(place)) == NEXT["ready"].told
    assert "Nothing stands in the way" in lena.page(f"{place}/freeze").text
    assert lena.get("/lead/starter/secrets").status_code == 404


def test_a_lead_without_a_study_reads_how_to_begin_and_how_people_come_in(lena):
    page = lena.page("/lead")
    told = ("Try the demo", "Start from your own table", "Select from a corpus", "How will people reach this computer")
    assert all(each in page.text for each in told)
    assert "ssh -L 8765:127.0.0.1:8765 USER@COMPUTER" in page.text
    assert {"/lead/new", "/lead/accounts", "/lead/starter/items.csv"} <= set(page.links)


def test_the_first_page_of_an_empty_store_says_what_to_do(visit):
    page = visit("nobody", signed_in=False).page("/")
    told = ("Try the demo", "Start from your own table", "Select from a corpus", "How will people reach this computer")
    assert all(each in page.text for each in told)
    assert "evenhand user add NAME --lead" in page.text


def code_of(answer):
    return answer.text.split('<p class="code"><code>')[1].split("</code>")[0]


def test_a_new_judge_gets_a_code_that_is_shown_once_and_works(store, lena, visit):
    answer = lena.send(lena.page("/lead/accounts").form_to("/lead/accounts"), name="nora")
    code = code_of(answer)
    assert code not in lena.get("/lead/accounts").text
    nora = visit("nora", signed_in=False)
    said = {"username": "nora", "code": code, "password": password_of("nora")}
    assert nora.post("/code", said).status_code == 303
    assert [(each.actor, each.detail["lead"]) for each in events(store, "account.added")][-1] == ("lena", False)


def test_a_reset_ends_the_password_and_a_shut_out_account_is_open_again(study, visit):
    lena = visit("lena")
    rosa = visit("rosa")
    csrf = {"csrf": lena.page("/account").form_to("/account").fields["csrf"][0]}
    assert lena.post("/lead/accounts/disable", csrf | {"name": "rosa"}).status_code == 303
    assert rosa.get("/account").status_code == 303
    assert "disabled" in lena.page("/lead/accounts").text
    code = code_of(lena.post("/lead/accounts/reset", csrf | {"name": "rosa"}))
    said = {"username": "rosa", "code": code, "password": password_of("rosa")}
    assert visit("rosa", signed_in=False).post("/code", said).status_code == 303


@pytest.mark.parametrize("act", ["reset", "disable"])
@pytest.mark.parametrize("name", ["lars", "lena"])
def test_no_lead_changes_an_account_that_may_lead(store, world, lena, visit, act, name):
    accounts.add(store, world, CHEAP, "lars", lead=True, password=password_of("lars"))
    csrf = {"csrf": lena.page("/account").form_to("/account").fields["csrf"][0]}
    answer = lena.post(f"/lead/accounts/{act}", csrf | {"name": name})
    assert (answer.status_code, "on the command line alone" in answer.text) == (409, True)
    assert visit(name).get("/lead/accounts").status_code == 200


@pytest.mark.parametrize(("attest", "told"), [("", False), ("  ", False), ("two linguists", True)])
def test_the_record_says_whether_a_qualification_was_attested(store, draft, lena, attest, told):
    lena.send(lena.page(f"{PLACE}/people").form_to(f"{PLACE}/people"), attest=attest)
    assert events(store, "people.assigned")[-1].detail["attested"] is told


def test_an_attestation_in_which_nothing_can_be_seen_is_refused_at_its_field(draft, lena):
    form = lena.page(f"{PLACE}/people").form_to(f"{PLACE}/people")
    answer = lena.send(form, attest="\u2060\u3164")
    assert answer.status_code == 422
    assert "of which some can be seen" in answer.text
    assert 'aria-invalid="true" aria-describedby="error-form hint-attest"' in answer.text


def test_somebody_disabled_stays_in_the_form_that_is_sent_again(store, world, draft, lena):
    accounts.disable(store, world, "ravi")
    form = lena.page(f"{PLACE}/people").form_to(f"{PLACE}/people")
    answer = lena.send(form, **{"role.otto": "adjudicator"})
    assert answer.status_code == 422
    assert Page(answer.text).form_to(f"{PLACE}/people").fields["role.ravi"] == ["reviewer"]


def test_a_study_is_never_left_without_a_lead(store, draft, lena):
    answer = lena.send(lena.page(f"{PLACE}/people").form_to(f"{PLACE}/people"), **{"role.lena": "reviewer"})
    assert (answer.status_code, "a lead is needed" in answer.text) == (422, True)
    assert lena.get(f"{PLACE}/people").status_code == 200


@pytest.mark.parametrize("name", ["!", "local", "Nobody", "rosa"])
def test_an_account_that_cannot_be_added_says_why_and_keeps_the_name(lena, name):
    answer = lena.send(lena.page("/lead/accounts").form_to("/lead/accounts"), name=name)
    assert answer.status_code in {409, 422}
    assert Page(answer.text).form_to("/lead/accounts").fields["name"] == [name]


def test_a_file_may_be_larger_than_a_form_and_is_refused_beyond_its_own_limit(lena):
    place = create(lena)
    row = jsonl(item_rows()[:1])
    assert send(lena, f"{place}/items", row + b"\n" * MAX_BODY).status_code == 303
    size = {"Content-Length": str(MAX_UPLOAD + MAX_BODY + 1)}
    headers = lena.headers | {"Content-Type": "multipart/form-data; boundary=x"} | size
    assert lena.client.post(f"{place}/items", content=b"", headers=headers).status_code == 413
    assert lena.client.post("/account", content=b"", headers=headers).status_code == 413


@pytest.mark.parametrize(
    "body",
    [b"", b"nonsense", b"--x\r\n", b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf'],
)
def test_a_broken_upload_is_no_error_of_the_server(lena, body):
    place = create(lena)
    headers = lena.headers | {"Content-Type": "multipart/form-data; boundary=x"}
    answer = lena.client.post(f"{place}/items", content=body, headers=headers)
    assert answer.status_code in {403, 422}  # without a csrf token, or beyond reading


def test_two_files_at_once_are_refused(lena):
    place = create(lena)
    files = [("file", ("a", b"{}")), ("file", ("b", b"{}"))]
    answer = lena.client.post(f"{place}/items", data={"csrf": "x"}, files=files, headers=lena.headers)
    assert answer.status_code == 422


def test_an_upload_never_becomes_a_temporary_file(lena, monkeypatch):
    def fail(*_, **__):
        raise AssertionError("a temporary file")

    place = create(lena)
    monkeypatch.setattr("tempfile._TemporaryFileWrapper", fail)
    monkeypatch.setattr("tempfile.TemporaryFile", fail)
    padding = b"\n" * (3 << 20)
    assert send(lena, f"{place}/items", jsonl(item_rows()) + padding).status_code == 303


def test_the_name_of_a_file_is_shown_without_its_path_or_odd_characters(lena):
    answer = send(lena, "/lead/new", b"nonsense", "C:\\secret\\a\u202eb.toml")
    assert "secret" not in answer.text
    assert "\u202e" not in answer.text


def test_accounts_are_never_shown_to_a_lead_who_may_not_create_studies(store, world, people, visit):
    accounts.add(store, world, CHEAP, "olga", lead=False, password=password_of("olga"))
    study = draft_study(store, world)
    lena = visit("lena")
    form = lena.page(f"{PLACE}/people").form_to(f"{PLACE}/people")
    lena.send(form, **{"role.olga": "lead"})
    olga = visit("olga")
    assert olga.get(f"/lead/studies/{study}/people").status_code == 200
    assert olga.get("/lead").status_code == 200
    assert "/lead/new" not in olga.page("/lead").links
    assert olga.get("/lead/accounts").status_code == 404


def made(lena, name="second", **changes):
    """Create a draft that rights block, and give its form for an export."""
    text = PROTOCOL.replace('"pilot"', f'"{name}"')
    for old, new in changes.items():
        text = text.replace(old, new)
    place = create(lena, text)
    send(lena, f"{place}/items", jsonl(item_rows(source="unheard of")))
    return lena.page(f"{place}/export").form_to(f"{place}/export")


def test_a_draft_that_is_exported_tells_nothing_of_what_judges_wrote_elsewhere(store, study, visit):
    rosa, lena = visit("rosa"), visit("lena")
    where, page = rosa.next_page()
    note = "the second one lost its negation"
    rosa.send(page.judging_form(), path=f"{where}/draft", note=note)
    form = made(lena, Does=f"{note}. Does")
    assert lena.send(form, decision="none").status_code == 200


def test_a_refused_export_is_on_record(store, study, lena, monkeypatch):
    def refuse(*_):
        raise Refused("private", "not this")

    lena.send(lena.page(PLACE).form_to(f"{PLACE}/close"), reason="we stop")
    monkeypatch.setattr("app.report.egress.guard", refuse)
    form = lena.page(f"{PLACE}/export").form_to(f"{PLACE}/export")
    assert lena.send(form, decision="none").status_code == 409
    assert [each.actor for each in events(store, "export.refused")] == ["lena"]


def test_a_page_that_was_opened_before_a_change_freezes_nothing(store, draft, lena):
    form = lena.page(f"{PLACE}/freeze").form_to(f"{PLACE}/freeze")
    send(lena, f"{PLACE}/protocol", PROTOCOL.replace("what people meant", "anything").encode())
    answer = lena.send(form)
    assert (answer.status_code, "has changed since" in answer.text) == (409, True)
    assert lena.send(lena.page(f"{PLACE}/freeze").form_to(f"{PLACE}/freeze")).status_code == 303


def test_a_study_with_somebody_disabled_is_not_ready(store, world, draft, lena):
    accounts.disable(store, world, "ravi")
    assert next_of(lena.page(PLACE)) == "Choose the people."
    assert "1 of the people cannot sign in" in lena.page(f"{PLACE}/freeze").text
    assert "(disabled)" in lena.page(f"{PLACE}/people").text


def test_a_judge_who_imported_items_must_be_acknowledged(store, world, people, visit):
    study = draft_study(store, world)
    preparing.import_items(store, world, "rosa", study, jsonl(item_rows()), "items.jsonl", replace=True)
    assert [each.code for each in preparing.check(store, study).acknowledge] == ["importer_judges"]


def csrf_of(person):
    return {"csrf": person.page("/account").form_to("/account").fields["csrf"][0]}


@pytest.mark.parametrize("act", ["reset", "disable"])
def test_a_lead_changes_no_account_of_a_study_that_is_anothers(store, world, study, visit, act):
    accounts.add(store, world, CHEAP, "lars", lead=True, password=password_of("lars"))
    lars, lena = visit("lars"), visit("lena")
    refused = lars.post(f"/lead/accounts/{act}", csrf_of(lars) | {"name": "ravi"})
    assert (refused.status_code, "that you do not lead" in refused.text) == (409, True)
    assert lena.post(f"/lead/accounts/{act}", csrf_of(lena) | {"name": "ravi"}).status_code in {200, 303}


def test_a_lead_who_judges_elsewhere_cannot_become_the_other_judge(store, world, people, visit):
    accounts.add(store, world, CHEAP, "lars", lead=True, password=password_of("lars"))
    study = draft_study(store, world)
    preparing.assign(store, world, "local", study, seats(["lars", "ravi"], ["lena"]), "linguists")
    lars = visit("lars")
    assert lars.post("/lead/accounts/reset", csrf_of(lars) | {"name": "ravi"}).status_code == 409


def test_an_account_that_leads_a_study_is_not_changed_in_the_browser(store, world, people, visit):
    study = draft_study(store, world)
    preparing.assign(store, world, "local", study, seats(["rosa", "ravi"], ["lena", "otto"]), "linguists")
    lena = visit("lena")
    assert lena.post("/lead/accounts/reset", csrf_of(lena) | {"name": "otto"}).status_code == 409


def test_another_leads_judge_does_not_become_a_lead_and_the_form_says_why(store, world, draft, lena):
    accounts.add(store, world, CHEAP, "liam", lead=True, password=password_of("liam"))
    accounts.add(store, world, CHEAP, "nina.k", lead=False, password=password_of("nina.k"), actor="liam")
    answer = lena.send(lena.page(f"{PLACE}/people").form_to(f"{PLACE}/people"), **{"role.nina.k": "lead"})
    assert (answer.status_code, "choose somebody who may lead" in answer.text) == (422, True)
    assert Page(answer.text).form_to(f"{PLACE}/people").fields["role.nina.k"] == ["lead"]


def test_who_led_the_study_is_not_offered_as_a_newcomer(store, world, draft, lena):
    preparing.assign(store, world, "local", draft, seats(["rosa", "ravi"], ["lena", "otto"], "ines"), "linguists")
    preparing.assign(store, world, "local", draft, seats(["rosa", "ravi"], ["lena"], "ines"), "linguists")
    accounts.add(store, world, CHEAP, "nils", lead=False, password=password_of("nils"))
    freezing.freeze(store, world, "local", draft)
    page = lena.get(f"{PLACE}/people").text
    assert ('<option value="nils">' in page, '<option value="otto">' in page) == (True, False)


def test_a_lead_is_offered_to_change_those_accounts_that_they_may_change(store, world, draft, lena):
    lena.send(lena.page("/lead/accounts").form_to("/lead/accounts"), name="mine.a")
    for told in ({"mine.a"}, {"mine.a", "rosa", "ravi", "ines"}):
        offered = re.findall(r'name="name" value="([^"]+)">Give a new code', lena.get("/lead/accounts").text)
        assert set(offered) == told
        if "rosa" not in told:
            freezing.freeze(store, world, "local", draft)


def test_real_speech_has_no_place_in_the_store_of_the_demo(store, lena):
    (store.folder / DEMO_MARK).touch()
    answer = send(lena, "/lead/new", PROTOCOL.replace('"synthetic"', '"corpus"').encode())
    assert (answer.status_code, "a store of its own" in answer.text) == (409, True)


@pytest.mark.parametrize("name", ["\uff4cocal", "Rosa", "ROSA", "\uff52osa", "\u00b2\u00b2"])
def test_no_account_looks_like_another(lena, name):
    answer = lena.send(lena.page("/lead/accounts").form_to("/lead/accounts"), name=name)
    assert answer.status_code in {409, 422}


@pytest.mark.parametrize("charset", ["undefined", "punycode", "latin-1"])
def test_an_upload_in_another_charset_is_refused(lena, charset):
    headers = lena.headers | {"Content-Type": f"multipart/form-data; boundary=x; charset={charset}"}
    assert lena.client.post("/lead/new", content=b"--x--\r\n", headers=headers).status_code == 422


@pytest.mark.parametrize("odd", ["\\u202e", "\\u0007"])
def test_a_ledger_holds_no_control_characters(lena, odd):
    place = create(lena)
    answer = send(lena, f"{place}/rights", RIGHTS.replace('"Apache-2.0"', f'"a{odd}b"').encode())
    assert (answer.status_code, "without control characters" in answer.text) == (422, True)


def test_the_protocol_can_be_taken_along_and_given_back(draft, lena):
    answer = lena.get(f"{PLACE}/protocol.toml")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="pilot.toml"'
    assert send(lena, f"{PLACE}/protocol", answer.content, "pilot.toml").status_code == 303
    assert lena.get(f"{PLACE}/protocol.toml").content == answer.content


def test_everybody_in_a_frozen_study_reads_its_rules_and_judges_no_hash(store, study, visit):
    with store.read() as connection:
        row = studies.get(connection, "pilot")
    for name in ("rosa", "ines", "lena"):
        page = visit(name).page("/protocol")
        assert "identical_pairs" in page.text
        assert row.manifest_sha256 not in page.text
        assert row.protocol_sha256 not in page.text


def test_the_packaged_practice_items_are_added_with_one_click_beside_speech_of_real_people(store, world, people, visit):
    rules = PROTOCOL.replace('"synthetic"', '"corpus"') + "[review]\npractice = true\n"
    draft_study(store, world, protocol=rules, ledger=RIGHTS.replace('"synthetic"', '"corpus"'))
    lena = visit("lena")
    assert "no item has the role practice" in lena.page(f"{PLACE}/freeze").text
    form = next(form for form in lena.page(f"{PLACE}/items").forms if form.fields.get("what") == ["practice"])
    assert lena.send(form).status_code == 303
    with store.read() as connection:
        entry = {each.source: each for each in studies.ledger(connection, "pilot")}["evenhand-practice"]
    assert (entry.decision, entry.decided_by, entry.kind) == ("approved", "lena", "synthetic")
    page = lena.page(f"{PLACE}/items")
    assert "10 practice items are there" in page.text
    assert all(form.fields.get("what") != ["practice"] for form in page.forms)
    told = lena.page(f"{PLACE}/freeze").text
    assert "practice" not in told
    assert "evenhand-practice" not in told
    assert lena.send(form).status_code == 409


def test_the_packaged_practice_items_are_the_demos_under_names_of_their_own(lena):
    def bare(data):
        rows = [json.loads(line) for line in data.splitlines()]
        return [{key: row[key] for key in row if key not in {"item_id", "cluster", "source"}} for row in rows]

    given = lena.get("/lead/starter/practice.jsonl").content
    assert bare(given) == bare(content("demo/practice.jsonl").read_bytes())
    assert {json.loads(line)["source"] for line in given.splitlines()} == {"evenhand-practice"}
