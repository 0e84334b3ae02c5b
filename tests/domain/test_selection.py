import hashlib
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain import columns, protocol, selection
from app.domain.errors import InvalidInput
from app.domain.pool import Candidate

LABELS = ("sound", "word", "filler", "block", "plain")
COLUMNS = columns.parse(
    {
        "item_id": "clip",
        "cluster": "ep",
        "source": "show",
        "labels": {name: name.upper() for name in LABELS},
        "exclude": {"noise": "NOISE", "music": {"column": "MUSIC", "at_least": 1}},
    },
    "map.toml",
)
STRATA = {"sound": 3, "word": 2, "filler": 2, "plain": 2}


def wanted(**keys):
    section = {"strata": STRATA, "controls": ["plain"], "seed": "a seed"} | keys
    data = {"study": {"id": "pilot"}, "selection": {key: value for key, value in section.items() if value is not None}}
    return selection.rules(protocol.parse(data, "p.toml"), "p.toml")


def candidate(name="a", cluster="e", *, noise=0, music=0, **counts):
    return Candidate(name, cluster, "show", tuple(counts.get(label, 0) for label in LABELS), (noise, music))


def draw(pool, **keys):
    rules = wanted(**keys)
    return selection.select(pool, selection.fitted(COLUMNS, rules, "p.toml"), rules, "0.0.0")


def sorted_into(found, **keys):
    rules = wanted(**keys)
    return selection.Sieve(rules, selection.fitted(COLUMNS, rules, "p.toml"))(found)


def names(drawn):
    return [each.item_id for each in drawn]


# --- Which stratum, or which reason ---


@pytest.mark.parametrize(("count", "k", "stratum"), [(1, 2, None), (2, 2, "word"), (2, 3, None), (1, 1, "word")])
def test_a_label_counts_from_k_annotators_on(count, k, stratum):
    assert sorted_into(candidate(word=count), agreement={"k": k, "n": 3})[0] == stratum


@pytest.mark.parametrize(
    ("counts", "precedence", "answer"),
    [
        ({"word": 3, "sound": 2}, [], (None, "several_labels")),
        ({"word": 3, "sound": 2}, ["sound", "word"], ("sound", "")),
        ({"word": 3, "sound": 2}, ["word"], ("word", "")),
        ({"word": 3, "sound": 2}, ["filler"], (None, "several_labels")),
        ({"word": 3, "sound": 1}, ["sound"], ("word", "")),
        ({"word": 3, "sound": 2}, ["block", "sound"], ("sound", "")),
    ],
)
def test_of_several_labels_the_first_in_the_precedence_wins_and_without_one_nobody_guesses(counts, precedence, answer):
    assert sorted_into(candidate(**counts), precedence=precedence) == answer


def test_a_label_that_is_not_planned_makes_a_candidate_one_of_several_labels_all_the_same():
    both = candidate(word=3, block=2)
    assert sorted_into(both) == (None, "several_labels")
    assert sorted_into(both, precedence=["word"]) == ("word", "")
    assert sorted_into(both, precedence=["block"]) == (None, "label_not_planned")
    assert sorted_into(candidate(block=3)) == (None, "label_not_planned")


def test_fluent_is_who_has_no_other_label_whatever_the_precedence():
    assert sorted_into(candidate(plain=2)) == ("plain", "")
    assert sorted_into(candidate(plain=2, filler=1)) == ("plain", "")
    assert sorted_into(candidate(plain=2, filler=2), precedence=["plain"]) == ("filler", "")
    assert sorted_into(candidate(plain=2, block=2)) == (None, "label_not_planned")


def test_a_column_map_may_say_which_label_is_fluent_where_the_protocol_names_no_control():
    rules = wanted(controls=[])
    known = selection.fitted(COLUMNS, rules, "p.toml")
    assert selection.Sieve(rules, known)(candidate(plain=2, filler=2)) == (None, "several_labels")
    told = columns.Columns(**vars(known) | {"fluent": frozenset({"plain"})})
    assert selection.Sieve(rules, told)(candidate(plain=2, filler=2)) == ("filler", "")


@pytest.mark.parametrize(("noise", "n", "reason"), [(1, 3, ""), (2, 3, "noise"), (2, 4, ""), (3, 4, "noise")])
def test_an_exclusion_needs_more_than_half_of_the_annotators_whatever_k_is(noise, n, reason):
    for k in (1, 2, 3):
        assert sorted_into(candidate(word=3, noise=noise), agreement={"k": k, "n": n})[1] == reason


def test_an_exclusion_may_say_how_many_it_needs_and_the_first_that_holds_is_counted():
    assert sorted_into(candidate(word=3, music=1)) == (None, "music")
    assert sorted_into(candidate(word=3, noise=3, music=1)) == (None, "noise")


# --- The draw ---

POOL = [candidate(f"c{number:03}", f"e{number % 7}", **{LABELS[number % 5]: 3}) for number in range(70)]


def test_who_is_drawn_stands_first_by_a_hash_of_the_seed_and_the_own_name():
    def place(each):
        return hashlib.sha256(f"evenhand-draw/1\0a seed\0{each.item_id}".encode()).hexdigest()

    first = sorted((each for each in POOL if each.labels[0]), key=place)[:3]
    assert [each.item_id for each in draw(POOL).items if each.stratum == "sound"] == sorted(names(first))


def test_another_seed_draws_others():
    assert draw(POOL).items != draw(POOL, seed="another seed").items


def test_every_candidate_is_equally_likely_to_be_drawn():
    drawn = Counter(
        name
        for seed in range(1_000)
        for name in names(draw(POOL[:35], strata={"sound": 3}, controls=None, seed=f"s{seed}").items)
    )
    assert len(drawn) == 7
    expected = 1_000 * 3 / 7
    # Sampling without replacement: the statistic below has 6 degrees of freedom; 22.5 is its 99.9th percentile.
    assert sum((count - expected) ** 2 for count in drawn.values()) / (expected * (1 - 3 / 7)) * 6 / 7 < 22.5


def test_a_shortage_is_reported_and_never_topped_up():
    found = draw([candidate("a", word=3), *(candidate(f"s{n}", sound=3) for n in range(9))])
    assert Counter(each.stratum for each in found.items) == {"word": 1, "sound": 3}
    strata = found.record["strata"]
    assert {name: each["shortage"] for name, each in strata.items()} == {"sound": 0, "word": 1, "filler": 2, "plain": 2}
    assert strata["sound"] == {
        "planned": 3, "eligible": 9, "drawn": 3, "shortage": 0, "capped": 0, "spare": 6, "clusters": 1,
    }  # fmt: skip


def test_a_cluster_gives_no_more_than_the_cap_over_all_strata():
    pool = [candidate(f"{label}{n}", "one", **{label: 3}) for label in ("sound", "word") for n in range(5)]
    found = draw([*pool, candidate("other", "two", word=3)], cluster_cap=2)
    assert Counter(each.cluster for each in found.items) == {"one": 2, "two": 1}
    strata = found.record["strata"].values()
    assert sum(each["drawn"] for each in strata) == 3
    assert all(each["eligible"] == each["drawn"] + each["capped"] + each["spare"] for each in strata)


def test_an_extension_is_drawn_apart_and_changes_nothing_in_the_sample():
    without = draw(POOL, cluster_cap=2)
    found = draw(POOL, cluster_cap=2, strata=STRATA | {"block": 4}, extension=["block"])
    assert found.items == without.items
    assert {each.stratum for each in found.extension} == {"block"}
    assert max(Counter(each.cluster for each in (*found.items, *found.extension)).values()) <= 2
    assert set(found.record["strata"]) == set(STRATA)
    assert set(found.record["extension"]) == {"block"}
    assert set(found.files()) == {"selected.jsonl", "selection.json", "extension.jsonl"}
    assert set(without.files()) == {"selected.jsonl", "selection.json"}


def test_the_list_stands_in_the_order_of_its_names_and_holds_what_comes_next_needs():
    lines = draw(POOL).files()["selected.jsonl"].splitlines()
    rows = [json.loads(line) for line in lines]
    assert names_of(rows) == sorted(names_of(rows))
    assert all(set(row) == {"item_id", "stratum", "cluster", "source"} for row in rows)


def names_of(rows):
    return [row["item_id"] for row in rows]


def test_the_record_can_be_published_it_names_no_candidate_cluster_or_source():
    told = draw(POOL, cluster_cap=1).files()["selection.json"].decode()
    private = {value for each in POOL for value in (each.item_id, each.cluster, each.source)}
    leaves = set(_leaves(json.loads(told)))
    assert leaves & private == set()


def _leaves(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value


def test_everybody_in_the_pool_is_accounted_for_once():
    record = draw(POOL, cluster_cap=1, strata=STRATA | {"block": 4}, extension=["block"]).record
    strata = (*record["strata"].values(), *record["extension"].values())
    assert sum(record["excluded"].values()) + sum(each["eligible"] for each in strata) == len(POOL)
    assert record["pool"]["candidates"] == len(POOL)


def test_the_digests_are_of_what_is_written():
    found = draw(POOL)
    files = found.files()
    assert found.record["selected"]["sha256"] == hashlib.sha256(files["selected.jsonl"]).hexdigest()
    assert found.sha256 == hashlib.sha256(files["selection.json"]).hexdigest()


# --- For any pool ---

counts = st.tuples(*[st.integers(0, 3)] * len(LABELS))
candidates = st.builds(
    Candidate,
    st.text("abcdefgé", min_size=1, max_size=4),
    st.sampled_from("xyz"),
    st.just("show"),
    counts,
    st.tuples(st.integers(0, 3), st.integers(0, 1)),
)
pools = st.lists(candidates, max_size=40, unique_by=lambda each: each.item_id)
keys = st.fixed_dictionaries(
    {
        "cluster_cap": st.integers(0, 4),
        "precedence": st.permutations(LABELS[:3]),
        "seed": st.text("abc", min_size=1, max_size=3),
        "strata": st.just(STRATA | {"block": 2}),
        "extension": st.just(["block"]),
    }
)


@given(pools, keys, st.randoms())
def test_the_order_of_the_input_changes_no_byte(pool, keys, random):
    shuffled = random.sample(pool, len(pool))
    assert draw(shuffled, **keys).files() == draw(pool, **keys).files()


@given(pools, keys, candidates)
def test_an_ineligible_candidate_changes_nobody_elses_draw(pool, keys, more):
    more = Candidate(f"{more.item_id}-more", more.cluster, more.source, more.labels, (3, 1))
    before, after = draw(pool, **keys), draw([*pool, more], **keys)
    assert (after.items, after.extension) == (before.items, before.extension)
    assert after.record["pool"]["sha256"] != before.record["pool"]["sha256"]


@given(pools, keys)
def test_never_more_than_the_cap_nor_than_planned(pool, keys):
    found = draw(pool, **keys)
    taken = (*found.items, *found.extension)
    plan = keys["strata"]
    assert all(count <= plan[name] for name, count in Counter(each.stratum for each in taken).items())
    if keys["cluster_cap"]:
        assert all(count <= keys["cluster_cap"] for count in Counter(each.cluster for each in taken).values())


@given(pools, keys)
def test_without_a_cap_a_larger_plan_keeps_everybody_and_adds_to_them(pool, keys):
    keys |= {"cluster_cap": 0}
    small, large = draw(pool, **keys), draw(pool, **keys | {"strata": {n: k + 2 for n, k in keys["strata"].items()}})
    assert set(small.items) <= set(large.items)


# --- What the rules must say ---


def told(**keys):
    with pytest.raises(InvalidInput) as raised:
        draw(POOL, **keys)
    (problem,) = raised.value.problems
    assert problem.where == "p.toml"
    return problem.field, problem.message


def test_a_draw_needs_a_seed():
    assert told(seed=None) == ("selection.seed", "a draw needs a seed: any text, chosen once")


def test_a_stratum_that_no_column_counts_is_named_with_those_that_there_are():
    field, message = told(strata={"sound": 1, "sighs": 2}, controls=None)
    assert (field, message) == (
        "selection.strata",
        "no column counts “sighs”: the list has sound, word, filler, block, plain",
    )
    assert told(precedence=["sighs"])[0] == "selection.precedence"


@pytest.mark.parametrize("name", ["block", "prolongation", "Block"])
def test_blocks_and_prolongations_are_an_extension_or_nothing(name):
    assert told(strata={name: 2}, controls=None)[0] == "selection.strata"


def test_an_exclusion_that_can_never_hold_is_an_error():
    with pytest.raises(InvalidInput, match=r"exclude\.music: at_least is 4, and there are 3 annotators"):
        selection.fitted(
            columns.Columns(**vars(COLUMNS) | {"exclude": {"music": columns.Exclusion("MUSIC", 4)}}), wanted(), "p.toml"
        )


def test_a_stratum_may_be_called_as_its_column():
    found = draw(POOL, strata={"SOUND": 2, "plain": 1}, precedence=["SOUND"])
    assert found.record["strata"]["SOUND"]["drawn"] == 2
    assert found.record["rules"]["labels"]["SOUND"] == "SOUND"


def test_a_protocol_without_strata_gets_the_default_plan_and_the_record_says_so():
    rules = wanted(strata=None, controls=None)
    assert (rules.plan, rules.planned_by) == (selection.DEFAULT_PLAN, "default")
    assert sorted(rules.plan.values()) == [40] * 4
    assert wanted().planned_by == "protocol"
