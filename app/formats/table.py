"""A table in, whatever its columns are called: how it is put down, its first rows, and with a column map its items."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections import Counter
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import Final

from app.domain.columns import absent
from app.domain.errors import Problem
from app.domain.item import ANSWER, FIELDS, PRACTICE, SENTINEL, STUDY
from app.domain.mapping import NAMES, ItemColumns
from app.domain.pool import JOINT
from app.formats.csv import MAY_BE_EMPTY, CellError, delimiter_of, marks_of, value_of
from app.formats.encoding import ENCODINGS, encoding_of, marked_utf_16
from app.formats.items import check_bytes, check_start
from app.formats.jsonl import lines_with_text
from app.formats.records import BETWEEN, DELIMITERS, Flaw, Record, records
from app.formats.rows import MOST_BYTES, MOST_KEYS, Reading, Rows, Unreadable
from app.formats.values import printable

SHOWN: Final = 5  # rows of a preview
_TRIED: Final = 20  # rows by which the delimiter is told
_PIECE: Final = 1 << 20
_START: Final = 4_000  # bytes by which other kinds of files are told
_OWN: Final = {field.key for field in FIELDS}
_NEEDED: Final = {field.key for field in FIELDS if field.required}
_EXPECTED: Final = "a table: a row of column names, then rows with as many cells, in one encoding"


@dataclass(frozen=True)
class Letter:
    """A character beyond ASCII that a table has: how often, and one word with it, with its line."""

    character: str
    times: int
    word: str
    line: int


@dataclass(frozen=True)
class Look:
    """What a table looks like. `own`: as items are documented, so that it needs no column map."""

    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...]
    own: bool
    letters: tuple[Letter, ...] = ()

    @property
    def doubtful(self) -> bool:
        """Whether its encoding is a likeness, and a person must look at its `letters`."""
        return self.encoding == "cp1252"


def look(data: bytes, name: str) -> Look | Problem:
    r"""Look at a table, or say why it is none. `name` is the file's, for the problem.

    >>> found = look(b"Nr;ohne Filter;mit Filter\n1;die die Katze;die Katze\n", "pairs.csv")
    >>> found.encoding, found.delimiter, found.columns
    ('utf-8', ';', ('Nr', 'ohne Filter', 'mit Filter'))
    """
    try:
        encoding = _encoding(data)
        text = _as_utf_8(data, encoding)
        _check_form(text)
        delimiter = _delimiter(text)
        header, *sample = islice(records(text, delimiter), SHOWN + 1)
        columns = _columns(header)
        own = encoding.startswith("utf-8") and delimiter in DELIMITERS and _documented(header)
    except Unreadable as error:
        return Problem(str(error), name, error.line, error.field, _EXPECTED)
    shown = tuple(tuple(each.cells) for each in sample if isinstance(each, Record))
    return Look(encoding, delimiter, columns, shown, own, _letters(text) if encoding == "cp1252" else ())


def foreign(data: bytes, name: str) -> Look | Problem | None:
    """Look at a table that only a column map can read: other names, marks or another encoding.

    None for whatever `read_items` takes, or refuses with better words.
    """
    found = look(data, name)
    if isinstance(found, Look):
        return None if found.own else found
    first = next((data[start : min(end, start + _START)] for _, start, end in lines_with_text(data)), b"").lstrip()
    header = first.decode(errors="replace")
    other = header[:1] in ("[", "{") or delimiter_of(header) is not None or not any(mark in header for mark in BETWEEN)
    return None if other else found


def _encoding(data: bytes) -> str:
    check_bytes(data, utf_16=marked_utf_16(data))
    encoding = encoding_of(data)
    if encoding is None:
        line = _first_stray(data)
        told = "this file has letters that are not UTF-8 among others that are, or none of any encoding known here"
        raise Unreadable(line, f"{told}: were files joined? In Excel, save it as “CSV UTF-8 (Comma delimited)”")
    return encoding


def _first_stray(data: bytes) -> int | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1
    return None


def _as_utf_8(data: bytes, encoding: str) -> bytes:
    """Return a table in UTF-8, piece by piece, so that there are never three copies of it. Raises Unreadable."""
    if encoding.startswith("utf-8"):
        return data
    out, decode = BytesIO(), getincrementaldecoder(encoding)().decode
    for at in range(0, len(data), _PIECE):
        out.write(decode(data[at : at + _PIECE], at + _PIECE >= len(data)).encode())
        if out.tell() > MOST_BYTES:
            raise Unreadable(
                None, f"in UTF-8 this file has more than the {MOST_BYTES:,} bytes that can be read: split it"
            )
    return out.getvalue()


def _check_form(text: bytes) -> None:
    """Refuse JSON and what else is no table. Raises Unreadable."""
    line, start, end = next(lines_with_text(text), (0, 0, 0))
    if not line:
        raise Unreadable(None, "this file is empty")
    first = text[start : min(end, start + _START)].lstrip()
    check_start(first, line)
    if first[:1] in (b"[", b"{"):
        raise Unreadable(line, "this looks like JSON, whose keys name themselves: a column map is for tables")


def _delimiter(text: bytes) -> str:
    """Tell what stands between the cells: what takes the first rows apart alike, into the most cells."""
    found = {mark: _fit(text, mark) for mark in BETWEEN}
    mark = max(found, key=lambda each: found[each])
    if found[mark][1] < 2:  # noqa: PLR2004, one column is no table
        between = ", ".join(BETWEEN.values())
        raise Unreadable(1, f"the first line has one column; between its cells was looked for: {between}")
    return mark


def _fit(text: bytes, mark: str) -> tuple[bool, int]:
    """Return whether rows have as many cells as the header, and how many that are."""
    rows = list(islice(records(text, mark), _TRIED))
    if not rows or isinstance(rows[0], Flaw):
        return False, 0
    wide = len(rows[0].cells)
    alike = all(isinstance(each, Flaw) or len(each.cells) == wide for each in rows)
    return wide > 1 and alike, wide


def _documented(header: Record | Flaw) -> bool:
    return isinstance(header, Record) and _NEEDED <= set(header.cells) <= _OWN


def _columns(header: Record | Flaw) -> tuple[str, ...]:
    """Return the names of the columns, "" for one without a name. Raises Unreadable."""
    if isinstance(header, Flaw):
        raise Unreadable(header.line, header.message)
    names = tuple(cell.strip() for cell in header.cells)
    if len(names) > MOST_KEYS:
        raise Unreadable(header.line, f"this header has {len(names):,} columns; at most {MOST_KEYS} can be read")
    twice = next((name for name, times in Counter(filter(None, names)).items() if times > 1), None)
    if twice is not None:
        raise Unreadable(header.line, "several columns have this name: give each its own", printable(twice))
    if odd := next((name for name in names if not name.isprintable()), None):
        raise Unreadable(header.line, "this column's name has invisible characters", printable(odd))
    return names


def _letters(text: bytes) -> tuple[Letter, ...]:
    """List each character beyond ASCII, with the first word that has it."""
    found: dict[str, Letter] = {}
    times: Counter[str] = Counter()
    for number, raw in enumerate(BytesIO(text), start=1):
        if raw.isascii():
            continue
        line = raw.decode()
        beyond = [each for each in line if not each.isascii()]
        times.update(beyond)
        for each in dict.fromkeys(beyond):
            if each not in found:
                found[each] = Letter(each, 0, _word(line, line.index(each)), number)
    return tuple(Letter(each.character, times[each.character], each.word, each.line) for each in found.values())


_WORD: Final = 20  # characters of a word that are shown to either side


def _word(line: str, at: int) -> str:
    before, after = line[max(0, at - _WORD) : at], line[at : at + _WORD]
    head = next((cut for cut in range(len(before), 0, -1) if not _within(before[cut - 1])), 0)
    tail = next((cut for cut, each in enumerate(after) if cut and not _within(each)), len(after))
    return before[head:] + after[:tail]


def _within(character: str) -> bool:
    return character.isalnum() or not character.isascii()


def read_table(data: bytes, name: str, given: ItemColumns) -> Rows:
    r"""Read the rows of a table as items, by a column map. `name` is the file's, for the problems.

    A table in Windows-1252 is refused unless the map says so.

    >>> given = ItemColumns({"item_id": ("Nr",), "off": ("ohne",)}, {"source": "pilot"})
    >>> read_table(b"Nr|ohne|mit\n1|die die|die\n", "pairs.csv", given).rows
    (Row(line=2, value={'item_id': '1', 'off': 'die die', 'source': 'pilot'}),)
    """
    found = look(data, name)
    if isinstance(found, Problem):
        return Rows((), (found,))
    if problem := _unlike(found, given.encoding, name):
        return Rows((), (problem,))
    problems = absent(given, found.columns, name)
    if problems:
        return Rows((), tuple(problems))
    rows = _Table(name, found.columns, given).read(_as_utf_8(data, found.encoding), found.delimiter)
    return rows if rows.rows or rows.problems else Rows((), (Problem("there is no item in this file", name),))


def _unlike(found: Look, encoding: str | None, name: str) -> Problem | None:
    """Say why a table cannot be read in an encoding, if it cannot."""
    if found.doubtful and encoding != "cp1252":
        letters = " ".join(sorted(each.character for each in found.letters if each.character.isprintable()))
        told = (
            "this file is not UTF-8, it looks like Windows-1252 (cp1252). In Excel, save it as "
            f"“CSV UTF-8 (Comma delimited)”; or, if these are its letters, say that it is cp1252: {letters}"
        )
        return Problem(told, name, found.letters[0].line, None, ENCODINGS["utf-8"], ENCODINGS["cp1252"])
    if encoding is not None and encoding != found.encoding:
        return Problem.unlike(ENCODINGS.get(encoding, encoding), ENCODINGS[found.encoding], name)
    return None


_TELLING: Final = "this column says which rows are no items of the study, and it is left out"
_TOLD: Final = "the column mapped as role or expected, or taken out of the file"


class _Table:
    """Takes rows of cells to keys of items."""

    def __init__(self, name: str, columns: tuple[str, ...], given: ItemColumns) -> None:
        self._reading = Reading(name, _EXPECTED)
        self._columns, self._given = columns, given
        place = {column: number for number, column in enumerate(columns)}
        self._places = {key: [place[each] for each in names] for key, names in given.columns.items()}
        used = {number for places in self._places.values() for number in places}
        # Columns left out that may tell roles, as far as was read, with the line of the first that is no study item's.
        self._telling: dict[int, int | None] = {number: None for number in range(len(columns)) if number not in used}

    def read(self, text: bytes, delimiter: str) -> Rows:
        """Read every row after the header."""
        found_in = records(text, delimiter)
        header = next(found_in)
        for found in found_in:
            if not self._reading.admit(found.line, 0 if isinstance(found, Flaw) else self._marks(found)):
                break
            if isinstance(found, Flaw):
                self._flaw(found)
            elif isinstance(header, Record) and found.cells == header.cells:
                self._reading.wrong(found.line, "this line repeats the header: were files joined?")
            elif any(cell.strip() for cell in found.cells):
                self._row(found)
        for number, line in self._telling.items():
            if line is not None:
                self._reading.wrong(line, _TELLING, printable(self._columns[number]), expected=_TOLD, found="left out")
        return self._reading.rows()

    def _flaw(self, found: Flaw) -> None:
        known = found.column is not None and found.column < len(self._columns)
        field = printable(self._columns[found.column or 0]) if known else None
        self._reading.wrong(found.line, found.message, field)

    def _marks(self, record: Record) -> int:
        many = [(key, at) for key in ("tags", "expected") for at in self._places.get(key, ()) if at < len(record.cells)]
        return len(record.cells) + sum(marks_of(key, record.cells[at]) for key, at in many)

    def _row(self, record: Record) -> None:
        if len(record.cells) != len(self._columns):
            cells = f"{len(record.cells):,} cell" + "s" * (len(record.cells) != 1)
            told, of = f"this row has {cells}, the header {len(self._columns)}", f"{len(self._columns)} cells"
            self._reading.wrong(record.line, told, expected=of, found=cells)
            return
        self._look_for_roles(record)
        value: dict[str, object] = {}
        sound = True
        for key, places in self._places.items():
            cell = self._cell(key, [record.cells[at] for at in places])
            if cell or (key in MAY_BE_EMPTY and key not in NAMES):
                try:
                    value[key] = value_of(key, cell)
                except CellError as error:
                    self._reading.wrong(record.line, str(error), key, expected=ANSWER, found="text that is no JSON")
                    sound = False
        self._reading.take(record.line, {**value, **self._given.constants}, sound=sound)

    def _look_for_roles(self, record: Record) -> None:
        """Keep in mind which columns that are left out hold nothing but roles, or known answers.

        Left out, a sentinel would be counted as an item of the study.
        """
        for number in list(self._telling):
            cell = record.cells[number].strip()
            if cell.startswith('{"label"') or cell in {SENTINEL, PRACTICE}:
                self._telling[number] = self._telling[number] or record.line
            elif cell and cell != STUDY:
                del self._telling[number]

    @staticmethod
    def _cell(key: str, cells: list[str]) -> str:
        """Return one cell as it is, names without the spaces around them; several joined, if each has something."""
        if key not in NAMES:
            return cells[0]
        parts = [cell.strip() for cell in cells]
        return JOINT.join(parts) if all(parts) else ""
