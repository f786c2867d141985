"""The fixtures of `tests/e2e`, on a ledger in PostgreSQL: where several machines share the work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures.postgres_databases import PostgresDatabases, databases_of
from fixtures.postgres_server import running_postgres
from tests.e2e.command_line import Shell


@pytest.fixture(scope="session")
def databases() -> Iterator[PostgresDatabases]:
    """On a server that loses no commits: the program takes no other."""
    with running_postgres(fsync="on") as server, databases_of(server.url()) as databases:
        yield databases


@pytest.fixture
def shell(bare_shell: Shell, databases: PostgresDatabases) -> Shell:
    """A shell whose ledger is a new database."""
    place = {"RECONCILER_DATABASE_URL": databases.new()}
    opened = Shell(bare_shell.folder, {**bare_shell.settings, **place})
    assert opened.run("migrate").code == 0
    return opened
