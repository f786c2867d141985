"""The fake that the tests of its faults act on, and a plain HTTP client of it."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from fixtures.graph import FakeGraph, SteppedClock, in_process, small_world
from fixtures.graph.socket_server import running_fake


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


@pytest.fixture
def url(graph: FakeGraph) -> Iterator[str]:
    """The fake on a socket, with what the official client sends demanded of it (facts 7.8)."""
    from tests.contract.fake_graph.official_sdk import SECRET

    graph.options.app_secret = SECRET
    graph.options.next_credential = "sent"
    with running_fake(graph) as url:
        yield url


@pytest.fixture
def api(url: str) -> Iterator[Any]:
    """The official client of it. Imported only where it is used: that takes half a second."""
    from tests.contract.fake_graph.official_sdk import connected

    with connected(url) as api:
        yield api
