"""`document_status`: a look in vain and a recorded cancel are told."""

from pathlib import Path

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _view("0013")


def downgrade() -> None:
    _view("0012")


def _view(of: str) -> None:
    dialect = op.get_bind().dialect.name
    written = Path(__file__).with_name(f"{of}_document_status.{dialect}.sql")
    op.execute("DROP VIEW document_status")
    op.execute(written.read_text("utf-8"))
