"""A disk that promises nothing but what was synced: replays a shim's notes, and is cut off anywhere.

A write counts as kept from the next sync of its file on, a new or removed name from the next sync of its folder on.
Of all else a cut keeps what chance leaves: each write whole, not at all, or some of its sectors.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

SECTOR = 512


@dataclass
class File:
    """One file's content as far as it was synced, and what was done to it since."""

    kept: bytearray = field(default_factory=bytearray)
    since: list = field(default_factory=list)

    def sync(self):
        for note in self.since:
            _apply(self.kept, note.kind, note.at, note.data)
        self.since.clear()

    def after_cut(self, chance):
        left = bytearray(self.kept)
        for note in self.since:
            for at, data in _survives(note, chance):
                _apply(left, note.kind, at, data)
        return left


def _apply(content, kind, at, data):
    if kind == "truncate":
        del content[at:]
        content.extend(bytes(at - len(content)))
    else:
        content.extend(bytes(max(0, at - len(content))))
        content[at : at + len(data)] = data


def _survives(note, chance):
    """Give the parts of something that was not synced which a cut leaves."""
    fate = chance.choice(("whole", "torn", "lost"))
    if fate == "whole" or (fate == "torn" and note.kind == "truncate"):
        yield note.at, note.data
    elif fate == "torn":
        # Sectors are those of the file, not of the write.
        edges = [0, *range(SECTOR - note.at % SECTOR, len(note.data), SECTOR), len(note.data)]
        for begin, end in pairwise(edges):
            if begin < end and chance.random() < 0.5:
                yield note.at + begin, note.data[begin:end]


class Disk:
    """A folder as it was before (a copy of it), all of it synced, and then as notes change it."""

    def __init__(self, folder, before):
        self.folder = str(folder.resolve())
        self.named = {f"{self.folder}/{path.name}": File(bytearray(path.read_bytes())) for path in before.iterdir()}
        self.kept_names = dict(self.named)
        self.names_since = []

    def take(self, note):
        """Do what a note says was done."""
        if note.kind == "create":
            self.named[note.name] = File()
            self.names_since.append((note.name, self.named[note.name]))
        elif note.kind == "unlink":
            self.named.pop(note.name, None)
            self.names_since.append((note.name, None))
        elif note.kind == "sync" and note.name == self.folder:
            self.kept_names = self._names(self.names_since)
            self.names_since = []
        elif note.name in self.named:
            file = self.named[note.name]
            file.sync() if note.kind == "sync" else file.since.append(note)

    def _names(self, changes):
        after = self.kept_names | dict(changes)
        return {name: file for name, file in after.items() if file is not None}

    def cut(self, chance, folder):
        """Write into a new folder what is on the disk when the power is back."""
        folder.mkdir(mode=0o700)
        survived = [change for change in self.names_since if chance.random() < 0.5]
        for name, file in self._names(survived).items():
            if not name.endswith("-shm"):  # what processes share in memory: gone with them
                path = folder / Path(name).name
                path.write_bytes(file.after_cut(chance))
                path.chmod(0o600)
