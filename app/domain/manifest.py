"""Canonical JSON (RFC 8785), digests, the manifest, and the link of the audit chain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import rfc8785

from app.domain.item import Item

SCHEMA: Final = "evenhand-manifest/1"
GENESIS: Final = "0" * 64
MOST: Final = 2**53 - 1
_WRITER: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, sort_keys=True, separators=(",", ":"))


def canonical(data: Any) -> bytes:
    """Return the RFC 8785 canonical bytes of plain data.

    >>> canonical({"b": 1, "a": "é"}).decode()
    '{"a":"é","b":1}'
    """
    if _alike(data):
        try:
            return _WRITER.encode(data).encode()  # ten times as fast, and all that an item holds
        except UnicodeEncodeError:
            pass  # half a surrogate pair: the other one refuses it in its own words
    return rfc8785.dumps(data)


def _alike(data: Any) -> bool:
    """Tell whether Python's own writer gives the same bytes: not of fractions, nor of keys that it orders otherwise."""
    kind = type(data)
    if kind is dict:
        return all(type(key) is str and key.isascii() and _alike(value) for key, value in data.items())
    if kind is list:
        return all(map(_alike, data))
    return kind is str or kind is bool or data is None or (kind is int and -MOST <= data <= MOST)


def digest(data: Any) -> str:
    """Return the SHA-256 of plain data in canonical form, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(data)).hexdigest()


def bytes_digest(data: bytes) -> str:
    """Return the SHA-256 of bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def item_digest(item: Item, salt: str, recording: str | None = None) -> str:
    """Return an item's salted digest: without the salt, content cannot be guessed from it.

    `recording`: the SHA-256 of its recording's bytes, where it has one.

    The digest stays when content and salt are erased, so the manifest keeps its hash.
    """
    heard = {} if recording is None else {"recording_sha256": recording}
    return digest({"item": item.as_data(), "salt": salt} | heard)


def manifest(
    *,
    protocol: Mapping[str, Any],
    codebook: Mapping[str, Any],
    guidelines_sha256: str,
    ledger: Sequence[Mapping[str, Any]],
    item_digests: Sequence[str],
    pairing: Mapping[str, Any] | None,
    software: str,
) -> dict[str, Any]:
    """Return all that a freeze fixes, as plain data; its `digest` is the manifest hash.

    `pairing`: the filter that made every pair here, or None where that is not verified.
    """
    return {
        "schema": SCHEMA,
        "protocol": protocol,
        "codebook": codebook,
        "guidelines_sha256": guidelines_sha256,
        "ledger": sorted(ledger, key=lambda entry: str(entry["source"])),
        "items": sorted(item_digests),
        "pairing": pairing,
        "software": software,
    }


def link(previous: str, event: Mapping[str, Any]) -> str:
    """Return the hash of an audit event: it binds the event to all before it.

    `previous` is the hash of the event before, or GENESIS.
    """
    return digest({"previous": previous, "event": event})
