"""Workers: who was seen, who sweeps, what is due in the order it is paged, `next` with a worker."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

PAGED = {
    "ix_document_claimable": ("due_at", "state = 'queued'"),
    "ix_document_leased": ("lease_until", "state = 'publishing'"),
    "ix_document_owed": ("due_at", "owes_look_from IS NOT NULL"),
}
"""Indexes that get the id behind the time: by its column and its condition."""


def upgrade() -> None:
    op.create_table(
        "worker",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("owner", name="pk_worker"),
    )
    op.create_table(
        "sweeper",
        sa.Column("one", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("one", name="pk_sweeper"),
        sa.CheckConstraint("one = 1", name="ck_sweeper_one_row"),
    )
    op.execute("INSERT INTO sweeper (one, owner, until) VALUES (1, '', 0)")
    for name, (at, where) in PAGED.items():
        op.drop_index(name, "document")
        _partial_index(name, [at, "id"], where)
    _partial_index(
        "ix_document_cancelling",
        ["id"],
        "cancel_requested AND state NOT IN ('cancelled', 'published')",
    )
    _view("0002")


def downgrade() -> None:
    _view("0001")
    op.drop_index("ix_document_cancelling", "document")
    for name, (at, where) in PAGED.items():
        op.drop_index(name, "document")
        _partial_index(name, [at], where)
    op.drop_table("sweeper")
    op.drop_table("worker")


def _view(of: str) -> None:
    dialect = op.get_bind().dialect.name
    written = Path(__file__).with_name(f"{of}_document_status.{dialect}.sql")
    op.execute("DROP VIEW document_status")
    op.execute(written.read_text("utf-8"))


def _partial_index(name: str, columns: list[str], where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, "document", columns, sqlite_where=condition, postgresql_where=condition)
