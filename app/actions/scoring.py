"""From a file of hypotheses and references to word error rates. It reads no store and changes none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, Final

from app.domain import scoring
from app.domain.errors import MOST_PROBLEMS, InvalidInput, Problem
from app.domain.scoring import Board, Scored
from app.formats.items import check_bytes
from app.formats.jsonl import read_jsonl
from app.formats.rows import MOST_ROW_BYTES, Unreadable

PART: Final = 512 << 10  # bytes read at a time: in memory is a part of the file, and counts

Tick = Callable[[int], object]


def score(
    stream: BinaryIO, name: str, profile: str, baseline: str | None, progress: AbstractContextManager[Tick]
) -> Scored:
    """Score a file part by part; `progress` is told of the bytes read. Raises InvalidInput with every problem."""
    board, problems = Board(profile, name), list[Problem]()
    with progress as tick:
        for line, part in _parts(stream):
            problems += _take(board, part, name, line)
            if len(problems) > MOST_PROBLEMS:
                break
            tick(len(part))
    if problems:
        raise InvalidInput(problems)
    return board.result(baseline)


def _take(board: Board, part: bytes, name: str, line: int) -> list[Problem]:
    if line == 1:
        try:
            check_bytes(part)
        except Unreadable as error:
            return [Problem(str(error), name, error.line, error.field)]
    found = read_jsonl(part, name, line)
    problems = list(found.problems)
    for row in found.rows:
        parsed = scoring.parse(row.value, name, row.line)
        problems += parsed if isinstance(parsed, list) else board.take(parsed, row.line)
        if len(problems) > MOST_PROBLEMS:
            break
    return sorted(problems, key=lambda problem: problem.line or 0)


def _parts(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield a file in parts of whole lines, each with the number of its first line.

    A line that is too long comes alone, with what follows of it left out, and ends the file: it is told as a problem.
    """
    line, pending = 1, b""
    while part := stream.read(PART):
        pending += part
        end = pending.rfind(b"\n") + 1
        if end:
            yield line, pending[:end]
            line += pending.count(b"\n", 0, end)
            pending = pending[end:]
        if len(pending) > MOST_ROW_BYTES:
            break
    if pending:
        yield line, pending
