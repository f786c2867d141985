"""Opens each ledger for the contract suite, and closes it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.contract.ledgers import LEDGERS, OpenLedger, Place, StandingClock
from tests.postgres import Postgres


@pytest.fixture
def clock() -> StandingClock:
    """The ledger's clock, standing at noon."""
    return StandingClock()


@pytest_asyncio.fixture(params=LEDGERS)
async def ledger(
    request: pytest.FixtureRequest, clock: StandingClock, tmp_path: Path, postgres: Postgres
) -> AsyncIterator[OpenLedger]:
    """Each implementation in turn."""
    async with LEDGERS[request.param](clock, Place(tmp_path, postgres)) as opened:
        yield opened
