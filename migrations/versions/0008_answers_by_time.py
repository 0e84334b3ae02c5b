"""Answers are found by when they were stored: a judge's last hour, whatever the size of the study."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_index("judgement_stored", "judgement", ["stored_at"])
