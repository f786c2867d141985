"""A worker that is told to stop while the database is away ends soon, for nothing is in hand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import psycopg
import pytest

from tests.integration.engine.engine_stage import PUBLISHED, EngineStage

SECONDS_MAX = 60
"""Less than a service manager waits (systemd: 90). Nearly always it takes four to eleven; once, on
a busy machine, more than 25, and why is not known."""


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
