"""What a lead enters in words of their own can be seen by whoever reads it, and has an end."""

import pytest

from app.actions import closing, preparing, replacing, withdrawing
from app.domain.errors import InvalidInput
from tests.house import PROTOCOL, RIGHTS, draft_study, frozen_study, item_rows, jsonl, practice_row, seats

UNSEEN = {
    "word joiner and zero width space": "\u2060 \u200b",
    "hangul filler": "\u3164",
    "braille without dots": "\u2800",
    "a mark without a letter": "\u0301",
    "a blank of hieroglyphs": "\U00013441",
    "a private character": "\ue000",
    "a direction control": "note \u202e",
    "a bell": "note \x07",
    "far too much": "x" * 4_001,
}
FROZEN = {
    "a reason to reopen": ("reason", lambda *where: closing.reopen(*where[:4], "rosa", where[4])),
    "a deviation": ("text", closing.log_deviation),
    "the reason of an early close": ("reason", closing.close),
    "the reason of a replacement": ("reason", lambda *where: replacing.replace(*where[:4], "rosa", "otto", where[4])),
    "what is attested of a newcomer": (
        "attest",
        lambda *where: replacing.replace(*where[:4], "rosa", "otto", "ill", where[4]),
    ),
    "the reason of a withdrawal": (
        "reason",
        lambda *where: withdrawing.withdraw(*where[:4], "item", "P-001", where[4]),
    ),
}


def protocol_with(old, new):
    return lambda *where: preparing.set_protocol(
        *where[:4], PROTOCOL.replace(old, new.replace("?", where[4])).encode(), "protocol.toml"
    )


DRAFT = {
    "what is attested": (
        "attest",
        lambda *where: preparing.assign(*where[:4], seats(["rosa", "ravi"], ["lena"]), where[4]),
    ),
    "the title": ("study.title", protocol_with('"A small pilot"', "'''?'''")),
    "a stratum": ("selection.strata", protocol_with("fluent = 2", 'fluent = 2, "?" = 1')),
    "the filter": ("engine.filter", protocol_with("[selection]", "[engine]\nfilter = '''?'''\n[selection]")),
    "the licence": (
        "source 1, licence",
        lambda *where: preparing.set_rights(
            *where[:4], RIGHTS.replace('"Apache-2.0"', f"'''{where[4]}'''").encode(), "rights.toml"
        ),
    ),
}


def refused(act, store, world, study, text):
    with pytest.raises(InvalidInput) as error:
        act(store, world, "lena", study, text)
    return [problem.field for problem in error.value.problems]


def events(store):
    with store.read() as connection:
        return connection.exec_driver_sql("select count(*) from audit_event").scalar()


@pytest.mark.parametrize("what", FROZEN)
def test_after_the_freeze_nothing_is_taken_of_which_nothing_can_be_seen(store, world, study, what):
    field, act = FROZEN[what]
    before = events(store)
    for name, text in UNSEEN.items():
        assert refused(act, store, world, study, text) == [field], name
    assert events(store) == before


@pytest.mark.parametrize("what", DRAFT)
def test_before_the_freeze_nothing_is_taken_of_which_nothing_can_be_seen(store, world, people, what):
    field, act = DRAFT[what]
    study = draft_study(store, world)
    before = events(store)
    for name, text in UNSEEN.items():
        if text.isprintable() or name == "a direction control" or what == "what is attested":
            assert [each and each.rpartition("toml, ")[2] for each in refused(act, store, world, study, text)] == [
                field
            ], name
    assert events(store) == before


@pytest.mark.parametrize("key", ["item_id", "stratum", "cluster", "source"])
def test_no_name_of_an_item_is_invisible(store, world, people, key):
    study = preparing.create(store, world, "local", PROTOCOL.encode(), "protocol.toml")
    for text in ("\u3164", "\u2800", "\U00013441"):
        with pytest.raises(InvalidInput) as error:
            preparing.import_items(store, world, "lena", study, jsonl([item_rows()[0] | {key: text}]), "i.jsonl")
        assert [problem.field for problem in error.value.problems] == [key]


def test_a_practice_item_explains_itself_in_what_can_be_seen(store, world, people):
    study = preparing.create(store, world, "local", PROTOCOL.encode(), "protocol.toml")
    row = practice_row()
    row["expected"]["explanation"] = "\u2060\u3164"
    with pytest.raises(InvalidInput) as error:
        preparing.import_items(store, world, "lena", study, jsonl([row]), "i.jsonl")
    assert [problem.field for problem in error.value.problems] == ["expected.explanation"]


def test_an_attestation_of_spaces_is_none_and_must_be_acknowledged(store, world, people):
    study = draft_study(store, world)
    preparing.assign(store, world, "lena", study, seats(["rosa", "ravi"], ["lena"]), "  \n")
    assert "unattested" in {each.code for each in preparing.check(store, study).acknowledge}


@pytest.mark.parametrize("text", ["病気", "مريض", "ill, at home", "…", "👩‍⚕️"])
def test_words_of_any_script_are_taken(store, world, study, text):
    closing.log_deviation(store, world, "lena", study, text)


def test_a_study_of_an_earlier_version_whose_title_cannot_be_seen_is_still_read(store, world, people):
    study = frozen_study(store, world)
    with store.write() as connection:
        stored = connection.exec_driver_sql("select protocol from study").scalar()
        connection.exec_driver_sql("update study set protocol = ?", (stored.replace("A small pilot", "\u3164"),))
    closing.log_deviation(store, world, "lena", study, "a lamp failed")
