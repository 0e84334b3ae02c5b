"""Characters that look alike are named, and which text has which is not."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.difference import difference
from app.domain.look_alikes import _SHAPES, look_alikes, only_look_alike, same_shape
from app.domain.text import only_invisible

PAIRS = [(shape, other) for shape, others in _SHAPES.items() for other in others]


@pytest.mark.parametrize(("shape", "other"), PAIRS, ids=unicodedata.name)
def test_every_look_alike_is_named_in_the_row_and_in_the_badge(shape, other):
    a, b = f"the {shape}xx here", f"the {other}xx here"
    assert only_look_alike(a, b)
    assert look_alikes(a, b) == look_alikes(b, a) == (tuple(unicodedata.name(ch) for ch in sorted((shape, other))),)
    assert [row.kind for row in difference(a, b).rows] == ["alike"]


def test_no_character_has_two_shapes_and_no_shape_another():
    others = [other for _, other in PAIRS]
    assert len(set(others)) == len(others)
    assert not set(others) & set(_SHAPES)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("pen", "pen"),
        ("pen", "ten"),
        ("pen", "Pen"),
        ("pen", "pe\u200bn"),
        ("\u0440en", "\u0440en"),
        ("\u0440en um", "pen"),
        ("1l", "l1"),
        ("$2m", "$4m"),
        ("", " "),
        ("so it", "soit"),
    ],
)
def test_what_differs_otherwise_or_not_at_all_has_no_such_badge(a, b):
    assert not only_look_alike(a, b)
    assert look_alikes(a, b) == ()


def test_accents_and_invisible_characters_beside_a_look_alike_hide_it_not():
    assert look_alikes("caf\u00e9 \u200b\u0440en", "caf\u0435\u0301 pen") == (
        ("LATIN SMALL LETTER E", "CYRILLIC SMALL LETTER IE"),
        ("LATIN SMALL LETTER P", "CYRILLIC SMALL LETTER ER"),
    )


def test_only_what_is_in_the_table_counts_as_alike():
    letters = [chr(n) for n in range(0x20, sys.maxunicode) if unicodedata.category(chr(n))[0] in "LNPS"]
    told = {other: shape for shape, other in PAIRS}
    plain = [ch for ch in letters if unicodedata.normalize("NFKD", ch) == ch and ch not in told]
    assert [ch for ch in plain if same_shape(ch) not in (ch, "")] == []


@given(st.text(), st.text())
def test_no_two_texts_have_both_badges_or_an_order(a, b):
    assert not (only_invisible(a, b) and only_look_alike(a, b))
    assert look_alikes(a, b) == look_alikes(b, a)


@given(st.text(alphabet=[ch for pair in PAIRS for ch in pair] + list(" \u0301\u200b")))
def test_any_text_of_look_alikes_is_told_apart_from_its_plain_shape(text):
    assert only_look_alike(text, same_shape(text)) is bool(look_alikes(text, same_shape(text)))
