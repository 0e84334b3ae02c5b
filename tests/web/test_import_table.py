"""A table of any columns from upload to stored items: what is what, the letters, the problems, what is prefilled."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest

from app.actions import preparing
from app.domain.item import FIELDS, Item
from app.store import ledger, studies
from app.web.tray import KEPT, MOST_BYTES, Kept, Tray
from tests.house import PROTOCOL, Page, item_rows, jsonl

PLACE = "/lead/studies/pilot/items"
COLUMNS = f"{PLACE}/columns"
TABLE = (
    "Nr.;Gruppe;Sprecher;Rohtext;ohne Filter;mit Filter;Bemerkung\r\n"
    "1;word_repetition;Jörg;ich ich möchte größere;ich ich möchte größere;ich möchte größere;x\r\n"
    "2;fluent;Änne;„Fuß“ – schön;„Fuß“ – schön;„Fuß“ – schön;\r\n"  # noqa: RUF001, the dash is meant
    "3;fluent;Änne;=1+1; doppelt ;doppelt;\r\n"
)
CP1252 = TABLE.encode("cp1252")


@pytest.fixture
def lena(store, world, people, visit):
    preparing.create(store, world, "lena", PROTOCOL.encode(), "protocol.toml", lead="lena")
    return visit("lena")


def give(person, data, name="pairs.csv", **fields):
    csrf = person.page(PLACE).form_to(PLACE).fields["csrf"][0]
    files = {"file": (name, data)}
    return person.client.post(PLACE, data={"csrf": csrf} | fields, files=files, headers=person.headers)


def to_columns(person, data=None, **fields):
    answer = give(person, data or TABLE.encode(), **fields)
    assert (answer.status_code, answer.headers["location"]) == (303, COLUMNS)
    return person.page(COLUMNS)


def send(person, page, **said):
    named = {name.replace("__", "."): value for name, value in said.items()}
    return person.send(page.form_to(COLUMNS), **{"constant.source": "pilot"} | named)


def stored(store):
    with store.read() as connection:
        return [item for _, item in studies.items(connection, "pilot")]


def events(store, kind):
    with store.read() as connection:
        return connection.exec_driver_sql("select detail from audit_event where event = ?", (kind,)).all()


def test_a_semicolon_table_in_cp1252_goes_from_the_upload_to_stored_items_with_every_umlaut(lena, store):
    page = to_columns(lena, CP1252)
    assert "Windows-1252 (cp1252)" in page.text
    assert "semicolon" in page.text
    assert "Save as: CSV UTF-8 (Comma delimited)" in page.text
    answer = send(lena, page, encoding="cp1252")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PLACE}?saved=yes")
    assert stored(store) == [
        Item("1", "word_repetition", "Jörg", "pilot", *["ich ich möchte größere"] * 2, "ich möchte größere"),
        Item("2", "fluent", "Änne", "pilot", *["„Fuß“ – schön"] * 3),  # noqa: RUF001, the dash is meant
        Item("3", "fluent", "Änne", "pilot", "=1+1", " doppelt ", "doppelt"),
    ]
    text = lena.page(PLACE).text
    assert "3 items" in text
    assert "2 strata, 2 episodes, 1 source: pilot (3)" in text


def test_the_columns_are_guessed_and_the_first_rows_shown(lena):
    page = to_columns(lena)
    fields = page.form_to(COLUMNS).fields
    guessed = {name.removeprefix("column."): value[0] for name, value in fields.items() if name[:7] == "column."}
    assert {key: at for key, at in guessed.items() if at} == {
        "item_id": "0", "stratum": "1", "cluster": "2", "raw_hypothesis": "3", "off": "4", "on": "5",
    }  # fmt: skip
    assert "ich möchte größere" in page.text
    assert "Encoding: UTF-8. Between" in page.text
    assert "encoding" not in page.form_to(COLUMNS).names


@pytest.mark.parametrize("mark", [",", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_any_mark_and_encoding_is_taken(lena, store, mark, encoding):
    page = to_columns(lena, TABLE.replace(";", mark).encode(encoding))
    assert send(lena, page).status_code == 303
    assert [item.cluster for item in stored(store)] == ["Jörg", "Änne", "Änne"]


def test_a_table_in_cp1252_is_not_taken_until_somebody_says_that_its_letters_read_right(lena, store):
    page = to_columns(lena, CP1252)
    answer = send(lena, page)
    assert answer.status_code == 422
    assert "look at the letters first" in answer.text
    assert stored(store) == []
    assert all(f">{word}<" in answer.text for word in ("größere", "„Fuß“", "Jörg"))
    assert send(lena, Page(answer.text), encoding="cp1252").status_code == 303


@pytest.mark.parametrize("said", ["utf-8", "latin-1", "x"])
def test_no_other_encoding_can_be_said(lena, store, said):
    assert send(lena, to_columns(lena, CP1252), encoding=said).status_code == 422
    assert send(lena, to_columns(lena), encoding=said).status_code == 422
    assert stored(store) == []


def test_letters_of_two_encodings_in_one_file_are_refused_with_the_line(lena):
    answer = give(lena, TABLE.encode() + CP1252)
    assert answer.status_code == 422
    assert "were files joined?" in answer.text
    assert '<td class="number">6</td>' in answer.text


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"column__off": ""}, "off"),
        ({"column__on": "4"}, "on"),
        ({"column__off": "7"}, "off"),
        ({"column__off": "x"}, "off"),
        ({"column__stratum": ""}, "stratum"),
        ({"constant__source": ""}, "source"),
        ({"constant__stratum": "fluent"}, "stratum"),
        ({"constant__source": "x" * 201}, "source"),
    ],
)
def test_a_mistake_with_the_columns_is_told_beside_its_field_and_what_was_chosen_stays(lena, store, said, field):
    answer = send(lena, to_columns(lena), **said)
    assert answer.status_code == 422
    assert f'id="error-{field}"' in answer.text
    fields = Page(answer.text).form_to(COLUMNS).fields
    assert fields["column.raw_hypothesis"] == ["3"]
    assert fields["constant.source"] == [said.get("constant__source", "pilot")]
    assert stored(store) == []


def test_one_stratum_and_cluster_for_all_items_can_be_said(lena, store):
    all_one = {"column__stratum": "", "constant__stratum": "fluent", "column__cluster": "", "constant__cluster": "ep"}
    assert send(lena, to_columns(lena), **all_one).status_code == 303
    assert {(item.stratum, item.cluster) for item in stored(store)} == {("fluent", "ep")}


def test_a_faulty_table_lists_every_problem_by_the_files_own_columns_and_can_be_tried_again(lena, store):
    data = TABLE + f";fluent;quokka;a;a;b;\r\n5;fluent;quokka;a;b\r\n6;fluent;quokka;a;a;{'quokka' * 4_000};\r\n"
    answer = send(lena, to_columns(lena, data.encode()))
    assert answer.status_code == 422
    rows = list(csv.reader(io.StringIO(lena.get(f"{PLACE}/problems.csv").content.decode("utf-8-sig"))))
    assert rows[1:] == [
        ["5", "Nr.", "empty", "unique name of the item", "pairs.csv"],
        ["6", "", "5 cells", "7 cells", "pairs.csv"],
        ["7", "mit Filter", "text of 24,000 characters", "text of at most 20,000 characters", "pairs.csv"],
    ]
    alert = answer.text[answer.text.index('role="alert"') : answer.text.index("How it reads")]
    assert all(cell in alert for row in rows[1:] for cell in row[:4])
    assert "quokka" not in alert
    assert stored(store) == []
    again = send(lena, Page(answer.text), column__on="6")
    assert again.status_code == 422


def test_the_documented_form_is_taken_at_once_and_its_problems_can_be_downloaded(lena, store):
    rows = item_rows()
    rows[1]["off"] = 7
    answer = give(lena, jsonl(rows), "items.jsonl")
    assert answer.status_code == 422
    assert f"{PLACE}/problems.csv" in Page(answer.text).links
    assert (
        b'2,off,a number,"text of at most 20,000 characters",items.jsonl' in lena.get(f"{PLACE}/problems.csv").content
    )
    assert give(lena, jsonl(item_rows()), "items.jsonl").headers["location"] == f"{PLACE}?saved=yes"
    assert len(stored(store)) == 6


def test_there_are_no_problems_to_download_for_another_study_or_person_or_without_any(lena, store, world, visit):
    assert lena.get(f"{PLACE}/problems.csv").status_code == 404
    give(lena, b"nothing")
    assert lena.get(f"{PLACE}/problems.csv").status_code == 200
    other = PROTOCOL.replace('"pilot"', '"other"')
    preparing.create(store, world, "lena", other.encode(), "protocol.toml", lead="lena")
    assert lena.get("/lead/studies/other/items/problems.csv").status_code == 404
    assert visit("lena").get(f"{PLACE}/problems.csv").status_code == 404


def test_the_items_of_before_are_removed_only_if_that_is_ticked(lena, store):
    assert send(lena, to_columns(lena)).status_code == 303
    answer = send(lena, to_columns(lena))
    assert answer.status_code == 422
    assert "this name stands in the study already" in answer.text
    page = to_columns(lena, replace="yes")
    assert page.form_to(COLUMNS).fields["replace"] == ["yes"]
    assert send(lena, page).status_code == 303
    assert len(stored(store)) == 3


def test_a_file_chosen_in_another_window_is_never_taken_for_this_one(lena, store):
    first = to_columns(lena)
    to_columns(lena, TABLE.replace("Jörg", "Jana").encode())
    answer = send(lena, first)
    assert answer.status_code == 409
    assert "no longer kept" in answer.text
    assert stored(store) == []


def test_a_file_is_forgotten_once_taken_or_left_or_signed_out(lena, app):
    page = to_columns(lena)
    assert send(lena, page, act="discard").headers["location"] == PLACE
    assert lena.get(COLUMNS).headers["location"] == PLACE
    send(lena, to_columns(lena))
    assert lena.get(COLUMNS).headers["location"] == PLACE
    to_columns(lena)
    tray = app.state.house.tray
    assert len(tray._kept) == 1
    lena.send(lena.page("/account").form_to("/logout"))
    assert tray._kept == {}


def test_nothing_of_a_kept_file_is_on_the_disk_or_in_an_address(lena, store):
    page = to_columns(lena, TABLE.replace("Jörg", "quokka").encode())
    assert "quokka" in page.text
    kept = [path.read_bytes() for path in store.folder.rglob("*") if path.is_file()]
    assert kept
    assert not any(b"quokka" in data or b"pairs.csv" in data for data in kept)
    assert "?" not in COLUMNS


def test_a_map_gives_no_pair_the_mark_of_a_filter(lena, store):
    send(lena, to_columns(lena))
    (payload,) = events(store, "items.imported")[-1:]
    assert '"pairing":null' in payload[0].replace(" ", "")


def test_what_is_there_is_planned_with_one_click_where_the_protocol_plans_otherwise(lena, store):
    send(lena, to_columns(lena))
    page = lena.page(PLACE)
    assert "The protocol would say: fluent 2, word_repetition 1." in page.text
    (form,) = [form for form in page.forms if form.fields.get("what") == ["strata"]]
    assert lena.send(form).status_code == 303
    with store.read() as connection:
        rules = studies.protocol_of(studies.get(connection, "pilot"))
    assert dict(rules.strata) == {"word_repetition": 1, "fluent": 2}
    assert rules.controls == {"fluent"}
    assert "The protocol would say" not in lena.page(PLACE).text
    assert lena.send(form).status_code == 409


def test_a_control_without_items_stays_planned_and_the_page_says_why_and_where_to_say_otherwise(lena):
    send(lena, to_columns(lena, TABLE.replace("fluent", "flüssig").encode()))
    page = lena.page(PLACE)
    assert "No item is of fluent: planned on, because the protocol counts it as a control" in page.text
    assert "No item is of a control stratum" in page.text
    assert "/lead/studies/pilot/protocol/edit#field-selection.strata" in page.links
    (form,) = [form for form in page.forms if form.fields.get("what") == ["strata"]]
    lena.send(form)
    assert "No item is of a control stratum" in lena.page(PLACE).text
    send(lena, to_columns(lena), replace="yes")
    assert "No item is of a control stratum" not in lena.page(PLACE).text


def test_a_source_that_the_ledger_lacks_is_entered_undecided_and_what_was_decided_stays(lena, store):
    send(lena, to_columns(lena))
    (form,) = [form for form in lena.page(PLACE).forms if form.fields.get("what") == ["sources"]]
    assert lena.send(form).status_code == 303
    with store.read() as connection:
        (entry,) = studies.ledger(connection, "pilot")
        assert ledger.former(connection, "pilot") == []
    assert (entry.source, entry.kind, entry.decision, entry.permitted_operations) == (
        "pilot",
        "synthetic",
        "unknown",
        (),
    )
    assert (entry.decided_by, entry.licence) == ("lena", "not known yet")
    text = lena.page(PLACE).text
    assert "rights are unknown; unknown means no" in text
    assert lena.send(form).status_code == 409
    assert len(events(store, "rights.prefilled")) == 1


def test_nothing_unknown_is_prefilled(lena):
    send(lena, to_columns(lena))
    form = next(form for form in lena.page(PLACE).forms if "what" in form.names)
    assert lena.send(form, what="people").status_code == 422


AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def kept(key, size=1, at=AT):
    return Kept(key, "pilot", "x.csv", b"x" * size, replace=False, at=at)


def test_the_tray_forgets_after_half_an_hour():
    tray = Tray()
    tray.put("one", kept("a"))
    assert tray.get("one", "pilot", AT + KEPT).key == "a"
    assert tray.get("one", "pilot", AT + KEPT + timedelta(seconds=1)) is None
    assert tray._kept == {}


def test_the_tray_gives_a_file_to_its_own_session_and_study_alone():
    tray = Tray()
    tray.put("one", kept("a"))
    assert tray.get("two", "pilot", AT) is None
    assert tray.get("one", "other", AT) is None


def test_where_the_tray_is_full_the_oldest_file_goes_and_never_the_newest():
    tray = Tray()
    for session in ("one", "two", "three"):
        tray.put(session, kept(session, MOST_BYTES // 2))
    assert [tray.get(each, "pilot", AT) is not None for each in ("one", "two", "three")] == [False, True, True]


def test_the_template_opens_in_excel_and_has_documented_columns_alone(lena):
    data = lena.get("/lead/starter/items.csv").content
    header = data.decode("utf-8-sig").splitlines()[0].split(",")
    assert data.startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in data
    assert set(header) <= {field.key for field in FIELDS}
    assert {field.key for field in FIELDS if field.required} <= set(header)
