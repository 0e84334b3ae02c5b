"""The shim under a server, and what it noted: every write, sync and answer of a process in one order."""

import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

SOURCE = Path(__file__).parent / "watch.c"
HEAD = struct.Struct("=IIQQ")


@cache
def built():
    """Return the compiled shim; skip, saying why, where it cannot be had."""
    if sys.platform != "linux":
        pytest.skip("the shim under the server is for Linux")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler here for the shim under the server; install the package gcc")
    made = Path(mkdtemp(prefix="evenhand-shim-")) / "watch.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", str(made), str(SOURCE), "-lpthread"], check=True)
    return made


def under(folder, log, fail=None):
    """Return the environment in which a program runs on top of the shim."""
    told = {"LD_PRELOAD": str(built()), "FAULTS_FOLDER": str(Path(folder).resolve()), "FAULTS_LOG": str(log)}
    return told | ({"FAULTS_FAIL": str(fail)} if fail else {})


@dataclass(frozen=True)
class Note:
    """What was done: `kind` is write, truncate, sync, create, unlink or answer; `at` an offset, a length or a port."""

    kind: str
    name: str
    at: int
    data: bytes


def notes(log):
    """Give the notes of a log in their order."""
    kinds = {each[0]: each for each in ("write", "truncate", "sync", "create", "unlink", "answer")}
    with Path(log).open("rb") as file:
        while len(head := file.read(HEAD.size)) == HEAD.size:
            kind, named, at, length = HEAD.unpack(head)
            name = file.read(named).decode()
            yield Note(kinds[chr(kind)], name, at, file.read(length))
