"""The whole way over HTTP: a real server process, a real store, three people, one run for each verdict."""

import json
import shlex
import textwrap
from pathlib import Path

import pytest

from app.domain.protocol import FIELDS
from app.report import wording
from tests.filters.programs import program
from tests.house import PROTOCOL, RIGHTS, jsonl
from tests.walk.script import Say, Scene, count, read

SAFE, SAFE_OFF = Say("safe-cleanup", "on"), Say("safe-cleanup", "off")
SAME, RETAINED = Say("no-material-edit"), Say("benign-retention")
CANNOT = Say("unassessable-disputed")
CONTENT, CONTENT_OFF = Say("destructive-content", "on"), Say("destructive-content", "off")
CONTENT_BOTH = Say("destructive-content", "both")
STRUCTURE, STRUCTURE_OFF = Say("destructive-structure", "on"), Say("destructive-structure", "off")
TWO_KINDS = Say("destructive-content", "on", also="destructive-structure")
WORDS, FLUENT = "word_repetition", "fluent"

SAFE_SCENES = [
    Scene(WORDS, "ep-one", "I I want the pen", "I want the pen", SAFE, SAFE),
    Scene(WORDS, "ep-two", "the the same in both", "the the same in both"),
    Scene(WORDS, "ep-two", "we we were late", "we were late", SAFE, SAME, SAFE, SAFE),
    Scene(FLUENT, "ep-one", "nothing is changed over here", "nothing is changed over here"),
    Scene(FLUENT, "ep-two", "just two  spaces apart", "just two spaces apart", SAME, SAME),
]
HARMED_SCENES = [
    *SAFE_SCENES,
    Scene(WORDS, "ep-one", "do not not open it", "do open it", CONTENT, CONTENT),
    Scene(
        WORDS, "ep-two", "um red no green one", "red no green", STRUCTURE_OFF, CONTENT_BOTH, CONTENT_BOTH, CONTENT_OFF
    ),
    Scene(WORDS, "ep-two", "she is sort of stable", "she is stable", RETAINED, CONTENT, CONTENT, None),
    Scene(FLUENT, "ep-one", "she had had enough", "she had enough", STRUCTURE, SAME, SAME, STRUCTURE),
    Scene(FLUENT, "ep-two", "meet at at noon", "meet at noon", CANNOT, CANNOT),
    Scene(WORDS, "ep-one", "take five. of the. pills", "take of the pills", TWO_KINDS, TWO_KINDS),
    Scene(WORDS, "ep-one", "it it may rain there", "it rain there", CONTENT, STRUCTURE, SAFE, SAFE),
    Scene(WORDS, "ep-two", "wrong wrong word again", "wrong word again", CONTENT_BOTH, CONTENT_BOTH),
    Scene(WORDS, "ep-two", "so so we we left", "so we we left", SAFE_OFF, SAFE_OFF),
]
ENGINE = "".join(f'{field.key} = "none"\n' for field in FIELDS if field.section == "engine" and field.needed)
CORPUS = (
    PROTOCOL.replace('"synthetic"', '"corpus"')
    + '[references]\nsemantic_policy = "written down by a second annotator"\n'
    + f"[engine]\n{ENGINE}"
)
EXAMPLE = Path(__file__).parents[2].parent / "shared" / "data" / "disflqa_160.jsonl"


def rows_of(scenes, source="invented"):
    return [
        {
            "item_id": f"W-{number:03}",
            "stratum": scene.stratum,
            "cluster": scene.cluster,
            "source": source,
            "raw_hypothesis": scene.off,
            "off": scene.off,
            "on": scene.on,
            "semantic_reference": f"Number {number} was meant to be heard.",
        }
        for number, scene in enumerate(scenes, start=1)
    ]


def prepare(evenhand, tmp_path, rows, protocol=PROTOCOL, ledger=RIGHTS, *, adjudicator=True):
    """Take a study to its freeze on the command line; return its id. `rows`: its items, or their file."""
    items = rows.read_bytes() if isinstance(rows, Path) else jsonl(rows)
    files = {"protocol.toml": protocol.encode(), "rights.toml": ledger.encode(), "items.jsonl": items}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    evenhand.add_people("rosa", "ravi", "ines", "lena")
    study = evenhand.do("study", "create", tmp_path / "protocol.toml")["study"]
    evenhand.do("study", "rights", study, tmp_path / "rights.toml")
    evenhand.do("study", "import", study, tmp_path / "items.jsonl")
    third = ["--adjudicator", "ines"] if adjudicator else []
    people = ["--reviewer", "rosa", "--reviewer", "ravi", *third, "--lead", "lena"]
    evenhand.do("study", "assign", study, *people, "--attest", "trained linguists")
    return study


def freeze(evenhand, study):
    report = evenhand.run("study", "check", study)[1]
    assert report["errors"] == []
    codes = [part for each in report["acknowledge"] for part in ("--acknowledge", each["code"])]
    evenhand.do("study", "freeze", study, *codes)


def by_texts(scenes):
    return {frozenset((scene.off, scene.on)): scene for scene in scenes}


def review(person, scenes, which):
    """Judge every pair as the script says, then sign off."""
    known = by_texts(scenes)
    while (found := person.next_page()) is not None:
        _, page = found
        scene = known[frozenset(page.panels.values())]
        answer = person.answer(page, **getattr(scene, which).fields(page, scene.on))
        assert answer.status_code == 303, answer.text
    assert person.sign_off().status_code == 303


def adjudicate(person, scenes):
    """Take both steps on every routed pair, then sign off."""
    known = by_texts(scenes)
    while (found := person.next_page("/adjudicate")) is not None:
        where, page = found
        scene = known[frozenset(page.panels.values())]
        assert person.answer(page, **scene.first.fields(page, scene.on)).status_code == 303
        again = person.page(where)
        if scene.final is None:
            said = {"decision": "unresolved", "unresolved_reason": "source_insufficient"}
        elif scene.final == scene.first:
            said = {"decision": "keep"}
        else:
            said = {"decision": "change", **scene.final.fields(again, scene.on)}
        assert person.answer(again, **said).status_code == 303
    assert person.sign_off("/adjudicate").status_code == 303


def walk(evenhand, tmp_path, study, scenes, *, adjudicator=True):
    """Review, adjudicate, close, export; return the memo."""
    freeze(evenhand, study)
    evenhand.serve()
    for name, which in (("rosa", "one"), ("ravi", "two")):
        review(evenhand.visit(name), scenes, which)
    if adjudicator:
        adjudicate(evenhand.visit("ines"), scenes)
    lead = evenhand.visit("lena")
    assert evenhand.run("export", study, "--out", tmp_path / "early")[0] == 1
    assert not (tmp_path / "early").exists()
    form = lead.page(f"/lead/studies/{study}").form_to(f"/lead/studies/{study}/close")
    assert lead.send(form).status_code == 303
    assert lead.get(f"/lead/studies/{study}/results").status_code == 200
    evenhand.do("export", study, "--out", tmp_path / "memo", "--decision", "design_change")
    assert evenhand.do("verify")["ok"]
    return json.loads((tmp_path / "memo" / "memo.json").read_text())


def codes(memo):
    return {reason["code"]: reason["count"] for reason in memo["verdict"]["reasons"]}


def test_a_study_with_damage_fails_and_its_numbers_equal_an_independent_count(evenhand, tmp_path):
    study = prepare(evenhand, tmp_path, rows_of(HARMED_SCENES))
    memo = walk(evenhand, tmp_path, study, HARMED_SCENES)
    assert memo["verdict"]["status"] == "FAIL_SYNTHETIC"
    assert read(memo) == count(HARMED_SCENES)
    kind = {"one": "destructive-content", "other": "benign-retention", "reason": "source_insufficient", "count": 1}
    assert memo["adjudication"]["disputed"] == [kind]
    assert codes(memo) == {
        "confirmed_introduced": 4,
        "disputed": 1,
        "recorded_harm_unresolved": 1,
        "unassessable": 1,
        "type_unsettled": 1,
    }


def test_a_clean_corpus_study_passes(evenhand, tmp_path):
    study = prepare(evenhand, tmp_path, rows_of(SAFE_SCENES), CORPUS, RIGHTS.replace('"synthetic"', '"corpus"'))
    memo = walk(evenhand, tmp_path, study, SAFE_SCENES)
    assert (memo["verdict"]["status"], codes(memo)) == ("PASS", {})
    assert read(memo) == count(SAFE_SCENES)


BY_TABLE = """
    import json, sys

    for line in sys.stdin:
        asked = json.loads(line)
        said = {"name": "table", "version": "3", "config": {"on": {"texts": %d}}}
        if "evenhand" not in asked:
            said = {"id": asked["id"], "text": TABLE[asked["text"]] if asked["enabled"] else asked["text"]}
        print(json.dumps(said), flush=True)
"""


def test_pairs_made_here_are_verified_from_the_raw_texts_to_the_memo(evenhand, tmp_path):
    table = {scene.off: scene.on for scene in SAFE_SCENES}
    words = program(tmp_path, f"TABLE = {table!r}\n" + textwrap.dedent(BY_TABLE % len(table)))
    rows = [{key: row[key] for key in row if key not in {"off", "on"}} for row in rows_of(SAFE_SCENES)]
    (tmp_path / "raw.jsonl").write_bytes(jsonl(rows))
    made = tmp_path / "made.jsonl"
    evenhand.do("pair", tmp_path / "raw.jsonl", "--filter", "command", "--exec", shlex.join(words), "--out", made)
    study = prepare(evenhand, tmp_path, made, CORPUS, RIGHTS.replace('"synthetic"', '"corpus"'))
    memo = walk(evenhand, tmp_path, study, SAFE_SCENES)
    assert (memo["verdict"]["status"], memo["study"]["pairing"]) == ("PASS", "verified")
    assert memo["software"]["filter_config"] == json.dumps({"on": {"texts": len(table)}}, separators=(",", ":"))
    assert wording.UNVERIFIED not in (tmp_path / "memo" / "memo.md").read_text()
    assert "Paired here with table 3" in evenhand.visit("lena").page(f"/lead/studies/{study}/items").text


def test_without_an_adjudicator_a_disagreement_holds_the_verdict(evenhand, tmp_path):
    study = prepare(evenhand, tmp_path, rows_of(SAFE_SCENES), adjudicator=False)
    memo = walk(evenhand, tmp_path, study, SAFE_SCENES, adjudicator=False)
    assert (memo["verdict"]["status"], codes(memo)) == ("INCONCLUSIVE_SYNTHETIC", {"disputed": 1})
    assert read(memo) == count(SAFE_SCENES, adjudicator=False)


def test_refused_rights_block_the_study_before_any_review(evenhand, tmp_path):
    study = prepare(evenhand, tmp_path, rows_of(SAFE_SCENES), ledger=RIGHTS.replace('"approved"', '"refused"'))
    assert evenhand.run("study", "freeze", study)[0] == 1
    evenhand.do("export", study, "--out", tmp_path / "memo")
    memo = json.loads((tmp_path / "memo" / "memo.json").read_text())
    assert (memo["verdict"]["status"], codes(memo)) == ("BLOCKED_SYNTHETIC", {"rights": 1})
    assert memo["sample"]["pending"] == len(SAFE_SCENES)


def scripted(number, row):
    """Judge a real pair by rule: what differs in white space only is the same; a few are argued over."""
    if row["off"] == row["on"]:
        return None, None, None, None
    if row["off"].split() == row["on"].split():
        return SAME, SAME, None, None
    if number % 11 == 0:
        return SAFE, CONTENT, CONTENT, CONTENT if number % 2 else None
    if number % 7 == 0:
        return SAFE, RETAINED, SAFE, SAFE
    return (SAFE, SAFE, None, None) if row["stratum"] != "fluent" else (CANNOT, CANNOT, None, None)


@pytest.mark.skipif(not EXAMPLE.exists(), reason="the folder with the real questions (disflqa_160.jsonl) is not here")
def test_real_questions_through_the_real_filter_go_the_whole_way(evenhand, tmp_path):
    rows = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    scenes = [
        Scene(row["stratum"], row["cluster"], row["off"], row["on"], *scripted(number, row))
        for number, row in enumerate(rows)
    ]
    protocol = CORPUS.replace(
        "{ word_repetition = 4, fluent = 2 }", "{ interjection = 40, self_correction = 40, restart = 40, fluent = 40 }"
    ).replace("[references]", '[references]\nverbatim_policy = "the disfluent question as written"')
    ledger = RIGHTS.replace('"synthetic"', '"corpus"').replace('"invented"', '"disfl-qa"')
    spaces = [scene for scene in scenes if scene.off != scene.on and scene.off.split() == scene.on.split()]
    assert len(spaces) == 6
    memo = walk(evenhand, tmp_path, prepare(evenhand, tmp_path, rows, protocol, ledger), scenes)
    assert read(memo) == count(scenes)
    assert memo["taxonomy"]["no-material-edit"]["none"] == len(spaces)
    assert memo["verdict"]["status"] == "FAIL"
