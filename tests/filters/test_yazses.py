import json
import sys
import types
from dataclasses import dataclass, fields
from importlib import import_module, metadata
from pathlib import Path

import pytest

from app.domain.errors import FilterFailed, TextFailed
from app.filters import yazses

DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the folder with the real questions is not here")


def pairs(texts):
    with yazses.started() as running:
        return [tuple(running.answer(text, enabled=enabled) for enabled in (False, True)) for text in texts]


def rows(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@needs_data
def test_the_real_questions_become_what_yazses_itself_makes_of_them(real_filter):
    texts = [row["raw_hypothesis"] for row in rows("disflqa_raw_600.jsonl")]
    assert len(texts) == 600
    config, run = import_module("yazses.config").DisfluencyConfig, import_module("yazses.stt.filters.disfluency")
    states = [config(enabled=False), config(enabled=True, collapse_repetitions=True, collapse_prolongations=True)]
    assert pairs(texts) == [tuple(run.filter_transcript(text, state).text for state in states) for text in texts]


@needs_data
def test_the_pairs_made_elsewhere_with_the_same_version_are_made_again(real_filter):
    made = rows("disflqa_160.jsonl")
    assert pairs([row["raw_hypothesis"] for row in made]) == [(row["off"], row["on"]) for row in made]


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("I um want the the the pen", "I want the pen"),
        ("b-b-because it is sooo late", "because it is so late"),
        ("nothing is changed over here", "nothing is changed over here"),
    ],
)
def test_an_invented_sentence_off_and_on(real_filter, text, on):
    assert pairs([text]) == [(text, on)]


def test_its_version_and_every_field_of_its_configuration_in_both_states_are_told(real_filter):
    every = {field.name for field in fields(import_module("yazses.config").DisfluencyConfig)}
    with yazses.started() as running:
        config = json.loads(running.filter.config)
        assert (running.filter.name, running.filter.version) == ("yazses", metadata.version("yazses"))
    assert {state: set(config[state]) for state in config} == {"off": every, "on": every}
    unlike = {key: (config["off"][key], config["on"][key]) for key in every if config["off"][key] != config["on"][key]}
    assert unlike == dict.fromkeys(("enabled", "collapse_repetitions", "collapse_prolongations"), (False, True))


def test_where_it_is_not_installed_it_is_said_how(monkeypatch):
    def none(_name):
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "version", none)
    with pytest.raises(FilterFailed, match="pip install --no-deps yazses"), yazses.started():
        pass


@dataclass
class Other:
    """The configuration of a YazSes that this program does not know, or of one that raises."""

    enabled: bool = True
    collapse_repetitions: bool = False
    collapse_prolongations: bool = False


def installed(monkeypatch, config, run):
    """Let a program of this name be there, of any version."""
    monkeypatch.setattr(metadata, "version", lambda _name: "0.1")
    for name in ("yazses", "yazses.stt", "yazses.stt.filters", "yazses.stt.filters.disfluency", "yazses.config"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["yazses.config"].DisfluencyConfig = config
    sys.modules["yazses.stt.filters.disfluency"].filter_transcript = run


def test_a_version_without_these_switches_is_refused(monkeypatch):
    installed(monkeypatch, lambda enabled: enabled, None)
    with pytest.raises(FilterFailed, match="no text filter with these switches"), yazses.started():
        pass


def test_what_it_raises_on_a_text_is_told_without_the_text(monkeypatch):
    def raising(text, _config):
        raise ValueError(text)

    installed(monkeypatch, Other, raising)
    with yazses.started() as running, pytest.raises(TextFailed) as refused:
        running.answer("please call my sister", enabled=True)
    assert str(refused.value) == "the filter raised ValueError"
