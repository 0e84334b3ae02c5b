from dataclasses import replace

import pytest

from app.domain.item import Item
from app.domain.pairing import Filter, Pairing, contradictions, frozen_filter, origin, texts_digest
from app.domain.protocol import parse

CONFIG = {"off": {"enabled": False, "run": 3}, "on": {"enabled": True, "run": 3, "drop": ["um"]}}
TIDY = Filter.of("tidy", "1.0", CONFIG)
ITEM = Item("P-1", "words", "ep-one", "invented", "um I go", "um I go", "I go")
ITEMS = [ITEM, replace(ITEM, item_id="P-2", raw_hypothesis="we", off="we", on="we")]


def paired(items, made_by=TIDY, sha256="a" * 64):
    return Pairing(made_by, "b" * 64, sha256, texts_digest(items), len(items))


def test_pairs_that_one_filter_made_here_are_verified_by_its_name_configuration_and_files():
    found = origin(ITEMS, [4, 4], {4: paired(ITEMS)})
    assert found.verified
    assert found.as_data() == {"filter": "tidy", "version": "1.0", "config": CONFIG, "files": ["a" * 64]}
    assert frozen_filter({"pairing": found.as_data()}) == TIDY


def test_two_files_of_one_filter_are_verified_together():
    found = origin(ITEMS, [1, 2], {1: paired(ITEMS[:1]), 2: paired(ITEMS[1:], sha256="0" * 64)})
    assert (found.filter, found.files) == (TIDY, ("0" * 64, "a" * 64))


OTHERS = [
    replace(TIDY, version="1.1"),
    replace(TIDY, name="tidier"),
    Filter.of("tidy", "1.0", CONFIG | {"on": {"enabled": True}}),
]


@pytest.mark.parametrize("other", OTHERS, ids=["version", "name", "configuration"])
def test_two_filters_versions_or_configurations_are_not_verified(other):
    found = origin(ITEMS, [1, 2], {1: paired(ITEMS[:1]), 2: paired(ITEMS[1:], other)})
    assert (found.verified, found.here, found.imported, found.otherwise) == (False, 2, 0, 1)
    assert found.as_data() is None


@pytest.mark.parametrize(
    ("marks", "here", "imported"), [([None, None], 0, 2), ([1, None], 1, 1), ([9, 9], 0, 2)], ids=str
)
def test_a_pair_that_was_not_made_here_leaves_the_study_unverified(marks, here, imported):
    found = origin(ITEMS, marks, {1: paired(ITEMS[:1])})
    assert (found.verified, found.here, found.imported) == (False, here, imported)


@pytest.mark.parametrize("text", ["raw_hypothesis", "off", "on"])
def test_a_mark_proves_nothing_where_a_text_is_not_the_one_that_was_paired(text):
    assert not origin([replace(ITEM, **{text: "I went"}), ITEMS[1]], [1, 1], {1: paired(ITEMS)}).verified


def test_a_study_without_items_is_not_verified():
    assert not origin([], [], {}).verified


def test_a_manifest_of_before_knows_no_filter():
    assert (frozen_filter({}), frozen_filter({"pairing": None})) == (None, None)


def test_the_digest_of_a_pairing_changes_with_each_part():
    made = paired(ITEMS)
    changed = {"filter": OTHERS[0], "raw_sha256": "c", "sha256": "c", "texts_sha256": "c", "items": 3}
    assert len({made.digest(), *(replace(made, **{key: value}).digest() for key, value in changed.items())}) == 6


def test_texts_that_run_into_each_other_have_another_digest():
    assert texts_digest([replace(ITEM, off="a", on="bc")]) != texts_digest([replace(ITEM, off="ab", on="c")])


@pytest.mark.parametrize(
    "engine",
    [
        {},
        {"filter": "none", "filter_version": "none", "filter_config": "none"},
        {"filter": "Tidy", "filter_version": "1.0"},
        {"filter_version": 1.0},
        {"filter_config": CONFIG},
        {"filter_config": {"on": {"run": 3}}},
        {"filter_config": {"enabled": True, "drop": ["um"]}},
        {"filter_config": "drops um"},
        {"filter_config": {}},
    ],
)
def test_a_protocol_that_says_the_same_or_nothing_does_not_contradict(engine):
    assert contradictions(parse({"study": {"id": "pilot"}, "engine": engine}), TIDY) == []


@pytest.mark.parametrize(
    "engine",
    [
        {"filter": "yazses"},
        {"filter_version": "1.1"},
        {"filter_version": 1},
        {"filter_config": {"on": {"run": 4}}},
        {"filter_config": {"enabled": False}},
        {"filter_config": {"unknown": 1}},
        {"filter_config": CONFIG | {"off": {"enabled": True}}},
    ],
)
def test_a_protocol_that_says_otherwise_contradicts_by_its_key(engine):
    found = contradictions(parse({"study": {"id": "pilot"}, "engine": engine}), TIDY)
    assert [problem.field for problem in found] == [f"engine.{key}" for key in engine]
