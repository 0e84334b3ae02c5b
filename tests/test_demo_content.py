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

from app.domain import item as item_format
from app.domain import protocol, rights
from scripts import make_demo_items as script


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.fixture(scope="module")
def items() -> list[dict[str, Any]]:
    return read(script.ITEMS)


def trigrams(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[\w'-]+", text.casefold())
    return set(zip(words, words[1:], words[2:], strict=False))


def test_the_demo_has_items_enough_and_twelve_clusters(items: list[dict[str, Any]]) -> None:
    assert len(items) >= 24
    assert len({item["cluster"] for item in items}) >= 12


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


def test_the_recogniser_does_not_always_write_what_was_said(items: list[dict[str, Any]]) -> None:
    assert any(item["raw_hypothesis"] != item["verbatim_reference"] for item in items)


@pytest.mark.parametrize("text", ["raw_hypothesis", "verbatim_reference"])
def test_no_two_utterances_share_a_frame(items: list[dict[str, Any]], text: str) -> None:
    found = {item["item_id"]: trigrams(item[text]) for item in items}
    assert all(found.values())
    alike = [
        (a, b) for a, b in combinations(found, 2) if 2 * len(found[a] & found[b]) > min(len(found[a]), len(found[b]))
    ]
    assert alike == []


def test_most_pairs_differ_and_every_stratum_has_both_sorts(items: list[dict[str, Any]]) -> None:
    changed = [item["stratum"] for item in items if item["off"] != item["on"]]
    same = [item["stratum"] for item in items if item["off"] == item["on"]]
    assert 0.6 <= len(changed) / len(items) <= 0.7
    assert set(changed) == set(same)


def test_with_the_filter_off_the_text_is_the_raw_hypothesis(items: list[dict[str, Any]]) -> None:
    assert all(item["off"] == item["raw_hypothesis"] for item in items)


def test_no_shown_reference_gives_an_arm_away(items: list[dict[str, Any]]) -> None:
    assert [item["item_id"] for item in items if item["semantic_reference"] in {item["off"], item["on"]}] == []


def test_the_items_are_the_utterances_with_two_arms(items: list[dict[str, Any]]) -> None:
    bare = [{key: value for key, value in item.items() if key not in {"off", "on"}} for item in items]
    assert bare == read(script.UTTERANCES)


def test_the_real_filter_makes_the_committed_bytes() -> None:
    try:
        pair = script.load_filter()
    except script.WrongFilterError as error:
        pytest.skip(str(error))
    assert script.items_bytes(script.UTTERANCES.read_bytes(), pair) == script.ITEMS.read_bytes()


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
