"""Withdrawal of items, and the former entries of the rights ledger."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "withdrawal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("telling", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("after_close", sa.Boolean(), nullable=False),
        sa.CheckConstraint("kind in ('item', 'cluster', 'source')"),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_withdrawal_study_id", "withdrawal", ["study_id"])
    op.create_table(
        "former_rights",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("replaced_at", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("after_close", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_former_rights_study_id", "former_rights", ["study_id"])
    with op.batch_alter_table("item") as item:
        item.alter_column("item_id", existing_type=sa.Text(), nullable=True)
        item.alter_column("cluster", existing_type=sa.Text(), nullable=True)
        item.alter_column("content", existing_type=sa.Text(), nullable=True)
        item.add_column(sa.Column("unit", sa.Integer(), nullable=True))
        item.add_column(sa.Column("withdrawal", sa.Integer(), nullable=True))
        item.add_column(sa.Column("kept", sa.Text(), nullable=True))
        item.create_foreign_key("item_withdrawal", "withdrawal", ["withdrawal"], ["id"])
    op.execute(
        "update item set unit = first.key from "
        "(select study_id, cluster, min(id) as key from item where digest is not null group by study_id, cluster) "
        "as first "
        "where item.study_id = first.study_id and item.cluster = first.cluster"
    )
    op.add_column("slot", sa.Column("withdrawn", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("judgement", sa.Column("salt", sa.Text(), nullable=True))
    # In SQL, because Alembic knows no way to add a column with a foreign key to SQLite but to copy the table.
    op.execute("alter table judgement add column erased_by integer references withdrawal (id)")
