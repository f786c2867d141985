"""The pretend pooler does to its clients what a transaction pooler does, so our tests mean it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

import psycopg
import pytest

from fixtures.postgres_pooler import pooler_before
from tests.postgres import Postgres

PREPARED_AFTER: Final = 5
"""How often the driver runs a statement, unless told otherwise, before it prepares it."""


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    """A database behind a pooler with two connections."""
    database = postgres.empty()
    with pooler_before(database) as pooled:
        yield pooled
    postgres.drop(database)


def _connected(url: str) -> closing[psycopg.Connection[Any]]:
    return closing(psycopg.connect(url, autocommit=True))


def _one(connection: psycopg.Connection[Any], statement: str) -> Any:
    [[value]] = connection.execute(statement.encode()).fetchall()
    return value


def test_what_is_set_in_one_transaction_is_not_set_in_the_next(url: str) -> None:
    with _connected(url) as client:
        client.execute("SET statement_timeout = '7s'")

        assert _one(client, "SHOW statement_timeout") == "0"


def test_what_is_set_turns_up_in_a_transaction_of_somebody_else(url: str) -> None:
    with _connected(url) as one, _connected(url) as other:
        one.execute("SET statement_timeout = '7s'")

        assert {_one(other, "SHOW statement_timeout") for _ in range(2)} == {"0", "7s"}


def test_what_is_set_locally_holds_until_the_transaction_ends(url: str) -> None:
    with _connected(url) as client, client.transaction():
        server = _one(client, "SELECT pg_backend_pid()")
        client.execute("SET LOCAL statement_timeout = '7s'")

        assert _one(client, "SHOW statement_timeout") == "7s"
        assert _one(client, "SELECT pg_backend_pid()") == server


def test_a_statement_that_the_driver_prepared_is_not_there_later(url: str) -> None:
    """R080: with the driver's own default."""
    with _connected(url) as client:
        for number in range(PREPARED_AFTER):
            client.execute("SELECT %s::int", (number,))

        with pytest.raises(psycopg.errors.InvalidSqlStatementName, match="does not exist"):
            client.execute("SELECT %s::int", (PREPARED_AFTER,))


def test_a_statement_that_somebody_else_prepared_is_already_there(url: str) -> None:
    """R080: drivers name alike what they prepare."""
    with _connected(url) as one, _connected(url) as other:
        one.execute("PREPARE a_name AS SELECT 1")
        other.execute("SELECT 'on the other connection'")

        with pytest.raises(psycopg.errors.DuplicatePreparedStatement, match="already exists"):
            other.execute("PREPARE a_name AS SELECT 2")


def test_a_client_that_leaves_in_the_middle_leaves_no_transaction_behind(url: str) -> None:
    with _connected(url) as client:
        client.execute("CREATE TABLE kept (n int)")
    for _ in range(3):
        with _connected(url) as client:
            client.execute("BEGIN; INSERT INTO kept VALUES (1)")

    with _connected(url) as client:
        assert [_one(client, "SELECT count(*) FROM kept") for _ in range(2)] == [0, 0]


def test_startup_options_are_refused(url: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="unsupported startup parameter: options"):
        psycopg.connect(url, options="-c statement_timeout=7s")
