"""A worker that is told to stop while the database is away ends soon, for nothing is in hand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from procrastinate.exceptions import ConnectorException
from psycopg_pool import AsyncConnectionPool

from adapters.engine.procrastinate_engine import opened
from adapters.store.postgres_connecting import POOL_SIZE
from reconciler.errors import LedgerUnavailable
from tests.integration.engine.engine_stage import PUBLISHED, EngineStage

SECONDS_MAX = 25
"""Less than the engine would wait for one connection, and less than a service manager waits."""

SLEEPERS = """
SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(3600)'
"""


class Door:
    """Lets nobody into one database of the server, or everybody again."""

    def __init__(self, url: str) -> None:
        base, _, self._name = url.rpartition("/")
        self._server = f"{base}/postgres"

    def shut(self) -> None:
        """Whoever is inside is put out."""
        self._run(f'ALTER DATABASE "{self._name}" ALLOW_CONNECTIONS false')
        self._run(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self._name}'"
        )

    def open(self) -> None:
        """As before."""
        self._run(f'ALTER DATABASE "{self._name}" ALLOW_CONNECTIONS true')

    def _run(self, statement: str) -> None:
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(statement.encode())


@pytest.fixture
def door(url: str) -> Iterator[Door]:
    made = Door(url)
    yield made
    made.open()


async def test_told_to_stop_while_the_database_is_away_it_ends_soon_and_in_order(
    stage: EngineStage, door: Door
) -> None:
    life = stage.running()
    await stage.queued("1")
    await stage.until_all_are(PUBLISHED)
    door.shut()

    async with asyncio.timeout(SECONDS_MAX):
        worked = await life.ended()

    assert worked.attempts == {"succeeded": 1}


async def test_told_to_stop_while_each_connection_proves_broken_it_ends_soon_and_in_order(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks is then between two tries: a pool that is closed would never tell him."""
    is_broken = False
    works = AsyncConnectionPool.check_connection

    async def checked(connection: psycopg.AsyncConnection[Any]) -> None:
        if is_broken:
            raise psycopg.OperationalError
        await works(connection)

    monkeypatch.setattr(AsyncConnectionPool, "check_connection", staticmethod(checked))
    life = stage.running()
    await stage.queued("1")
    await stage.until_all_are(PUBLISHED)
    is_broken = True

    async with asyncio.timeout(SECONDS_MAX):
        worked = await life.ended()

    assert worked.attempts == {"succeeded": 1}


async def test_what_the_engine_asks_when_it_ends_and_afterwards_fails(stage: EngineStage) -> None:
    """Also of a server that does not answer."""
    async with opened(stage.url) as (_, connector):
        asking = asyncio.create_task(connector.execute_query_async("SELECT pg_sleep(3600)"))
        while not await stage.asked(SLEEPERS):
            assert not asking.done()

        connector.end()

        async with asyncio.timeout(SECONDS_MAX):
            with pytest.raises(ConnectorException):
                await asking
        for ask in (connector.execute_query_one_async, connector.execute_query_all_async):
            with pytest.raises(ConnectorException):
                await ask("SELECT 1")


async def test_more_questions_than_connections_and_all_fail_at_once_while_the_ledger_is_away(
    stage: EngineStage, door: Door
) -> None:
    """Nobody waits for a connection of those whose own could not be made."""
    door.shut()
    async with asyncio.timeout(SECONDS_MAX):
        asking = [stage.ledger.now() for _ in range(2 * POOL_SIZE + 1)]
        answers = await asyncio.gather(*asking, return_exceptions=True)

    assert {type(answer) for answer in answers} == {LedgerUnavailable}
