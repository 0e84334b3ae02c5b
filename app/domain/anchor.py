"""What a memo says of the store that it was made from, so that the store can be held against it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from app.domain.errors import InvalidInput

DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Anchor:
    """Digests that were written down outside of the store. `manifest_sha256`: None where it may not be printed."""

    study_id: str
    audit_head: str
    protocol_sha256: str
    manifest_sha256: str | None


def read(content: bytes, name: str) -> Anchor:
    """Read them from a `memo.json` of any version. Raises InvalidInput where it is none, or names no head."""
    try:
        memo = json.loads(content)
        study = memo["study"]
        found = Anchor(str(study["id"]), memo["audit_head"], study["protocol_sha256"], study["manifest_sha256"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InvalidInput.of("this is no memo: give the file memo.json of an export", where=name) from None
    if found.audit_head is None:
        told = "this memo names no head of the audit chain, for its study was not closed: give one from after the close"
        raise InvalidInput.of(told, field="audit_head", where=name)
    digests = {"audit_head": found.audit_head, "protocol_sha256": found.protocol_sha256}
    digests |= {} if found.manifest_sha256 is None else {"manifest_sha256": found.manifest_sha256}
    for field, value in digests.items():
        if not DIGEST.fullmatch(str(value)):
            raise InvalidInput.of("expected 64 hexadecimal digits, as an export writes them", field=field, where=name)
    return found
