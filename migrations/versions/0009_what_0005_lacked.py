"""Practice rounds, for a store of the time when 0005 did not bring them yet: it was changed after stores were made."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    there = sa.inspect(op.get_bind())
    if "practised_at" not in {column["name"] for column in there.get_columns("member")}:
        op.add_column("member", sa.Column("practised_at", sa.Text(), nullable=True))
    if there.has_table("practice"):
        return
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
