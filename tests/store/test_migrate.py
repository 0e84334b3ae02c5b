import shutil

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlmodel import SQLModel

from app.config import resource
from app.domain.errors import StoreUnavailable
from app.store import migrate
from app.store.migrate import open_store

BEFORE = migrate.HEAD
AFTER = f"{int(BEFORE) + 1:04}"
NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{head}"


def upgrade():
    op.create_table("half_done", sa.Column("id", sa.Integer(), primary_key=True))
    op.execute("update setting set value = 'migrated' where key = 'colour'")
    {ending}
"""


def version(store):
    with store.read() as connection:
        return connection.execute(text("select version_num from alembic_version")).scalar()


def everything(store):
    """Return the schema and every row of a store."""
    with store.read() as connection:
        schema = connection.execute(text("select name, sql from sqlite_master order by name")).all()
        names = [row.name for row in schema if row.sql and row.sql.startswith("CREATE TABLE")]
        return schema, {name: connection.execute(text(f'select * from "{name}"')).all() for name in names}  # noqa: S608


@pytest.fixture
def newer(tmp_path, monkeypatch):
    """Return a function that gives the program one more migration, ending as told."""

    def release(ending="pass"):
        shutil.copytree(resource("migrations"), tmp_path / "migrations", ignore=shutil.ignore_patterns("__pycache__"))
        (tmp_path / "migrations" / "versions" / f"{AFTER}_the_next.py").write_text(
            NEXT.format(revision=AFTER, head=BEFORE, ending=ending)
        )
        monkeypatch.setattr(migrate, "resource", lambda kind: tmp_path / kind)
        monkeypatch.setattr(migrate, "HEAD", AFTER)

    return release


@pytest.fixture
def old(store):
    """Return a closed store of this version, with a row in it."""
    with store.write() as connection:
        connection.execute(text("insert into setting values ('colour', 'green')"))
    store.close()
    return store


def unlike(_context, _column, _model, stored, wanted):
    """Say whether two types differ to SQLite: TEXT and VARCHAR are one."""
    return stored._type_affinity is not wanted._type_affinity


def differences(store, *statements):
    """Return what Alembic would still change, after some statements that are undone."""
    with store.engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        for statement in statements:
            connection.execute(text(statement))
        context = MigrationContext.configure(connection, opts={"compare_type": unlike})
        found = compare_metadata(context, SQLModel.metadata)
        connection.rollback()
    return found


def test_the_migrated_schema_is_that_of_the_models(store):
    assert differences(store) == []


@pytest.mark.parametrize(
    "statement",
    [
        "drop table draft",
        "drop index slot_list",
        "alter table study add column more TEXT",
        "alter table study drop column closed_head",
    ],
)
def test_the_comparison_finds_each_kind_of_difference(store, statement):
    assert len(differences(store, statement)) == 1


def test_the_program_wants_the_newest_migration_there_is():
    config = Config()
    config.set_main_option("script_location", str(resource("migrations")))
    assert ScriptDirectory.from_config(config).get_heads() == [migrate.HEAD]


def test_a_new_store_is_at_that_version(store):
    assert version(store) == migrate.HEAD


def test_opening_a_store_a_second_time_changes_nothing(old):
    before = everything(old)
    old.close()
    files = {path.name: path.read_bytes() for path in old.folder.iterdir()}
    again = open_store(old.folder)
    assert everything(again) == before
    again.close()
    assert {path.name: path.read_bytes() for path in old.folder.iterdir()} == files


def test_a_store_of_a_newer_program_is_refused_and_left_alone(old):
    with old.write() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    before = everything(old)
    with pytest.raises(StoreUnavailable, match="newer Evenhand"):
        open_store(old.folder)
    assert everything(old) == before


def test_an_older_store_is_backed_up_and_brought_to_the_new_version(old, newer):
    before = everything(old)
    old.close()
    newer()
    upgraded = open_store(old.folder)
    assert version(upgraded) == AFTER
    assert everything(upgraded)[1]["setting"] == [("colour", "migrated")]
    upgraded.close()
    (old.folder / f"before-upgrade-from-{BEFORE}.sqlite3").replace(old.path)
    assert everything(old) == before


@pytest.mark.parametrize(
    "ending",
    [
        "raise RuntimeError('the power went')",
        "op.execute('insert into nowhere values (1)')",
        "op.execute(\"insert into deviation values (1, 'no study', 'now', 'text')\")",
    ],
)
def test_a_migration_that_fails_leaves_the_old_version_whole(old, newer, ending):
    before = everything(old)
    newer(ending)
    with pytest.raises(Exception, match=r"the power went|nowhere|could not be|point at nothing"):
        open_store(old.folder)
    assert version(old) == BEFORE
    assert everything(old) == before


FIRST = """
insert into account values (1, 'rosa', 0, 0, null, null, null, 'now');
insert into study (id, title, protocol, protocol_sha256, created_at) values ('pilot', 'A pilot', '{}', 'x', 'now');
insert into item values (1, 'pilot', 'P-1', 'words', 'c-one', 's', '{}', 1, 0, 0, 'salt', 'digest-1');
insert into item values (2, 'pilot', 'P-2', 'words', 'c-two', 's', '{}', 1, 0, 0, 'salt', 'digest-2');
insert into item values (3, 'pilot', 'P-3', 'words', 'c-one', 's', '{}', 1, 0, 0, 'salt', 'digest-3');
insert into slot values (1, 'token', 'pilot', 1, 2, 0, 'A', 1, 0, 1, 1);
insert into judgement values
    (1, 1, 1, 'review', 'safe-cleanup', 'A', null, '[]', '[]', null, 'a note', null, null, 'm', 'k', 'f', 'now')
"""


def test_a_store_of_the_first_version_keeps_its_rows_and_learns_which_items_are_of_one_cluster(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "HEAD", "0001")
        first = open_store(tmp_path / "store")
    with first.write() as connection:
        for statement in FIRST.split(";"):
            connection.execute(text(statement))
    before = everything(first)[1]
    first.close()
    upgraded = open_store(tmp_path / "store")
    after = everything(upgraded)[1]
    assert [row[: len(before["item"][0])] for row in after["item"]] == before["item"]
    assert [row.unit for row in after["item"]] == [1, 2, 1]
    assert {row.role for row in after["item"]} == {"study"}
    assert after["slot"] == [(*before["slot"][0], 0, 0, None, None, None, 0, 1)]
    assert after["judgement"] == [(*before["judgement"][0], None, None)]
    assert differences(upgraded) == []
    upgraded.close()


def test_foreign_keys_are_enforced_again_after_an_upgrade(old, newer):
    newer()
    upgraded = open_store(old.folder)
    with upgraded.read() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    upgraded.close()


def test_a_study_of_before_pairings_were_recorded_comes_through_and_is_unverified(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "HEAD", "0001")
        before = open_store(tmp_path / "store")
    with before.write() as connection:
        for statement in (
            "insert into study (id, title, protocol, protocol_sha256, created_at) values ('pilot', 't', '{}', '0', '')",
            "insert into item values (1, 'pilot', 'P-1', 's', 'c', 'x', '{}', 1, null, null, null, null)",
        ):
            connection.execute(text(statement))
    before.close()
    upgraded = open_store(tmp_path / "store")
    assert version(upgraded) == migrate.HEAD
    with upgraded.read() as connection:
        assert connection.execute(text("select item_id, pairing from item")).all() == [("P-1", None)]
    assert differences(upgraded) == []
    upgraded.close()
