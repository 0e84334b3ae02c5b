"""When a reviewer left a running study."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("member", sa.Column("left_at", sa.Text(), nullable=True))
