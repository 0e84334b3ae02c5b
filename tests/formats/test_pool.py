import pytest

from app.formats.pool import read_pool

HEADER = "Show, EpId, Block"
ROWS = [{"Show": "Run", "EpId": "010", "Block": "2"}]


@pytest.mark.parametrize(
    "data",
    [
        b"Show,EpId,Block\nRun,010,2\n",
        b"Show, EpId, Block\nRun, 010, 2\n",
        b"\xef\xbb\xbfShow;EpId;Block\r\nRun;010;2\r\n",
        b"Show\tEpId\tBlock\n\nRun\t010\t2",
        b'{"Show": "Run", "EpId": "010", "Block": "2"}\n',
        b'[\n{"Show": "Run", "EpId": "010", "Block": "2"}]',
    ],
)
def test_a_list_is_read_in_every_form_without_the_spaces_around_its_cells(data):
    found = read_pool(data, "pool")
    assert (found.columns, [row.value for row in found.rows], found.problems) == (tuple(ROWS[0]), ROWS, ())


def test_a_column_without_a_name_is_left_out():
    found = read_pool(b",Show\n0,Run\n1,Run\n", "pool.csv")
    assert found.columns == ("Show",)
    assert [row.value for row in found.rows] == [{"Show": "Run"}, {"Show": "Run"}]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "pool.csv: there is no candidate in this file"),
        (b"Show,EpId\n", "pool.csv: there is no candidate in this file"),
        (b"Show,EpId\nRun\n", "pool.csv, line 2: this row has 1 cells, the header 2"),
        (b"Show,Show\nRun,Run\n", "pool.csv, line 1, field Show: 2 columns have this name"),
        (b'Show,EpId\nRun,"7\n', "pool.csv, line 2, field EpId: a quotation mark opens this cell and none closes it"),
        (b"Show,EpId\nRun,\xe9\n", "pool.csv, line 2, field EpId: byte 5 of the line is not UTF-8"),
        (b"Show,EpId\nRun,a\0b\n", "pool.csv, line 2, field EpId: character 2 is NUL, which no text may hold"),
        (b'{"Show": "Run"}\n{"Show": \n', "pool.csv, line 2: the line ends before its JSON does"),
        (b"PK\3\4xl/workbook.xml", "pool.csv, line 1: this is an Excel workbook"),
        (b"\xff\xfeS\0", "pool.csv, line 1: not UTF-8, it looks like UTF-16"),
    ],
)
def test_what_is_wrong_is_named_by_file_line_and_column(data, told):
    found = read_pool(data, "pool.csv")
    assert str(found.problems[0]).startswith(told)


def test_the_columns_of_json_are_those_that_any_row_has():
    assert read_pool(b'{"a": 1}\n{"b": 2, "a": 3}\n', "pool.jsonl").columns == ("a", "b")
