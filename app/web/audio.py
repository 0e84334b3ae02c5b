"""A recording for a media element: whole or one range of it (RFC 9110, section 14), kept by no browser.

It has no validator (ETag, Last-Modified) and no file name: nothing of it tells one copy from another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from fastapi import Request
from starlette.responses import Response, StreamingResponse

from app.domain.errors import NotFound, Refused
from app.store import judging
from app.store.judging import Recording
from app.web.auth import house_of

_ONE_RANGE: Final = re.compile(r"bytes=[ \t]*(\d{0,18})-(\d{0,18})[ \t]*", re.IGNORECASE | re.ASCII)


class Unsatisfiable(Exception):
    """A range that is not there, or is none."""


def span(wanted: str | None, size: int) -> tuple[int, int] | None:
    """Return the first byte of a range and the one after its last; None where the whole is wanted.

    Units other than bytes are ignored, as the standard asks. Several ranges at once are
    refused: no player needs them.

    >>> span("bytes=0-", 10), span("bytes=2-3", 10), span("bytes=-4", 10), span("bytes=8-99", 10), span(None, 10)
    ((0, 10), (2, 4), (6, 10), (8, 10), None)
    """
    if wanted is None or not wanted.strip().lower().startswith("bytes"):
        return None
    found = _ONE_RANGE.fullmatch(wanted.strip())
    if found is None or found.groups() == ("", ""):
        raise Unsatisfiable
    first, last = found.groups()
    if not first:
        start, stop = max(0, size - int(last)), size
    else:
        start, stop = int(first), min(int(last) + 1, size) if last else size
    if start >= stop or (first and last and int(last) < int(first)):
        raise Unsatisfiable
    return start, stop


def answer(wanted: str | None, kind: str, size: int, piece_size: int, read: Callable[[int], bytes | None]) -> Response:
    """Answer with a recording, or the range of it that is wanted. `read`: gives a piece by its number."""
    headers = {"Accept-Ranges": "bytes"}
    try:
        part = span(wanted, size)
    except Unsatisfiable:
        return Response(status_code=416, headers=headers | {"Content-Range": f"bytes */{size}"})
    start, stop = part or (0, size)
    headers["Content-Length"] = str(stop - start)
    if part is not None:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    body = _pieces(start, stop, piece_size, read)
    return StreamingResponse(body, 200 if part is None else 206, headers, media_type=kind)


def _pieces(start: int, stop: int, piece_size: int, read: Callable[[int], bytes | None]) -> Iterator[bytes]:
    """Give a range piece by piece, each read by itself: who listens slowly holds up no erasure."""
    for number in range(start // piece_size, -(-stop // piece_size)):
        data = read(number)
        if data is None:
            return
        at = number * piece_size
        yield data[max(0, start - at) : stop - at]


def heard(request: Request, found: Recording | None, *, closed: bool) -> Response:
    """Answer with a judge's recording, or a range of it, while the study runs. Raises NotFound, Refused."""
    if found is None:
        message = "There is no recording here for you."
        raise NotFound(message)
    if closed:
        message = "The study is closed: its recordings can no longer be heard."
        raise Refused("closed", message)
    store = house_of(request).store

    def read(number: int) -> bytes | None:
        with store.read() as connection:
            return judging.piece(connection, found, number)

    return answer(request.headers.get("range"), found.type, found.size, judging.PIECE, read)
