"""Intents: since when a complete listing lacks what was made."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("intent", sa.Column("unlisted_since", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("intent", "unlisted_since")
