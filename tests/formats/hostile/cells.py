"""Hostile rows, cells and headers of CSV."""

import re
from functools import partial

from tests.formats.hostile.objects import NO_ITEM
from tests.formats.hostile.writing import (
    FIRST,
    KEYS,
    LAST,
    ROW,
    SECRET,
    Hostile,
    as_json,
    but,
    cell,
    csv_row,
    encoded,
    in_csv,
)

MORE = {"tags": "|".join, "expected": as_json}  # how a cell writes what is no text
NOT_IN_CELLS = re.compile("wrong type|null|unknown key|key |empty name")  # or otherwise: see below
HEADER = ",".join(KEYS)


def csv_items():
    for kind, changes, field, phrase in NO_ITEM:
        if not NOT_IN_CELLS.match(kind):
            keys = list(ROW | changes)
            row = ROW | {key: MORE.get(key, str)(value) for key, value in changes.items()}
            yield Hostile(kind, "csv", partial(in_csv, csv_row(row, keys), keys), 3, field, phrase)


def with_cell(key, text):
    """Return a file with one more column, in whose second row stands a text."""
    keys = list(dict.fromkeys([*KEYS, key]))
    return in_csv(csv_row(ROW | {key: text}, keys), keys)


def with_raw(key, raw):
    """Return a file in whose second row a cell stands as it is."""
    return in_csv(",".join(raw if each == key else cell(ROW[each]) for each in KEYS))


def with_header(header):
    return encoded("\r\n".join([header, *(csv_row(row) for row in (FIRST, ROW, LAST))]))


def as_table(between, quote='"'):
    rows = [KEYS, *([row[key] for key in KEYS] for row in (FIRST, ROW, LAST))]
    return encoded("\n".join(between.join(f"{quote}{each}{quote}" for each in row) for row in rows))


CELLS = [
    ("True as Python writes it", "semantic_ambiguous", "True", "expected true or false"),
    ("yes for true", "semantic_ambiguous", "yes", "expected true or false"),
    ("1 for true", "semantic_ambiguous", "1", "expected true or false"),
    ("true in another language", "semantic_ambiguous", "WAHR", "expected true or false"),
    ("true with a space", "semantic_ambiguous", "true ", "expected true or false"),
    ("JSON cell cut off", "expected", '{"label": ', "not JSON at character"),
    ("JSON cell with single quotation marks", "expected", "{'label': 1}", "double quotation marks, not single"),
    ("JSON cell with duplicate keys", "expected.arm", '{"arm": 1, "arm": 2}', "more than once"),
    ("JSON cell with NaN", "expected", "NaN", "finite"),
    ("JSON cell with a number beyond a double", "expected.arm", '{"arm": 1e999}', "finite"),
    ("JSON cell with 10,000 digits", "expected", "1" * 10_000, "too many digits"),
    ("JSON cell with a number beyond 2^53", "expected", str(2**53), "write it as text"),
    ("JSON cell with a lone surrogate", "expected", '"\\ud83d"', "half of a surrogate"),
    ("JSON cell with NUL", "expected", '"\\u0000"', "NUL"),
    ("JSON cell of depth 100,000", "expected", "[" * 100_000, "deeper than 20"),
    ("JSON cell of depth 21", "expected", "[" * 21 + "]" * 21, "deeper than 20"),
    ("raw NUL byte", "lang", f"{SECRET}\0", "character 10 is NUL"),
    ("empty cell of a name", "cluster", "", "every item needs it"),
    ("name of spaces", "cluster", "  ", "spaces at its ends"),
    ("tags between commas", "tags", SECRET * 25 + ",b", "short texts"),
    ("cell over 131,072 characters", "off", SECRET * 15_000, "more than 131,072 characters"),
]
RAW_CELLS = [
    ("bare quotation mark", f'{SECRET} 5" long', "does not begin with one"),
    ("space before the quotation mark", f' "{SECRET}"', "does not begin with one"),
    ("text after the quotation mark", f'"{SECRET}" more', "text follows the quotation mark"),
    ("space after the quotation mark", f'"{SECRET}" ', "text follows the quotation mark"),
    ("backslash before a quotation mark", f'"{SECRET} said \\"no\\" twice"', "text follows the quotation mark"),
    ("single quotation mark doubled", f'"{SECRET} said "no" twice"', "text follows the quotation mark"),
    ("lone carriage return in a bare cell", f"{SECRET}\rmore", "carriage return"),
    ("Windows-1252", f'"{SECRET}"'.replace("ö", "\udcf6"), "it looks like Windows-1252"),
    ("overlong UTF-8", '"\udcc0\udcaf"', "is not UTF-8"),
    ("surrogates in UTF-8", '"\udced\udca0\udcbd"', "is not UTF-8"),
    ("character cut in half", '"\udce2\udc82"', "is not UTF-8"),
    ("code point beyond Unicode", '"\udcf5\udc80\udc80\udc80"', "is not UTF-8"),
    ("quotation mark never closed", f'"{SECRET}', "text follows the quotation mark"),
]
HEADERS = [
    ("unknown column", f"{HEADER},colour", "colour", "no key of items"),
    ("column in capitals", HEADER.upper(), "OFF", "write it off"),
    ("column with a space", HEADER.replace(",off", ", off"), " off", "write it off"),
    ("column of another alphabet", HEADER.replace(",off", ",\u043eff"), "\u043eff", "no key of items"),
    ("column with an invisible character", f"{HEADER},o\x1b[2Jff", "o\\u001b[2Jff", "no key of items"),
    ("column name of 10,000 characters", f"{HEADER},{'k' * 10_000}", "k" * 60, "no key of items"),
    ("column without a name", f"{HEADER},", None, "no name"),
    ("column twice", f"{HEADER},off", "off", "2 columns have this name"),
    *[("needed column missing", HEADER.replace(f",{key}", "", 1), key, "no such column") for key in KEYS[1:]],
    ("needed column missing", HEADER.partition(",")[2], "item_id", "does not name the columns"),
    ("no header", csv_row(FIRST), "item_id", "does not name the columns"),
    ("title before the header", f"{SECRET}; March\n{HEADER}", "item_id", "does not name the columns"),
    ("header with an unclosed quotation mark", HEADER.replace("off", '"off'), None, "text follows the quotation mark"),
    ("header with a bare quotation mark", HEADER.replace("off", 'of"f'), None, "does not begin with one"),
    ("a million columns", HEADER + "," * 1_000_000, None, "1,000,007 columns"),
    ("Excel's sep= line", f"sep=;\n{HEADER}", None, "delete this line"),
    ("comment before the header", f"# {SECRET}\n{HEADER}", None, "a comment"),
    ("header in Windows-1252", f"{HEADER},gr\udcf6\udcdfe", None, "is not UTF-8"),
]
SHAPES = [
    ("too few cells", csv_row(ROW, KEYS[:-1]), "this row has 6 cells, the header 7"),
    ("too many cells", csv_row(ROW) + ",", "this row has 8 cells, the header 7"),
    ("one cell", SECRET, "this row has 1 cell, the header 7"),
    ("another delimiter in one row", csv_row(ROW).replace(",", ";"), "text follows the quotation mark"),
    ("comma within a bare cell", ",".join(ROW.values()) + ", more", "this row has 8 cells, the header 7"),
    ("comment between rows", f"# {SECRET}", "this row has 1 cell"),
    ("header repeated", HEADER, "repeats the header"),
    ("byte order mark in the middle", f"\ufeff{csv_row(ROW)}", "byte order mark"),
    ("JSON among the rows", but(), "does not begin with one"),
    ("two carriage returns at the end of a line", csv_row(ROW) + "\r", "text follows the quotation mark"),
]


def csv_files():
    yield from csv_items()
    for kind, field, text, phrase in CELLS:
        key = field.partition(".")[0]
        yield Hostile(kind, "csv", partial(with_cell, key, text), 3, field, phrase)
    for kind, raw, phrase in RAW_CELLS:
        yield Hostile(kind, "csv", partial(with_raw, "off", raw), 3, "off", phrase)
    for kind, header, field, phrase in HEADERS:
        yield Hostile(kind, "csv", partial(with_header, header), 1, field, phrase)
    for kind, raw, phrase in SHAPES:
        field = {"another delimiter in one row": "item_id", "JSON among the rows": "item_id"}.get(kind)
        field = "on" if kind.startswith("two carriage") else field
        yield Hostile(kind, "csv", partial(in_csv, raw), 3, field, phrase)
    for mark, kind in (("|", "bars"), ("  ", "spaces"), (":", "colons")):
        yield Hostile(f"cells between {kind}", "csv", partial(as_table, mark), 1, None, "something between its cells")
    yield Hostile(
        "typographic quotation marks", "csv", partial(as_table, ",", "”"), 1, None, "something between its cells"
    )
    yield Hostile("single quotation marks", "csv", partial(as_table, ",", "'"), 1, None, "something between its cells")
