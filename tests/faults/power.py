"""A recorded run of a server, and what would be left of its store if the power had gone at any moment of it."""

import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from app.domain.errors import EvenhandError
from app.store.db import DATABASE, driver
from app.store.migrate import open_store
from app.store.verify import findings
from tests.faults import shim
from tests.faults.disk import Disk
from tests.faults.judges import acknowledged, at_work, study_of

PLAIN = ("-m", "app")  # as `evenhand` runs


@dataclass
class Recorded:
    """A store's folder, a copy from before the run, the notes of all its server's lives, and the judges who worked."""

    folder: Path
    before: Path
    logs: list
    judges: list

    def notes(self):
        """Give (life, note) in order."""
        for life, log in enumerate(self.logs, start=1):
            for note in shim.notes(log):
                yield life, note

    def answers(self):
        """Return when each acknowledged form was answered: the number of its note, by key."""
        turns, at = Counter(), {}
        for number, (life, note) in enumerate(self.notes()):
            if note.kind == "answer":
                turns[life, note.at] += 1
                at[life, note.at, turns[life, note.at]] = number
        return {sent.key: at[sent.answer] for sent in acknowledged(self.judges)}


def recorded(evenhand, judges, folder, each, *, program=PLAIN, lives=1):
    """Let judges work on a server that runs on the shim; it is stopped in order, but killed at last."""
    study_of(evenhand.folder, 40)
    shutil.copytree(evenhand.folder, folder / "before")
    run = Recorded(evenhand.folder, folder / "before", [folder / f"log-{life}" for life in range(1, lives + 1)], judges)
    for log in run.logs:
        evenhand.serve(program, **shim.under(evenhand.folder, log))
        at_work(evenhand.origin, judges, each)
        evenhand.kill() if log is run.logs[-1] else evenhand.stop()
    return run


@dataclass
class Losses:
    """What cuts of the power did: how many answers were promised and how many were not there, in how many cuts."""

    cuts: int = 0
    promised: int = 0
    lost: int = 0
    cuts_with_loss: int = 0
    corrupt: int = 0
    told: list = field(default_factory=list)

    def __str__(self):
        return (
            f"{self.cuts} cuts, {self.lost} of {self.promised} acknowledged lost, in {self.cuts_with_loss} cuts; "
            f"{self.corrupt} stores corrupt"
        )


def losses(run, cuts, chance, folder):
    """Cut the power at so many moments, each time with other luck for what was not synced, and look at what is left."""
    answers = run.answers()
    moments = _moments(run, answers, cuts, chance)
    disk, found = Disk(run.folder, run.before), Losses()
    for number, (_, note) in enumerate(run.notes()):
        for _ in range(moments[number]):
            left = folder / "left"
            disk.cut(chance, left)
            _look(left, {key for key, at in answers.items() if at < number}, found)
            shutil.rmtree(left)
        disk.take(note)
    return found


def _moments(run, answers, cuts, chance):
    """Choose cuts: half of them right after an answer went out, half anywhere."""
    total = sum(1 for _ in run.notes())
    after = [at + 1 for at in answers.values() if at + 1 < total]
    return Counter(chance.choice(after) if number % 2 else chance.randrange(1, total) for number in range(cuts))


def _look(left, promised, found):
    found.cuts += 1
    found.promised += len(promised)
    told, keys = _whole(left)
    found.told += told
    found.corrupt += bool(told)
    lost = len(promised - keys)
    found.lost += lost
    found.cuts_with_loss += bool(lost)


def _whole(left):
    """Return what is wrong with a store by `PRAGMA integrity_check` and verify, and the keys of its answers."""
    try:
        store = open_store(left)
    except EvenhandError as error:
        return [str(error)], set()
    try:
        with store.read() as connection:
            told = findings(connection)
            keys = connection.exec_driver_sql("select key from judgement").scalars().all()
        return told, set(keys)
    except (EvenhandError, driver.DatabaseError) as error:
        return [type(error).__name__], set()
    finally:
        store.close()


def synced_before_answer(run):
    """Return (answers, answers before which their own rows were not synced).

    A form's key is random text of its own, so its first mention in a write is that of its row.
    """
    answers, written, synced = run.answers(), {}, {}
    for number, (_, note) in enumerate(run.notes()):
        if note.kind == "write" and DATABASE in note.name:
            for key in [key for key in answers if key not in written and key.encode() in note.data]:
                written[key] = note.name
        elif note.kind == "sync":
            synced |= {key: number for key, name in written.items() if name == note.name and key not in synced}
    late = [key for key, at in answers.items() if synced.get(key, at) >= at]
    return len(answers), late
