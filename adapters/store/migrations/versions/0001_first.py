"""The first schema: documents with their parts, accounts, the journal, and the status view."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

STATES = (
    "draft", "queued", "publishing", "published", "partly_published", "failed", "cancelled", "held",
)  # fmt: skip
ITEM_STATES = ("waiting", "pending", "confirmed", "rejected", "absent", "blocked", "held")
KINDS = ("campaign", "adset", "adcreative", "ad")
CONTAINER_KINDS = ("account", "campaign", "adset")
OUTCOMES = ("created", "rejected", "refused_access", "not_sent", "unknown")
ATTEMPT_OUTCOMES = ("succeeded", "unresolved", "handed_back", "cancelled", "error", "orphaned")
GRADES = ("reply", "mark", "person", "provenance", "name_and_time")
REASONS = (
    "too_soon", "listing_incomplete", "throttled", "access", "clock", "ambiguous", "twins",
    "contested", "unproven_row", "mark_lost", "echo_unproven", "over_cap", "provenance", "policy",
    "poison",
)  # fmt: skip
ACTIONS = (
    "none", "wait", "publish", "recover", "fix_input", "rotate_token", "decide", "raise_limit",
)  # fmt: skip


def upgrade() -> None:
    _accounts()
    _documents()
    _items()
    _intents()
    _calls()
    _attempts()
    _judgements()
    _journal()
    _identity()
    _view()


def downgrade() -> None:
    op.execute("DROP VIEW document_status")
    for name in (
        "ledger_identity", "journal", "evidence", "surplus", "verdict", "attempt", "call", "intent",
        "item", "document", "account",
    ):  # fmt: skip
        op.drop_table(name)


def _accounts() -> None:
    op.create_table(
        "account",
        _text("id"),
        _word("account", "reason", ("throttled", "access"), nullable=True),
        _instant("until", nullable=True),
        _text("token_print", nullable=True),
        _integer("failures"),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
    )


def _documents() -> None:
    op.create_table(
        "document",
        _text("id"),
        _text("key"),
        _text("plan_hash"),
        _text("account_id"),
        _word("document", "container_kind", CONTAINER_KINDS),
        _text("container_id"),
        _instant("created_at"),
        _instant("since"),
        _word("document", "origin", ("ours", "imported")),
        _integer("revision"),
        _text("title", nullable=True),
        _text("mark_part", nullable=True),
        _word("document", "state", STATES),
        _instant("due_at", nullable=True),
        _instant("began_at", nullable=True),
        _instant("publish_said_at", nullable=True),
        _flag("cancel_requested"),
        _integer("attempts_used"),
        _integer("recoveries"),
        _integer("backoff_step"),
        _instant("owes_look_from", nullable=True),
        _text("lease_owner", nullable=True),
        _instant("lease_until", nullable=True),
        _word("document", "lease_purpose", ("publish", "settle"), nullable=True),
        _integer("lease_epoch"),
        _word("document", "next_action", ACTIONS),
        _instant("next_until", nullable=True),
        _text("next_why"),
        sa.PrimaryKeyConstraint("id", name="pk_document"),
        sa.UniqueConstraint("key", name="uq_document_key"),
        sa.CheckConstraint(
            "(lease_owner IS NULL) = (lease_until IS NULL)"
            " AND (lease_owner IS NULL) = (lease_purpose IS NULL)",
            name="ck_document_lease_whole",
        ),
    )
    op.create_index("ix_document_account", "document", ["account_id", "state"])
    op.create_index("ix_document_newest", "document", ["created_at", "id"])
    _partial_index("ix_document_claimable", "document", ["due_at"], "state = 'queued'")
    _partial_index("ix_document_leased", "document", ["lease_until"], "state = 'publishing'")
    _partial_index("ix_document_owed", "document", ["due_at"], "owes_look_from IS NOT NULL")


def _items() -> None:
    op.create_table(
        "item",
        _text("document_id"),
        _text("key"),
        _integer("position"),
        _word("item", "kind", KINDS),
        _text("name"),
        _json("params"),
        _word("item", "parent_kind", CONTAINER_KINDS, nullable=True),
        _text("parent_id", nullable=True),
        _text("parent_ref", nullable=True),
        _text("item_part"),
        _flag("is_twin"),
        _json("refs"),
        _word("item", "state", ITEM_STATES),
        sa.PrimaryKeyConstraint("document_id", "key", name="pk_item"),
        _part_of("item", "document", ["document_id"], ["id"]),
    )
    _partial_index(
        "ix_item_unsettled", "item", ["document_id"], "state IN ('pending', 'absent', 'held')"
    )


def _intents() -> None:
    op.create_table(
        "intent",
        _text("document_id"),
        _text("key"),
        _text("account_id"),
        _word("intent", "kind", KINDS),
        _text("name"),
        _word("intent", "container_kind", CONTAINER_KINDS),
        _text("container_id"),
        _text("fingerprint"),
        _text("mark_document_part", nullable=True),
        _text("mark_item_part", nullable=True),
        _flag("mark_in_name"),
        _integer("facts"),
        _word("intent", "reason", REASONS, nullable=True),
        _text("external_id", nullable=True),
        _word("intent", "found_by", GRADES, nullable=True),
        _instant("created_time", nullable=True),
        _text("effective_status", nullable=True),
        _json("attributes", nullable=True),
        _json("warnings"),
        sa.PrimaryKeyConstraint("document_id", "key", name="pk_intent"),
        _part_of("intent", "item", ["document_id", "key"], ["document_id", "key"]),
        sa.CheckConstraint("(external_id IS NULL) = (found_by IS NULL)", name="ck_intent_graded"),
    )
    bound = "external_id IS NOT NULL"
    _partial_index(
        "uq_intent_binding",
        "intent",
        ["account_id", "external_id"],
        f"kind <> 'adcreative' AND {bound}",
        unique=True,
    )
    _partial_index("ix_intent_external", "intent", ["external_id"], bound)
    op.create_index("ix_intent_rival", "intent", ["account_id", "kind", "container_id", "name"])


def _calls() -> None:
    op.create_table(
        "call",
        _text("document_id"),
        _text("key"),
        _integer("number"),
        _integer("attempt"),
        _instant("started_at"),
        _instant("ended_at", nullable=True),
        _word("call", "outcome", OUTCOMES, nullable=True),
        _text("external_id", nullable=True),
        _json("error", nullable=True),
        sa.PrimaryKeyConstraint("document_id", "key", "number", name="pk_call"),
        _part_of("call", "intent", ["document_id", "key"], ["document_id", "key"]),
    )


def _attempts() -> None:
    op.create_table(
        "attempt",
        _text("document_id"),
        _integer("number"),
        _integer("lease_epoch"),
        _text("owner"),
        _instant("started_at"),
        _instant("lease_until"),
        _json("timings"),
        _instant("finished_at", nullable=True),
        _word("attempt", "outcome", ATTEMPT_OUTCOMES, nullable=True),
        _text("error", nullable=True),
        sa.PrimaryKeyConstraint("document_id", "number", name="pk_attempt"),
        _part_of("attempt", "document", ["document_id"], ["id"]),
    )


def _judgements() -> None:
    op.create_table(
        "verdict",
        _text("document_id"),
        _text("item"),
        _integer("position"),
        _text("verdict"),
        _word("verdict", "reason", REASONS, nullable=True),
        _instant("judged_at"),
        _text("evidence_id"),
        _text("evidence_hash"),
        sa.PrimaryKeyConstraint("document_id", "item", name="pk_verdict"),
        _part_of("verdict", "document", ["document_id"], ["id"]),
    )
    op.create_table(
        "surplus",
        _text("document_id"),
        _word("surplus", "kind", KINDS),
        _text("external_id"),
        _integer("position"),
        _text("item", nullable=True),
        _flag("known"),
        sa.PrimaryKeyConstraint("document_id", "kind", "external_id", name="pk_surplus"),
        _part_of("surplus", "document", ["document_id"], ["id"]),
    )
    op.create_table(
        "evidence",
        _text("id"),
        _text("document_id"),
        _instant("stored_at"),
        _text("hash"),
        _text("body"),
        sa.PrimaryKeyConstraint("id", name="pk_evidence"),
        _part_of("evidence", "document", ["document_id"], ["id"]),
    )
    op.create_index("ix_evidence_document_id", "evidence", ["document_id"])


def _journal() -> None:
    op.create_table(
        "journal",
        _text("document_id"),
        _integer("sequence"),
        _instant("at"),
        _text("kind"),
        _text("item", nullable=True),
        _json("detail"),
        sa.PrimaryKeyConstraint("document_id", "sequence", name="pk_journal"),
        _part_of("journal", "document", ["document_id"], ["id"]),
    )


def _identity() -> None:
    op.create_table(
        "ledger_identity",
        _integer("one"),
        _text("identity"),
        _text("graph_url"),
        _text("file_print"),
        _instant("created_at"),
        sa.PrimaryKeyConstraint("one", name="pk_ledger_identity"),
        sa.CheckConstraint("one = 1", name="ck_ledger_identity_one_row"),
    )


def _view() -> None:
    dialect = op.get_bind().dialect.name
    written = Path(__file__).with_name(f"0001_document_status.{dialect}.sql")
    op.execute(written.read_text("utf-8"))


# --- columns and constraints -----------------------------------------------------------------


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _integer(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def _instant(name: str, *, nullable: bool = False) -> sa.Column[int]:
    """Microseconds since 1970, UTC."""
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _json(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.JSON(), nullable=nullable)


def _word(
    table: str, name: str, words: tuple[str, ...], *, nullable: bool = False
) -> sa.Column[str]:
    """One of a closed list, checked by the database."""
    checked = sa.Enum(
        *words, name=f"ck_{table}_{name}", native_enum=False, create_constraint=True, length=32
    )
    return sa.Column(name, checked, nullable=nullable)


def _part_of(
    table: str, whole: str, columns: list[str], there: list[str]
) -> sa.ForeignKeyConstraint:
    targets = [f"{whole}.{column}" for column in there]
    name = f"fk_{table}_{whole}"
    return sa.ForeignKeyConstraint(columns, targets, name=name, ondelete="CASCADE")


def _partial_index(
    name: str, table: str, columns: list[str], where: str, *, unique: bool = False
) -> None:
    condition = sa.text(where)
    op.create_index(
        name,
        table,
        columns,
        unique=unique,
        sqlite_where=condition,
        postgresql_where=condition,
    )
