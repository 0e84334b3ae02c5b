"""evenhand score as somebody types it: a table, JSON, CSV, and what is told of a faulty file."""

import csv
import io
import json
from pathlib import Path

import pytest

from app.actions import scoring
from tests.cli.test_cli import evenhand, quiet_place  # noqa: F401, the fixture is used by its name
from tests.house import jsonl

ROWS = [
    {
        "item_id": f"u{n}",
        "cluster": f"s{n % 5}",
        "verbatim_reference": "um I want the pen" if n % 2 else "I want it",
        "semantic_reference": "I want the pen" if n % 2 else "I want it",
        "off": "um I want the pen" if n % 2 else "I want it",
        "on": "I want pen" if n % 3 else "I want it",
    }
    for n in range(15)
]


def hypotheses(rows=ROWS, name="hyp.jsonl"):
    Path(name).write_bytes(jsonl(rows))
    return name


def test_a_table_says_what_each_system_got_wrong_and_makes_no_store():
    done = evenhand("score", hypotheses())
    assert (done.code, done.err) == (0, "")
    first, *_ = done.out.splitlines()
    assert first == "15 utterances, 5 clusters, profile words. Differences: system minus off."
    assert "semantic: 15 of 15 scored" in done.out
    assert not Path("evenhand-store").exists()


@pytest.mark.parametrize("profile", ["words", "sap2025"])
def test_json_and_csv_hold_the_same_numbers(profile):
    file = hypotheses()
    told = evenhand("score", file, "--profile", profile, "--json").data
    rows = list(csv.DictReader(io.StringIO(evenhand("score", file, "--profile", profile, "--csv").out)))
    assert [float(row["value"]) for row in rows] == [line["value"] for line in told["lines"]]
    assert [row["system"] for row in rows] == [line["system"] for line in told["lines"]]
    assert told["baseline"] == "off"


def test_a_system_whose_name_a_spreadsheet_would_run_is_inert():
    rows = [row | {"hypotheses": {"=1+1": "I want it"}} for row in ROWS]
    assert "'=1+1" in evenhand("score", hypotheses(rows), "--csv").out


def test_every_problem_is_told_with_line_and_field_and_nothing_is_scored():
    file = hypotheses([*ROWS, ROWS[0], ROWS[1] | {"item_id": "x", "off": 7}, {"item_id": "y"}])
    Path(file).write_bytes(Path(file).read_bytes() + b"{not json\n")
    done = evenhand("score", file)
    assert (done.code, done.out) == (1, "")
    for place in (
        "line 16, field item_id",
        "line 17, field off",
        "line 18, field hypothesis",
        "line 19: not JSON",
    ):
        assert f"hyp.jsonl, {place}" in done.err
    assert "want" not in done.err


def test_lines_are_counted_over_the_parts_in_which_a_file_is_read(monkeypatch):
    monkeypatch.setattr(scoring, "PART", 64)
    file = hypotheses([*ROWS, ROWS[3]])
    assert "hyp.jsonl, line 16, field item_id: this name stands on line 4 too" in evenhand("score", file).err
    assert json.dumps(ROWS[0])[:64] in Path(file).read_text()


@pytest.mark.parametrize("data", [b"", b"\n\n", b"%PDF-1.7", b"[1]", b"\xff\xfe{", b'{"a": ' + b"1" * (1 << 21)])
def test_what_is_no_file_of_hypotheses_is_told_so(data):
    Path("odd.jsonl").write_bytes(data)
    done = evenhand("score", "odd.jsonl")
    assert (done.code, done.out) == (1, "")
    assert "odd.jsonl" in done.err


def test_a_baseline_that_is_no_system_is_refused():
    done = evenhand("score", hypotheses(), "--baseline", "whisper")
    assert done.code == 1
    assert "off, on" in done.err
