"""A small count of a tag or severity stands in no file of the memo, and nothing else there tells it."""

import csv
import io
import json
import random

import pytest

from app.domain import codebook, results
from app.domain.judgement import Coding
from app.domain.outcome import JudgedItem
from app.report import bundle

SEVERITIES = [choice.key for choice in codebook.SEVERITIES]
LABELS = [("safe-cleanup", "on", ()), ("benign-retention", None, ()), ("destructive-content", "on", ("negation",))]
STUDIES = 12


def coded(severities, seed):
    """Two equal reviews an item. Only `severities`, one for each, tells two studies of one seed apart."""
    rng = random.Random(seed)  # noqa: S311 - a repeatable draw
    items = []
    for number, severity in enumerate(severities):
        label, arm, reasons = rng.choice(LABELS)
        coding = Coding(label, arm, reasons=reasons, severity=severity)
        pair = (coding, coding)
        stratum, cluster = rng.choice(["fluent", "words"]), f"c{number % 7}"
        items.append(
            JudgedItem(
                stratum, cluster, stratum == "fluent", changed=True, first_signed=pair, signed=pair, recorded=pair
            )
        )
    return results.Results.of(items, min_cell=5)


def table(files, name):
    rows = list(csv.DictReader(io.StringIO(files[f"tables/{name}.csv"].decode())))
    return {row["Key"]: row["Items"] for row in rows}


@pytest.fixture
def files_of(memo_of):
    def made(severities, seed):
        found = coded(severities, seed)
        conduct = memo_of().conduct.model_copy(update={"min_cell": 5})
        return bundle.bundle(memo_of(primary=results.primary(found), conduct=conduct))

    return made


def test_a_small_count_is_left_out_of_every_format_and_the_memo_says_why(files_of):
    files = files_of(["cosmetic"] * 20 + ["clinical"] * 2, 1)
    primary = json.loads(files["memo.json"])["primary"]
    assert primary["severities"] == dict.fromkeys(SEVERITIES, None) | {"cosmetic": 20}
    assert primary["severities_null_reason"] == "small_cell"
    assert table(files, "severities") == dict.fromkeys(SEVERITIES, "") | {"cosmetic": "20"}
    row = next(line for line in files["memo.md"].decode().splitlines() if line.startswith("| Clinical"))
    assert row.split("|")[2].strip() == "—"
    for name in ("memo.md", "memo.html"):
        text = files[name].decode()
        assert "counts under 5 and those that come from fewer than 3 episodes" in text
        assert "no small count points at anybody" in text


def test_where_nothing_is_small_nothing_is_left_out_and_no_note_stands_there(files_of):
    files = files_of(["cosmetic"] * 20, 1)
    assert json.loads(files["memo.json"])["primary"]["severities_null_reason"] is None
    assert table(files, "severities") == {"cosmetic": "20"}
    assert "Left out by the protocol" not in files["memo.md"].decode()


def test_the_primary_outcome_is_printed_however_small():
    pair = (Coding("destructive-content", "on", reasons=("name",), severity="legal"),) * 2
    item = JudgedItem("words", "c", control=False, changed=True, first_signed=pair, signed=pair, recorded=pair)
    found = results.primary(results.Results.of([item], min_cell=1_000))
    assert (found.introduced.numerator, found.reasons) == (1, {"name": 1})
    assert found.by_label["destructive-content"].introduced == 1
    assert found.severities == dict.fromkeys(sorted(SEVERITIES))


@pytest.mark.parametrize("seed", range(STUDIES))
def test_two_studies_that_differ_in_a_count_left_out_have_the_same_memo_byte_for_byte(files_of, seed):
    rng = random.Random(seed)  # noqa: S311 - a repeatable draw
    given = [rng.choice(["cosmetic", None]) for _ in range(40)] + rng.choices(SEVERITIES[1:], k=rng.randint(1, 4))
    other = [*given[:40], *(SEVERITIES[1 + SEVERITIES[1:].index(each) - 1 or -1] for each in given[40:])]
    assert results.primary(coded(given, seed)).severities == results.primary(coded(other, seed)).severities
    assert sorted(map(str, given)) != sorted(map(str, other))
    assert files_of(given, seed) == files_of(other, seed)
