"""Recordings of a draft's items: looked at before they are taken, each stored with its own item."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.domain.errors import EvenhandError, InvalidInput, Problem, Refused, UnfitRecording
from app.domain.item import Item
from app.domain.recording import AT_ONCE, BATCH, EXPECTED_NAME, MAX_BYTES, MOST_STORED, Given, Sound, fit_name
from app.formats.audio import probe, too_long
from app.store import audit, recordings, studies
from app.store.db import Connection, Store
from app.world import World

ABSENT: Final = "the recording that it names is not in the folder"

Heard = Mapping[str, Sound | str]  # by the name that items ask for: what is known of it, or what is wrong with it


@dataclass(frozen=True)
class Added:
    """What adding recordings did: of how many items they are, how many still lack one, which files nobody asks for."""

    items: int
    missing: int
    aside: tuple[str, ...]


def folder(path: Path) -> Given:
    """Return the files of a folder. Raises EvenhandError where it cannot be read."""
    try:
        names = frozenset(each.name for each in path.iterdir())
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}."
        raise EvenhandError(message) from None
    return Given(names, lambda name: _ordinary(path / name), whole=True)


def _ordinary(path: Path) -> bytes:
    """Return the content of an ordinary file of its folder: a link could lead anywhere, a device give no end."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        told = "a link: put the file itself there" if path.is_symlink() else f"not to be read: {error.strerror}"
        raise UnfitRecording(f"this is {told}") from None
    try:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode):
            told = "this is a folder or a device, and no file"
            raise UnfitRecording(told)
        if found.st_size > MAX_BYTES:
            raise UnfitRecording(too_long(found.st_size))
        with open(number, "rb", closefd=False) as file:
            return file.read(MAX_BYTES + 1)
    finally:
        os.close(number)


def chosen(files: Sequence[tuple[bytes, str]]) -> Given:
    """Return files that were sent. Raises InvalidInput for a name that no file of a folder has."""
    problems = [
        Problem(f"expected {EXPECTED_NAME}", where="".join(ch if ch.isprintable() else "?" for ch in name[:80]))
        for _, name in files
        if not fit_name(name)
    ]
    if problems:
        raise InvalidInput(problems)
    return Given(frozenset(name for _, name in files), {name: data for data, name in files}.__getitem__)


def look_at(asked: Iterable[str], given: Given) -> Heard:
    """Probe each recording that is asked for and is there."""
    return {name: _known(given, found) for name in asked if (found := given.find(name)) is not None}


def _known(given: Given, name: str) -> Sound | str:
    try:
        return probe(given.read(name))
    except UnfitRecording as error:
        return str(error)


def of_rows(rows: Sequence[tuple[Item, int]], where: str, given: Given) -> tuple[Heard, list[Problem]]:
    """Return what the items of a file ask for, and all that is wrong with it, by line."""
    heard = look_at({item.audio for item, _ in rows if item.audio is not None}, given)
    problems = []
    for item, line in rows:
        if item.audio is None:
            continue
        known = heard.get(item.audio, ABSENT if given.whole else None)
        if isinstance(known, str):
            problems.append(Problem(known, where, line, "audio"))
    _refuse_too_much([known for item, _ in rows if item.audio and (known := heard.get(item.audio))])
    return heard, problems


def _refuse_too_much(heard: Iterable[Sound | str]) -> None:
    """Refuse what would hold others up for too long: items and recordings come in one transaction."""
    if sum(each.size for each in heard if isinstance(each, Sound)) > AT_ONCE:
        message = (
            f"These recordings have more than {AT_ONCE >> 20} MiB together. Import the items without them, "
            "then add the recordings: evenhand study audio STUDY FOLDER"
        )
        raise Refused("large", message)


def keep(
    connection: Connection,
    world: World,
    actor: str,
    study_id: str,
    asked: Sequence[tuple[int, str]],
    given: Given,
    heard: Heard,
) -> int:
    """Store recordings within a write, and record it; return of how many items. `asked`: keys of items, and names.

    Raises Refused where they are too much, or changed since they were looked at.
    """
    put = 0
    for key, name in asked:
        sound = heard.get(name)
        if not isinstance(sound, Sound):
            continue
        try:
            data = given.read(given.find(name) or name)
        except UnfitRecording:
            data = b""  # it was one when it was looked at
        if Sound.of(data, sound.type) != sound:
            message = "A recording was changed while it was read. Nothing was stored: try again."
            raise Refused("moved", message)
        recordings.put(connection, key, sound, data)
        put += 1
    if recordings.size_of_all(connection) > MOST_STORED:
        message = (
            f"The recordings of this store would have more than {MOST_STORED >> 20:,} MiB. Code them as Opus, cut them "
            "to the utterances, or give the study a store of its own."
        )
        raise Refused("full", message)
    if put:
        audit.record(connection, world, actor, "recordings.added", study_id, items=put)
    return put


def asked_in(connection: Connection, study_id: str) -> list[tuple[int, str]]:
    """Return which items of a study ask for a recording: their keys, and its name."""
    return [(row.id, item.audio) for row, item in studies.items(connection, study_id) if item.audio is not None]


def add(store: Store, world: World, actor: str, study_id: str, given: Given) -> Added:
    """Store the recordings that a draft's items ask for, in place of those that are there.

    Raises InvalidInput with every file that is none, or where nothing is asked for,
    NotFound, Refused. Beyond BATCH it takes several transactions, and what a stopped run
    stored stays.
    """
    with store.read() as connection:
        _refuse_frozen(connection, study_id)
        asked = asked_in(connection, study_id)
    names = frozenset(name for _, name in asked)
    heard = look_at(names, given)
    problems = [Problem(told, where=name) for name, told in sorted(heard.items()) if isinstance(told, str)]
    if not heard:
        problems = [Problem("no item of the study names any of these files as its audio", field="audio")]
    if problems:
        raise InvalidInput(problems)
    put = 0
    for batch in _batches([each for each in asked if each[1] in heard], heard):
        with store.write() as connection:
            _refuse_frozen(connection, study_id)
            still = set(asked_in(connection, study_id))
            wanted = [each for each in batch if each in still]
            put += keep(connection, world, actor, study_id, wanted, given, heard)
    with store.read() as connection:
        missing = len(asked_in(connection, study_id)) - len(recordings.of_study(connection, study_id))
    return Added(put, missing, tuple(given.aside(names)))


def _refuse_frozen(connection: Connection, study_id: str) -> None:
    if studies.get(connection, study_id).frozen_at is not None:
        message = f"“{study_id}” is frozen, with the recordings that it has."
        raise Refused("frozen", message)


def _batches(asked: Sequence[tuple[int, str]], heard: Heard) -> Iterator[list[tuple[int, str]]]:
    batch: list[tuple[int, str]] = []
    size = 0
    for key, name in asked:
        sound = heard[name]
        size += sound.size if isinstance(sound, Sound) else 0
        if batch and size > BATCH:
            yield batch
            batch, size = [], sound.size if isinstance(sound, Sound) else 0
        batch.append((key, name))
    if batch:
        yield batch
