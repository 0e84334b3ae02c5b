"""Write the JSON Schema of memo.json from the memo's models: one copy ships, one is for readers of the docs.

With `--check` it writes nothing and compares:

    python -m scripts.make_memo_schema [--check]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic.json_schema import GenerateJsonSchema

from app.config import content
from app.domain.memo import Memo

COPIES: Final = (
    content("memo.schema.json"),
    Path(__file__).resolve().parent.parent / "docs" / "memo.schema.json",
)


class Finished(GenerateJsonSchema):
    """The schema of what is written, where a key with a default stands too."""

    def field_is_required(self, *_field: object, **_more: object) -> bool:
        return True


def schema_bytes() -> bytes:
    """Return the schema of a finished memo.json, in which every key is present."""
    schema = {"$schema": Finished.schema_dialect}
    schema |= Memo.model_json_schema(by_alias=True, mode="serialization", schema_generator=Finished)
    return (json.dumps(schema, indent=1, ensure_ascii=False) + "\n").encode()


def main(argv: Sequence[str] | None = None) -> int:
    """Write both copies, or check them. Returns the exit code: 1 where one differs."""
    parser = argparse.ArgumentParser(description="Write the JSON Schema of memo.json.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a committed copy differs")
    check: bool = parser.parse_args(argv).check
    made = schema_bytes()
    stale = [copy for copy in COPIES if not copy.exists() or copy.read_bytes() != made]
    for copy in stale:
        place = f"{copy.parent.name}/{copy.name}"
        if check:
            print(f"{place} is not what the models say; run: python -m scripts.make_memo_schema", file=sys.stderr)
        else:
            copy.write_bytes(made)
            print(f"{place} written")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
