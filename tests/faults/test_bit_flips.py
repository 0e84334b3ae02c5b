"""One bit of the database turned over, many times: it is noticed, or it says nothing (acceptance D8)."""

import random
from collections import Counter

import pytest

from app.actions import closing
from app.actions.backups import MAGIC
from app.domain.errors import EvenhandError
from app.store.db import DATABASE, driver, read_copy
from app.store.migrate import HEAD, open_store, schema_of
from app.store.verify import findings
from tests.actions.bench import FINE, HARM, Bench
from tests.faults.figures import say
from tests.house import add_people, fixed_world, frozen_study, item_rows

pytestmark = pytest.mark.faults
FLIPS = 400
SEED = "the same bits in every run"


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """Return the database of a closed study."""
    folder = tmp_path_factory.mktemp("flips") / "store"
    store, world = open_store(folder), fixed_world()
    add_people(store, world)
    bench = Bench(store, world, frozen_study(store, world, rows=item_rows()))
    bench.review("rosa", P1=FINE, P3=HARM)
    bench.review("ravi", P1=FINE)
    bench.look()
    bench.settle("P-003", HARM)
    bench.sign("ines")
    closing.close(store, world, "lena", bench.study)
    store.close()
    return folder / DATABASE


def noticed(file):
    """Return how a changed database is noticed; None where it is not."""
    if file.read_bytes()[: len(MAGIC)] != MAGIC:
        return "no database"
    try:
        with read_copy(file) as connection:
            if schema_of(connection) != HEAD:
                return "another schema"
            found = findings(connection)
    except EvenhandError:
        return "cannot be read"
    return found[0].split(":")[0] if found else None


def content(file):
    """Return every value by table, column and row, and the words of the schema."""
    connection = driver.connect(str(file))
    schema = connection.execute("select name, sql from sqlite_master where type = 'table'").fetchall()
    found = {("words", "of the schema", 0): schema}
    for name, _ in schema:
        rows = connection.execute(f'select * from "{name}"')  # noqa: S608 - of the store itself
        columns = [each[0].lower() for each in rows.description]  # as SQLite compares them
        for number, row in enumerate(rows):
            found |= {(name.lower(), column, number): value for column, value in zip(columns, row, strict=True)}
    connection.close()
    return found


# What docs/security.md says that verify does not compare: none of it is an outcome, or anything that one follows from.
SILENT = {
    "account", "session", "setting", "draft", "practice",
    "study.created_at", "study.frozen_at", "study.adjudication_opened_at", "member.attested", "member.practised_at",
    "sign_off.signed_at", "judgement.stored_at", "judgement.key", "judgement.fingerprint",
    "words.of the schema",  # constraints, defaults: another name would be noticed
    "slot.token", "slot.position", "slot.opened_at", "slot.opened", "slot.flagged", "slot.done", "slot.version",
}  # fmt: skip


def test_each_bit_that_is_turned_over_is_noticed_or_changes_nothing_that_an_outcome_follows_from(database, tmp_path):
    whole, before = database.read_bytes(), content(database)
    chance, file = random.Random(SEED), tmp_path / "flipped"
    assert noticed(database) is None
    how, silent = Counter(), Counter()
    for _ in range(FLIPS):
        place = chance.randrange(len(whole) * 8)
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        file.write_bytes(flipped)
        told = noticed(file)
        how[told] += 1
        if told is None:
            try:
                after = content(file)
            except (UnicodeDecodeError, driver.OperationalError):  # of a column that nothing compared is read by name
                silent["words.of the schema"] += 1
                continue
            unlike = {f"{key[0]}.{key[1]}" for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
            silent.update(unlike or {"free space"})
    say(f"{FLIPS} flips in {len(whole):,} bytes. Noticed: {FLIPS - how[None]} {dict(how)}; not: {dict(silent)}")
    silent.pop("free space", None)
    assert {each for each in silent if not {each, each.split(".")[0]} & SILENT} == set()
