import pytest

from app.domain import columns
from app.domain.columns import SEP28K_EXCLUSIONS, SEP28K_LABELS, Exclusion
from app.domain.errors import InvalidInput
from scripts.make_selection_pool import HEADER

MAP = {"item_id": "clip", "cluster": ["show", "ep"], "source": "show", "labels": {"pause": "Pause", "plain": "None"}}
SEP28K = HEADER.split(",")


def problems(**changes):
    data = {key: value for key, value in (MAP | changes).items() if value is not None}
    with pytest.raises(InvalidInput) as raised:
        columns.parse(data, "map.toml")
    assert all(each.where == "map.toml" for each in raised.value.problems)
    return [(each.field, each.message) for each in raised.value.problems]


def test_sep28ks_columns_are_known():
    known = columns.sep28k(SEP28K, "episode", "pool.csv")
    assert (known.item_id, known.cluster, known.source) == (("Show", "EpId", "ClipId"), ("Show", "EpId"), ("Show",))
    assert (known.labels, known.fluent) == (SEP28K_LABELS, {"fluent"})
    assert known.exclude == {reason: Exclusion(column) for reason, column in SEP28K_EXCLUSIONS.items()}
    assert "NaturalPause" not in known.needed


def test_a_column_that_only_excludes_may_be_missing():
    known = columns.sep28k([name for name in SEP28K if name != "Music"], "episode", "pool.csv")
    assert "music" not in known.exclude
    assert "no_speech" in known.exclude


def test_speakers_are_known_where_the_list_has_them():
    assert columns.sep28k([*SEP28K, "speaker"], "speaker", "pool.csv").cluster == ("speaker",)
    with pytest.raises(InvalidInput, match=r"field selection[.]cluster_unit: the list has no column “speaker”"):
        columns.sep28k(SEP28K, "speaker", "pool.csv")


def test_another_list_is_told_what_it_lacks_of_sep28k():
    with pytest.raises(InvalidInput, match=r"\(EpId, Block missing\): say with a column map"):
        columns.sep28k([name for name in SEP28K if name not in {"EpId", "Block"}], "episode", "pool.csv")


def test_a_column_map_says_what_the_columns_mean():
    exclude = {"noise": "Noise", "music": {"column": "Music", "at_least": 1}}
    found = columns.parse(MAP | {"exclude": exclude, "fluent": ["plain"]}, "map.toml")
    assert (found.item_id, found.cluster, found.source) == (("clip",), ("show", "ep"), ("show",))
    assert found.fluent == {"plain"}
    assert found.exclude == {"noise": Exclusion("Noise"), "music": Exclusion("Music", 1)}
    assert found.needed == {"clip", "show", "ep", "Pause", "None", "Noise", "Music"}


def test_a_source_may_be_the_same_for_all():
    found = columns.parse(MAP | {"source": {"constant": "our recordings"}}, "map.toml")
    assert (found.source, found.constant) == ((), "our recordings")


@pytest.mark.parametrize("key", ["item_id", "cluster", "source", "labels"])
def test_a_column_map_needs_its_keys(key):
    assert problems(**{key: None}) == [(key, "every column map needs it")]


@pytest.mark.parametrize(
    ("changes", "field", "expected"),
    [
        ({"lables": {}}, "lables", "unknown key"),
        ({"item_id": ""}, "item_id", "the name of a column"),
        ({"item_id": []}, "item_id", "the name of a column"),
        ({"cluster": ["show", "show"]}, "cluster", "different ones"),
        ({"cluster": [["show"]]}, "cluster", "the name of a column"),
        ({"cluster": 3}, "cluster", "the name of a column"),
        ({"source": {"constant": ""}}, "source", "constant"),
        ({"source": {"fixed": "x"}}, "source", "constant"),
        ({"labels": {}}, "labels", "a table of strata"),
        ({"labels": {"pause": 2}}, "labels.pause", "the name of a column"),
        ({"labels": {"pause": "Pause", "plain": "Pause"}}, "labels", "one is named twice"),
        ({"fluent": "plain"}, "fluent", "a list of labels"),
        ({"fluent": ["fluent"]}, "fluent", "“fluent” is not one of [labels]"),
        ({"exclude": ["Noise"]}, "exclude", "a table of reasons"),
        ({"exclude": {"Too Loud": "Noise"}}, "exclude.Too Loud", "a reason of small letters"),
        ({"exclude": {"no_agreement": "Noise"}}, "exclude.no_agreement", "none of: no_agreement"),
        ({"exclude": {"noise": {"column": "Noise", "at_least": 0}}}, "exclude.noise", "a whole number from 1"),
        ({"exclude": {"noise": {"column": "Noise", "at_least": True}}}, "exclude.noise", "a whole number from 1"),
        ({"exclude": {"noise": {"column": "Noise", "least": 1}}}, "exclude.noise", "a column"),
    ],
)
def test_what_is_wrong_with_a_column_map_is_named_by_its_field(changes, field, expected):
    ((told, message),) = problems(**changes)
    assert told == field
    assert expected in message


def test_a_stratum_may_go_by_its_columns_name():
    found = columns.parse(MAP | {"fluent": ["plain"]}, "map.toml").named(["Pause", "None", "elsewhere"])
    assert found.labels == {"Pause": "Pause", "None": "None"}
    assert found.fluent == {"None"}


def test_the_columns_that_a_list_lacks_are_named():
    found = columns.absent(columns.parse(MAP, "map.toml"), ["clip", "show", "Pause"], "pool.csv")
    assert [str(each) for each in found] == [
        "pool.csv, field None: the list has no such column",
        "pool.csv, field ep: the list has no such column",
    ]
