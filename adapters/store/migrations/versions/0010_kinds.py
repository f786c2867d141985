"""The list: documents by the kinds of their items."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_item_kind", "item", ["kind", "document_id"])


def downgrade() -> None:
    op.drop_index("ix_item_kind", table_name="item")
