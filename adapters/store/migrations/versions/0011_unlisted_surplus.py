"""Surplus: since when a complete listing lacks it."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("surplus", sa.Column("unlisted_since", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("surplus", "unlisted_since")
