"""Nothing leaves this computer: what the server process connects to, told by the process itself and by the kernel."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house import PROTOCOL, RIGHTS
from tests.walk.script import Scene
from tests.walk.test_whole_way import SAME, prepare, rows_of, walk

# Python asks for this module at the start of every process. An audit hook sees what no patch of `socket` would:
# whatever module connects, binds, sends to or looks up anything, this one tells of it.
TOLD = """
import os, sys
def _tell(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"):
        told = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "urllib.Request"):
        told = arguments[0]
    else:
        return
    line = f"{event} {told!r}\\n".encode()
    os.write(_PLACE, line)
_PLACE = os.open(os.environ["EVENHAND_TEST_CONNECTIONS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
sys.addaudithook(_tell)
"""
LOOPBACK = ("'127.0.0.1'", "('127.0.0.1', ", "('::1', ", "'::1'")


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Have every process that starts from here on tell what it connects to; return the file."""
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(TOLD)
    place = tmp_path / "connections"
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'hook'}{os.pathsep}{Path(__file__).parents[1]}")
    monkeypatch.setenv("EVENHAND_TEST_CONNECTIONS", str(place))
    return place


SCENES = [Scene("word_repetition", "ep-one", "I I want the pen", "I want the pen", SAME, SAME)]


def whole_study(evenhand, tmp_path):
    study = prepare(evenhand, tmp_path, rows_of(SCENES), PROTOCOL, RIGHTS)
    assert walk(evenhand, tmp_path, study, SCENES)["verdict"]["status"].endswith("SYNTHETIC")
    evenhand.stop()


def test_over_a_whole_study_the_server_connects_to_loopback_alone(evenhand, tmp_path, told):
    whole_study(evenhand, tmp_path)
    lines = told.read_text().splitlines()
    assert f"socket.bind ('127.0.0.1', {evenhand.port})" in lines  # the hook was there
    assert [line for line in lines if not line.partition(" ")[2].startswith(LOOPBACK)] == []


def traceable():
    """Tell whether strace is here and may trace: in some containers it may not."""
    return (
        shutil.which("strace") is not None
        and subprocess.run(["strace", "-qq", "true"], check=False, capture_output=True).returncode == 0
    )


def test_the_kernel_saw_the_server_reach_for_loopback_alone(evenhand, tmp_path):
    if not traceable():
        pytest.skip("no strace here, or none that may trace: the kernel cannot be asked")
    place = tmp_path / "trace"
    calls = "trace=connect,bind,sendto,sendmsg,sendmmsg"
    evenhand.under = ("strace", "-D", "-f", "-qq", "-s", "0", "-e", calls, "-e", "signal=none", "-o", str(place))
    whole_study(evenhand, tmp_path)
    addresses = [line for line in place.read_text().splitlines() if "sa_family=" in line]
    assert any("bind(" in line and f"htons({evenhand.port})" in line for line in addresses)
    assert [line for line in addresses if not re.search(r'"127\.0\.0\.1"|"::1"', line)] == []
