"""Files that are hostile as a whole: other formats, cut off, joined, without end."""

import gzip
import io
import json
import zipfile

from app.formats.rows import MOST_ROWS
from tests.formats.hostile.cells import HEADER, as_table
from tests.formats.hostile.writing import FIRST, KEYS, ROW, SECRET, as_json, but, csv_row, encoded, in_csv


def lines(*rows):
    return encoded("\n".join(row if isinstance(row, str) else as_json(row) for row in rows))


def zipped(*names):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, SECRET)
    return packed.getvalue()


def many(row, times, head=b"", tail=b""):
    return head + encoded(row) * times + tail


JSONL, ARRAY, CSV = lines(FIRST, ROW), lines("[", as_json(FIRST) + ",", ROW, "]"), in_csv(csv_row(ROW))
THREE = "Expected JSON Lines, a JSON array or CSV"
DIGITS = 60_000_000
FILES = [
    (
        "comma behind each object",
        "jsonl",
        lambda: lines(as_json(FIRST) + ",", ROW),
        1,
        None,
        "without a comma after it",
    ),
    ("object cut off", "jsonl", lambda: lines(FIRST, but()[:-40]), 2, None, "ends before its JSON does"),
    ("object over several lines in the middle", "jsonl", lambda: lines(FIRST, "{", but()[1:]), 2, None, "over several"),
    ("objects over several lines", "jsonl", lambda: encoded(json.dumps(ROW, indent=1)), 1, None, "over several lines"),
    ("object around all", "jsonl", lambda: lines('{"items": [' + but() + "]}"), 1, None, "around all"),
    ("array behind objects", "jsonl", lambda: lines(FIRST, f"[{but()}]"), 2, None, "found a list"),
    ("carriage returns alone", "jsonl", lambda: JSONL.replace(b"\n", b"\r"), 1, None, "carriage return"),
    ("carriage returns alone", "csv", lambda: CSV.replace(b"\r\n", b"\r"), 1, None, "carriage return"),
    ("vertical tab between objects", "jsonl", lambda: JSONL.replace(b"\n", b"\v"), 1, None, "one object a line"),
    ("record separators", "jsonl", lambda: b"\x1e" + JSONL, 1, None, "invisible characters"),
    ("two byte order marks", "jsonl", lambda: b"\xef\xbb\xbf" * 2 + JSONL, 1, None, "invisible characters"),
    ("5,000 faulty rows", "jsonl", lambda: many(but(off=1) + "\n", 5_000), 1, "off", "expected text"),
    (
        "5,000 broken rows",
        "jsonl",
        lambda: many("{\n", 5_000, JSONL + b"\n"),
        1_002,
        None,
        "stopped after 999 problems",
    ),
    ("5,000 faulty rows", "array", lambda: many(but(off=1) + ",\n", 5_000, b"[\n", b"{}]"), 2, "off", "expected text"),
    ("5,000 rows that are none", "array", lambda: many("1,\n", 5_000, b"[\n", b"1]"), 1_001, None, "stopped after 999"),
    ("5,000 ragged rows", "csv", lambda: CSV + many("a,b\n", 5_000), 1_004, None, "stopped after 999 problems"),
    (
        "more rows than can be read",
        "jsonl",
        lambda: numbered(MOST_ROWS + 1),
        MOST_ROWS + 1,
        None,
        "only 30,000 rows",
    ),
    (
        "more rows than can be read",
        "array",
        lambda: in_one(numbered(MOST_ROWS + 1)),
        MOST_ROWS + 1,
        None,
        "only 30,000 rows",
    ),
    (
        "more rows than can be read",
        "csv",
        lambda: CSV + b",,,,,,\n" * MOST_ROWS,
        MOST_ROWS + 2,
        None,
        "only 30,000 rows",
    ),
    (
        "all rows that can be read, the last faulty",
        "jsonl",
        lambda: numbered(MOST_ROWS),
        MOST_ROWS,
        "off",
        "expected text",
    ),
    (
        "64 MB of 4-byte characters, the last row faulty",
        "jsonl",
        lambda: wide(MOST_ROWS // 2),
        MOST_ROWS // 2,
        "off",
        "expected text",
    ),
    (
        "64 MB of 4-byte characters, the last row faulty",
        "array",
        lambda: in_one(wide(MOST_ROWS // 2)),
        MOST_ROWS // 2,
        "off",
        "expected text",
    ),
    (
        "64 MB of 4-byte characters, the last row faulty",
        "csv",
        lambda: in_cells(MOST_ROWS),
        MOST_ROWS + 1,
        "on",
        "text of 20,",
    ),
    ("more values than can be read", "jsonl", lambda: many(CROWD + "\n", 20), 15, None, "only 1,500,000"),
    (
        "more values than can be read",
        "array",
        lambda: many(CROWD + ",\n", 20, b"[", b"{}]"),
        15,
        None,
        "only 1,500,000",
    ),
    ("more values than can be read", "csv", lambda: crowded("tags", "t|" * 50_000), 31, None, "only 1,500,000 values"),
    (
        "more JSON values than can be read",
        "csv",
        lambda: crowded("expected", "[" + "[]," * 40_000 + "1]"),
        20,
        None,
        "only 1,500,000",
    ),
    ("50,000 keys", "jsonl", lambda: encoded(keys_of(50_000)), 1, None, "this object has 50,000 keys"),
    ("50,000 keys", "array", lambda: encoded(f"[{keys_of(50_000)}]"), 1, None, "this object has 50,000 keys"),
    ("1,300,000 keys", "jsonl", lambda: many(keys_of(50_000) + "\n", 26), 26, None, "this object has 50,000 keys"),
    (
        "1,300,000 keys",
        "array",
        lambda: in_one(many(keys_of(50_000) + "\n", 25, tail=b"{}")),
        25,
        None,
        "this object has 50,000 keys",
    ),
    (
        "quotation mark never closed to the end",
        "csv",
        lambda: CSV + encoded(f'"{SECRET}'),
        5,
        "item_id",
        "none closes it",
    ),
    ("header and no rows", "csv", lambda: encoded(HEADER), None, None, "no item"),
    ("header and empty rows", "csv", lambda: encoded(HEADER + "\n,,,,,,\n"), None, None, "no item"),
    ("empty array", "array", lambda: b"[]", None, None, "no item"),
    ("array cut off", "array", lambda: ARRAY[:-2], 3, None, "ends before its array does"),
    ("array cut off in a text", "array", lambda: ARRAY[:-20], 3, None, "ends before its array does"),
    ("trailing comma", "array", lambda: ARRAY[:-2] + b",\n]", 4, None, "a comma before the bracket"),
    ("leading comma", "array", lambda: b"[\n, " + ARRAY[1:], 2, None, "Expecting value"),
    ("two commas", "array", lambda: ARRAY.replace(b",\n", b",,\n"), 2, None, "Expecting value"),
    ("text after the array", "array", lambda: ARRAY + encoded(f"\n{SECRET}"), 5, None, "something follows the array"),
    ("NUL after the array", "array", lambda: ARRAY + b"\0", 4, None, "something follows the array"),
    ("two arrays", "array", lambda: ARRAY + b"\n" + ARRAY, 5, None, "one array holds everything"),
    ("array of arrays", "array", lambda: b"[" + ARRAY + b"]", 1, None, "found a list"),
    ("object behind the array", "array", lambda: ARRAY + b"\n" + JSONL, 5, None, "something follows the array"),
    ("array without its bracket", "jsonl", lambda: ARRAY[2:], 1, None, "without a comma after it"),
    ("UTF-16 with a mark", "jsonl", lambda: JSONL.decode().encode("utf-16"), 1, None, "looks like UTF-16"),
    ("UTF-16 without a mark", "jsonl", lambda: JSONL.decode().encode("utf-16-be"), 1, None, "looks like UTF-16"),
    ("UTF-16 with a mark", "csv", lambda: CSV.decode().encode("utf-16"), 1, None, "“CSV UTF-8”"),
    ("UTF-32", "array", lambda: ARRAY.decode().encode("utf-32"), 1, None, "looks like UTF-16"),
    ("empty file", "file", lambda: b"", None, None, "empty"),
    ("blank lines", "file", lambda: b"\xef\xbb\xbf\r\n \t\n", None, None, "empty"),
    ("words", "file", lambda: encoded(f"{SECRET} sings"), 1, None, THREE),
    ("one NUL", "file", lambda: b"\0", 1, None, "UTF-16"),
    ("no text at all", "file", lambda: bytes(range(128, 256)), 1, None, THREE),
    ("HTML", "file", lambda: encoded(f"<!DOCTYPE html>\n<p>{SECRET}"), 1, None, "HTML"),
    ("XML", "file", lambda: encoded(f"<?xml version='1.0'?><item>{SECRET}</item>"), 1, None, "XML"),
    ("TOML", "file", lambda: encoded(f'[study]\ntitle = "{SECRET}"'), 1, None, "TOML"),
    ("YAML", "file", lambda: encoded(f"- item_id: {SECRET}"), 1, None, "YAML"),
    ("rich text", "file", lambda: encoded(f"{{\\rtf1 {SECRET}}}"), 1, None, "RTF"),
    ("Markdown table", "file", lambda: as_table(" | "), 1, None, "something between its cells"),
    ("Python", "file", lambda: encoded(f"items = [{{'item_id': '{SECRET}'}}]"), 1, None, "TOML"),
    ("JSON text", "file", lambda: encoded(as_json(SECRET)), 1, None, THREE),
    (
        "Excel workbook",
        "file",
        lambda: zipped("[Content_Types].xml", "xl/workbook.xml"),
        1,
        None,
        "an Excel workbook: save",
    ),
    ("old Excel workbook", "file", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + JSONL, 1, None, "old Excel"),
    ("LibreOffice spreadsheet", "file", lambda: SHEET, 1, None, "LibreOffice"),
    ("zip file", "file", lambda: zipped("items.csv"), 1, None, "a zip file: unpack"),
    ("gzip file", "file", lambda: gzip.compress(JSONL), 1, None, "gzip"),
    ("PDF", "file", lambda: b"%PDF-1.7\n" + JSONL, 1, None, "PDF"),
    ("picture", "file", lambda: b"\x89PNG\r\n\x1a\n" + JSONL, 1, None, "picture"),
    ("recording", "file", lambda: b"RIFF\x24\0\0\0WAVEfmt " + JSONL, 1, None, "recording"),
    ("SQLite database", "file", lambda: b"SQLite format 3\0" + JSONL, 1, None, "SQLite"),
    ("Parquet file", "file", lambda: b"PAR1" + JSONL + b"PAR1", 1, None, "Parquet"),
]
# More than 50 MB each, to be refused without a copy of it.
ENDLESS = [
    ("line of 100 MB, text", "jsonl", lambda: many("1,", 50_000_000, JSONL + b'\n{"off": "'), 3, None, "100,000,"),
    ("line of 100 MB, list", "jsonl", lambda: many("1,", 50_000_000, JSONL + b'\n{"off": ['), 3, None, "100,000,"),
    ("line of 100 MB", "array", lambda: many("1,", 50_000_000, b'[\n{"off": "'), 2, None, "100,000,0"),
    ("line of 100 MB", "csv", lambda: many("1,", 50_000_000, CSV), 5, None, "100,000,"),
    (
        "array of 100 MB",
        "array",
        lambda: many(but() + ",\n", 400_000, b"[\n", b"{}]"),
        None,
        None,
        "at most 67,108,864",
    ),
    ("file of 100 MB", "jsonl", lambda: many(but() + "\n", 400_000), None, None, "at most 67,108,864"),
    ("file of 100 MB", "csv", lambda: many(csv_row(ROW) + "\n", 700_000, CSV), None, None, "at most 67,108,864"),
    ("text of 60 MB", "jsonl", lambda: many("x", DIGITS, JSONL + b'\n{"off": "'), 3, None, "this line has 60,000,009"),
    (
        "text of 60 MB",
        "array",
        lambda: many("x", DIGITS, b'[{},\n{"off": "'),
        2,
        None,
        "this object has more than 1,048,576",
    ),
    (
        "60 MB of digits",
        "array",
        lambda: many("1", DIGITS, b'[{},\n{"off": '),
        2,
        None,
        "this object has more than 1,048,576",
    ),
    ("60 MB of brackets", "array", lambda: many("[", DIGITS), 1, None, "deeper than 20"),
    ("60 MB of numbers", "array", lambda: many("1,", DIGITS // 2, b"["), 1, None, "stopped after 999 problems"),
    ("60 MB of spaces", "array", lambda: many(" ", DIGITS, b"["), 1, None, "the file ends before its array does"),
    ("60 MB of quotation marks", "csv", lambda: CSV + many('"', DIGITS), 5, None, "60,000,000 bytes"),
    ("60 MB of commas", "csv", lambda: CSV + many(",", DIGITS), 5, None, "60,000,000 bytes"),
    ("60 MB of line breaks in a cell", "csv", lambda: CSV + many("\n", DIGITS, b'"'), 5, "item_id", "none closes it"),
    ("60 MB of line breaks", "file", lambda: many("\n", DIGITS), None, None, "empty"),
]
CROWD = '{"tags": [' + '"t",' * 99_999 + '"t"]}'
SHEET = zipped("mimetype").replace(encoded(SECRET), b"application/vnd.oasis.opendocument.spreadsheet")


def crowded(key, text):
    return many(csv_row(ROW | {key: text}, [*KEYS, key]) + "\n", 40, encoded(f"{HEADER},{key}\n"))


def keys_of(number):
    return "{" + ", ".join(f'"key{at}": "v"' for at in range(number)) + "}"


def numbered(number):
    row = but(item_id="N-%d", off="off %d", on="on %d")
    good = "".join(row % (at, at, at) + "\n" for at in range(1, number))
    return encoded(good + but(off=1))


def in_one(objects):
    return b"[" + objects.replace(b"\n", b",\n") + b"]"


def wide(number):
    """Return objects that take four times their bytes once they are text."""
    text = "\U0001f600" + "word " * 400
    row = but(item_id="N-%d", off="off %d" + text, on="on %d" + text)
    return encoded("".join(row % (at, at, at) + "\n" for at in range(1, number)) + but(off=1))


def in_cells(number):
    text = "\U0001f600" + "word, " * 112
    row = csv_row(ROW | {"item_id": "N-%d", "raw_hypothesis": text, "off": "off %d" + text, "on": "on %d" + text})
    good = "".join(row % (at, at, at) + "\n" for at in range(1, number))
    return encoded(HEADER + "\n" + good + csv_row(ROW | {"on": "x" * 20_001}))
