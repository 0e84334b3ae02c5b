"""Templates and the context that every page has."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any, Final

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from app.config import resource
from app.report.html import environment


@cache
def asset(path: str) -> str:
    """Return the address of a static file; it changes when the file does."""
    digest = hashlib.sha256((resource("static") / path).read_bytes()).hexdigest()
    return f"/static/{path}?v={digest[:12]}"


_TEMPLATES: Final = environment()
_TEMPLATES.globals["asset"] = asset


def render(request: Request, template: str, code: int = 200, /, *, title: str, **context: Any) -> HTMLResponse:
    """Render a page with a status code. Signed-in pages find their visitor on the request."""
    visitor = getattr(request.state, "visitor", None)
    shared = {
        "title": title,
        "came": _came(code, template, context),
        "user": visitor,
        "csrf": visitor.csrf if visitor is not None else "",
        "study_title": None,
        "idle_minutes": request.app.state.house.settings.idle_minutes if visitor is not None else None,
    }
    return HTMLResponse(_TEMPLATES.get_template(template).render(shared | context), code)


def part(template: str, **context: Any) -> Markup:
    """Render a part of a page, which knows what it is given and nothing of the visitor."""
    return Markup(_TEMPLATES.get_template(template).render(context))  # noqa: S704 - escaped by Jinja


def _came(code: int, template: str, context: dict[str, Any]) -> str:
    """Return how what was sent came out, for the front of the title: it is what a screen reader says first."""
    if code >= 400 and template != "errors/error.html":  # noqa: PLR2004 - that page's title says what happened
        return "Error: "
    return "Saved: " if context.get("saved") else ""
