"""The bundled demo: what it holds, and that the real filter makes it."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from app.domain import codebook, judgement, protocol, rights
from app.domain import item as item_format
from scripts import make_demo_items as script
from scripts import make_demo_speech as speech

STRATA = ("sound_repetition", "word_repetition", "interjection", "fluent")
FAMILIES = ("hyphenated_hesitation", "filler_look_alike", "correction_trigger")
ARM_TO_PANEL = {"off": "A", "on": "B", "both": "both", None: ""}


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.fixture(scope="module")
def items() -> list[dict[str, Any]]:
    return read(script.ITEMS)


@pytest.fixture(scope="module")
def sentinels() -> list[dict[str, Any]]:
    return read(script.SENTINELS)


@pytest.fixture(scope="module")
def practice() -> list[dict[str, Any]]:
    return read(script.PRACTICE)


@pytest.fixture(scope="module")
def answered(sentinels: list[dict[str, Any]], practice: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sentinels + practice


def trigrams(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[\w'-]+", text.casefold())
    return set(zip(words, words[1:], words[2:], strict=False))


def changed(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [item for item in items if item["off"] != item["on"]]


def tagged(items: list[dict[str, Any]], tag: str) -> list[dict[str, Any]]:
    return [item for item in items if tag in item.get("tags", ())]


def test_the_demo_has_forty_items_of_each_stratum(items: list[dict[str, Any]]) -> None:
    assert Counter(item["stratum"] for item in items) == dict.fromkeys(STRATA, 40)


def test_the_items_are_of_sixteen_uneven_episodes_each_with_several_strata(items: list[dict[str, Any]]) -> None:
    sizes = Counter(item["cluster"] for item in items)
    assert len(sizes) == 16
    assert max(sizes.values()) >= 3 * min(sizes.values())
    assert all(len({item["stratum"] for item in items if item["cluster"] == cluster}) >= 3 for cluster in sizes)


def test_each_item_has_its_own_id(items: list[dict[str, Any]]) -> None:
    assert len({item["item_id"] for item in items}) == len(items)


def test_every_item_is_accepted_by_the_import_format(items: list[dict[str, Any]]) -> None:
    parsed = [item_format.parse(item, "items.jsonl", line) for line, item in enumerate(items, start=1)]
    assert [found for found in parsed if not isinstance(found, item_format.Item)] == []


def test_the_protocol_is_accepted_and_plans_the_strata_there_are(items: list[dict[str, Any]]) -> None:
    parsed = protocol.parse(tomllib.loads((script.DEMO / "protocol.toml").read_text(encoding="utf-8")))
    assert parsed.strata == Counter(item["stratum"] for item in items)
    assert parsed.controls == {"fluent"}
    assert parsed.synthetic


def test_the_ledger_lets_the_demo_be_used(items: list[dict[str, Any]]) -> None:
    ledger = rights.parse(tomllib.loads((script.DEMO / "rights.toml").read_text(encoding="utf-8")))
    assert rights.shortfalls((item["source"] for item in items), ledger, "synthetic") == []


def test_every_item_has_both_references_and_says_where_they_come_from(items: list[dict[str, Any]]) -> None:
    assert all(item["verbatim_reference"].strip() and item["semantic_reference"].strip() for item in items)
    assert {item["semantic_provenance"] for item in items} == {"author"}


def test_the_recogniser_sometimes_writes_what_was_not_said(items: list[dict[str, Any]]) -> None:
    unlike = [item for item in items if item["raw_hypothesis"] != item["verbatim_reference"]]
    assert 0.15 <= len(unlike) / len(items) <= 0.25


@pytest.mark.parametrize("text", ["raw_hypothesis", "verbatim_reference", "semantic_reference"])
def test_no_two_utterances_share_a_frame(
    items: list[dict[str, Any]], answered: list[dict[str, Any]], text: str
) -> None:
    found = {item["item_id"]: trigrams(item[text]) for item in items + answered if text in item}
    assert all(found.values())
    alike = [
        (a, b) for a, b in combinations(found, 2) if 2 * len(found[a] & found[b]) > min(len(found[a]), len(found[b]))
    ]
    assert alike == []


def test_most_pairs_differ_and_every_stratum_has_both_sorts(items: list[dict[str, Any]]) -> None:
    # Enough pairs to judge, and enough equal ones to show what the comparator does with them.
    differing = changed(items)
    assert 0.55 <= len(differing) / len(items) <= 0.75
    assert {item["stratum"] for item in differing} == set(STRATA)
    assert {item["stratum"] for item in items if item["off"] == item["on"]} == set(STRATA)


def test_most_controls_are_left_as_they_are_and_a_few_are_not(items: list[dict[str, Any]]) -> None:
    controls = [item for item in items if item["stratum"] == "fluent"]
    assert 4 <= len(changed(controls)) <= len(controls) / 3


def test_no_control_carries_a_tag_of_disfluency(items: list[dict[str, Any]]) -> None:
    disfluent = {group.key for group in codebook.GROUPS} - {"fluent"}
    assert [item for item in items if item["stratum"] == "fluent" and disfluent & set(item.get("tags", ()))] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_each_known_kind_of_failure_has_items_that_the_filter_changes_and_neighbours_that_it_leaves(
    items: list[dict[str, Any]], family: str
) -> None:
    shown = tagged(items, family)
    assert 4 <= len(changed(shown)) < len(shown)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_known_kind_of_failure_has_three_sentinels_harmed_and_unharmed(
    sentinels: list[dict[str, Any]], family: str
) -> None:
    shown = tagged(sentinels, family)
    assert len(shown) >= 3
    harmed = [codebook.is_destructive(each["expected"]["label"]) for each in shown]
    assert any(harmed)
    assert not all(harmed)


def test_with_the_filter_off_the_text_is_the_raw_hypothesis(items: list[dict[str, Any]]) -> None:
    assert all(item["off"] == item["raw_hypothesis"] for item in items)


def test_no_shown_reference_gives_an_arm_away(items: list[dict[str, Any]], answered: list[dict[str, Any]]) -> None:
    told = [each for each in items + answered if each.get("semantic_reference") in {each["off"], each["on"]}]
    assert [each["item_id"] for each in told] == []


def test_there_are_ten_practice_items_and_twelve_sentinels(answered: list[dict[str, Any]]) -> None:
    ids = [f"S-{number:03}" for number in range(1, 13)] + [f"T-{number:02}" for number in range(1, 11)]
    assert [each["item_id"] for each in answered] == ids
    assert Counter(each["role"] for each in answered) == {"sentinel": 12, "practice": 10}


def test_whatever_has_a_known_answer_looks_like_an_item_of_the_study(
    items: list[dict[str, Any]], answered: list[dict[str, Any]]
) -> None:
    for key in ("stratum", "cluster", "source"):
        assert {each[key] for each in answered} <= {item[key] for item in items}
    bare = [{key: value for key, value in each.items() if key not in {"role", "expected"}} for each in answered]
    parsed = [item_format.parse(each, "answers", line) for line, each in enumerate(bare, start=1)]
    assert [found for found in parsed if not isinstance(found, item_format.Item)] == []


def test_every_known_answer_is_one_that_the_codebook_accepts(answered: list[dict[str, Any]]) -> None:
    for each in answered:
        expected = each["expected"]
        assert list(expected) == ["label", "arm", "reasons", "explanation"]
        panel = ARM_TO_PANEL[expected["arm"]]
        form = {"label": [expected["label"]], "panel": [panel], "reason": expected["reasons"]}
        coded = judgement.check(form, identical=each["off"] == each["on"])
        assert (coded.panel or "", set(coded.reasons)) == (panel, set(expected["reasons"]))


def test_every_answer_is_explained_in_two_or_three_sentences_without_naming_an_arm(
    answered: list[dict[str, Any]],
) -> None:
    explained = [each["expected"]["explanation"] for each in answered]
    assert [told for told in explained if not 2 <= len(re.findall(r"[.?!]”?(?: |$)", told)) <= 3] == []
    assert [told for told in explained if re.search(r"\b(filter|arm|hypothesis|text (off|on))\b", told)] == []


def test_practice_shows_every_label_and_sentinels_every_kind_that_can_be_detected(
    sentinels: list[dict[str, Any]], practice: list[dict[str, Any]]
) -> None:
    assert {each["expected"]["label"] for each in practice} == set(codebook.LABEL_KEYS)
    assert {each["expected"]["label"] for each in sentinels} >= {*codebook.GRAVITY, "safe-cleanup", "benign-retention"}
    assert {each["expected"]["arm"] for each in sentinels} == {"off", "on", "both", None}


def test_practice_has_the_cases_that_people_stumble_over(practice: list[dict[str, Any]]) -> None:
    same = [each for each in practice if each["off"] == each["on"]]
    spaced = [each for each in practice if each["off"] != each["on"] and each["off"].split() == each["on"].split()]
    assert {each["stratum"] for each in same} == {"word_repetition"}
    assert {each["expected"]["label"] for each in same + spaced} == {"no-material-edit"}
    assert len(spaced) == 1
    assert any(each["expected"]["arm"] == "both" for each in practice)
    assert any("hedge" in each["expected"]["reasons"] for each in practice)
    assert tagged(practice, "self_correction")


def test_sentinels_differ_in_bytes_so_that_people_see_them(sentinels: list[dict[str, Any]]) -> None:
    assert changed(sentinels) == sentinels


def test_the_items_are_the_utterances_with_two_arms(items: list[dict[str, Any]]) -> None:
    bare = [{key: value for key, value in item.items() if key not in {"off", "on"}} for item in items]
    assert bare == read(script.UTTERANCES)


def test_whatever_has_a_known_answer_is_its_source_with_two_arms(answered: list[dict[str, Any]]) -> None:
    sources = {each["item_id"]: each for each in read(script.ANSWERS)}
    assert len(sources) == len(answered)
    for each in answered:
        assert sources[each["item_id"]] == {key: each[key] for key in sources[each["item_id"]]}


def test_a_pair_is_hand_made_only_where_an_answer_is_known() -> None:
    assert script.hand_made(read(script.UTTERANCES)) == []
    assert len(script.hand_made(read(script.ANSWERS))) == 4


def test_the_real_filter_makes_the_committed_bytes() -> None:
    try:
        pair = script.load_filter()
    except script.WrongFilterError as error:
        pytest.skip(str(error))
    assert {path: path.read_bytes() for path in script.everything(pair)} == script.everything(pair)


def test_a_stated_pair_that_the_filter_gives_is_refused() -> None:
    line = b'{"item_id": "S-1", "role": "sentinel", "raw_hypothesis": "a", "off": "a", "on": "b"}'
    with pytest.raises(script.StatedPairError, match="S-1: the filter gives this pair"):
        script.answers_bytes(line, "sentinel", lambda raw: (raw, "b"))
    assert b'"on": "b"' in script.answers_bytes(line, "sentinel", lambda raw: (raw, "c"))


def test_an_utterance_of_the_study_that_states_its_pair_is_refused() -> None:
    line = b'{"item_id": "D-1", "raw_hypothesis": "a", "off": "a", "on": "b"}'
    with pytest.raises(script.StatedPairError, match="D-1: the filter makes the pairs"):
        script.items_bytes(line, lambda raw: (raw, "c"))


def test_a_difference_names_the_line() -> None:
    assert script.difference(b"a\nb\n", b"a\nc\n") == "line 2:\n  committed  b'b\\n'\n  made now   b'c\\n'"
    assert (script.difference(b"a\n", b"a\nc\n") or "").startswith("line 2")
    assert script.difference(b"a\n", b"a\n") is None


def test_check_fails_with_a_clear_message_where_the_file_differs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "load_filter", lambda: lambda raw: (raw, "other"))
    assert script.main(["--check"]) == 1
    assert "items.jsonl is not what yazses 2.46.0 makes, line 1" in capsys.readouterr().err


def test_the_script_names_the_command_where_the_filter_is_absent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "PACKAGE", "no-such-filter")
    assert script.main(["--check"]) == 1
    assert "no-such-filter is not installed; install it with: pip install --no-deps" in capsys.readouterr().err


# Speech


def test_the_speech_that_is_there_is_the_speech_on_the_list_small_and_whole() -> None:
    assert speech.problems() == []


def test_speech_is_of_every_stratum_and_every_episode(items: list[dict[str, Any]]) -> None:
    listed = speech.plan()
    spoken = [item for item in items if item["item_id"] in listed]
    assert len(spoken) == 24
    assert {item["stratum"] for item in spoken} == set(STRATA)
    assert {item["cluster"] for item in spoken} == {item["cluster"] for item in items}


def test_a_repeated_sound_is_spoken_as_a_sound() -> None:
    assert speech.spoken("to t-t-ten past nine") == "to [[t@_]] [[t@_]] ten past nine"
    assert speech.spoken("a well-known, re-read e-mail") == "a well-known, re-read e-mail"


def test_a_damaged_stream_is_not_taken_for_speech() -> None:
    data = min(speech.AUDIO.iterdir()).read_bytes()
    assert speech.read(data).channels == 1
    for faulty in (
        b"",
        data[:-1],
        data[:1000],
        data + data,
        data[:200] + b"?" + data[201:],
        data.replace(b"Opus", b"opus"),
    ):
        with pytest.raises(speech.SpeechError):
            speech.read(faulty)


def test_a_file_beyond_the_list_and_a_missing_one_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "D-999.opus").touch()
    monkeypatch.setattr(speech, "AUDIO", tmp_path)
    found = speech.problems()
    assert "D-001.opus is missing" in found
    assert "D-999.opus is not on the list" in found
