"""The tables: one class each, in the words of the glossary, keyed by document and item key.

They are read and written by Core statements; no session, no relationships, no lazy loading. Times
are `Instant`s. What a row means is said by the value of the same name in `reconciler.model`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Table,
    Text,
    text,
)
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from reconciler import model as m

from .columns import FreeText, Instant, plain_json, word_of

NAMING: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


UNSETTLED_STATES: Final = "item.state IN ('pending', 'absent', 'held')"
"""Items that may be unsettled: few, so that a partial index over them is small."""


class Base(SQLModel, registry=registry(metadata=MetaData(naming_convention=NAMING))):
    """Tables of our own, apart from those of an application that carries us."""


def _where(condition: str) -> dict[str, Any]:
    """The condition of a partial index, in the dialects that have such."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


def _of_document() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["document_id"], ["document.id"], ondelete="CASCADE")


def _of_item() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["document_id", "key"], ["item.document_id", "item.key"], ondelete="CASCADE"
    )


class Document(Base, table=True):
    """One row a document: the queue, the claim and the state in one."""

    id: str = Field(primary_key=True, sa_type=Text)
    key: str = Field(unique=True, sa_type=Text)
    plan_hash: str = Field(sa_type=Text)
    account_id: str = Field(sa_type=Text)
    container_kind: m.ContainerKind = Field(sa_type=word_of(m.ContainerKind, "container_kind"))
    container_id: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=Instant)
    since: datetime = Field(sa_type=Instant)
    origin: m.Origin = Field(sa_type=word_of(m.Origin, "origin"))
    revision: int
    title: str | None = Field(sa_type=FreeText)
    mark_part: str | None = Field(sa_type=Text)
    state: m.DocumentState = Field(sa_type=word_of(m.DocumentState, "state"))
    due_at: datetime | None = Field(sa_type=Instant)
    began_at: datetime | None = Field(sa_type=Instant)
    publish_said_at: datetime | None = Field(sa_type=Instant)
    cancel_requested: bool
    attempts_used: int
    recoveries: int
    backoff_step: int
    owes_look_from: datetime | None = Field(sa_type=Instant)
    lease_owner: str | None = Field(sa_type=Text)
    lease_until: datetime | None = Field(sa_type=Instant)
    lease_purpose: m.Purpose | None = Field(sa_type=word_of(m.Purpose, "lease_purpose"))
    lease_epoch: int
    next_action: m.NextAction = Field(sa_type=word_of(m.NextAction, "next_action"))
    next_until: datetime | None = Field(sa_type=Instant)
    next_why: str = Field(sa_type=FreeText)

    __table_args__ = (
        CheckConstraint(
            "(lease_owner IS NULL) = (lease_until IS NULL)"
            " AND (lease_owner IS NULL) = (lease_purpose IS NULL)",
            name="lease_whole",
        ),
        Index("ix_document_account", "account_id", "state"),
        Index("ix_document_newest", "created_at", "id"),
        # What workers and sweeps ask for, in the order in which they page through it (due.py).
        Index("ix_document_claimable", "due_at", "id", **_where("state = 'queued'")),
        Index("ix_document_turn", "account_id", "due_at", "id", **_where("state = 'queued'")),
        Index("ix_document_leased", "lease_until", "id", **_where("state = 'publishing'")),
        Index("ix_document_owed", "due_at", "id", **_where("owes_look_from IS NOT NULL")),
        Index(
            "ix_document_cancelling",
            "id",
            **_where("cancel_requested AND state NOT IN ('cancelled', 'published')"),
        ),
    )


class Item(Base, table=True):
    """One entity a document wants, as the plan says, and where it stands."""

    document_id: str = Field(primary_key=True, sa_type=Text)
    key: str = Field(primary_key=True, sa_type=Text)
    position: int
    kind: m.Kind = Field(sa_type=word_of(m.Kind, "kind"))
    name: str = Field(sa_type=Text)
    params: dict[str, Any] = Field(sa_type=plain_json())
    parent_kind: m.ContainerKind | None = Field(sa_type=word_of(m.ContainerKind, "parent_kind"))
    parent_id: str | None = Field(sa_type=Text)
    parent_ref: str | None = Field(sa_type=Text)
    item_part: str = Field(sa_type=Text)
    is_twin: bool
    refs: list[str] = Field(sa_type=plain_json())
    state: m.ItemState = Field(sa_type=word_of(m.ItemState, "state"))

    __table_args__ = (
        _of_document(),
        Index("ix_item_kind", "kind", "document_id"),
        Index(
            "ix_item_unsettled", "document_id", **_where("state IN ('pending', 'absent', 'held')")
        ),
    )


class Intent(Base, table=True):
    """What an item was, or is about to be, sent as, and what it is bound to."""

    document_id: str = Field(primary_key=True, sa_type=Text)
    key: str = Field(primary_key=True, sa_type=Text)
    account_id: str = Field(sa_type=Text)
    kind: m.Kind = Field(sa_type=word_of(m.Kind, "kind"))
    name: str = Field(sa_type=Text)
    container_kind: m.ContainerKind = Field(sa_type=word_of(m.ContainerKind, "container_kind"))
    container_id: str = Field(sa_type=Text)
    fingerprint: str = Field(sa_type=Text)
    mark_document_part: str | None = Field(sa_type=Text)
    mark_item_part: str | None = Field(sa_type=Text)
    mark_in_name: bool
    facts: int
    reason: m.Reason | None = Field(sa_type=word_of(m.Reason, "reason"))
    external_id: str | None = Field(sa_type=Text)
    found_by: m.Grade | None = Field(sa_type=word_of(m.Grade, "found_by"))
    created_time: datetime | None = Field(sa_type=Instant)
    effective_status: str | None = Field(sa_type=FreeText)
    attributes: dict[str, Any] | None = Field(sa_type=plain_json())
    warnings: list[str] = Field(sa_type=plain_json())
    unlisted_since: datetime | None = Field(sa_type=Instant)

    __table_args__ = (
        _of_item(),
        CheckConstraint("(external_id IS NULL) = (found_by IS NULL)", name="graded"),
        # The unique binding: no entity stands for two intents. One creative may (facts 4.9).
        Index(
            "uq_intent_binding",
            "account_id",
            "external_id",
            unique=True,
            **_where("kind <> 'adcreative' AND external_id IS NOT NULL"),
        ),
        Index("ix_intent_external", "external_id", **_where("external_id IS NOT NULL")),
        Index("ix_intent_rival", "account_id", "kind", "container_id", "name"),
    )


class Call(Base, table=True):
    """One create request, written before it is sent."""

    document_id: str = Field(primary_key=True, sa_type=Text)
    key: str = Field(primary_key=True, sa_type=Text)
    number: int = Field(primary_key=True)
    attempt: int
    started_at: datetime = Field(sa_type=Instant)
    ended_at: datetime | None = Field(sa_type=Instant)
    outcome: m.Outcome | None = Field(sa_type=word_of(m.Outcome, "outcome"))
    external_id: str | None = Field(sa_type=Text)
    error: dict[str, Any] | None = Field(sa_type=plain_json())

    __table_args__ = (
        ForeignKeyConstraint(
            ["document_id", "key"], ["intent.document_id", "intent.key"], ondelete="CASCADE"
        ),
    )


class Attempt(Base, table=True):
    """One execution of a document by one worker. `timings` are in microseconds."""

    document_id: str = Field(primary_key=True, sa_type=Text)
    number: int = Field(primary_key=True)
    lease_epoch: int
    owner: str = Field(sa_type=Text)
    started_at: datetime = Field(sa_type=Instant)
    lease_until: datetime = Field(sa_type=Instant)
    timings: dict[str, int] = Field(sa_type=plain_json())
    finished_at: datetime | None = Field(sa_type=Instant)
    outcome: m.AttemptOutcome | None = Field(sa_type=word_of(m.AttemptOutcome, "outcome"))
    error: str | None = Field(sa_type=FreeText)

    __table_args__ = (_of_document(),)


class Verdict(Base, table=True):
    """The latest verdict about an item."""

    document_id: str = Field(primary_key=True, sa_type=Text)
    item: str = Field(primary_key=True, sa_type=Text)
    position: int
    verdict: str = Field(sa_type=Text)
    reason: m.Reason | None = Field(sa_type=word_of(m.Reason, "reason"))
    judged_at: datetime = Field(sa_type=Instant)
    evidence_id: str = Field(sa_type=Text)
    evidence_hash: str = Field(sa_type=Text)

    __table_args__ = (
        _of_document(),
        # What a look said of late, and of whom any look said it (finding.py).
        Index("ix_verdict_said", "verdict", "judged_at", "document_id"),
    )


class Surplus(Base, table=True):
    """An entity beyond what the document wants."""

    document_id: str = Field(primary_key=True, sa_type=Text)
    kind: m.Kind = Field(primary_key=True, sa_type=word_of(m.Kind, "kind"))
    external_id: str = Field(primary_key=True, sa_type=Text)
    position: int
    item: str | None = Field(sa_type=Text)
    known: bool
    unlisted_since: datetime | None = Field(sa_type=Instant)

    __table_args__ = (_of_document(),)


class Evidence(Base, table=True):
    """What a verdict rests on: `body` is the canonical JSON that `hash` was made of."""

    id: str = Field(primary_key=True, sa_type=Text)
    document_id: str = Field(sa_type=Text, index=True)
    stored_at: datetime = Field(sa_type=Instant)
    hash: str = Field(sa_type=Text)
    body: str = Field(sa_type=Text)

    __table_args__ = (_of_document(),)


class Journal(Base, table=True):
    """What happened to a document, in order; only added to."""

    document_id: str = Field(primary_key=True, sa_type=Text)
    sequence: int = Field(primary_key=True)
    at: datetime = Field(sa_type=Instant)
    kind: str = Field(sa_type=Text)
    item: str | None = Field(sa_type=Text)
    detail: dict[str, Any] = Field(sa_type=plain_json())

    __table_args__ = (_of_document(),)


class Account(Base, table=True):
    """Whether an ad account is closed, for whom and until when. No row: open."""

    id: str = Field(primary_key=True, sa_type=Text)
    reason: m.BlockReason | None = Field(sa_type=word_of(m.BlockReason, "reason"))
    until: datetime | None = Field(sa_type=Instant)
    token_print: str | None = Field(sa_type=Text)
    failures: int
    paused: str | None = Field(sa_type=FreeText)


class CompleteAccount(Base, table=True):
    """An ad account of which finished documents from elsewhere are known, or none is missing."""

    __tablename__ = "complete_account"

    account_id: str = Field(primary_key=True, sa_type=Text)
    said_at: datetime = Field(sa_type=Instant)


class BatchChange(Base, table=True):
    """Which documents a batch changed. What it changed stands in their journals."""

    __tablename__ = "batch_change"

    run: str = Field(primary_key=True, sa_type=Text)
    document_id: str = Field(primary_key=True, sa_type=Text)
    at: datetime = Field(sa_type=Instant)

    __table_args__ = (_of_document(),)


class Worker(Base, table=True):
    """When a worker was last seen. One that ended in order has no row."""

    owner: str = Field(primary_key=True, sa_type=Text)
    seen_at: datetime = Field(sa_type=Instant)


class Sweeper(Base, table=True):
    """Who sweeps, and until when: one row, made with the table; nobody's is long past."""

    one: int = Field(primary_key=True)
    owner: str = Field(sa_type=Text)
    until: datetime = Field(sa_type=Instant)

    __table_args__ = (CheckConstraint("one = 1", name="one_row"),)


class ApiKey(Base, table=True):
    """A key of the HTTP service: its readable part and a digest of the whole, never the key."""

    __tablename__ = "api_key"

    id: str = Field(primary_key=True, sa_type=Text)
    digest: str = Field(sa_type=Text)
    name: str = Field(sa_type=FreeText)
    scopes: str = Field(sa_type=Text)
    accounts: str | None = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant)
    revoked_at: datetime | None = Field(sa_type=Instant)
    used_at: datetime | None = Field(sa_type=Instant)


class LedgerIdentity(Base, table=True):
    """Which ledger this is, and where it stood when it was accepted: one row."""

    __tablename__ = "ledger_identity"

    one: int = Field(primary_key=True)
    identity: str = Field(sa_type=Text)
    graph_url: str = Field(sa_type=Text)
    file_print: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=Instant)

    __table_args__ = (CheckConstraint("one = 1", name="one_row"),)


METADATA: Final = Base.metadata


def table(name: str) -> Table:
    """The table of this name, for Core statements."""
    return METADATA.tables[name]
