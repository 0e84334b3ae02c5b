"""Recordings of items, in pieces."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "recording",
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["item"], ["item.id"]),
        sa.PrimaryKeyConstraint("item"),
    )
    op.create_table(
        "recording_piece",
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["item"], ["recording.item"]),
        sa.PrimaryKeyConstraint("item", "number"),
    )
