"""Crashes and their recovery through a transaction pooler, with the settings that ship."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest

from adapters.store.postgres import PostgresLedger, migrate
from fixtures.postgres_pooler import pooler_before
from fixtures.world_graph import Weather
from reconciler.ports import Claim
from tests.contract.ledger_documents import put, queued, unchanged
from tests.crash.cells import Scene, single_cuts
from tests.crash.plans import ONE_AD
from tests.crash.postgres_ledgers import stories_on
from tests.postgres import GRAPH_URL, Postgres

LEASE = timedelta(minutes=2)


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    """A ledger behind a pooler with two connections."""
    database = postgres.migrated()
    with pooler_before(database) as pooled:
        yield pooled
    postgres.drop(database)


def test_a_ledger_is_made_and_opened_through_it(postgres: Postgres) -> None:
    database = postgres.empty()
    with pooler_before(database) as pooled:
        for _ in range(2):
            migrate(pooled, graph_url=GRAPH_URL, accept_unsafe=True)
        PostgresLedger.open(pooled, graph_url=GRAPH_URL, accept_unsafe=True)
    # Whoever goes around the pooler meets the same ledger.
    PostgresLedger.open(database, graph_url=GRAPH_URL, accept_unsafe=True)
    postgres.drop(database)


@pytest.mark.parametrize("weather", [Weather.FAIR, Weather.REPLY_LOST])
def test_every_cut_of_a_publish_is_recovered_from(url: str, weather: Weather) -> None:
    with stories_on(url) as stories:
        scene = Scene(plan=ONE_AD, creates={0: weather}, open_ledger=stories)

        assert sum(1 for _ in single_cuts(scene)) > 0


async def test_two_workers_claim_and_renew_as_without_one(url: str) -> None:
    """R080: no statement that exists already or does not exist, and none left in a transaction."""
    ledgers = [PostgresLedger.open(url, accept_unsafe=True) for _ in range(2)]
    await put(ledgers[0], *(queued(f"d{number}") for number in range(20)))

    async def claim(worker: int, number: int) -> bool:
        ledger, owner = ledgers[worker], f"worker {worker}"
        claim = Claim(owner=owner, duration=LEASE, token_print=None)
        if await ledger.change(f"d{number}", claim, unchanged) is None:
            return False
        return await ledger.renew(f"d{number}", owner, 1, LEASE) is not None

    for number in range(20):
        assert sorted(await asyncio.gather(claim(0, number), claim(1, number))) == [False, True]

    for ledger in ledgers:
        await ledger.aclose()
