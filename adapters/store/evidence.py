"""Evidence at rest: written once as the text its hash was made of, checked whenever it is read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, select, text

from reconciler.errors import LedgerUnavailable
from reconciler.verdict import Evidence

from .columns import FreeText, Instant
from .statement import Statement
from .tables import table

_evidence = table("evidence")

# The id follows from the body, so a row that is there already is the same one.
_ADD: Final = Statement(
    text(
        "INSERT INTO evidence (id, document_id, stored_at, hash, body)"
        " VALUES (:id, :document_id, :stored_at, :hash, :body) ON CONFLICT (id) DO NOTHING"
    ).bindparams(bindparam("stored_at", type_=Instant))
)
_FIND: Final = Statement(
    select(_evidence).where(_evidence.c.id == bindparam("the_id", type_=FreeText))
)


def add(connection: Connection, found: Iterable[tuple[str, Evidence]], now: datetime) -> None:
    """Store evidence of documents, once for each different body."""
    rows = [
        {
            "id": evidence.id,
            "document_id": document_id,
            "stored_at": now,
            "hash": evidence.hash,
            "body": evidence.text,
        }
        for document_id, evidence in found
    ]
    _ADD.run(connection, rows)


def stored(connection: Connection, evidence_id: str) -> Evidence:
    """The evidence of this id. Raises `LedgerUnavailable` if there is none, or it was altered."""
    row = _FIND.row(connection, {"the_id": evidence_id})
    if row is None:
        raise LedgerUnavailable(f"no evidence {evidence_id} is stored")
    if not isinstance(row.body, str):  # SQLite keeps a blob in a column of text
        raise _altered(evidence_id)
    sealed = Evidence.sealed(row.body)
    if (sealed.id, sealed.hash) != (evidence_id, row.hash):
        raise _altered(evidence_id)
    return sealed


def _altered(evidence_id: str) -> LedgerUnavailable:
    return LedgerUnavailable(
        f"evidence {evidence_id} no longer fits its hash: the database was altered or damaged",
        next_step="restore the ledger from a backup, then reconciler migrate --accept-database",
    )
