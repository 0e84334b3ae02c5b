"""The draw from files: the stored result byte for byte, and what is said of faulty files."""

import json

import pytest

from app.actions import selecting
from app.domain.errors import InvalidInput
from scripts.make_selection_pool import CANDIDATES, FIXTURES, HEADER, VERSION, pool

POOL = (FIXTURES / "pool.csv").read_bytes()
RULES = (FIXTURES / "protocol.toml").read_bytes()
STORED = {name: (FIXTURES / name).read_bytes() for name in ("selected.jsonl", "extension.jsonl", "selection.json")}
MAP = b"""
item_id = ["Show", "EpId", "ClipId"]
cluster = ["Show", "EpId"]
source = "Show"
fluent = ["fluent"]
[labels]
sound_repetition = "SoundRep"
word_repetition = "WordRep"
interjection = "Interjection"
block = "Block"
prolongation = "Prolongation"
fluent = "NoStutteredWords"
[exclude]
no_speech = "NoSpeech"
music = "Music"
poor_audio = "PoorAudioQuality"
difficult_to_understand = "DifficultToUnderstand"
unsure = { column = "Unsure", at_least = 2 }
"""


def draw(candidates=POOL, rules=RULES, columns=None, name="pool.csv"):
    given = None if columns is None else (columns, "map.toml")
    return selecting.draw((candidates, name), (rules, "protocol.toml"), given, software=VERSION)


def told(**files):
    with pytest.raises(InvalidInput) as raised:
        draw(**files)
    return [str(each) for each in raised.value.problems]


def rows():
    header, *lines = POOL.decode().splitlines()
    return [dict(zip(header.split(","), line.split(", "), strict=True)) for line in lines]


def test_the_stored_draw_comes_out_byte_for_byte():
    assert draw().files() == STORED


def test_the_stored_candidates_are_the_generators():
    assert pool(CANDIDATES) == POOL


@pytest.mark.parametrize(
    "candidates",
    [
        POOL.replace(b", ", b","),
        POOL.replace(b", ", b",").replace(b",", b";").replace(b"\n", b"\r\n"),
        b"\n".join([POOL.split(b"\n")[0], *sorted(POOL.split(b"\n")[1:-1], reverse=True)]),
        "".join(json.dumps(row) + "\n" for row in rows()).encode(),
        json.dumps([{k: int(v) if v.isdecimal() else v for k, v in row.items()} for row in rows()][::-1]).encode(),
    ],
    ids=["no spaces", "semicolons", "backwards", "JSON Lines", "array of numbers"],
)
def test_neither_the_form_of_the_file_nor_its_order_changes_a_byte(candidates):
    assert draw(candidates).files() == STORED


def test_a_column_map_that_says_what_is_known_changes_nothing():
    assert draw(columns=MAP).files() == STORED


def test_a_column_map_reads_another_list():
    renamed = POOL.replace(HEADER.encode(), HEADER.replace("WordRep", "Repeated").encode())
    assert "pool.csv: these are not SEP-28k's columns (WordRep missing): say with a column map what they mean" in told(
        candidates=renamed
    )
    found = draw(renamed, columns=MAP.replace(b'"WordRep"', b'"Repeated"'))
    assert found.files()["selected.jsonl"] == STORED["selected.jsonl"]


def test_a_column_that_the_map_names_and_the_list_lacks_is_an_error():
    assert told(columns=MAP.replace(b'"Music"', b'"Musik"')) == ["pool.csv, field Musik: the list has no such column"]


def test_every_faulty_row_is_named_by_line_and_column():
    lines = POOL.decode().split("\n")
    lines[3] = lines[3].replace(", 0", ", x")
    lines[1] = lines[2]
    lines[5] = "short"
    found = told(candidates="\n".join(lines).encode())
    assert found[0] == "pool.csv, line 3, field Show + EpId + ClipId: this candidate stands on line 2 already"
    assert all(each.startswith("pool.csv, line 4, field ") for each in found[1:-1])
    assert found[-1] == "pool.csv, line 6: this row has 1 cells, the header 17"


def test_faults_of_protocol_and_map_name_their_file():
    assert told(rules=RULES.replace(b"seed", b"seeds"))[0] == "protocol.toml, field selection.seeds: unknown key"
    assert told(columns=MAP + b"[more]\n") == ["map.toml, field more: unknown key"]
    assert told(rules=RULES.replace(b"word_repetition = 40", b"repeated = 40"))[0].startswith(
        "protocol.toml, field selection.strata: no column counts “repeated”: the list has sound_repetition"
    )


def test_a_protocol_that_has_the_seed_alone_draws_the_default_plan():
    found = draw(rules=b'[study]\nid = "x"\n[selection]\nseed = "s"\n').record
    assert (found["rules"]["planned_by"], {each["planned"] for each in found["strata"].values()}) == ("default", {40})
    assert set(found["strata"]) == {"sound_repetition", "word_repetition", "interjection", "fluent"}
