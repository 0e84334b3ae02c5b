"""What hostile files are made of: three rows of sound items, and how each form writes them."""

import json
from collections.abc import Callable
from dataclasses import dataclass

SECRET = "Zaunkönig"  # in the texts of every file; no message may hold it
KNOWN = {"item_id": "P-001", "off": "I I want the pen", "on": "I want the pen"}  # of the study that stands there

ROW = {
    "item_id": "N-2", "stratum": "fluent", "cluster": "ep-nine", "source": "invented",
    "raw_hypothesis": f"the {SECRET} sings", "off": f"the the {SECRET} sings", "on": f"the {SECRET} sings",
}  # fmt: skip
FIRST = ROW | {"item_id": "N-1", "off": f"one {SECRET}", "on": f"a {SECRET}"}
LAST = ROW | {"item_id": "N-3", "off": f"three {SECRET}", "on": f"two {SECRET}"}
KEYS = list(ROW)


@dataclass(frozen=True)
class Hostile:
    """One file; `kind` and `form` are what is counted."""

    kind: str
    form: str
    build: Callable[[], bytes]
    line: int | None
    field: str | None
    phrase: str
    endless: bool = False

    @property
    def name(self):
        return f"{self.kind}, {self.form}"


def as_json(row):
    return json.dumps(row, ensure_ascii=False)


def but(**changes):
    """Return a row as JSON; a value that is a Raw stands as it is."""
    row = ROW | changes
    return "{" + ", ".join(f"{as_json(k)}: {v if isinstance(v, Raw) else as_json(v)}" for k, v in row.items()) + "}"


class Raw(str):
    __slots__ = ()


def encoded(text):
    """Encode text; a lone surrogate from U+DC80 on stands for a byte that is no UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def in_jsonl(bad, first=FIRST):
    return encoded("\n".join([as_json(first), bad, as_json(LAST)]))


def in_array(bad, first=FIRST):
    return encoded("[\n" + ",\n".join([as_json(first), bad, as_json(LAST)]) + "\n]")


def cell(text):
    return '"' + str(text).replace('"', '""') + '"'


def csv_row(row, keys=KEYS, mark=","):
    return mark.join(cell(row.get(key, "")) for key in keys)


def in_csv(bad, keys=KEYS, first=FIRST):
    return encoded("\r\n".join([",".join(keys), csv_row(first, keys), bad, csv_row(LAST, keys)]) + "\r\n")
