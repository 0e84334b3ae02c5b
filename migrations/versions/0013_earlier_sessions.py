"""Sessions that are older than their account's lead of a draft."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "earlier_session",
        sa.Column("study_id", sa.Text(), sa.ForeignKey("study.id"), primary_key=True),
        sa.Column("token_hash", sa.Text(), sa.ForeignKey("session.token_hash", ondelete="CASCADE"), primary_key=True),
    )
