"""Every error becomes a status and a calm page here, once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Scope

from app.config import LOOPBACK, Settings
from app.domain.errors import InvalidInput, NotFound, Refused, StaleVersion, StoreUnavailable
from app.security import unsaid
from app.web.auth import ITEM, NO_TOKENS, ForeignForm, SignInNeeded, StudyNeeded, see_other, sign_in_way
from app.web.forms import URLENCODED, Form, read_form
from app.web.guard import MAX_BODY, MAX_UPLOAD
from app.web.pages import render

_LOG: Final = logging.getLogger("evenhand")

HEADINGS: Final = {
    400: "This request cannot be read",
    403: "This request is not allowed here",
    404: "There is nothing here",
    405: "This address does not take that kind of request",
    409: "This cannot be done now",
    413: "This is too large",
    422: "Something in the form needs another look",
    429: "Too soon after wrong attempts",
    500: "Something went wrong here",
    503: "The store cannot be used right now",
}


# What is nobody's mistake needs no number of an error.
CALM: Final = {"withdrawn": "This item was taken out of the study"}
# A page never gives these back. Without a name the sign-in page takes an answer that was not sent, and asks for both.
NEVER_BACK: Final = frozenset({"username", "password", "current", "own_password", "code"})


def page(
    request: Request,
    status: int,
    text: str,
    hint: str | None = None,
    address: str | None = None,
    tunnel: str | None = None,
    calm: str | None = None,
    again: Form | None = None,
) -> Response:
    """Render the error page. `calm`: the heading of what is no error of anybody's; `again`: a form to be sent again."""
    heading = calm or HEADINGS.get(status, HEADINGS[400 if status < 500 else 500])  # noqa: PLR2004 - the class of the status
    return render(
        request,
        "errors/error.html",
        status,
        title=heading,
        status=None if calm else status,
        heading=heading,
        text=text,
        hint=hint,
        address=address,
        tunnel=tunnel,
        again=again,
        place=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
    )


def install(app: FastAPI) -> None:
    """Register a handler for every error that routes raise."""
    by_status: list[tuple[type[Exception], int]] = [
        (NotFound, 404),
        (Refused, 409),
        (StaleVersion, 409),
        (InvalidInput, 422),
        (ForeignForm, 403),
    ]
    for kind, status in by_status:
        app.add_exception_handler(kind, _handler(status))
    app.add_exception_handler(StoreUnavailable, _unavailable)
    app.add_exception_handler(SignInNeeded, _to_sign_in)
    app.add_exception_handler(StudyNeeded, lambda _request, _error: see_other("/"))
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(Exception, _unforeseen)


def _handler(status: int) -> Callable[[Request, Exception], Response]:
    def handle(request: Request, error: Exception) -> Response:
        told = "There is nothing at this address, or it is not for you." if status == 404 else str(error)  # noqa: PLR2004
        return page(request, status, told, calm=CALM.get(getattr(error, "code", "")))

    return handle


def _malformed(request: Request, _error: Exception) -> Response:
    """Answer an address or form whose values have no possible meaning; FastAPI's own answer would repeat them."""
    return page(request, 422, "A value in this address or form is not one that it can have.")


def _to_sign_in(request: Request, _error: Exception) -> Response:
    way = sign_in_way(request.url.path)
    if request.headers.get("hx-request") == "true":
        return Response(status_code=401, headers={"HX-Redirect": way})
    # Without JavaScript what was entered on an item goes along to the sign-in page, which a 307 sends it to.
    return RedirectResponse(way, 307) if _holds_an_answer(request) else see_other(way)


def _holds_an_answer(request: Request) -> bool:
    """Tell whether a request posts an item's form."""
    found = ITEM.fullmatch(request.url.path)
    whole = request.method == "POST" and found is not None and found[0] == found[1]
    return whole and found is not None and found[2] not in {*NO_TOKENS, "practice", "guess"}


def _http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    answer = page(request, status, "Check the address, or go back to the start page.")
    answer.headers.update(getattr(error, "headers", None) or {})  # Allow, with a 405
    return answer


async def _unavailable(request: Request, error: Exception) -> Response:
    plain = request.headers.get("content-type", "").startswith(URLENCODED)
    if request.method == "POST" and plain and not hasattr(request.state, "sent"):  # it failed before it was read
        with suppress(InvalidInput, HTTPException, ClientDisconnect):
            await read_form(request)
    return page(request, 503, str(error), again=_kept(request))


def _kept(request: Request) -> Form | None:
    """Return what the form of a request held, for it to be sent again; None where there is nothing, or a file."""
    sent: Form = getattr(request.state, "sent", {})
    kept = {name: values for name, values in sent.items() if name not in NEVER_BACK}
    return kept if kept.keys() - {"csrf"} else None


def _unforeseen(request: Request, _error: Exception) -> Response:
    again = _kept(request)
    told = "Send it again" if again else "Go back and try again"
    try:
        return page(
            request, 500, f"Nothing of what you sent was half done. {told}; tell the lead if it stays.", again=again
        )
    except Exception as error:  # noqa: BLE001 - the pages themselves fail, in whatever way
        return note(error)


def note(error: Exception) -> Response:
    """Log where an unforeseen error came from; return what to answer where there is no page.

    Not what it says: that may hold what somebody said.
    """
    answer = PlainTextResponse("Something went wrong here, and nothing was half done. Go back and try again.", 500)
    if isinstance(error, ClientDisconnect):
        return answer  # somebody closed a tab while a form was on its way
    _LOG.error("%s", unsaid(error))
    return answer


def refusal(settings: Settings) -> Callable[[Scope, int, str], ASGIApp]:
    """Return what the guard answers when it turns a request away: the right address, the tunnel command.

    Never the store's own host name: whoever is turned away may be a stranger, and a program
    on another port that knew the name could have the browser send it the cookie.
    """
    texts = {
        "host": "This address is not the one that Evenhand answers to.",
        "origin": "The form came from another address, so nothing was stored.",
        "worker": "Another program left a script in this browser, a service worker, that reads along. "
        "It is being removed: reload the page. If this page stays, delete what the browser keeps of this address.",
        "method": "Only reading and sending forms is possible.",
        "size": f"A form may have {MAX_BODY >> 10} KiB at most, with a file {MAX_UPLOAD >> 20} MiB: split the file.",
    }

    way_in = {
        "hint": "On this computer, open the address below, or the one that was printed when the server started. "
        "From another computer, open a tunnel first.",
        "address": f"http://{LOOPBACK}:{settings.port}/",
        "tunnel": f"ssh -L {settings.port}:{LOOPBACK}:{settings.port} USER@COMPUTER",
    }

    def answer(scope: Scope, status: int, code: str) -> ASGIApp:
        more = way_in if code in {"host", "origin"} else dict.fromkeys(way_in)
        turned_away = page(Request(scope), status, texts[code], more["hint"], more["address"], more["tunnel"])
        if code == "method":
            turned_away.headers["Allow"] = "GET, POST"
        return turned_away

    return answer
