import hashlib

import pytest

from app.domain.item import Item, duplicates, parse

ROW = {
    "item_id": "P-1",
    "stratum": "words",
    "cluster": "ep-one",
    "source": "invented",
    "raw_hypothesis": "I I want it",
    "off": "I I want it",
    "on": "I want it",
}
PRIVATE = "my private words"


def problems(**changes):
    found = parse(ROW | changes, "items.jsonl", 3)
    assert isinstance(found, list)
    assert all((problem.where, problem.line) == ("items.jsonl", 3) for problem in found)
    return {problem.field: problem.message for problem in found}


def item(**changes):
    return Item(**ROW | changes)


def test_a_row_with_the_seven_needed_keys_is_an_item():
    found = parse(ROW, "items.jsonl", 1)
    assert found == Item(**ROW)
    assert (found.semantic_provenance, found.semantic_ambiguous, found.tags) == ("annotator", False, ())


def test_every_optional_key_is_kept():
    more = {
        "verbatim_reference": "I I want it",
        "semantic_reference": "I want it",
        "semantic_provenance": "speaker",
        "semantic_ambiguous": True,
        "lang": "en-GB",
    }
    found = parse(ROW | more | {"tags": ["word_repetition"], "role": "study"}, "", None)
    assert found == item(**more, tags=("word_repetition",))


@pytest.mark.parametrize("text", ["  two  spaces ", "tab\t and\nline", "\u202ertl", "e\u0301", "", "👩\u200d👧"])
def test_texts_are_kept_exactly_as_they_came(text):
    found = parse(ROW | {"off": text, "on": text}, "", 1)
    assert (found.off, found.on) == (text, text)


def test_the_longest_text_and_name_allowed_are_taken():
    assert parse(ROW | {"on": "x" * 20_000, "cluster": "x" * 200, "tags": ["x"]}, "", 1).cluster == "x" * 200


def test_a_reference_is_found_by_its_kind():
    given = item(verbatim_reference="as said", semantic_reference="as meant")
    assert (given.reference("verbatim"), given.reference("semantic")) == ("as said", "as meant")


@pytest.mark.parametrize("key", ROW)
def test_each_needed_key_is_missed_whether_left_out_or_null(key):
    left_out = parse({name: value for name, value in ROW.items() if name != key}, "", 1)
    assert [problem.field for problem in left_out] == [key]
    assert problems(**{key: None}).keys() == {key}


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("item_id", ["", 7, " P", "P\n", "x" * 201, ["P"], "P\u202e"]),
        ("stratum", ["", 1, True]),
        ("cluster", ["", 1]),
        ("source", ["", 1]),
        ("raw_hypothesis", [1, ["text"], "x" * 20_001]),
        ("off", [1, False, {}, "x" * 20_001]),
        ("on", [1, [], 2.5]),
        ("verbatim_reference", [1]),
        ("semantic_reference", [{}]),
        ("semantic_provenance", ["asr", "", 1, ["speaker"]]),
        ("semantic_ambiguous", ["no", 0, 1]),
        ("lang", [1, ""]),
        ("tags", ["block", [1], {"block": 1}]),
        ("raw_sha256", ["abc", "A" * 64, 1]),
    ],
)
def test_a_value_of_the_wrong_kind_is_a_problem_of_its_field(key, values):
    for value in values:
        found = problems(**{key: value})
        assert found.keys() == {key}, value
        assert found[key].startswith("expected ")


def test_an_unknown_key_is_a_problem():
    assert problems(ofF="x") == {"ofF": "unknown key"}


def test_all_problems_of_a_row_are_reported():
    assert problems(off=1, on=2, cluster=None, colour="red").keys() == {"off", "on", "cluster", "colour"}


def test_no_message_repeats_a_value():
    found = problems(semantic_provenance=PRIVATE, item_id=f"{PRIVATE}\n", tags=PRIVATE, raw_sha256=PRIVATE)
    assert len(found) == 4
    assert PRIVATE not in str(found.values())


def test_the_stated_digest_of_the_raw_hypothesis_must_be_its_own():
    digest = hashlib.sha256(b"I I want it").hexdigest()
    assert parse(ROW | {"raw_sha256": digest}, "", 1).raw_sha256 == digest
    assert problems(raw_sha256="0" * 64).keys() == {"raw_sha256"}


@pytest.mark.parametrize(("on", "changed"), [("I I want it", False), ("I I want it ", True), ("i I want it", True)])
def test_an_item_is_changed_where_any_byte_differs(on, changed):
    assert item(on=on).changed is changed


def found_twice(*items, known=()):
    rows = [(each, line) for line, each in enumerate(items, start=1)]
    return [(problem.line, problem.field) for problem in duplicates(rows, "items.jsonl", known)]


def test_an_id_that_stands_twice_is_found_at_its_second_line():
    assert found_twice(item(), item(item_id="P-2"), item(off="other")) == [(3, "item_id")]
    assert found_twice(item(off="other"), known=[item()]) == [(1, "item_id")]


def test_a_pair_that_stands_again_with_off_and_on_swapped_is_found():
    swapped = item(item_id="P-2", off=ROW["on"], on=ROW["off"])
    assert found_twice(item(), swapped) == [(2, "on")]
    assert found_twice(swapped, known=[item()]) == [(1, "on")]


def test_the_same_pair_twice_and_equal_texts_are_no_duplicates():
    same = {"off": "so so", "on": "so so"}
    assert found_twice(item(), item(item_id="P-2"), item(item_id="P-3", **same), item(item_id="P-4", **same)) == []
