"""Nothing private leaves: finished files are read as their readers read them."""

import pytest

from app.domain.errors import Refused
from app.domain.memo import Deviation, Reason, Verdict
from app.domain.privacy import Private, parts, tokens
from app.report import bundle, egress
from app.report.cells import Column, Table, csv_bytes

PRIVATE = Private.of(
    texts=["I w-w-want the *blue* pen | now", "Sounded tired to me, that one.", "Oh no"],
    ids=["D-001", "D_002", "ep 44", "2", "6", "5727", "fluent", "c<1>"],
    names=["rosa", "lead", "li"],
    digests=["f" * 64],
)
PLANTED = [
    ("I w-w-want the *blue* pen | now", "item text or note"),
    ("I W-W-WANT THE *BLUE* PEN | NOW", "item text or note"),
    ("Sounded tired to me, that one.", "item text or note"),
    ("Oh no", "item text or note"),
    ("D-001", "item or cluster id"),
    ("D_002", "item or cluster id"),
    ("Ep 44", "item or cluster id"),
    ("c<1>", "item or cluster id"),
    ("rosa", "user name"),
    ("li", "user name"),
    ("f" * 64, "digest"),
]


def refusal(files, private=PRIVATE):
    with pytest.raises(Refused) as caught:
        egress.guard(files, private)
    assert caught.value.code == "egress"
    return str(caught.value)


@pytest.mark.parametrize("status", ["PASS", "FAIL", "INCONCLUSIVE", "BLOCKED"])
def test_a_memo_without_anything_private_passes(memos, status):
    egress.guard(bundle.bundle(memos[status]), PRIVATE)


@pytest.mark.parametrize(("value", "kind"), PLANTED)
def test_a_planted_value_is_refused_in_every_format(memo_of, value, kind):
    planted = memo_of(deviations=[Deviation(at="2026-11-30", text=value)], study={"question": f"Why “{value}”?"})
    files = bundle.bundle(planted)
    for name in ("memo.json", "memo.md", "memo.html", "tables/deviations.csv"):
        told = refusal({name: files[name]})
        assert name in told
        assert kind in told


@pytest.mark.parametrize("place", ["key", "value"])
def test_a_planted_id_is_refused_as_a_key_and_as_a_value(memo_of, place):
    software = {"D-001": "x"} if place == "key" else {"x": "D-001"}
    refusal({"memo.json": bundle.bundle(memo_of(software=software))["memo.json"]})


def test_a_number_that_is_an_id_is_refused_where_it_is_a_string_of_its_own(memo_of):
    refusal({"memo.json": bundle.bundle(memo_of(study={"title": "5727"}))["memo.json"]})


def test_the_refusal_never_repeats_the_value(memo_of):
    told = refusal(bundle.bundle(memo_of(study={"title": "Study of D-001 by rosa"})))
    assert "D-001" not in told
    assert "rosa" not in told


def test_a_count_equal_to_a_numeric_id_is_no_reason_to_refuse(memo_of):
    ids = Private.of(texts=[], ids=[str(n) for n in range(100)], names=[], digests=[])
    reason = Reason(code="disputed", text="2 items are disputed.", count=2)
    verdict = Verdict(status="FAIL", reasons=[reason], further_decision="none")
    egress.guard(bundle.bundle(memo_of(verdict=verdict)), ids)


def test_a_decimal_that_contains_a_numeric_id_is_no_reason_to_refuse():
    table = Table("t", "", "", (Column("Value", "points"),), ((0.5727,),))
    egress.guard({"t.csv": csv_bytes(table), "t.md": b"0.5727", "t.html": b"<p>0.5727</p>"}, PRIVATE)


def test_an_item_text_that_is_one_of_the_programs_own_phrases_is_no_reason_to_refuse(memo):
    own = Private.of(texts=["Negation", "None.", "nothing to judge", "A final answer"], ids=[], names=[], digests=[])
    egress.guard(bundle.bundle(memo), own)


def test_text_divided_by_inline_marks_is_read_as_one():
    refusal({"x.html": b"<p>Sounded <b>tired</b> to me, <i>that</i> one.</p>"})


@pytest.mark.parametrize(
    "page",
    [b'<p title="D-001">x</p>', b"<!-- D-001 -->", b"<p>D&#45;001</p>", b'<img alt="x D-001">', b"<style>/* D-001 */"],
)
def test_attributes_comments_and_references_of_a_page_are_read(page):
    refusal({"x.html": page})


def test_a_cell_of_markdown_is_a_leaf_of_its_own():
    refusal({"x.md": b"| a | Oh no | b |"})


def test_a_kind_of_file_that_cannot_be_read_is_refused():
    assert "x.bin" in refusal({"x.bin": b""})


@pytest.mark.parametrize("status", ["PASS", "FAIL", "INCONCLUSIVE", "BLOCKED"])
def test_every_word_of_a_memo_is_the_programs_own_or_the_studys(memos, status):
    made = memos[status]
    theirs = " ".join(
        [made.study.title, made.study.question, made.study.id, "corpus approved yazses filter_version beam shows CC BY"]
        + [deviation.text for deviation in made.deviations]
    )
    known = egress.own_words() | set(tokens(theirs))
    for name, content in bundle.bundle(made).items():
        read = [leaf for leaf in egress.leaves(name, content) if not leaf.attribute]
        words = {word for leaf in read if "{" not in leaf.text for word in parts(leaf.text)}
        assert {word for word in words - known if word.isalpha() and len(word) < 64} == set(), name


@pytest.mark.parametrize("word", ["fluent", "negation", "kappa", "item", "destructive-content", "preregistered"])
def test_the_programs_own_words_hold_what_it_writes(word):
    assert word in egress.own_words()


@pytest.mark.parametrize("word", ["rosa", "mark", "li", "5727", "1", "0.95"])
def test_the_programs_own_words_hold_no_number_and_nothing_of_the_style_sheet(word):
    assert word not in egress.own_words()
