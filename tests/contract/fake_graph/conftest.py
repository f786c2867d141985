"""The fake that the tests of its faults act on, and a plain HTTP client of it."""

from collections.abc import AsyncIterator

import httpx
import pytest

from fixtures.graph import FakeGraph, SteppedClock, in_process, small_world


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def graph(clock: SteppedClock) -> FakeGraph:
    return FakeGraph(small_world(clock), seed=1)


@pytest.fixture
async def client(graph: FakeGraph) -> AsyncIterator[httpx.AsyncClient]:
    async with in_process(graph) as client:
        yield client
