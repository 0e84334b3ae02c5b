"""The application: routers, static files, errors, and the guard around all of it."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from app import security
from app.config import Settings, resource
from app.domain.throttle import PACES, Paces
from app.store.db import Store
from app.web import errors, refusals
from app.web.auth import House
from app.web.guard import Guard
from app.web.routes import adjudicate, entry, review
from app.web.routes.lead import (
    cases,
    columns,
    editor,
    freeze,
    items,
    people,
    progress,
    results,
    rights,
    selection,
    studies,
    withdraw,
)
from app.world import World

ROUTES: Final = (  # looked through in this order, so what is asked for most comes first
    *(review, adjudicate, entry),
    *(studies, editor, selection, rights, items, columns, people, freeze, withdraw, progress, results, cases),
)

# Whatever the environment says: an error that is told to anybody could hold what somebody said, and telling takes time.
NO_TELEMETRY: Final = {
    "auto_configure": False,
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
}


class VersionedFiles(StaticFiles):
    """Static files; an address with a version never changes, so a browser may keep it."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a file."""
        answer = await super().get_response(path, scope)
        if answer.status_code == 200 and scope["query_string"].startswith(b"v="):  # noqa: PLR2004
            answer.headers["Cache-Control"] = "max-age=31536000, immutable"
        if answer.headers.get("Content-Type") == "image/svg+xml":
            answer.headers["Content-Type"] += "; charset=utf-8"  # Starlette says it of text/* alone
        return answer


class GuardedApp(FastAPI):
    """The application with the guard outermost.

    Path not taken: `add_middleware`. Starlette answers an unforeseen error outside of all
    middleware so added, and that page would have none of the guard's headers.
    """

    def build_middleware_stack(self) -> ASGIApp:
        """Put the guard around everything, error pages included."""
        house: House = self.state.house

        def answering(scope: Scope, status: int, code: str | None) -> None:
            refusals.note(house.refusals, house.world, scope, status, code)

        inner = super().build_middleware_stack()
        return Guard(inner, house.settings, errors.refusal(house.settings), answering, errors.note)


def create_app(
    store: Store, world: World, settings: Settings, passwords: security.Passwords, paces: Paces = PACES
) -> FastAPI:
    """Build the application over an open store. `paces`: how wrong passwords are slowed down."""
    quiet: dict[str, Any] = {"telemetry": NO_TELEMETRY, "docs_url": None, "redoc_url": None, "openapi_url": None}
    app = GuardedApp(title="Evenhand", redirect_slashes=False, **quiet)
    app.state.house = House(store, world, passwords, settings, paces=paces)
    for routes in ROUTES:
        app.include_router(routes.router)
    app.mount("/static", VersionedFiles(directory=resource("static")), name="static")
    errors.install(app)
    return app
