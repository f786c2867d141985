"""A document handed in inside a transaction of the caller's own: it is there if theirs commits.

Nothing is committed here. Where their commit is lost, so is the document, of which nothing was
sent.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Final

from psycopg.pq import TransactionStatus
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession
from sqlalchemy.orm import Session

from reconciler.errors import ForeignLedger, LedgerUnavailable
from reconciler.model import Document
from reconciler.ports import Change, Ledger

from . import identity, postgres_errors, schema, sqlite_database, transactions

CallersTransaction = Connection | Session | AsyncConnection | AsyncSession
Accept = Callable[[Document | None, datetime], Change | None]
Body = Callable[[Connection], tuple[Document, bool]]

_TRANSLATED: Final[dict[str, Callable[[], AbstractContextManager[None]]]] = {
    "pysqlite": sqlite_database.translated,
    "psycopg": postgres_errors.translated,
}
"""The drivers whose rows are read as ours are, and what their errors mean."""


class InTheirs:
    """What `submit` asks of a ledger, on the connection of a transaction of the caller's.

    It must be in this ledger's database. Until they commit, their other statements and everybody
    who writes to that document wait for each other.
    """

    def __init__(self, ledger: Ledger, theirs: CallersTransaction) -> None:
        self._ledger = ledger
        self._theirs = theirs

    async def submit(self, key: str, accept: Accept) -> tuple[Document, bool]:
        """As the port says, but durable with their commit. Raises `ForeignLedger` where theirs is
        another database, and `LedgerUnavailable` for what is no transaction of a kind we know."""
        ours, now = await self._ledger.identity(), await self._ledger.now()
        return await _on(self._theirs, lambda here: _submit(here, now, ours, key, accept))


def _submit(
    connection: Connection, now: datetime, ours: str, key: str, accept: Accept
) -> tuple[Document, bool]:
    translated = _TRANSLATED.get(connection.dialect.driver)
    if translated is None:
        raise LedgerUnavailable(
            f"a connection by {connection.dialect.driver} cannot carry a document",
            next_step="use SQLAlchemy's psycopg or sqlite driver for that transaction",
        )
    with translated():
        if not connection.in_transaction():
            connection.begin()
        if _commits_by_itself(connection):
            raise LedgerUnavailable(
                "a connection in autocommit cannot carry a document: it waits for no commit",
                next_step="take a connection without autocommit for that transaction",
            )
        _refuse_elsewhere(connection, ours)
        return transactions.submit(connection, now, key, accept)


def _commits_by_itself(connection: Connection) -> bool:
    """By the driver's word: SQLAlchemy says that it began where only the driver knows better.

    An application that sends `BEGIN` by itself in autocommit is in a transaction all the same.
    """
    driver: Any = connection.connection.driver_connection
    if connection.dialect.driver == "psycopg":
        return bool(driver.autocommit and driver.info.transaction_status == TransactionStatus.IDLE)
    alone = driver.isolation_level is None or getattr(driver, "autocommit", None) is True
    return bool(alone and not driver.in_transaction)


def _refuse_elsewhere(connection: Connection, ours: str) -> None:
    if schema.version(connection) is not None:
        schema.check(connection)
        if identity.of(connection) == ours:
            return
    raise ForeignLedger(
        "their transaction is in another database than the ledger",
        next_step="give both the same database, or submit outside of the transaction",
    )


async def _on(theirs: CallersTransaction, body: Body) -> tuple[Document, bool]:
    match theirs:
        case AsyncSession():
            return await theirs.run_sync(lambda session: body(session.connection()))
        case AsyncConnection():
            return await theirs.run_sync(body)
        case Session():
            return body(theirs.connection())
        case Connection():
            return body(theirs)
        case _:
            raise LedgerUnavailable(
                f"an object of type {type(theirs).__name__} is no transaction",
                next_step="give a SQLAlchemy Connection, Session, AsyncConnection or AsyncSession",
            )
