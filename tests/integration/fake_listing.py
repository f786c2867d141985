"""Walks of the fake API by the real client, in process."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from fixtures.graph import FakeGraph, SteppedClock, WorldOptions, small_world
from fixtures.graph.call import Call
from reconciler.listing import IncompleteListing, Keep, Listing, Statuses, Walk, WalkRequest
from reconciler.model import Container, ContainerKind, Kind

T0 = datetime(2026, 3, 10, 12, 0, 4, tzinfo=UTC)
ADS = WalkRequest(
    account_id="act_1001",
    container=Container(kind=ContainerKind.ADSET, id="2001"),
    kind=Kind.AD,
    statuses=Statuses.EVERY_STATUS,
)


def fake_with(count: int, **options: Any) -> FakeGraph:
    """A fake whose ad set 2001 holds so many ads, "0" the oldest. Its clock stands still."""
    graph = FakeGraph(small_world(SteppedClock(), options=WorldOptions(**options)), seed=1)
    for number in range(count):
        graph.world.colleague_creates("ads", str(number), parent_id="2001")
    return graph


def client_of(graph: FakeGraph, **settings: Any) -> GraphClient:
    """The real client; its retries pause for no time."""
    return GraphClient(
        tokens=Tokens(default=SecretStr("fake-token")),
        url="http://graph.test",
        transport=httpx.ASGITransport(graph),
        sleep=no_sleep,
        **settings,
    )


def everything(_: Any) -> bool:
    """Narrows nothing away."""
    return True


async def walked(
    graph: FakeGraph,
    keep: Keep = everything,
    request: WalkRequest = ADS,
    **settings: Any,
) -> Walk:
    """One walk by a client of its own."""
    client = client_of(graph, **settings)
    try:
        return await client.walk(request, keep, at_t0)
    finally:
        await client.aclose()


async def at_t0() -> datetime:
    """The ledger's clock, which stands still too."""
    return T0


async def no_sleep(_: timedelta) -> None:
    """Pauses are not what these tests are about."""


def complete(walk: Walk) -> Listing:
    """The walk, which must be one."""
    assert isinstance(walk, Listing), walk
    return walk


def incomplete(walk: Walk) -> IncompleteListing:
    """The walk, which must not be a listing."""
    assert isinstance(walk, IncompleteListing), walk
    return walk


def names(walk: Walk) -> list[str | None]:
    """Of the rows of a complete listing, in the order in which they came."""
    return [row.name for row in complete(walk).rows]


def listings(graph: FakeGraph) -> list[Call]:
    """The requests for pages."""
    return [call for call in graph.requests if call.is_listing]


def limits(graph: FakeGraph) -> list[int]:
    """The page sizes that were asked for."""
    return [int(call.query["limit"]) for call in listings(graph)]


def cursors(graph: FakeGraph) -> list[str | None]:
    """The cursors that were asked with."""
    return [call.query.get("after") for call in listings(graph)]
