"""A child process that owes one line for each line it is given: on time, of bounded length, and nothing else."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Final

from app.domain.errors import FilterFailed

MOST_BYTES: Final = 1 << 20  # of one answer
MOST_TOLD: Final = 4_096  # bytes of standard error that are kept: the last ones
LAST_LINES: Final = 10
PATIENCE: Final = 5.0  # seconds to end in, once nothing more is asked
TICKS: Final = 20  # a time-out is counted in so many parts, so that no clock is read
TICK: Final = 0.2  # seconds after which a wait looks whether time is up


class Child:
    """A program that was started without a shell, in a process group of its own."""

    def __init__(self, words: Sequence[str], seconds: float) -> None:
        try:
            # The words are the lead's own, given to `pair --exec`: to start them is what was asked.
            self._process = subprocess.Popen(  # noqa: S603
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "its name cannot be used"
            raise FilterFailed(f"the filter “{printable(words[0])}” cannot be started: {why}") from None
        self._pipes = [_pipe(each) for each in (self._process.stdin, self._process.stdout, self._process.stderr)]
        self._to, self._from, self._aside = (pipe.fileno() for pipe in self._pipes)
        os.set_blocking(self._to, False)
        self._heard = b""
        self._told = b""
        self._seconds, self._asked, self._owing, self._expired = seconds, 0, False, False
        self._over = threading.Event()
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._listen, self._watch)]
        for thread in self._threads:
            thread.start()

    def ask(self, line: bytes) -> bytes:
        """Send one line and return the one that answers it, without its end. Raises FilterFailed."""
        if self._heard:
            raise self.failed("wrote more than one line for one question")
        self._owe()
        self._send(line)
        answer = self._receive()
        self._owing = False
        return answer

    def finish(self) -> None:
        """End the child in order: nothing more is asked, so it ends, without another word.

        Raises FilterFailed where it says more, or ends as a program that failed.
        """
        self._seconds = min(self._seconds, PATIENCE)
        self._owe()
        self._close_stdin()
        if self._heard or self._read():
            raise self.failed("wrote more than one line for one question")
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)
        if not self._expired and self._process.returncode:
            raise self.failed("answered every line, and then failed")

    def stop(self) -> None:
        """Let nothing of the child be left: a word to end, then the end."""
        self._over.set()
        self._close_stdin()
        if self._process.poll() is None:
            self._signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(PATIENCE / 5)
        if self._process.poll() is None:
            self._signal(signal.SIGKILL)
            self._process.wait()
        for thread in self._threads:
            thread.join(1)
        if not self._threads[0].is_alive():  # else something outlived the child, and holds standard error
            for pipe in self._pipes[1:]:
                pipe.close()

    def failed(self, what: str) -> FilterFailed:
        """Return the error for what the child did, with the last lines of its standard error."""
        if self._process.poll() is not None:
            self._threads[0].join(1)
        lines = [printable(line) for line in self._told.decode(errors="replace").splitlines()[-LAST_LINES:]]
        told = "".join(f"\n    {line}" for line in lines)
        return FilterFailed(f"the filter {what}" + (f". The last it wrote to standard error:{told}" if told else ""))

    def _owe(self) -> None:
        self._asked, self._owing = self._asked + 1, True

    def _send(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            readable, writable, _ = select.select([self._from], [self._to], [], TICK)
            if self._expired:
                raise self._silent()
            if readable and self._read():
                raise self.failed("wrote something before it was asked")
            if readable:
                raise self._ended()
            if writable:
                try:
                    left = left[os.write(self._to, left[:65_536]) :]
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    raise self._ended() from None

    def _receive(self) -> bytes:
        while (end := self._heard.find(b"\n")) < 0:
            if len(self._heard) > MOST_BYTES:
                raise self.failed(f"wrote a line of more than {MOST_BYTES:,} bytes")
            part = self._read()
            if not part:
                raise self._ended()
            self._heard += part
        line, self._heard = self._heard[:end], self._heard[end + 1 :]
        return line

    def _read(self) -> bytes:
        """Return what the child has written, or nothing where it has ended or its time is up."""
        while not select.select([self._from], [], [], TICK)[0]:
            if self._expired:
                return b""
        return os.read(self._from, 65_536)

    def _ended(self) -> FilterFailed:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)
        if self._expired:
            return self._silent()
        code = self._process.poll()
        if code is None:
            return self.failed("closed its output before it answered")
        how = f"was ended by signal {-code}" if code < 0 else f"ended (exit code {code})"
        return self.failed(f"{how} before it answered")

    def _silent(self) -> FilterFailed:
        hint = "does it write each answer at once (flush)?"
        return self.failed(f"gave no answer within {self._seconds:g} seconds; {hint}")

    def _listen(self) -> None:
        """Keep the last of standard error; unread, a talkative child would stand still."""
        with suppress(OSError):
            while part := os.read(self._aside, 65_536):
                self._told = (self._told + part)[-MOST_TOLD:]

    def _watch(self) -> None:
        """End a child that owes the same line for too long."""
        asked, ticks = 0, 0
        while not self._over.wait(self._seconds / TICKS):
            ticks = ticks + 1 if self._owing and self._asked == asked else 0
            asked = self._asked
            if ticks > TICKS:
                self._expired = True
                self._signal(signal.SIGKILL)
                return

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _close_stdin(self) -> None:
        with suppress(OSError):
            self._pipes[0].close()


def _pipe(given: IO[bytes] | None) -> IO[bytes]:
    assert given is not None  # noqa: S101 - narrows the type for mypy: each was asked for
    return given


def printable(text: str) -> str:
    """Return foreign text fit for a terminal: one line, at most 300 characters, no control characters."""
    return "".join(ch if ch.isprintable() else "\N{REPLACEMENT CHARACTER}" for ch in text[:300])
