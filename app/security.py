"""Passwords and tokens. No SQL, no HTTP."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from threading import BoundedSemaphore
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.domain.errors import InvalidInput

MIN_PASSWORD: Final = 15
MAX_PASSWORD: Final = 1_024
_AT_ONCE: Final = BoundedSemaphore(2)  # each hash takes 64 MiB


class Passwords:
    """Argon2id with the given cost; tests inject a cheap one.

    Parameters: RFC 9106's second recommended option (64 MiB, 3 passes), one lane.
    """

    def __init__(self, memory_kib: int = 65_536, passes: int = 3) -> None:
        self._hasher = PasswordHasher(time_cost=passes, memory_cost=memory_kib, parallelism=1)
        self._nobody = self._hasher.hash("nobody has this password")

    def hash(self, password: str) -> str:
        """Return the encoded hash of a password, salt and parameters included."""
        with _AT_ONCE:
            return self._hasher.hash(_normal(password))

    def matches(self, password: str, encoded: str | None) -> bool:
        """Tell whether the password fits; takes the same time where there is none (None)."""
        with _AT_ONCE:
            try:
                self._hasher.verify(encoded or self._nobody, _normal(password))
            except (VerificationError, InvalidHashError):
                return False
        return encoded is not None


def _normal(password: str) -> str:
    """Bring a password into NFC: the same keys give the same bytes on every system."""
    return unicodedata.normalize("NFC", password)


def check_new_password(password: str, name: str) -> None:
    """Refuse a password that is too short, too long, of under four different characters, or only the user's name.

    Raises InvalidInput.
    """
    length = len(_normal(password))
    if length < MIN_PASSWORD:
        told = f"At least {MIN_PASSWORD} characters, please: a few words in a row are easy to remember."
        raise InvalidInput.of(told, field="password")
    if length > MAX_PASSWORD:
        raise InvalidInput.of(f"At most {MAX_PASSWORD:,} characters, please.", field="password")
    if len(set(password)) < 4 or password.casefold().replace(name.casefold(), "") == "":  # noqa: PLR2004
        raise InvalidInput.of("This password is too easy to guess.", field="password")


def token_hash(token: str) -> str:
    """Return the digest under which a random token is stored. A 256-bit token needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())
