"""Our competitor of the listing benchmark: the client's walk, narrowed as a look narrows it."""

import asyncio
import sys
from datetime import UTC, datetime
from typing import Final

from pydantic import SecretStr

from adapters.graph.client import GraphClient
from fixtures.bench.listing_pages import ADSET, WANTED_NAMES, WANTED_PART
from fixtures.bench.turns import take_turns
from reconciler.listing import Listing, Statuses, WalkRequest, Wanted
from reconciler.model import Container, ContainerKind, Kind

REQUEST: Final = WalkRequest(
    account_id="act_1001",
    container=Container(kind=ContainerKind.ADSET, id=ADSET),
    kind=Kind.AD,
    statuses=Statuses.EVERY_STATUS,
)
WANTED: Final = Wanted(names=WANTED_NAMES, document_parts=frozenset({WANTED_PART}))


async def main(url: str) -> None:
    """Walk once for each line of stdin."""
    client = GraphClient(url=url, tokens=lambda account: SecretStr("bench-token"))

    async def walk() -> int:
        found = await client.walk(REQUEST, WANTED.keeps, _now)
        if not isinstance(found, Listing):
            raise SystemExit(f"bench: the walk is incomplete: {found.detail}")
        if {row.name for row in found.rows} > WANTED_NAMES or not found.rows:
            raise SystemExit("bench: the walk kept other rows than were wanted")
        return found.row_count

    await take_turns(walk)
    await client.aclose()


async def _now() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
