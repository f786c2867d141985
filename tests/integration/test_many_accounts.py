"""Many accounts listed side by side: none waits for another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from adapters.graph.client import READS_AT_ONCE, GraphClient
from fixtures.graph import FakeGraph, World
from fixtures.virtual_time import VirtualTime
from reconciler.listing import Listing, Statuses, WalkRequest
from reconciler.model import Container, ContainerKind, Kind
from tests.integration.fake_listing import at_t0, client_of, everything

ACCOUNTS = [f"act_{1001 + number}" for number in range(32)]
PAGE_SECONDS = 0.2
ROWS_A_PAGE = 10


@pytest.fixture
def time() -> Iterator[VirtualTime]:
    made = VirtualTime()
    yield made
    made.close()


def fake(time: VirtualTime, pages: dict[str, int]) -> FakeGraph:
    """Each account has so many pages of campaigns, and each page takes 200 ms."""
    world = World(time.now, list(pages))
    for number, (account, count) in enumerate(pages.items()):
        for row in range(count * ROWS_A_PAGE):
            world.place("campaigns", f"{number + 1}{row:06}", account_id=account, name=str(row))
    return FakeGraph(world, latency_seconds=PAGE_SECONDS)


async def listed(client: GraphClient, account: str) -> float:
    """How long a whole walk of the account took."""
    began = asyncio.get_running_loop().time()
    walk = await client.walk(
        WalkRequest(
            account_id=account,
            container=Container(kind=ContainerKind.ACCOUNT, id=account),
            kind=Kind.CAMPAIGN,
            statuses=Statuses.EVERY_STATUS,
        ),
        everything,
        at_t0,
    )
    assert isinstance(walk, Listing)
    return asyncio.get_running_loop().time() - began


def test_32_accounts_take_little_longer_at_once_than_the_largest_alone(time: VirtualTime) -> None:
    pages = {account: 3 + number % 8 for number, account in enumerate(ACCOUNTS)}
    graph = fake(time, pages)

    async def alone() -> list[float]:
        client = client_of(graph, page_size=ROWS_A_PAGE)
        return [await listed(client, account) for account in ACCOUNTS]

    async def at_once() -> float:
        client = client_of(graph, page_size=ROWS_A_PAGE)
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*(listed(client, account) for account in ACCOUNTS))
        return asyncio.get_running_loop().time() - began

    slowest, together = max(time.run(alone())), time.run(at_once())

    assert slowest == pytest.approx(10 * PAGE_SECONDS)
    assert together <= 1.4 * slowest
    assert len(ACCOUNTS) <= READS_AT_ONCE
