"""Imports: accounts of which finished documents are known."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "complete_account",
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("said_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name="pk_complete_account"),
    )


def downgrade() -> None:
    op.drop_table("complete_account")
