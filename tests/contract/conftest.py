"""Opens each ledger for the contract suite, and closes it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.contract.ledgers import LEDGERS, OpenLedger, StandingClock


@pytest.fixture
def clock() -> StandingClock:
    """The ledger's clock, standing at noon."""
    return StandingClock()


@pytest_asyncio.fixture(params=LEDGERS)
async def ledger(
    request: pytest.FixtureRequest, clock: StandingClock, tmp_path: Path
) -> AsyncIterator[OpenLedger]:
    """Each implementation in turn."""
    opened = LEDGERS[request.param](clock, tmp_path)
    yield opened
    await opened.aclose()
