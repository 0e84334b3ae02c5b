import json
from copy import deepcopy

import pytest

from app.domain import manifest
from app.domain.errors import InvalidInput
from app.domain.protocol import missing, parse

MINIMAL = {
    "study": {"id": "pilot", "title": "A pilot", "scope": "synthetic", "question": "Is the meaning kept?"},
    "selection": {"strata": {"words": 4, "fluent": 2}},
}
DEFAULTS = {
    "study.parent": None,
    "study.registration": None,
    "selection.controls": [],
    "selection.agreement": {"k": 2, "n": 3},
    "selection.cluster_cap": 0,
    "references.shown": ["semantic"],
    "references.required": False,
    "review.reviewers_per_item": 2,
    "review.comparator": "exact",
    "review.identical_pairs": "auto",
    "review.highlight": True,
    "review.practice": False,
    "review.practice_pass": 0,
    "review.sentinels": False,
    "review.repeats": 0,
    "review.audit_agreed": 0,
    "review.blinding_check": 0,
    "adjudication.own_judgement_first": True,
    "gate.max_unassessable": 0,
    "gate.min_sentinel_detection": None,
    "statistics.confidence": 0.95,
    "statistics.resamples": 10_000,
    "statistics.min_cell": 5,
    "engine.off_equals_raw": True,
}
ENGINE = [
    "repo_commit", "lockfile_sha256", "python", "backend", "model", "model_sha256", "quantization", "device",
    "language", "beam", "prompt", "chunk_policy", "decoding", "filter", "filter_version", "filter_config",
]  # fmt: skip


def changed(**settings):
    """Return the minimal protocol with some keys set, given as section__key."""
    data = deepcopy(MINIMAL)
    for name, value in settings.items():
        section, key = name.split("__")
        data.setdefault(section, {})[key] = value
    return data


def corpus(**settings):
    whole = {"study__scope": "corpus", "selection__controls": ["fluent"]} | {f"engine__{key}": "none" for key in ENGINE}
    return changed(**whole | settings)


def refused(data):
    with pytest.raises(InvalidInput) as found:
        parse(data, "protocol.toml")
    return {problem.field: problem.message for problem in found.value.problems}


@pytest.mark.parametrize(("name", "default"), DEFAULTS.items())
def test_what_is_left_out_has_its_default(name, default):
    assert parse(MINIMAL)[name] == default


def test_a_partial_protocol_is_accepted_if_it_has_an_id():
    assert parse({"study": {"id": "pilot"}}).title == "pilot"
    assert refused({}).keys() == {"study.id"}


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (MINIMAL | {"sampling": {}}, "sampling"),
        (MINIMAL | {"review": "two"}, "review"),
        (changed(review__comparater="exact"), "review.comparater"),
        (changed(engine__note="none"), "engine.note"),
    ],
)
def test_an_unknown_section_or_key_is_an_error(data, field):
    assert refused(data).keys() == {field}


WRONG = [
    ("study__id", ["", "a b", "-a", "ä", "x" * 65, 7, None]),
    ("study__title", ["", "  ", 7, ["a"], "x" * 4_001]),
    ("study__scope", ["real", True, ["corpus"]]),
    ("selection__strata", [{}, [], "fluent", {"a": 0}, {"a": "4"}, {"a": True}, {"a": 1.5}, {" ": 1}]),
    ("selection__controls", ["fluent", ["fluent", "fluent"], [1], [""], {"fluent": 1}]),
    ("selection__agreement", [{"k": 4, "n": 3}, {"k": 2}, {"k": 2, "n": 3, "m": 1}, 2, {"k": 0, "n": 3}]),
    ("selection__cluster_unit", ["show", 1]),
    ("references__shown", ["semantic", ["spoken"], ["semantic", "semantic"], [{}]]),
    ("references__required", ["yes", 1, 0]),
    ("review__reviewers_per_item", [1, 3, 2.0, "2", True]),
    ("review__comparator", ["fuzzy", "Exact", None]),
    ("review__identical_pairs", ["skip", False]),
    ("review__highlight", ["true", 1]),
    ("review__repeats", [-0.1, 1.5, "0", True, float("nan")]),
    ("gate__max_unassessable", [-1, 1.0, "0", True]),
    ("gate__min_sentinel_detection", [-0.1, 1.1, "all", float("inf")]),
    ("statistics__confidence", [0, 1, 95, "0.95", float("nan")]),
    ("statistics__resamples", [-1, 0.5]),
    ("statistics__seed", [-1, "seed", 2**53]),
    ("engine__model", ["", None]),
    ("engine__off_equals_raw", ["none", 1]),
]


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in WRONG for value in values])
def test_a_value_of_the_wrong_kind_is_an_error_that_names_its_key_and_what_is_expected(key, value):
    (field, message), *more = refused(changed(**{key: value})).items()
    assert (field, more) == (key.replace("__", "."), [])
    assert message.startswith("expected ")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("selection__strata", {"one": 1, "many": 1_000_000}),
        ("statistics__confidence", 0.9),
        ("statistics__resamples", 0),
        ("statistics__seed", 0),
        ("statistics__min_cell", 0),
        ("gate__max_unassessable", 3),
        ("review__repeats", 0),
        ("references__shown", []),
        ("references__shown", ["verbatim", "semantic"]),
        ("engine__beam", 5),
        ("engine__filter_config", {"collapse": True}),
    ],
)
def test_a_value_of_the_right_kind_is_kept(key, value):
    assert parse(changed(**{key: value}))[key.replace("__", ".")] == value


def test_every_problem_is_reported_at_once():
    data = changed(review__comparator="fuzzy", review__practice="yes", gate__limit=1) | {"more": {}}
    assert refused(data).keys() == {"review.comparator", "review.practice", "gate.limit", "more"}


@pytest.mark.parametrize("key", ["controls", "extension"])
@pytest.mark.parametrize(("names", "field"), [(["fluent", "calm"], "calm"), (["Fluent"], "Fluent")])
def test_controls_and_extension_must_be_strata(key, names, field):
    assert field in refused(changed(**{f"selection__{key}": names}))[f"selection.{key}"]


def test_a_control_cannot_be_an_extension():
    both = changed(selection__controls=["fluent"], selection__extension=["fluent"])
    assert "“fluent” is a control" in refused(both)["selection.extension"]


def test_the_rules_of_a_draw_are_kept_with_the_study():
    drawn = {
        "extension": ["words"], "agreement": {"k": 3, "n": 4}, "precedence": ["words"], "cluster_cap": 3, "seed": "s",
    }  # fmt: skip
    assert (
        parse(changed(**{f"selection__{key}": value for key, value in drawn.items()})).as_data()["selection"].items()
        >= drawn.items()
    )


@pytest.mark.parametrize("data", [{"study": {"id": "pilot"}}, MINIMAL, changed(review__highlight=False), corpus()])
def test_the_frozen_copy_is_read_as_the_same_protocol(data):
    rules = parse(data)
    frozen = json.loads(manifest.canonical(rules.as_data()))
    assert parse(frozen) == rules


@pytest.mark.parametrize("name", [name for name, default in DEFAULTS.items() if default is not None])
def test_the_frozen_copy_spells_out_every_default(name):
    section, key = name.split(".")
    assert parse(MINIMAL).as_data()[section][key] == DEFAULTS[name]


def lacking(data, references=()):
    return {problem.field for problem in missing(parse(data), references)}


def test_a_synthetic_study_needs_title_scope_question_and_strata():
    assert lacking({"study": {"id": "a"}}) == {"study.title", "study.scope", "study.question", "selection.strata"}
    assert lacking(MINIMAL, ["semantic"]) == set()


@pytest.mark.parametrize("key", ENGINE)
def test_a_corpus_study_needs_each_fact_of_the_engine_but_takes_none_for_an_answer(key):
    data = corpus()
    assert lacking(data) == set()
    del data["engine"][key]
    assert lacking(data) == {f"engine.{key}"}


def test_a_corpus_study_needs_controls_and_the_policy_of_each_reference_in_use():
    assert lacking(corpus(selection__controls=[])) == {"selection.controls"}
    assert lacking(corpus(), ["semantic"]) == {"references.semantic_policy"}
    both = {"references.verbatim_policy", "references.semantic_policy"}
    assert lacking(corpus(), ["verbatim", "semantic"]) == both
    assert lacking(corpus(references__semantic_policy="by a second person"), ["semantic"]) == set()


def test_a_protocol_says_what_it_is_about():
    rules = parse(corpus())
    assert (rules.id, rules.title, rules.synthetic, rules.controls) == ("pilot", "A pilot", False, {"fluent"})
    assert rules.strata == {"words": 4, "fluent": 2}
