"""An index of events: a receipt is checked without reading those of every other study."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_index("audit_event_kind", "audit_event", ["event", "study_id"])
