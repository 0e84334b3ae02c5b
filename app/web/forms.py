"""Posted forms, read strictly: text by control, and few files, which never touch the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import unquote_to_bytes

from fastapi import Depends, Request
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from app.domain.errors import InvalidInput

MOST_FIELDS: Final = 1_000
MOST_RECORDINGS: Final = 1_000  # of one request, which its size bounds too
MAX_NAME: Final = 80
MOST_DIGITS: Final = 16
URLENCODED: Final = "application/x-www-form-urlencoded"
FILES: Final = ("file", "protocol", "columns")  # the controls of a form with several

Form = dict[str, list[str]]


@dataclass(frozen=True)
class Upload:
    """A posted form with the one file that came with it; `name` and `data` are empty where none was chosen."""

    form: Form
    name: str
    data: bytes


async def read_form(request: Request) -> Form:
    """Return a posted form as lists of text by control. Raises InvalidInput for an upload, or what is not UTF-8.

    The request keeps it too (`state.sent`), for a page that says that it could not be stored.
    """
    _refuse_other_charsets(request)
    if request.headers.get("content-type", "").startswith(URLENCODED):
        _refuse_other_bytes(await request.body())  # Starlette would put U+FFFD in their place
    request.state.sent = form = _texts(await request.form(max_files=0, max_fields=MOST_FIELDS))
    return form


@dataclass(frozen=True)
class Uploads:
    """A posted form with the files that were chosen: content and name by control."""

    form: Form
    files: dict[str, tuple[bytes, str]]


def _refuse_other_charsets(request: Request) -> None:
    _, options = parse_options_header(request.headers.get("content-type"))
    if options.get(b"charset", b"utf-8").lower() not in {b"utf-8", b"utf8"}:
        raise InvalidInput.of("forms are read as UTF-8 only")


def _refuse_other_bytes(body: bytes) -> None:
    try:
        unquote_to_bytes(body).decode()
    except UnicodeDecodeError:
        raise InvalidInput.of("forms are read as UTF-8 only") from None
    if not body.isascii():
        raise InvalidInput.of("this form cannot be read: letters beyond ASCII must be percent-encoded")


class _InMemory(MultiPartParser):
    """Keeps a file in memory, however large: private speech has no place among temporary files."""

    spool_max_size = 1 << 40

    def close(self) -> None:
        """Close every file, one that ended half-way too, which no form data holds."""
        for file in self._files_to_close_on_error:
            file.close()


async def read_upload(request: Request) -> Upload:
    """Return a posted form with its file, from the control `file`. Raises InvalidInput."""
    found = await _read_files(request, ("file",))
    data, name = found.files.get("file", (b"", ""))
    return Upload(found.form, name, data)


async def read_uploads(request: Request) -> Uploads:
    """Return a posted form with its files, from the controls of FILES. Raises InvalidInput."""
    return await _read_files(request, FILES)


@dataclass(frozen=True)
class Parcel:
    """A posted form with a file and any number of recordings, whose names are kept as they were sent."""

    form: Form
    file: tuple[bytes, str] | None
    audio: tuple[tuple[bytes, str], ...]

    @property
    def upload(self) -> Upload:
        """The form with its one file."""
        data, name = self.file or (b"", "")
        return Upload(self.form, _printable(name), data)


async def read_parcel(request: Request) -> Parcel:
    """Return a posted form with files from the controls `file` (one) and `audio`. Raises InvalidInput."""
    form, found = await _posted(request, ("file", "audio"), MOST_RECORDINGS)
    files = [(data, name) for control, data, name in found if control == "file"]
    if len(files) > 1:
        raise InvalidInput.of("one file at a time", field="file")
    return Parcel(
        form, files[0] if files else None, tuple((data, name) for control, data, name in found if control == "audio")
    )


async def _read_files(request: Request, controls: tuple[str, ...]) -> Uploads:
    form, found = await _posted(request, controls, len(controls))
    return Uploads(form, {control: (data, _printable(name)) for control, data, name in found})


async def _posted(request: Request, controls: tuple[str, ...], most: int) -> tuple[Form, list[tuple[str, bytes, str]]]:
    """Return a form, and of each file that was chosen its control, content and name."""
    _refuse_other_charsets(request)
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise InvalidInput.of("expected a form with a file", field="file")
    parser = _InMemory(request.headers, request.stream(), max_files=most, max_fields=MOST_FIELDS)
    try:
        posted = await parser.parse()
        files = [
            (control, await file.read(), file.filename)
            for control, file in posted.multi_items()
            if control in controls and isinstance(file, UploadFile) and file.filename
        ]
    except MultiPartException as error:
        raise InvalidInput.of(f"this form cannot be read: {error.message}", field="file") from None
    finally:
        parser.close()
    rest = FormData([(name, value) for name, value in posted.multi_items() if name not in controls])
    return _texts(rest), files


def _printable(name: str) -> str:
    """Return the last part of a file's name, fit for a message."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(ch if ch.isprintable() else "?" for ch in last)[:MAX_NAME]


def _texts(posted: FormData) -> Form:
    fields: Form = {}
    for name, value in posted.multi_items():
        if not isinstance(value, str):
            raise InvalidInput.of("no file is expected here", field=name)
        if not (_is_text(name) and _is_text(value)):
            raise InvalidInput.of("this is not text that can be stored")
        fields.setdefault(name, []).append(value)
    return fields


def _is_text(value: str) -> bool:
    """Tell whether text has a form in UTF-8: half a surrogate pair has none."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def one(form: Form, name: str) -> str:
    """Return the last value of a control, or "" where there is none."""
    return form.get(name, [""])[-1]


def whole(form: Form, name: str) -> int | None:
    """Return the whole number in a control, or None where there is none that fits the store."""
    given = one(form, name)
    return int(given) if given.isascii() and given.isdigit() and len(given) < MOST_DIGITS else None


Posted = Annotated[Form, Depends(read_form)]
PostedFile = Annotated[Upload, Depends(read_upload)]
PostedFiles = Annotated[Uploads, Depends(read_uploads)]
PostedParcel = Annotated[Parcel, Depends(read_parcel)]
