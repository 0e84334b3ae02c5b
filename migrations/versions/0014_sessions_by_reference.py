"""A session has a reference, by which its owner can end it from another browser."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    # The sessions of before have none, and end when the server starts.
    op.add_column("session", sa.Column("reference", sa.Text(), nullable=False, server_default=""))
