"""What kind of disk a folder is on: a store on a network share is refused.

There locks and syncs promise less than SQLite needs. Path not taken: leaving it to the read-back of `journal_mode`;
over NFS a WAL is taken, and then corrupted by the second computer that opens it.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path
from typing import Final

MOUNTS: Final = Path("/proc/self/mountinfo")
# Not 9p: some containers have all of their disk by it.
NETWORK: Final = (
    frozenset({"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "afs", "webdav", "davfs", "ncpfs"})
    | {"ceph", "lustre", "glusterfs", "beegfs", "gpfs", "ocfs2", "gfs2", "fuse.sshfs", "fuse.glusterfs"}
    | {"fuse.ceph", "fuse.rclone", "fuse.s3fs", "fuse.davfs", "fuse.davfs2", "macfuse", "osxfuse"}
)
# Of macOS's struct statfs: where the name of the type begins, and how long it may be.
NAME_AT, NAME_LENGTH = 72, 16


def network_type(folder: Path) -> str | None:
    """Return the type of the network file system that a folder is on; None on a local disk, or where none can tell."""
    kind = _told_by_macos(folder) if sys.platform == "darwin" else type_of(folder.resolve(), _mounted())
    return kind if kind in NETWORK else None


def _mounted() -> list[tuple[str, str]]:
    return read_mountinfo(MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")) if MOUNTS.exists() else []


def _told_by_macos(folder: Path) -> str | None:
    """Ask statfs(2): macOS has no list of mounts to read."""
    library, told = ctypes.CDLL(None), ctypes.create_string_buffer(4096)
    ask = getattr(library, "statfs$INODE64", None) or library.statfs  # the former on Intel
    if ask(os.fsencode(folder), told) != 0:
        return None
    return told.raw[NAME_AT : NAME_AT + NAME_LENGTH].partition(b"\0")[0].decode("ascii", "replace")


def read_mountinfo(text: str) -> list[tuple[str, str]]:
    r"""Read Linux's list (proc(5)): the place is the fifth field, the type follows the dash.

    >>> read_mountinfo(r"36 35 0:44 / /srv/our\040files rw shared:1 - nfs4 host:/files rw")
    [('/srv/our files', 'nfs4')]
    """
    lines = (line.partition(" - ") for line in text.splitlines())
    return [(_plain(left.split()[4]), right.split()[0]) for left, dash, right in lines if dash]


def _plain(escaped: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), escaped)


def type_of(folder: Path, mounted: list[tuple[str, str]]) -> str | None:
    """Return the type of the file system that a folder stands on.

    >>> type_of(Path("/srv/a/b"), [("/", "ext4"), ("/srv/a", "nfs"), ("/srv/ab", "cifs")])
    'nfs'
    """
    above = [(len(place), number, kind) for number, (place, kind) in enumerate(mounted) if folder.is_relative_to(place)]
    return max(above)[2] if above else None
