"""Which ledger a database is: a random identity, the GRAPH_URL it serves, and where it stands.

A restored or cloned database holds intents whose calls another process may have made since: it
must create nothing until a person says that it is meant (`migrate --accept-database`).

What is noticed on SQLite is another path or another inode: a copy beside or in place of the file,
a clone of the machine's folder elsewhere. **Not noticed** is a backup written *into* the existing
file, or a new file that the system gave the inode of a deleted one.
"""

from __future__ import annotations

import hashlib
import uuid
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from reconciler.errors import ForeignLedger

from .row_writer import RowWriter
from .statement import Statement
from .tables import table

MEMORY: Final = "memory"
"""The print of a ledger that is no file."""

_FIND: Final = Statement(select(table("ledger_identity")))
_WRITER: Final = RowWriter("ledger_identity")


def print_of(path: Path) -> str:
    """A digest of the file's resolved path and its inode. The device is left out: its number may
    differ after every start of a machine."""
    told = f"{path.resolve()}\0{path.stat().st_ino}"
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


def of(connection: Connection) -> str:
    """The random identity of this ledger, new whenever a copy is accepted; one that is no file
    has none."""
    row = _FIND.row(connection, {})
    return MEMORY if row is None else str(row.identity)


def check(connection: Connection, *, graph_url: str | None, file_print: str) -> None:
    """Raise `ForeignLedger` unless this is the accepted database of this GRAPH_URL.

    `graph_url` None asks nothing of it.
    """
    row = _FIND.row(connection, {})
    assert row is not None, "a migrated ledger has its identity"
    if row.file_print != file_print:
        raise moved()
    if graph_url is not None and row.graph_url != graph_url:
        raise ForeignLedger(
            f"this ledger belongs to {row.graph_url}, not to {graph_url}",
            next_step="set RECONCILER_GRAPH_URL, or use another RECONCILER_DATABASE_URL",
        )


def moved() -> ForeignLedger:
    """What is told where another database stands in the place of the accepted one."""
    return ForeignLedger(
        "this database was restored, copied or moved since it was accepted",
        next_step="if no other copy of it is in use: reconciler migrate --accept-database",
    )


def settle(
    connection: Connection, *, graph_url: str, file_print: str, now: datetime, accept: bool
) -> None:
    """Give a new ledger its identity; check one that has it, or accept it under a new one."""
    row = _FIND.row(connection, {})
    if row is not None and not accept:
        check(connection, graph_url=graph_url, file_print=file_print)
        return
    before = [] if row is None else [row._asdict()]
    after = {
        "one": 1,
        "identity": str(uuid.uuid4()),
        "graph_url": graph_url,
        "file_print": file_print,
        "created_at": now,
    }
    _WRITER.store(connection, before, [after])
