"""PostgreSQL for tests: started when the first test asks, a database of its own for each."""

from __future__ import annotations

import os
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cached_property
from typing import Final

from fixtures.postgres_databases import PostgresDatabases, databases_of
from fixtures.postgres_server import running_postgres

GRAPH_URL: Final = "https://graph.example"
"""The API that the ledgers of tests belong to."""


class Postgres:
    """A server and its databases: that of TEST_DATABASE_URL, else one of our own.

    An installed PostgreSQL is not looked for: what it is set to would decide what is tested.
    """

    def __init__(self) -> None:
        self._open = ExitStack()

    def empty(self, encoding: str = "UTF8") -> str:
        """The URL of a new database without tables."""
        return self._databases.new(encoding)

    def clone(self, url: str) -> str:
        """The URL of a copy of this database, to which nobody may be connected."""
        return self._databases.copy_of(url)

    def migrated(self) -> str:
        """The URL of a new ledger of `GRAPH_URL`, accepted where it stands."""
        from adapters.store import identity
        from adapters.store.postgres_connecting import commit, one_transaction
        from adapters.store.postgres_identity import print_of
        from adapters.store.postgres_url import conninfo_of

        url = self._databases.copy_of(self._template)
        with one_transaction(conninfo_of(url)) as connection:
            identity.settle(
                connection,
                graph_url=GRAPH_URL,
                file_print=print_of(connection),
                now=datetime.now(UTC),
                accept=True,
            )
            commit(connection)
        return url

    def drop(self, url: str) -> None:
        """Remove a database, whoever is connected to it."""
        self._databases.drop(url)

    def close(self) -> None:
        """Remove what was made, and stop what was started."""
        self._open.close()

    @cached_property
    def _databases(self) -> PostgresDatabases:
        server_url = os.environ.get("TEST_DATABASE_URL")
        if not server_url:
            server_url = self._open.enter_context(running_postgres()).url()
        return self._open.enter_context(databases_of(server_url))

    @cached_property
    def _template(self) -> str:
        from adapters.store.postgres import migrate

        url = self._databases.new()
        migrate(url, graph_url=GRAPH_URL, accept_unsafe=True)
        return url
