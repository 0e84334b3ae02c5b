"""Sentinels and practice items, repeats, audits of agreed items, and the blinding check."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

# The constraint has no name in the database; Alembic needs one to take it away.
NAMES = {"uq": "uq_%(table_name)s_%(column_0_name)s"}


def upgrade() -> None:
    op.add_column("item", sa.Column("role", sa.Text(), nullable=False, server_default="study"))
    side = sa.CheckConstraint("on_panel in ('A', 'B')")
    with op.batch_alter_table("slot", naming_convention=NAMES, table_args=[side]) as slot:
        slot.add_column(sa.Column("repeat", sa.Boolean(), nullable=False, server_default=sa.false()))
        slot.add_column(sa.Column("rank", sa.Integer(), nullable=True))
        slot.add_column(sa.Column("opened_at", sa.Text(), nullable=True))
        slot.add_column(sa.Column("opened", sa.Integer(), nullable=True))
        slot.drop_constraint("uq_slot_account_id", type_="unique")
        slot.create_unique_constraint("uq_slot_account_id_item_repeat", ["account_id", "item", "repeat"])
    op.add_column("member", sa.Column("practised_at", sa.Text(), nullable=True))
    op.create_table(
        "practice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("study_id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("on_panel", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("right", sa.Boolean(), nullable=True),
        sa.CheckConstraint("on_panel in ('A', 'B')"),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"]),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"]),
        sa.ForeignKeyConstraint(["item"], ["item.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token"),
        sa.UniqueConstraint("account_id", "item"),
    )
    op.create_index("ix_practice_study_id", "practice", ["study_id"])
    op.create_table(
        "guess",
        sa.Column("slot_id", sa.Integer(), nullable=False),
        sa.Column("guess", sa.Text(), nullable=False),
        sa.Column("stored_at", sa.Text(), nullable=False),
        sa.CheckConstraint("guess in ('A', 'B', 'cannot_tell')"),
        sa.ForeignKeyConstraint(["slot_id"], ["slot.id"]),
        sa.PrimaryKeyConstraint("slot_id"),
    )
