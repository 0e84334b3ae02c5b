"""Which part of a judge's own list is shown, and what a search finds."""

import pytest

from app.domain import own_list
from app.domain.errors import InvalidInput
from app.domain.own_list import Tally, View


def test_nothing_said_is_the_whole_list():
    assert own_list.view({}) == View()
    assert not View().narrowed
    assert View().query == {}


def test_an_address_says_everything_but_the_words():
    view = own_list.view({"show": ["answered"], "answer": ["safe-cleanup"], "words": ["the pen"], "page": ["3"]})
    assert view == View("answered", "safe-cleanup", "the pen", 3)
    assert view.query == {"show": "answered", "answer": "safe-cleanup", "page": "3"}


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"show": ["mine"]}, "show"),
        ({"answer": ["harmless"]}, "show"),
        ({"page": ["-1"]}, "show"),
        ({"page": ["²"]}, "show"),
        ({"page": ["9999999"]}, "show"),
        ({"words": ["x" * 201]}, "words"),
    ],
)
def test_what_the_list_does_not_offer_is_refused_without_repeating_it(form, field):
    with pytest.raises(InvalidInput) as refused:
        own_list.view(form)
    assert [each.field for each in refused.value.problems] == [field]
    assert not any(value in str(refused.value) for values in form.values() for value in values)


@pytest.mark.parametrize("words", ["", "   ", "\u200b", "\u00ad \u2060"])
def test_words_that_nobody_sees_are_no_words(words):
    assert own_list.view({"words": [words]}).words == ""


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("PEN", "I want the pen"),
        ("the pen", "the  pen"),
        ("straße", "in der STRASSE"),
        ("cafe\u0301", "the caf\u00e9 there"),
        ("dose", "the do\u00adse"),
        ("a b", "a\u00a0b"),
        ("שלום", "אמר שלום"),
        ("%", "10 % of it"),
        ("_", "snake_case"),
    ],
)
def test_case_spaces_invisible_characters_and_composition_do_not_hide_words(words, text):
    assert own_list.holds(words, ["something else", text])


@pytest.mark.parametrize(
    ("words", "text"), [("pen the", "the pen"), ("%", "percent"), ("a_c", "abc"), ("cafe", "café")]
)
def test_other_words_are_not_found(words, text):
    assert not own_list.holds(words, [text])


def test_words_do_not_reach_from_one_text_into_the_next():
    assert not own_list.holds("pen it", ["the pen", "it is"])


def test_each_state_has_its_count():
    tally = Tally(total=9, done=4, drafted=2, flagged=1)
    assert [tally.of(show) for show in own_list.SHOWS] == [9, 5, 4, 2, 1]
