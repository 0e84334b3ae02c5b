"""What counts as holding a private value: whole tokens, in any case and form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.privacy import DIGEST, ID, NAME, TEXT, Private, _ways, parts, tokens, within

PRIVATE = Private.of(
    texts=["I w-w-want the blue pen.", "Oh no", "今日はペンが要る"],
    ids=["D-001", "5727", "show 7", "5.3"],
    names=["rosa", "Ana Maria"],
    digests=["f" * 64],
)


def test_a_number_is_one_token():
    assert tokens("p = 0.5727;") == ("p", "0.5727")


def test_punctuation_at_the_edges_and_nothing_else_falls_away():
    assert tokens("“Don't!” (w-w-want) ...") == ("don't", "w-w-want")


def test_a_character_is_a_word_where_a_script_has_no_spaces():
    assert tokens("ペンが") == ("ペ", "ン", "が")


def test_what_punctuation_joins_can_be_divided():
    assert parts("D-001,D-002; rosa's") == ("d", "001", "d", "002", "rosa")


@given(st.one_of(st.text(), st.text(alphabet="as1 _'\u2019.,-é\u0301ペ", max_size=12)))
def test_a_text_is_spared_being_divided_only_where_that_changes_nothing(text):
    assert set(_ways(text)) == {tokens(text), parts(text)}


@pytest.mark.parametrize(
    "leaf", ["it was rosa\u2014ravi", "rosa!ravi", "a-rosa-b", "ro\u00adsa", "Rosa\u2019s", "rosa/ravi"]
)
def test_a_name_is_found_whatever_punctuation_joins_it(leaf):
    assert Private.of(texts=[], ids=[], names=["rosa"], digests=[]).find(leaf) == NAME


@pytest.mark.parametrize(
    "leaf", ["I don\u2019t want the pen", "I don't want\u2014the pen\u2026", "he said:I don't\u00a0want the pen!twice"]
)
def test_a_text_is_found_in_ordinary_typography(leaf):
    assert Private.of(texts=["I don't want the pen"], ids=[], names=[], digests=[]).find(leaf) == TEXT


@pytest.mark.parametrize("leaf", ["P\u2013001", "P\u2011001", "P-001.mp3", "_P-001_"])
def test_an_id_is_found_in_ordinary_typography(leaf):
    assert Private.of(texts=[], ids=["P-001"], names=[], digests=[]).find(leaf) == ID


def test_an_id_of_the_programs_own_words_and_numbers_is_never_a_reason_to_refuse():
    private = Private.of(texts=[], ids=["Speaker 0"], names=[], digests=[]).without({"speaker"})
    assert private.find("95% interval by speaker 0% to 12%") is None


@pytest.mark.parametrize(
    ("leaf", "kind"),
    [
        ("I w-w-want the blue pen.", TEXT),
        ("They said: I W-W-WANT THE\nBLUE PEN, twice", TEXT),
        ("I\u00a0w-w-want the \uff42\uff4c\uff55\uff45 pen", TEXT),
        ("I w-w-want the blue pencil", None),
        ("I want the blue pen", None),
        ("Oh no!", TEXT),
        ("Oh no, not that", None),
        ("逸脱: 今日はペンが要るので", TEXT),
        ("See item D-001.", ID),
        ("D-001,D-002", ID),
        ("D-0011", None),
        ("from show 7", ID),
        ("from show 70", None),
        ("0.5727", None),
        ("item 5727", ID),
        ("Rosa\u2019s answer", NAME),
        ("rosary", None),
        ("asked ana  maria", NAME),
        ("ana", None),
        (f"sha256:{'F' * 64}", DIGEST),
        ("", None),
        ("…", None),
    ],
)
def test_a_private_value_is_found_by_whole_tokens(leaf, kind):
    assert PRIVATE.find(leaf) == kind


@pytest.mark.parametrize("leaf", ["5727", "5727 items", "5.3%"])
def test_where_counts_are_text_values_of_digits_are_passed_over(leaf):
    assert PRIVATE.find(leaf) == ID
    assert PRIVATE.find(leaf, rendered=True) is None


def test_where_counts_are_text_everything_else_is_still_found():
    assert PRIVATE.find("D-001 of 5727", rendered=True) == ID


def test_ids_and_names_that_are_the_programs_own_words_are_dropped():
    private = Private.of(texts=["name it now"], ids=["name", "D-001"], names=["lead"], digests=[]).without(
        ["name", "lead"]
    )
    assert (private.find("name"), private.find("the lead")) == (None, None)
    assert (private.find("D-001"), private.find("Name it now!")) == (ID, TEXT)


def test_texts_that_stand_in_the_programs_own_sentences_are_dropped():
    private = Private.of(texts=["nothing to judge", "None.", "no pen here"], ids=[], names=[], digests=[])
    less = private.without([], ["There was nothing to judge.", "none"])
    assert [less.find(leaf) for leaf in ("nothing to judge", "None", "no pen here")] == [None, None, TEXT]


def test_what_has_no_word_at_all_is_nowhere_found():
    assert Private.of(texts=["...", ""], ids=["--"], names=[" "], digests=[]).find("-- ...") is None


WORDS = st.lists(
    st.sampled_from(["pen", "Pen's", "c1,c2", "don\u2019t", "5", "0.5", "\u6f22\u5b57", "-", "it\u2014is"]), max_size=5
)


@given(st.lists(WORDS.map(" ".join), max_size=6), WORDS.map(" ".join))
def test_what_is_left_out_beforehand_is_nothing_that_would_be_found(values, leaf):
    def found(texts):
        return Private.of(texts=texts, ids=[], names=[], digests=[]).find(leaf)

    assert found(within(values, [leaf])) == found(values)
