"""How an account's pages look, whether single keys act, and a judge's own flags."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("account", sa.Column("theme", sa.Text(), nullable=False, server_default="system"))
    op.add_column("account", sa.Column("text_size", sa.Text(), nullable=False, server_default="normal"))
    op.add_column("account", sa.Column("shortcuts", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("slot", sa.Column("flagged", sa.Boolean(), nullable=False, server_default=sa.false()))
