"""The guidelines: every answer and reason is told, and every pair has the answer that the form takes."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from app.config import content
from app.domain import codebook
from app.domain.guidelines import Guidelines, Section, read
from app.domain.judgement import check

ROOT = Path(__file__).parents[2]
EDGES = json.loads((ROOT / "tests" / "fixtures" / "edge_pairs.json").read_text(encoding="utf-8"))
GUIDE = read(tomllib.loads(content("guidelines.toml").read_text(encoding="utf-8")))
EXAMPLES = [pair for told in (*GUIDE.answers.values(), *GUIDE.sections) for pair in told.pairs]
SIDES = {"a": "A", "b": "B", "both": "both", None: None}


def words(text):
    return re.findall(r"[\w'-]+", text.casefold())


def frames(text):
    found = words(text)
    return set(zip(found, found[1:], found[2:], strict=False)) or {tuple(found)}


def test_the_way_has_seven_steps_in_the_order_of_the_codebooks_rule():
    cannot, same, safe, retained = "unassessable-disputed", "no-material-edit", "safe-cleanup", "benign-retention"
    assert [step.label for step in GUIDE.path] == [cannot, *codebook.GRAVITY, same, safe, retained]
    assert GUIDE.otherwise.label == same


def test_every_answer_has_at_least_two_examples_which_show_that_answer():
    assert set(GUIDE.answers) == set(codebook.LABEL_KEYS)
    for label, told in GUIDE.answers.items():
        assert len(told.pairs) >= 2
        assert {pair.answer.label for pair in told.pairs} == {label}


def test_every_tag_is_explained_and_no_other():
    assert list(GUIDE.tags) == [each.key for each in codebook.GROUPS]


def test_every_reason_is_explained_and_no_other():
    assert set(GUIDE.reasons) == {reason.key for label in codebook.LABELS for reason in label.reasons}


@pytest.mark.parametrize("pair", [*EXAMPLES, *GUIDE.edges], ids=lambda pair: f"{pair.a} / {pair.b}")
def test_the_form_takes_the_answer_of_every_pair(pair):
    said = pair.answer
    form = {"label": [said.label], "panel": [said.panel or ""], "also": [said.also or ""], "reason": list(said.reasons)}
    taken = check(form, identical=pair.a == pair.b)
    assert (taken.core, set(taken.reasons)) == (said.core, set(said.reasons))
    assert pair.why.endswith((".", "?", "!", "”"))


def test_the_worked_pairs_are_the_twenty_at_the_edges_with_their_answers():
    told = {
        pair.name: (pair.a, pair.b, pair.meant, *pair.answer.core, set(pair.answer.reasons)) for pair in GUIDE.edges
    }
    wanted = {
        edge["name"]: (
            edge["a"], edge["b"], edge["reference"], answer["label"], SIDES[answer["panel"]], answer["also"],
            set(answer["reason"]),
        )
        for edge in EDGES
        for answer in (edge["answer"],)
    }  # fmt: skip
    assert len(wanted) == 20
    assert told == wanted


def test_examples_are_unlike_the_demos_items_and_the_edges():
    lines = (line for path in content("demo").glob("*.jsonl") for line in path.read_bytes().splitlines())
    texts = {row[key] for row in map(json.loads, lines) for key in ("off", "on") if key in row}
    texts |= {edge[key] for edge in EDGES for key in "ab"}
    known = [frames(text) for text in texts]
    alike = [pair.a for pair in EXAMPLES for each in known if 2 * len(frames(pair.a) & each) > len(frames(pair.a))]
    assert alike == []


def test_examples_use_both_texts_alike():
    panels = [pair.answer.panel for pair in EXAMPLES]
    assert panels.count("A") >= 3
    assert "both" in panels


def test_the_first_step_to_an_answer_is_found():
    assert (GUIDE.first_step("unassessable-disputed"), GUIDE.first_step("benign-retention")) == (1, 7)
    assert Guidelines("A guide").first_step("safe-cleanup") is None


def test_guidelines_of_an_earlier_version_are_sections_alone():
    found = read({"title": "How", "sections": [{"title": "When", "paragraphs": ["So."], "examples": ["“a” and “b”"]}]})
    assert found.sections == (Section("When", ("So.",), ("“a” and “b”",)),)
    assert (found.path, found.edges, found.otherwise) == ((), (), None)


def test_the_reviewer_guide_repeats_the_way_word_for_word():
    told = " ".join((ROOT / "docs" / "reviewer-guide.md").read_text(encoding="utf-8").split())
    titles = codebook.titles()
    steps = [f"{number}. {step.question} **{titles[step.label]}**" for number, step in enumerate(GUIDE.path, start=1)]
    steps.append(f"8. {GUIDE.otherwise.question} **{titles[GUIDE.otherwise.label]}**")
    places = [told.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)
