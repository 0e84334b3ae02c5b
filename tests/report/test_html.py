"""The memo as a page: it loads nothing, runs nothing, and holds what Markdown holds."""

from html.parser import HTMLParser

import pytest

from app.report import html, markdown
from app.report.outline import outline

EVERY = ["PASS", "FAIL", "INCONCLUSIVE", "BLOCKED"]


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.ids = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self.ids += [value for name, value in attrs if name == "id"]


@pytest.mark.parametrize("status", EVERY)
def test_every_verdict_renders_with_each_part_of_the_outline(memos, status):
    text = html.render(memos[status])
    assert f'<span class="memo-status">{status}</span>' in text
    for section in outline(memos[status]):
        assert f'id="memo-{section.key}"' in text


def test_the_page_refers_to_nothing_outside_itself_and_runs_nothing(memo):
    text = html.render(memo)
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert not [name for name in page.attributes if name in {"src", "style", "srcset"} or name.startswith("on")]
    assert "//" not in text.replace("<!doctype html>", "")
    assert "url(" not in text
    assert "@import" not in text
    assert page.tags.count("style") == 1


def test_each_id_stands_once(memo):
    ids = Page(html.render(memo)).ids
    assert len(ids) == len(set(ids))


def test_what_a_lead_wrote_cannot_become_markup(memo_of):
    text = html.render(memo_of(study={"title": "<script>alert(1)</script>", "question": '"><b>x'}))
    assert "<script" not in text
    assert "<b>" not in text


def test_the_body_is_the_page_without_head_and_style(memo):
    body = html.body(memo)
    assert str(body) in html.render(memo)
    assert not {"html", "head", "style", "h1", "main"} & set(Page(str(body)).tags)


def test_the_page_says_what_markdown_says(memo):
    page = html.render(memo)
    lines = [line[2:] for line in markdown.render(memo).splitlines() if line.startswith("- That ")]
    assert lines
    assert all(line in page for line in lines)


def test_dark_print_and_narrow_screens_are_provided_for():
    style = html.style()
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    assert "size: A4" in style
    assert "overflow-x: auto" in style


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_never_scrolls_sideways_and_what_does_can_be_reached_by_keyboard(memo, tmp_path, browser, width):
    (tmp_path / "memo.html").write_text(html.render(memo), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    requests, messages = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.goto((tmp_path / "memo.html").as_uri())
    sideways = page.evaluate("document.documentElement.scrollWidth")
    unreachable = page.evaluate(
        "[...document.querySelectorAll('.memo-scroll')]"
        ".filter(box => box.scrollWidth > box.clientWidth && box.tabIndex < 0).map(box => box.innerText)"
    )
    page.close()
    assert (sideways, unreachable, len(requests), messages) == (width, [], 1, [])
