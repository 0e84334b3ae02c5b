"""Pictures: each says in words what it shows, holds no more than its table, and needs nothing from elsewhere."""

import re
from html.parser import HTMLParser

import pytest

from app.domain import results
from app.domain.judgement import Coding
from app.domain.outcome import JudgedItem
from app.report import html, markdown
from app.report.drawing import filled, svg, words
from app.report.outcomes import kinds
from app.report.pictures import MOST_SQUARES, pictures, units
from app.report.tables import tables

JUDGED = ["PASS", "FAIL", "INCONCLUSIVE"]


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def squares(drawn):
    """Count the squares of a unit chart, those of its legend left out."""
    return len(re.findall("h14v14h-14z", drawn)) - 4


def many(memo, n):
    """Return the memo with the outcome of n items on which the filter introduced damage once."""
    pairs = [(Coding("destructive-content", "on"),) * 2, *[(Coding("no-material-edit"),) * 2] * (n - 1)]
    items = [JudgedItem("s", str(k % 20), control=False, changed=True, signed=p) for k, p in enumerate(pairs)]
    found = results.Results.of(items)
    return memo.model_copy(
        update={"primary": results.primary(found), "sample": results.sample(found, {}, memo.sample.clusters.unit)}
    )


@pytest.mark.parametrize("status", JUDGED)
def test_every_picture_is_an_image_with_a_title_and_a_description(memos, status):
    for picture in pictures(memos[status]).values():
        tags = Tags(picture.drawn).found
        (_, attributes), *_ = tags
        assert attributes["role"] == "img"
        ids = {tag: given["id"] for tag, given in tags if tag in {"title", "desc"}}
        assert (attributes["aria-labelledby"], attributes["aria-describedby"]) == (ids["title"], ids["desc"])


@pytest.mark.parametrize("status", JUDGED)
def test_what_is_read_out_of_a_picture_does_not_say_its_caption_again(memos, status):
    for picture in pictures(memos[status]).values():
        assert picture.caption not in picture.drawn.unescape()
        assert picture.drawn.count("<desc") == 1


@pytest.mark.parametrize("status", JUDGED)
def test_a_caption_is_one_sentence(memos, status):
    for picture in pictures(memos[status]).values():
        assert picture.caption.endswith(".")
        assert ". " not in picture.caption


@pytest.mark.parametrize("status", JUDGED)
def test_a_picture_has_no_style_no_script_and_no_reference(memos, status):
    for picture in pictures(memos[status]).values():
        for tag, attributes in Tags(picture.drawn).found:
            assert tag in {"svg", "title", "desc", "path", "text", "circle"}
            assert not {"style", "href", "fill", "stroke"} & set(attributes)
        assert "url(" not in picture.drawn


def test_each_picture_stands_beside_its_table_and_markdown_keeps_its_sentence(memo):
    page, text = html.render(memo), markdown.render(memo)
    for name, picture in pictures(memo).items():
        assert tables(memo)[name].rows
        assert str(picture.drawn) in page
        assert markdown.inline(picture.caption) in text
    assert "<svg" not in text


def test_a_blocked_study_has_no_picture(memos):
    assert pictures(memos["BLOCKED"]) == {}


@pytest.mark.parametrize("status", JUDGED)
def test_outcomes_add_up_to_all_items_that_were_not_withdrawn(memos, status):
    sample = memos[status].sample
    assert sum(kind.items for kind in kinds(memos[status])) == sample.imported - sample.withdrawn


def test_there_is_a_square_for_each_item(memo):
    assert squares(units(memo).drawn) == memo.sample.imported - memo.sample.withdrawn
    assert "Each square stands for one item" in units(memo).caption


def test_of_many_items_a_square_stands_for_several_and_a_single_one_is_still_seen(memo):
    picture = units(many(memo, 2_000))
    assert "Each square stands for about 5 items" in picture.caption
    assert squares(picture.drawn) == MOST_SQUARES + 1
    assert 'class="memo-solid"' in picture.drawn


def test_words_of_a_lead_cannot_become_markup():
    drawn = svg("x", "a <b>", "c & d", 10, [words(0, 0, "<script>")])
    assert "<script" not in drawn
    assert "a &lt;b&gt;" in drawn


def test_patterns_differ_without_any_colour():
    box = (0.0, 0.0, 14.0, 14.0)
    assert len({filled([box], pattern) for pattern in ("solid", "lines", "cross", "dot", "empty")}) == 5


def test_the_patterns_of_outcomes_differ(memo):
    patterns = [kind.pattern for kind in kinds(memo)]
    assert len(set(patterns)) == len(patterns)
