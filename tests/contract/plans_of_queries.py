"""How a database means to run what a ledger asks of it: the plans of the very statements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection

from adapters.store.statement import Found, Statement, Values


@dataclass
class Plans:
    """What was asked, each statement with the lines of its plan."""

    found: list[tuple[str, list[str]]] = field(default_factory=list)

    def reading_whole(self, *tables: str) -> list[tuple[str, list[str]]]:
        """Those that read every row of one of these tables."""
        return [
            (sql, plan)
            for sql, plan in self.found
            if any(_reads_whole(line, table) for line in plan for table in tables)
        ]

    def using(self, index: str) -> list[str]:
        """The statements that find their rows by this index."""
        return [sql for sql, plan in self.found if any(index in line for line in plan)]


@contextmanager
def plans() -> Iterator[Plans]:
    """The plans of all statements that give rows, asked for just before each is run."""
    told = Plans()
    found = Statement.found

    def explained(self: Statement, connection: Connection, values: Values) -> list[Found]:
        ready = self._for(connection)
        how = "EXPLAIN QUERY PLAN" if connection.dialect.name == "sqlite" else "EXPLAIN"
        cursor: Any = connection.connection.cursor()
        cursor.execute(f"{how} {ready.sql}", ready.parameters(values))
        told.found.append((ready.sql, [str(row[-1]) for row in cursor.fetchall()]))
        cursor.close()
        return found(self, connection, values)

    with patch.object(Statement, "found", explained):
        yield told


def _reads_whole(line: str, table: str) -> bool:
    """In the words of PostgreSQL, or of SQLite."""
    is_scan = f"Seq Scan on {table}" in line
    return is_scan or (f"SCAN {table}" in line and "INDEX" not in line)
