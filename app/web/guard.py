"""The outermost door: which Host, which Origin, how large; and the headers of every answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.config import LOOPBACK, Settings

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; "
    "worker-src 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # no-referrer would make Chromium send "Origin: null" with forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
MAX_BODY: Final = 1 << 18  # of a form: reading one of a megabyte would hold up everybody for a second
MAX_UPLOAD: Final = 64 << 20  # of a lead's form with a file
READING: Final = {"GET", "HEAD"}
# Evenhand has no service worker. Whatever a browser asks for as one was left by another program that had this port.
FAREWELL: Final = "/static/js/farewell.js"

Refusal = Callable[[Scope, int, str], ASGIApp]
Told = Callable[[Scope, int, str | None], None]


def hosts(settings: Settings) -> frozenset[str]:
    """Return the Host values that the server answers to, port included."""
    names = [LOOPBACK, "localhost"] + ([settings.host_name] if settings.host_name else [])
    ports = ["", f":{settings.port}"] if settings.port == 80 else [f":{settings.port}"]  # noqa: PLR2004 - browsers leave out 80
    return frozenset(name + port for name in names for port in ports)


class Guard:
    """ASGI middleware around everything, error pages and static files included.

    `refusal` builds the answer for a request that is turned away. `answering` is told of every
    answer's status, and why the request was turned away. `unforeseen` is told of an error that
    nobody caught; mostly its page has been sent by then, else what it returns is.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        refusal: Refusal,
        answering: Told,
        unforeseen: Callable[[Exception], ASGIApp],
    ) -> None:
        self.app = app
        self.allowed = hosts(settings)
        self.refusal = refusal
        self.answering = answering
        self.unforeseen = unforeseen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or turn away one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        fault = self._fault(scope)
        if fault is None and Headers(scope=scope).get("service-worker") == "script":
            scope = {**scope, "path": FAREWELL, "raw_path": FAREWELL.encode(), "query_string": b""}

        answered = False

        async def guarded(message: Message) -> None:
            nonlocal answered
            answered = True
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
                message["headers"] = headers.raw
                self.answering(scope, message["status"], None if fault is None else fault[1])
            await send(message)

        try:
            app = self.app if fault is None else self.refusal(scope, *fault)
            await app(scope, receive, guarded)
        except Exception as error:  # noqa: BLE001 - the server would log it as it stands
            # Starlette raises it once more after the error page.
            answer = self.unforeseen(error)
            if not answered:
                await answer(scope, receive, guarded)

    def _fault(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self.allowed:
            return 403, "host"
        if _through_a_worker(headers):
            return 403, "worker"
        if scope["method"] in READING:
            return None
        if scope["method"] != "POST":
            return 405, "method"
        if not _same_origin(headers):
            return 403, "origin"
        length = headers.get("content-length", "")
        # A chunked body may be longer than what is declared beside it.
        if "transfer-encoding" in headers or not length.isdecimal() or int(length) > _most(scope, headers):
            return 413, "size"
        return None


def _most(scope: Scope, headers: Headers) -> int:
    """Return how many bytes the body of a POST may have."""
    with_file = headers.get("content-type", "").startswith("multipart/form-data")
    # The form around a file takes some room too.
    return MAX_UPLOAD + MAX_BODY if with_file and scope["path"].startswith("/lead/") else MAX_BODY


def _through_a_worker(headers: Headers) -> bool:
    """Tell whether a page is asked for by way of a service worker: only then is its destination empty."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "empty"


def _same_origin(headers: Headers) -> bool:
    """Tell whether a POST comes from a page of this very address.

    Sec-Fetch-Site, where a browser sends it, must say same-origin; an Origin, where one is
    sent, must match; one of the two must be there.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site != "same-origin":
        return False
    if origin is not None:
        return origin == f"http://{headers['host'].lower()}"
    return site is not None
