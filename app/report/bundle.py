"""The memo's files as bytes, the same each time, and where they go: a new folder or one archive."""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from app.domain.errors import Refused
from app.domain.memo import Memo
from app.report import html, markdown
from app.report.tables import csv_bytes, tables

_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)  # the first date that a zip archive can hold


def bundle(memo: Memo) -> dict[str, bytes]:
    """Return every file of the memo by its name: JSON, Markdown, HTML and one CSV a table."""
    data = memo.model_dump(mode="json", by_alias=True)
    return {
        "memo.json": (json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode(),
        "memo.md": markdown.render(memo).encode(),
        "memo.html": html.render(memo).encode(),
        **{f"tables/{name}.csv": csv_bytes(table) for name, table in tables(memo).items()},
    }


@contextmanager
def staged(folder: Path, files: Mapping[str, bytes]) -> Iterator[Callable[[], None]]:
    """Write the files beside a new folder, readable by their owner alone; calling the result puts them in place.

    What is not put in place is removed, and where the block fails afterwards what was. Raises Refused where the
    folder exists already (`exists`) or cannot be made (`unwritable`).
    """
    placed = False
    refuse_existing(folder)
    with writable(folder):
        partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.absolute().parent))
    try:
        with writable(folder):
            for name, content in files.items():
                _write_file(partial / name, content)

        def place() -> None:
            nonlocal placed
            refuse_existing(folder)
            with writable(folder):
                partial.rename(folder)
            placed = True

        yield place
    except BaseException:
        if placed:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Turn a failure of the file system into Refused, which names the folder."""
    try:
        yield
    except OSError as error:
        refuse_existing(folder)
        message = f"“{folder}” cannot be written: {error.strerror}. Nothing was written; choose another place."
        raise Refused("unwritable", message) from None


def refuse_existing(folder: Path) -> None:
    """Refuse a name that is taken, by whatever it may be."""
    if os.path.lexists(folder):
        message = f"“{folder}” exists already and was not touched; choose a new name."
        raise Refused("exists", message)


def _write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def zipped(files: Mapping[str, bytes], name: str) -> bytes:
    """Return the files as one archive under a folder of this name; the same files give the same bytes.

    Nothing is compressed: what a compressor makes depends on its version.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(f"{name}/{path}", _LONG_AGO)
            entry.create_system = 3  # Unix, wherever it is made
            entry.external_attr = 0o600 << 16
            archive.writestr(entry, content)
    return out.getvalue()
