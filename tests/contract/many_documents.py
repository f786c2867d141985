"""A ledger on PostgreSQL with as many documents as years of work leave behind.

Of a hundred, ninety-nine are published or cancelled and nobody's work any more. The hundredth is
queued, being published, crashed, held, owes a look or waits for a cancel; it has an item and, where
one was sent, its call. Rows are made by the server, without a log, and indexed afterwards.
"""

from __future__ import annotations

from typing import Any, Final

import psycopg

ACCOUNTS: Final = 5_000

_AS_SOON_AS_INSERTED: Final = ("pk_document", "uq_document_key")
"""Kept while rows are inserted, in their order: foreign keys hang on the first."""

_NOW: Final = "(SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)"
_HOUR: Final = "3600000000"

_DOCUMENTS: Final = f"""
INSERT INTO document (
    id, key, plan_hash, account_id, container_kind, container_id, created_at, since, origin,
    revision, title, mark_part, state, due_at, began_at, cancel_requested, attempts_used,
    recoveries, backoff_step, owes_look_from, lease_owner, lease_until, lease_purpose, lease_epoch,
    next_action, next_why
)
SELECT
    'doc-' || lpad(n::text, 8, '0'), 'key-' || lpad(n::text, 8, '0'), md5(n::text),
    'act_' || n %% {ACCOUNTS}, 'adset', '2001', moment.now - n, moment.now - n, 'ours',
    1, NULL, 'rc1-' || substr(md5(n::text), 1, 16),
    CASE
        WHEN part IN (0, 1, 2, 3) THEN 'queued'
        WHEN part IN (4, 5) THEN 'publishing'
        WHEN part = 6 THEN 'held'
        WHEN part = 7 THEN 'failed'
        WHEN n %% 10 = 1 THEN 'cancelled'
        ELSE 'published'
    END,
    CASE
        WHEN part IN (0, 1, 8) THEN moment.now - n %% {_HOUR}
        WHEN part IN (2, 3) THEN moment.now + {_HOUR} + n
    END,
    moment.now - n,
    coalesce(part = 7, false), 1, 0, 0,
    CASE WHEN part = 8 THEN moment.now - {_HOUR} END,
    CASE WHEN part IN (4, 5) THEN 'worker' END,
    CASE part WHEN 4 THEN moment.now + {_HOUR} WHEN 5 THEN moment.now - n %% {_HOUR} END,
    CASE WHEN part IN (4, 5) THEN 'publish' END,
    1, 'none', 'so it is'
FROM
    generate_series(1, %s) AS n,
    LATERAL (SELECT CASE WHEN n %% 100 = 0 THEN n / 100 %% 10 END AS part) AS parts,
    (SELECT {_NOW} AS now) AS moment
"""

_ITEMS: Final = """
INSERT INTO item (
    document_id, key, position, kind, name, params, parent_kind, parent_id, item_part, is_twin,
    refs, state
)
SELECT
    id, 'a1', 1, 'ad', 'Spring / 1', '{}', 'adset', '2001', 'abcdef', false, '[]',
    CASE
        WHEN state = 'queued' AND right(id, 3) IN ('100', '300') THEN 'pending'
        WHEN state = 'held' THEN 'held'
        WHEN state = 'publishing' THEN 'pending'
        ELSE 'waiting'
    END
FROM document WHERE state NOT IN ('published', 'cancelled')
"""

_INTENTS: Final = """
INSERT INTO intent (
    document_id, key, account_id, kind, name, container_kind, container_id, fingerprint,
    mark_document_part, mark_item_part, mark_in_name, facts, warnings
)
SELECT
    item.document_id, item.key, document.account_id, item.kind, item.name, 'adset', '2001', 'f',
    document.mark_part, item.item_part, false, 0, '[]'
FROM item JOIN document ON document.id = item.document_id
WHERE item.state <> 'waiting'
"""

_CALLS: Final = """
INSERT INTO call (document_id, key, number, attempt, started_at)
SELECT document_id, key, 1, 1, 0 FROM intent
"""


def fill(url: str, documents: int) -> None:
    """Fill an empty ledger and have the server count what is in it. Its indexes are as before."""
    with psycopg.connect(url) as connection:
        # In the transaction that empties a table nothing of it is logged (wal_level=minimal).
        connection.execute("TRUNCATE document CASCADE")
        indexes = _indexes(connection)
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}".encode())
        connection.execute(_DOCUMENTS.encode(), [documents])
        for statement in (_ITEMS, _INTENTS, _CALLS):
            connection.execute(statement.encode())
        connection.execute("SET LOCAL maintenance_work_mem = '1GB'")
        for _, definition in indexes:
            connection.execute(definition.encode())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")


def _indexes(connection: psycopg.Connection[Any]) -> list[tuple[str, str]]:
    found = connection.execute(
        "SELECT indexname, indexdef FROM pg_indexes"
        " WHERE tablename = 'document' AND NOT indexname = ANY(%s)",
        [list(_AS_SOON_AS_INSERTED)],
    )
    return found.fetchall()
