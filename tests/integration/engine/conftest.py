"""A ledger with the engine's tables in a PostgreSQL, and a stage on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta

import pytest
import pytest_asyncio

from adapters.engine import procrastinate_engine, tables
from tests.integration.engine.engine_stage import EngineStage, engine_stage
from tests.postgres import Postgres


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    made = postgres.migrated()
    tables.migrate(made)
    yield made
    postgres.drop(made)


@pytest_asyncio.fixture
async def stage(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[EngineStage]:
    monkeypatch.setattr(procrastinate_engine, "POLL", timedelta(seconds=0.05))
    async with engine_stage(url) as made:
        yield made
