"""Every field of the protocol has its explanation, and every choice one of its own."""

import pytest

from app.domain.explanation import EXPLANATIONS, MANY, ONE, SECTIONS
from app.domain.protocol import FIELDS
from app.domain.protocol import SECTIONS as OF_THE_FILE

by_name = pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)


def test_fields_and_sections_are_those_of_the_protocol():
    assert set(EXPLANATIONS) == {field.name for field in FIELDS}
    assert tuple(SECTIONS) == OF_THE_FILE


@by_name
def test_an_explanation_is_one_sentence_or_a_few_and_says_more_than_the_name(field):
    text = field.explanation.text
    assert text[0].isupper() or text[0].isdigit()
    assert text.endswith(".")
    assert len(text) <= 240
    assert text.casefold().rstrip(".") != field.about.casefold()


@by_name
def test_its_control_is_one_that_the_editor_has(field):
    assert field.explanation.control in ONE + MANY


@by_name
def test_where_there_are_choices_each_is_a_value_and_the_default_is_among_them(field):
    choices = field.explanation.choices
    assert bool(choices) is (field.explanation.control in {"choice", "several"})
    for key, meaning in choices.items():
        value = {"true": True, "false": False}.get(key, key)
        assert field.check([value] if field.explanation.control == "several" else value) is None
        assert meaning.endswith(".")
    if choices and field.default is not None:
        defaults = field.default if isinstance(field.default, list) else [field.default]
        assert {{True: "true", False: "false"}.get(each, each) for each in defaults} <= set(choices)


@by_name
def test_a_field_of_few_values_offers_all_of_them(field):
    expected = field.check(object()) or ""
    if expected.startswith("one of: "):
        assert set(field.explanation.choices) == set(expected.removeprefix("one of: ").split(", "))
