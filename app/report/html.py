"""The memo as HTML: a page of its own that loads nothing, and its body for the app's results page."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.config import resource
from app.domain.memo import Memo
from app.report import wording
from app.report.cells import shown
from app.report.outline import outline
from app.report.tables import verdict_reasons


def render(memo: Memo) -> str:
    """Return the whole page, its style inlined and nothing else allowed by its own policy."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    page = environment().get_template("memo/memo.html")
    return page.render(_context(memo) | {"style": Markup(style()), "style_sha256": digest})  # noqa: S704 - our own file


def body(memo: Memo) -> Markup:
    """Return the memo without a page around it; the page needs static/memo.css."""
    return Markup(environment().get_template("memo/_memo.html").render(_context(memo)))  # noqa: S704 - escaped by Jinja


@cache
def style() -> str:
    """Return the memo's style sheet."""
    return (resource("static") / "memo.css").read_text(encoding="utf-8")


@cache
def environment() -> Environment:
    """Return the templates' environment, for the app's pages too: escaping is on, an unknown name is an error."""
    return Environment(
        loader=FileSystemLoader(resource("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,  # they are the program's own, and do not change while it runs
    )


def _context(memo: Memo) -> dict[str, Any]:
    sections = outline(memo)
    return {
        "memo": memo,
        "rule": wording.rule(memo),
        "subject": wording.subject(memo),
        "headline": wording.headline(memo),
        "caveats": wording.caveats(memo),
        "figures": wording.figures(memo),
        "reasons": verdict_reasons(memo).for_reading(),
        "asides": [section for section in sections if section.aside],
        "sections": [section for section in sections if not section.aside],
        "shown": shown,
    }
