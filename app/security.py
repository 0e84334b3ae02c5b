"""Passwords, tokens, and what a crash leaves behind. No SQL, no HTTP."""

from __future__ import annotations

import ctypes
import hashlib
import hmac
import logging
import sys
import traceback
from base64 import b64encode
from contextlib import suppress
from functools import cache
from threading import BoundedSemaphore
from typing import Final

from argon2 import DEFAULT_HASH_LENGTH, DEFAULT_RANDOM_SALT_LENGTH, PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.config import content
from app.domain.errors import InvalidInput
from app.domain.password import LIST, fault, normal

_SET_DUMPABLE: Final = 4  # PR_SET_DUMPABLE of Linux's prctl
_SALT, _DIGEST = DEFAULT_RANDOM_SALT_LENGTH, DEFAULT_HASH_LENGTH
AT_ONCE: Final = 2  # hashes; each takes 64 MiB
_ROOM: Final = BoundedSemaphore(AT_ONCE)
_UNSAID: Final = "An unforeseen error, its message left out as it may be private:"


class Passwords:
    """Argon2id with the given cost; tests inject a cheap one.

    Parameters: RFC 9106's second recommended option (64 MiB, 3 passes), one lane.
    """

    def __init__(self, memory_kib: int = 65_536, passes: int = 3) -> None:
        self._hasher = PasswordHasher(time_cost=passes, memory_cost=memory_kib, parallelism=1)
        # Nobody's: of the form and the cost of any other, but never computed, which would hold up every start.
        salt, digest = (b64encode(bytes(size)).decode().rstrip("=") for size in (_SALT, _DIGEST))
        self._nobody = f"$argon2id$v=19$m={memory_kib},t={passes},p=1${salt}${digest}"

    def hash(self, password: str) -> str:
        """Return the encoded hash of a password, salt and parameters included."""
        with _ROOM:
            return self._hasher.hash(normal(password))

    def matches(self, password: str, encoded: str | None) -> bool:
        """Tell whether the password fits; takes the same time where there is none (None)."""
        with _ROOM:
            try:
                self._hasher.verify(encoded or self._nobody, normal(password))
            except (VerificationError, InvalidHashError):
                return False
        return encoded is not None


def check_new_password(password: str, *names: str) -> None:
    """Refuse a password that is too short, too long, or easy to guess. `names`: of account and studies.

    Raises InvalidInput.
    """
    told = fault(password, names, common_passwords())
    if told is not None:
        raise InvalidInput.of(told, field="password")


@cache
def common_passwords() -> frozenset[str]:
    """Return the packaged list of common passwords, as they are compared."""
    lines = content(LIST).read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def token_hash(token: str) -> str:
    """Return the digest under which a random token is stored. A 256-bit token needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


def leave_no_core() -> None:
    """Let no crash write this process's memory to the disk: private texts are in it.

    The limit alone does not bind where the system hands cores to a program of its own; on Linux the process is
    therefore marked too, which also keeps the memory from other programs of the same user.
    """
    with suppress(ImportError, OSError, ValueError):  # a system without such limits writes no cores either
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def unsaid(error: BaseException) -> str:
    """Return where an unforeseen error came from. Not what it says: that may hold what somebody said."""
    lines = [_UNSAID]
    found: BaseException | None = error
    while found is not None:
        place = "".join(traceback.format_tb(found.__traceback__))
        lines.append(f"{type(found).__module__}.{type(found).__qualname__}, from:\n{place}")
        found = found.__cause__ or found.__context__
    return "\n".join(lines)


def without_message(record: logging.LogRecord) -> bool:
    """Let a logger say of an error only where it came from: a filter for loggers of other people's programs."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        record.msg, record.args = unsaid(error), ()
        record.exc_info = record.exc_text = None
    return True
