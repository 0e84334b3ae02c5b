"""Which column of a table holds which key of items: the guess, the map, and what items say of a study."""

import pytest

from app.domain import mapping, protocol
from app.domain.errors import InvalidInput
from app.domain.item import FIELDS, Item
from app.domain.mapping import MAPPED, ItemColumns

NEEDED = [field.key for field in FIELDS if field.required]
WHOLE = ItemColumns({key: (key,) for key in NEEDED})


@pytest.mark.parametrize(
    ("name", "key"),
    [
        *((field.key, field.key) for field in MAPPED),
        *((field.key.upper().replace("_", " "), field.key) for field in MAPPED),
        ("Item-ID", "item_id"),
        ("Nr.", "item_id"),
        ("ID", "item_id"),
        ("Utterance", "item_id"),
        ("Group", "stratum"),
        ("Gruppe", "stratum"),
        ("Speaker ID", "cluster"),
        ("Sprecher", "cluster"),
        ("épisode", "cluster"),
        ("Dataset", "source"),
        ("Quelle", "source"),
        ("ASR output", "raw_hypothesis"),
        ("Raw", "raw_hypothesis"),
        ("text_off", "off"),
        ("Without filter", "off"),
        ("ohne Filter", "off"),
        ("Text ON", "on"),
        ("with_filter", "on"),
        ("Filtered", "on"),
        ("What was said", "verbatim_reference"),
        ("Intended meaning", "semantic_reference"),
        ("Language", "lang"),
    ],
)
def test_a_column_is_guessed_by_its_name_whatever_its_case_accents_and_marks(name, key):
    assert mapping.guess([name]) == {key: name}


@pytest.mark.parametrize("name", ["before", "after", "text", "text 1", "A", "B", "left", "comment", "", "  ", "…"])
def test_what_could_mean_either_text_or_nothing_is_not_guessed(name):
    assert mapping.guess([name]) == {}


def test_a_columns_own_name_wins_over_another_and_each_column_is_guessed_once():
    assert mapping.guess(["id", "item_id", "speaker", "episode"]) == {"item_id": "item_id", "cluster": "speaker"}


def test_a_map_names_columns_lists_of_them_or_a_constant():
    told = {"item_id": ["Show", "Clip"], "off": "o", "source": {"constant": "pilot"}}
    found = mapping.parse(told)
    assert found.columns == {"item_id": ("Show", "Clip"), "off": ("o",)}
    assert found.constants == {"source": "pilot"}
    assert found.needed == {"Show", "Clip", "o"}


@pytest.mark.parametrize(
    ("told", "field", "message"),
    [
        ({"labels": {"a": "b"}}, "labels", "unknown key"),
        ({"audio_file": "x"}, "audio_file", "unknown key"),
        ({"off": ["a", "b"]}, "off", "the name of one column"),
        ({"off": {"constant": "x"}}, "off", "the name of one column"),
        ({"off": " padded "}, "off", "the name of one column"),
        ({"on": 7}, "on", "the name of one column"),
        ({"item_id": {"constant": "x"}}, "item_id", "the name of a column"),
        ({"item_id": []}, "item_id", "the name of a column"),
        ({"source": {"constant": ""}}, "source", "constant"),
        ({"stratum": {"constant": "a\nb"}}, "stratum", "with the name of the stratum"),
        ({"cluster": {"value": "x"}}, "cluster", "constant"),
    ],
)
def test_a_faulty_map_is_refused_by_key(told, field, message):
    with pytest.raises(InvalidInput) as refused:
        mapping.parse(told, "map.toml")
    (problem,) = refused.value.problems
    assert (problem.where, problem.field) == ("map.toml", field)
    assert message in problem.message


def test_what_a_map_leaves_out_is_a_column_of_its_own_name():
    found = ItemColumns({"off": ("o",)}, {"source": "pilot"}).fitted(["o", "on", "off", "source", "else"])
    assert found.columns == {"off": ("o",), "on": ("on",)}


@pytest.mark.parametrize("key", NEEDED)
def test_a_map_without_what_every_item_needs_lacks_it(key):
    left = ItemColumns({name: told for name, told in WHOLE.columns.items() if name != key})
    assert [each.field for each in mapping.lacking(left)] == [key]
    assert mapping.lacking(WHOLE) == []


def test_one_column_cannot_be_both_texts():
    (problem,) = mapping.lacking(ItemColumns({**WHOLE.columns, "on": ("off",)}))
    assert problem.field == "on"


def test_a_constant_is_checked_as_a_name():
    left = {key: told for key, told in WHOLE.columns.items() if key != "source"}
    (problem,) = mapping.lacking(ItemColumns(left, {"source": "x" * 201}))
    assert problem.field == "source"


def item(stratum, source="invented", cluster="c"):
    return Item("x", stratum, cluster, source, "", "", "")


def rules(**selection):
    return protocol.parse({"study": {"id": "pilot"}, "selection": selection})


def test_a_census_counts_strata_and_sources_in_order_and_clusters_once():
    found = mapping.census([item("b"), item("a", "second", "d"), item("b", cluster="d")])
    assert (found.items, found.clusters) == (3, 2)
    assert list(found.strata.items()) == [("b", 2), ("a", 1)]
    assert found.sources == {"invented": 2, "second": 1}


@pytest.mark.parametrize(
    ("planned", "there", "offered"),
    [
        ({}, "aab", {"a": 2, "b": 1}),
        ({"strata": {"b": 1, "a": 2}}, "aab", None),
        ({"strata": {"b": 5, "a": 2}}, "aab", {"b": 1, "a": 2}),
        ({"strata": {"b": 5, "z": 2}}, "aab", {"b": 1, "a": 2}),
        ({"strata": {"z": 2, "a": 1}, "controls": ["z"]}, "aab", {"z": 2, "a": 2, "b": 1}),
        ({}, "", None),
        ({"strata": {"a": 2}}, "", None),
    ],
)
def test_the_numbers_that_are_there_are_offered_as_planned_ones_where_they_differ(planned, there, offered):
    found = mapping.plan_of(mapping.census(map(item, there)), rules(**planned))
    assert found == offered
    assert offered is None or list(found) == list(offered)
