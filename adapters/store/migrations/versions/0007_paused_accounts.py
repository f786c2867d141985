"""Accounts: a person's reason to have nothing created there."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("account", sa.Column("paused", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("account", "paused")
