import json
import re
from codecs import BOM_UTF8
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.item import Item, parse
from app.formats.items import read_items
from app.formats.rows import MOST_BYTES, MOST_ROW_BYTES

HEADER = b"item_id,stratum,cluster,source,raw_hypothesis,off,on\n"
ROW = {"item_id": "P-1", "stratum": "s", "cluster": "c", "source": "x", "raw_hypothesis": "a", "off": "a", "on": ""}
FORMS = {
    "jsonl": json.dumps(ROW).encode(),
    "array": json.dumps([ROW]).encode(),
    "pretty": json.dumps([ROW], indent=2).encode(),
    "comma": HEADER + b"P-1,s,c,x,a,a,",
    "semicolon": HEADER.replace(b",", b";") + b"P-1;s;c;x;a;a;\r\n",
    "tab": HEADER.replace(b",", b"\t") + b'P-1\ts\tc\tx\ta\t"a"\t',
}


DOCS = Path(__file__).resolve().parents[2] / "docs" / "file-formats.md"


def only_problem(data):
    (problem,) = read_items(data, "items.any").problems
    assert problem.where == "items.any"
    return problem


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("start", [b"", BOM_UTF8, b" \r\n\n"])
@pytest.mark.parametrize("name", ["items.jsonl", "items.csv", "items"])
def test_the_content_tells_the_form_whatever_the_name(form, start, name):
    found = read_items(start + FORMS[form], name)
    assert [row.value for row in found.rows] == [ROW]
    assert found.problems == ()


def test_the_docs_print_each_form_and_each_can_be_read():
    items = DOCS.read_text(encoding="utf-8").partition("## Items")[2].partition("| key |")[0]
    blocks = re.findall(r"```\w*\n(.*?)```", items, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        (row,) = read_items(block.encode(), "items").rows
        assert isinstance(parse(row.value, "items", row.line), Item)


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", None, "empty"),
        (BOM_UTF8 + b" \r\n\n", None, "empty"),
        (b"[]", None, "no item"),
        (HEADER, None, "no item"),
        (HEADER + b",,,,,,\n", None, "no item"),
        (b'{\n"item_id": "a"\n}', 1, "over several lines"),
        (b'\n{"items": [\n{"item_id": "a"}]}', 2, "around all"),
        (b'{"items": [{"item_id": "a"}]}', 1, "around all"),
        (FORMS["jsonl"].decode().encode("utf-16"), 1, "UTF-16"),
        (FORMS["comma"].decode().encode("utf-16-le"), 1, "UTF-16: save the file as UTF-8; in Excel"),
        (FORMS["array"].decode().encode("utf-32"), 1, "UTF-16"),
        (b"[study]\nid = 1", 1, "TOML"),
        (b"[[source]]\n", 1, "TOML"),
        (b"id = 'pilot'", 1, "TOML"),
        (b"---\n- item_id: a", 1, "YAML"),
        (b"item_id: a\noff: b", 1, "YAML"),
        (b"<!DOCTYPE html>", 1, "HTML"),
        (b"# items\n" + HEADER, 1, "a comment"),
        (b"sep=;\n" + HEADER, 1, "delete this line"),
        (HEADER.replace(b",", b"|"), 1, "something between its cells that is none of: comma, semicolon, tab"),
        (HEADER.replace(b",", b"','"), 1, "something between its cells"),
        (b"P-1,s,c,x,a,a,a\n", 1, "its first line does not name the columns, item_id among them"),
        (HEADER.replace(b"\n", b"\r") + b"P-1,s,c,x,a,a,", 1, "carriage return"),
        (FORMS["jsonl"] + b"\r" + FORMS["jsonl"], 1, "carriage return"),
        (b"just words", 1, "this looks like none of the three forms. Expected JSON Lines, a JSON array or CSV"),
        (b'"text"', 1, "none of the three forms. Expected JSON Lines, a JSON array or CSV"),
        (
            b"PK\x03\x04....[Content_Types].xml....xl/workbook.xml",
            1,
            "an Excel workbook: save it as “CSV UTF-8” in Excel",
        ),
        (b"PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.spreadsheet", 1, "a LibreOffice spreadsheet"),
        (b"PK\x03\x04....word/document.xml", 1, "a zip file"),
        (b"\x1f\x8b\x08\0", 1, "gzip"),
        (b"%PDF-1.7", 1, "PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", 1, "a picture"),
        (b"PAR1", 1, "this is a Parquet file. Expected JSON Lines, a JSON array or CSV"),
        (b"BZh9", 1, "this is a compressed file (bzip2): unpack it first. Expected JSON Lines, a JSON array or CSV"),
        (b"RIFF\x24\0\0\0WAVE", 1, "a recording"),
        (b" " * (MOST_BYTES + 1), 1, "67,108,865 bytes; at most 67,108,864"),
        (b"{}\n" * (MOST_BYTES // 3 + 1), None, "at most 67,108,864"),
        (b"{}\n" + b"x" * MOST_ROW_BYTES + b"\n" + b"{}\n" * (MOST_BYTES // 3), None, "at most 67,108,864"),
        (b"{}\n" + b"x" * (MOST_ROW_BYTES + 1) + b"\n" + b"{}\n" * (MOST_BYTES // 3), 2, "at most 67,108,864"),
    ],
    ids=lambda value: str(value[:20]) if isinstance(value, bytes) else "",
)
def test_a_file_of_another_kind_is_refused_as_a_whole_with_what_to_do(data, line, message):
    problem = only_problem(data)
    assert problem.line == line
    assert message in problem.message


def test_a_header_line_that_names_no_item_id_is_not_repeated():
    problem = only_problem(b"Jane Roe,said,this\n")
    assert problem.field == "item_id"
    assert "Jane" not in str(problem)


@given(st.binary() | st.text().map(str.encode) | st.text('[]{}",;:1ab\\ \n\r').map(str.encode))
def test_no_bytes_raise_and_none_are_taken_in_silence(data):
    for start in (b"", HEADER, b"[", b"PK"):
        found = read_items(start + data, "x")
        assert found.rows or found.problems
