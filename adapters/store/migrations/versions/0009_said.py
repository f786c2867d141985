"""The list: what looks said, by word and time."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_verdict_said", "verdict", ["verdict", "judged_at", "document_id"])


def downgrade() -> None:
    op.drop_index("ix_verdict_said", table_name="verdict")
