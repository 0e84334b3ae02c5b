import tomllib
from datetime import date

import pytest

from app.domain.errors import InvalidInput
from app.domain.rights import Source, parse, permits, shortfalls
from tests.house import RIGHTS

TABLE = tomllib.loads(RIGHTS)["source"][0]
NEEDED = ["store", "derive", "publish_aggregate"]


def refused(*tables, **more):
    with pytest.raises(InvalidInput) as found:
        parse({"source": list(tables)} | more, "rights.toml")
    return [problem.field for problem in found.value.problems]


def source(name="invented", **changes):
    (found,) = parse({"source": [TABLE | {"source": name, "permitted_operations": NEEDED} | changes]})
    return found


def test_a_complete_ledger_is_read_and_a_date_may_be_a_date_of_toml():
    (found,) = parse({"source": [TABLE]})
    assert isinstance(found, Source)
    assert (found.decided_at, found.retain_until) == ("2026-01-01", None)
    assert source(retain_until=date(2030, 1, 1)).retain_until == "2030-01-01"


@pytest.mark.parametrize("key", [key for key in TABLE if key != "retain_until"])
def test_every_field_but_the_end_of_retention_is_needed(key):
    assert refused({name: value for name, value in TABLE.items() if name != key}) == [f"source 1, {key}"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("kind", "real"),
        ("decision", "yes"),
        ("decision", True),
        ("licence", ""),
        ("licence", " "),
        ("version", 1),
        ("source", ["a"]),
        ("permitted_operations", "store"),
        ("permitted_operations", ["store", "sell"]),
        ("permitted_operations", [["store"]]),
        ("removal", "x" * 4_001),
    ],
)
def test_a_value_of_the_wrong_kind_is_a_problem_of_its_field(key, value):
    assert refused(TABLE | {key: value}) == [f"source 1, {key}"]


def test_the_place_of_a_problem_names_the_file_and_its_field_counts_the_sources():
    with pytest.raises(InvalidInput) as found:
        parse({"source": [TABLE, TABLE | {"source": "b", "licence": ""}]}, "rights.toml")
    (problem,) = found.value.problems
    assert (problem.where, problem.field) == ("rights.toml", "source 2, licence")


def test_unknown_keys_of_the_file_or_of_a_source_are_problems():
    assert refused(TABLE | {"note": "x"}) == ["source 1, note"]
    assert refused(TABLE, note="x") == ["note"]


@pytest.mark.parametrize("data", [{}, {"source": []}, {"source": TABLE}, {"source": ["invented"]}])
def test_a_ledger_has_at_least_one_source(data):
    with pytest.raises(InvalidInput, match="at least one"):
        parse(data)


def test_a_source_has_one_entry():
    assert refused(TABLE, TABLE) == ["source"]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (source("other"), "no entry"),
        (source(decision="refused"), "refused"),
        (source(decision="unknown"), "unknown means no"),
        *((source(permitted_operations=[each for each in NEEDED if each != lost]), lost) for lost in NEEDED),
        (source(kind="corpus"), "never mixed"),
    ],
)
def test_a_source_in_use_blocks_the_study_where_its_rights_fall_short(entry, told):
    (found,) = shortfalls(["invented", "invented"], [entry], "synthetic")
    assert "“invented”" in found.message
    assert told in found.message


def test_an_approved_source_with_the_three_operations_is_enough():
    assert shortfalls(["invented"], [source()], "synthetic") == []
    assert shortfalls(["invented"], [source(kind="corpus")], "corpus") == []


def test_each_source_that_falls_short_is_told_once_and_one_that_no_item_uses_never():
    ledger = [source("a", decision="refused"), source("b", decision="unknown"), source("c", decision="refused")]
    assert len(shortfalls(["b", "a", "b", "a"], ledger, "synthetic")) == 2


@pytest.mark.parametrize(("scope", "bad"), [("synthetic", "“real”"), ("corpus", "“made”")])
def test_mixed_kinds_are_refused(scope, bad):
    ledger = [source("real", kind="corpus"), source("made", kind="synthetic")]
    (found,) = shortfalls(["real", "made"], ledger, scope)
    assert bad in found.message


def test_the_manifest_hash_may_be_published_where_every_source_permits_it():
    free = source("a", permitted_operations=[*NEEDED, "publish_manifest_hash"])
    assert permits(["a"], [free, source("b")], "publish_manifest_hash")
    assert not permits(["a", "b"], [free, source("b")], "publish_manifest_hash")
    assert not permits(["a", "gone"], [free], "publish_manifest_hash")
    refused_one = source("a", permitted_operations=["publish_manifest_hash"], decision="refused")
    assert not permits(["a"], [refused_one], "publish_manifest_hash")
