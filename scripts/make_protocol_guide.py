"""Write the protocol guide's list of fields from the words that the editor shows.

With `--check` it writes nothing and compares:

    python -m scripts.make_protocol_guide [--check]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from app.domain.explanation import SECTIONS
from app.domain.protocol import FIELDS, Field

GUIDE: Final = Path(__file__).resolve().parent.parent / "docs" / "protocol-guide.md"
HEADING: Final = "## Every field"
_PART: Final = re.compile(rf"^{HEADING}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_HEAD: Final = (
    "The words of the editor. Where you are in doubt, the default is the safe choice.",
    "`python -m scripts.make_protocol_guide` writes this part.",
)
_YES_NO: Final = {"true": "yes", "false": "no"}


def part() -> str:
    """Return the part of the guide that explains every field."""
    lines = [HEADING, "", *_HEAD, ""]
    for section, about in SECTIONS.items():
        lines += [f"### {section.capitalize()}", "", *_wrapped(about), ""]
        for field in (each for each in FIELDS if each.section == section):
            lines += _entry(field)
        lines.append("")
    return "\n".join(lines) + "\n"


def _entry(field: Field) -> Iterator[str]:
    told = f"- **`{field.key}`**: {field.about}. {field.explanation.text}"
    yield from _wrapped(" ".join([told, *_notes(field)]), "  ")
    for value, meaning in field.explanation.choices.items():
        shown = _YES_NO.get(value, f"`{value}`")
        yield from _wrapped(f"  - {shown}{_mark(field, value)}: {meaning}", "    ")


def _notes(field: Field) -> Iterator[str]:
    if field.default not in (None, []) and not field.explanation.choices:
        yield f"Default: {_shown(field.default)}."
    if field.needed:
        yield "Needed for the freeze." if field.needed == "all" else "Needed for the freeze of real speech."


def _mark(field: Field, value: str) -> str:
    chosen = field.default if isinstance(field.default, list) else [_text(field.default)]
    return " (default)" if value in chosen else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _shown(value: object) -> str:
    return f"{value['k']} of {value['n']}" if isinstance(value, dict) else _text(value)


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, 118, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def main(argv: Sequence[str] | None = None) -> int:
    """Write the part into the guide, or check it. Returns the exit code: 1 where it differs."""
    parser = argparse.ArgumentParser(description="Write the protocol guide's list of fields.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the guide differs")
    check: bool = parser.parse_args(argv).check
    text = GUIDE.read_text(encoding="utf-8")
    made = _PART.sub(lambda _found: part(), text)
    if made == text:
        return 0
    if check:
        print(f"{GUIDE.name} is not what the editor says; run: python -m scripts.make_protocol_guide", file=sys.stderr)
        return 1
    GUIDE.write_text(made, encoding="utf-8")
    print(f"{GUIDE.name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
