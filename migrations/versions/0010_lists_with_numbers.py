"""Own lists are numbered and counted when they change, and manifests lie apart: no page is slower in a larger study."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "manifest",
        sa.Column("study_id", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"]),
        sa.PrimaryKeyConstraint("study_id"),
    )
    op.execute("insert into manifest select id, manifest from study where manifest is not null")
    op.drop_column("study", "manifest")
    op.add_column("member", sa.Column("done", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("member", sa.Column("worked", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("member", sa.Column("work_began", sa.Text(), nullable=True))
    op.add_column("member", sa.Column("work_ended", sa.Text(), nullable=True))
    # In SQL, because Alembic knows no way to add a column with a foreign key to SQLite but to copy the table.
    op.execute("alter table member add column newest integer references slot (id)")
    op.add_column("slot", sa.Column("number", sa.Integer(), nullable=True))
    op.execute(
        "update slot set number = listed.number from "
        "(select id, row_number() over (partition by study_id, account_id order by position) as number from slot "
        "where not withdrawn and (not adjudication or routed)) as listed "
        "where listed.id = slot.id"
    )
    op.execute(
        "update member set done = (select count(*) from slot where slot.study_id = member.study_id "
        "and slot.account_id = member.account_id and slot.number is not null and slot.done)"
    )
    op.execute(
        "update member set newest = (select slot.id from judgement join slot on slot.id = judgement.slot_id "
        "where slot.study_id = member.study_id and slot.account_id = member.account_id "
        "order by judgement.id desc limit 1)"
    )
    # Gaps of more than five minutes between two moments were pauses then, and are.
    op.execute(
        "with moment as ("
        "select study_id, account_id, unixepoch(opened_at) as at from slot where opened_at is not null union all "
        "select slot.study_id, slot.account_id, unixepoch(judgement.stored_at) from judgement "
        "join slot on slot.id = judgement.slot_id), "
        "gap as (select study_id, account_id, "
        "at - lag(at) over (partition by study_id, account_id order by at) as seconds from moment) "
        "update member set worked = (select coalesce(sum(gap.seconds), 0) from gap "
        "where gap.study_id = member.study_id and gap.account_id = member.account_id and gap.seconds <= 300)"
    )
    op.drop_index("slot_list", "slot")
    op.drop_index("judgement_stored", "judgement")
    op.create_index("slot_list", "slot", ["study_id", "account_id", "number"])
    op.create_index("slot_flagged", "slot", ["study_id", "account_id", "number"], sqlite_where=sa.text("flagged"))
    op.create_index("slot_open", "slot", ["study_id", "account_id", "done", "number"])
