"""Batches: which documents a run changed."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "batch_change",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["document.id"], name="fk_batch_change_document", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run", "document_id", name="pk_batch_change"),
    )


def downgrade() -> None:
    op.drop_table("batch_change")
