"""What the tests of the faults share: a small fake, a plain client, and three requests."""

import httpx

from fixtures.graph import FakeGraph

ADS = "/v26.0/act_1001/ads"
LISTING = "/v26.0/2001/ads"
AD = {"name": "A", "adset_id": "2001", "creative": '{"creative_id":"3001"}', "status": "PAUSED"}
WALK_PAGES_MAX = 20


def made_count(graph: FakeGraph) -> int:
    return len(graph.world.created_by("fake-token"))


def fill(graph: FakeGraph, count: int) -> None:
    for number in range(count):
        graph.world.colleague_creates("ads", str(number), parent_id="2001")


async def create(client: httpx.AsyncClient, **params: str) -> httpx.Response:
    return await client.post(ADS, data=AD | params)


async def page(client: httpx.AsyncClient, **params: str) -> httpx.Response:
    wanted = {"fields": "id,name,created_time", "limit": "2"}
    return await client.get(LISTING, params=wanted | params)


async def walk(client: httpx.AsyncClient, limit: int = 2) -> list[list[str]]:
    pages: list[list[str]] = []
    more: dict[str, str] = {}
    for _ in range(WALK_PAGES_MAX):
        told = (await page(client, limit=str(limit), **more)).json()
        pages.append([row["name"] for row in told["data"]])
        if "next" not in told.get("paging", {}):
            return pages
        more = {"after": told["paging"]["cursors"]["after"]}
    return pages
