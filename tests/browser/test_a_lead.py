"""The lead's whole way in a real browser: from an empty store to a memo."""

import json
import zipfile

import pytest

from tests.browser.test_a_study import code, sign_off
from tests.house import PROTOCOL, RIGHTS, item_rows, jsonl, password_of

ROWS = item_rows(
    [
        ("word_repetition", "ep-one", "I I want the pen", "I want the pen"),
        ("fluent", "ep-two", "she had had enough already", "she had enough already"),
    ]
)
PLACE = "/lead/studies/pilot"
SIZES = {"width": 1280, "height": 800}, {"width": 390, "height": 800}, {"width": 320, "height": 640}


@pytest.fixture
def lena(evenhand, tab):
    """Return the lead's tab at a store that holds her account and nothing else."""
    evenhand.add_people("rosa")
    evenhand.do("user", "add", "lena", "--lead", "--password-stdin", given=password_of("lena") + "\n")
    evenhand.serve()
    return tab("lena")


def give(page, label, button, name, data):
    page.get_by_label(label, exact=True).set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})
    press(page, button)


def press(page, button):
    """Press a button that leads to another page, and wait for that page."""
    with page.expect_navigation():
        page.get_by_role("button", name=button).click()


def follow_next(page):
    """Follow the page's one next action."""
    with page.expect_navigation():
        page.locator(".next a").click()


def fits(page):
    """Tell whether the page fits its window at every size."""
    found = []
    for size in SIZES:
        page.set_viewport_size(size)
        found.append(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
    page.set_viewport_size(SIZES[0])
    return all(found)


def take_account(page, tab, name):
    """Add a judge, read the code from the page, and let the judge set a password with it."""
    page.get_by_label("Name").fill(name)
    press(page, "Add the account")
    secret = page.locator(".code code").inner_text()
    theirs = tab(None).page
    theirs.goto("/code")
    theirs.get_by_label("Name", exact=True).fill(name)
    theirs.get_by_label("One-time code").fill(secret)
    theirs.get_by_label("New password").fill(password_of(name))
    press(theirs, "Set password and sign in")
    theirs.get_by_text("You have no part in a study yet").wait_for()


def prepare(page):
    """Walk from the empty list to a frozen study by the next actions alone, with one mistake on the way."""
    page.get_by_role("link", name="Create a study").click()
    give(page, "Protocol", "Create the study", "protocol.toml", b'[study]\nid = "no good"\n')
    assert "study.id" in page.get_by_role("alert").inner_text()
    small = PROTOCOL.replace("word_repetition = 4, fluent = 2", "word_repetition = 1, fluent = 2")
    give(page, "Protocol", "Create the study", "protocol.toml", small.encode())
    follow_next(page)
    give(page, "Rights ledger", "Save the ledger", "rights.toml", RIGHTS.encode())
    assert fits(page)
    follow_next(page)
    give(page, "Items", "Import", "items.jsonl", jsonl([ROWS[0], ROWS[1] | {"stratum": 3}]))
    assert "stratum" in page.get_by_role("alert").inner_text()
    assert fits(page)
    give(page, "Items", "Import", "items.jsonl", jsonl(ROWS))
    assert page.get_by_role("heading", name="2 items").is_visible()
    follow_next(page)
    for name, role in (("rosa", "Reviewer"), ("ravi", "Reviewer"), ("ines", "Adjudicator")):
        page.get_by_label(name, exact=True).select_option(label=role)
    page.get_by_label("Qualification of the judges").fill("two linguists")
    assert fits(page)
    press(page, "Save who takes part")
    follow_next(page)
    page.get_by_label("Items planned and not imported. 1").check()
    assert fits(page)
    press(page, "Freeze the study")
    page.get_by_text("Wait for the reviewers to sign off.").wait_for()


def review(tab, name):
    page = tab(name).page
    page.get_by_role("link", name="Start").click()
    for _ in ROWS:
        code(page, label="no-material-edit")
    sign_off(page)


def test_a_lead_takes_a_study_from_an_empty_store_to_a_memo(lena, evenhand, tab, tmp_path):
    page = lena.page
    page.get_by_role("link", name="Make their accounts").click()
    for name in ("ravi", "ines"):
        take_account(page, tab, name)
    page.get_by_role("link", name="Studies").first.click()
    prepare(page)

    page.get_by_label("Log a deviation").fill("One day later than planned.")
    press(page, "Log it")
    assert page.get_by_text("One day later than planned.").is_visible()
    review(tab, "rosa")
    review(tab, "ravi")
    page.reload()
    page.get_by_text("Reopen a signed set", exact=True).click()
    page.get_by_label("Whose set").select_option("ravi")
    page.get_by_label("Reason").first.fill("he asked for it")
    press(page, "Reopen the set")
    page.get_by_text("Wait for the reviewers to sign off.").wait_for()
    sign_off(tab("ravi").page)
    sign_off(tab("ines").page)
    page.reload()
    follow_next(page)
    assert fits(page)
    page.get_by_role("button", name="Close the study and open the outcomes").click()
    page.wait_for_url("**/results")
    assert "no confirmed destructive edit observed in this sample" in page.locator("main").inner_text().lower()

    page.get_by_role("link", name="Export the memo").click()
    page.get_by_label("None recorded").check()
    assert fits(page)
    with page.expect_download() as started:
        page.get_by_role("button", name="Download the memo").click()
    started.value.save_as(tmp_path / "memo.zip")
    downloaded = zipfile.ZipFile(tmp_path / "memo.zip").read("memo-pilot/memo.json")
    page.get_by_text("Or write it to a folder").click()
    press(page, "Write the folder")
    page.get_by_text("The memo is written").wait_for()
    written = (evenhand.folder / "exports" / "memo-pilot" / "memo.json").read_bytes()
    assert written == downloaded
    memo = json.loads(written)
    assert memo["verdict"]["status"] == "PASS_SYNTHETIC"
    assert [each["text"] for each in memo["deviations"]] == ["One day later than planned."]
    assert evenhand.do("verify")["ok"] is True
    assert lena.elsewhere == []
    assert [fault for fault in lena.faults if "422" not in fault] == []


# As Excel in Germany saves it: semicolons, Windows-1252, numbered, and not one column called as the docs call it.
EXCEL = (
    "Nr;Gruppe;Folge;Erkannt;Filter aus;Filter an;Gemeint\r\n"
    "1;Wortwiederholung;e1;ich ich möchte 5 €;ich ich möchte 5 €;ich möchte 5 €;Ich möchte fünf Euro.\r\n"
    "2;flüssig;e2;„sie“ ging um zwölf;„sie“ ging um zwölf;sie ging um zwölf;Sie ging um 12.\r\n"
).encode("cp1252")


def test_a_numbered_table_from_excel_with_umlauts_becomes_a_frozen_study_by_pages_alone(lena, evenhand):
    evenhand.add_people("ravi", "ines")
    page = lena.page
    page.get_by_role("link", name="Create a study").click()
    page.get_by_label("Id", exact=True).fill("kueche")
    page.get_by_label("Title", exact=True).fill("Küchengespräche")
    page.get_by_label("Synthetic").check()
    page.get_by_label("Four strata of 5").check()
    press(page, "Create it and go on")
    page.goto("/lead/studies/kueche/items")
    page.get_by_label("Items", exact=True).set_input_files({"name": "p.csv", "mimeType": "text/csv", "buffer": EXCEL})
    press(page, "Import")
    for key in ("item_id", "stratum", "cluster", "raw_hypothesis", "off", "on", "semantic_reference"):
        assert page.locator(f'[name="column.{key}"]').input_value() != "", key
    page.locator('[name="constant.source"]').fill("Küche")
    page.get_by_label("Every one of these words reads as it should").check()
    press(page, "Import")
    press(page, "Plan what is there")
    press(page, "Enter it, undecided")
    page.get_by_role("link", name="say so in the protocol").click()
    rows = {page.locator(f'[name="row.{n}.name"]').input_value(): n for n in range(3)}
    page.locator(f'[name="row.{rows["flüssig"]}.role"]').select_option("control")
    page.locator(f'[name="row.{rows["fluent"]}.name"]').fill("")
    page.locator(f'[name="row.{rows["fluent"]}.number"]').fill("")
    press(page, "Save the protocol")
    follow_next(page)
    page.get_by_role("link", name="Edit or decide").click()
    page.get_by_role("link", name="Invented text").click()
    page.get_by_label("Publisher").fill("our group")
    page.get_by_label("Reference owner").fill("our group")
    page.get_by_label("Decision").select_option("approved")
    press(page, "Save the entry")
    follow_next(page)
    for name, role in (("rosa", "Reviewer"), ("ravi", "Reviewer"), ("ines", "Adjudicator")):
        page.get_by_label(name, exact=True).select_option(label=role)
    page.get_by_label("Qualification of the judges").fill("two linguists")
    press(page, "Save who takes part")
    follow_next(page)
    told = page.locator("main").inner_text()
    assert "To acknowledge" not in told
    assert "not known yet" not in told
    press(page, "Freeze the study")
    page.get_by_text("Wait for the reviewers to sign off.").wait_for()
    assert evenhand.do("verify")["ok"] is True
    assert (lena.elsewhere, lena.faults) == ([], [])


def test_a_lead_without_javascript_prepares_a_study_all_the_same(evenhand, tab):
    evenhand.add_people("rosa", "ravi", "ines")
    evenhand.do("user", "add", "lena", "--lead", "--password-stdin", given=password_of("lena") + "\n")
    evenhand.serve()
    prepare(tab("lena", java_script_enabled=False).page)
