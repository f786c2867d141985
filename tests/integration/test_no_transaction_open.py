"""While the API is asked anything, the ledger has no transaction open, in either database."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator

import httpx
import pytest
from pydantic import SecretStr

from adapters.clock import SystemClock
from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from adapters.store.ledger import SqlLedger
from fixtures.graph import FakeGraph, small_world
from fixtures.graph.call import Call
from fixtures.graph.fault import Fault, Proceed, Setting, at_all
from fixtures.graph.reply import Reply
from fixtures.seeded_chance import SeededChance
from reconciler.limits import Limits
from reconciler.model import DocumentState
from reconciler.outside import Outside
from reconciler.plan import read_plan
from reconciler.publish import publish
from reconciler.submit import submit
from tests.crash.plans import TREE
from tests.databases import asked, by_hand, opened

OPEN = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
"""


def is_one_open(url: str) -> bool:
    """SQLite tells by letting somebody else write at once."""
    if url.startswith("postgresql:"):
        return bool(asked(url, OPEN))
    connection = sqlite3.connect(url.removeprefix("sqlite:///"), timeout=0, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return True
    finally:
        connection.close()
    return False


@pytest.fixture
async def ledger(ledger_url: str) -> AsyncIterator[SqlLedger]:
    async with opened(ledger_url) as ledger:
        yield ledger


def test_one_that_is_open_would_be_seen(ledger_url: str) -> None:
    with by_hand(ledger_url) as connection:
        connection.exec_driver_sql("DELETE FROM account")
        assert is_one_open(ledger_url)
    assert not is_one_open(ledger_url)


async def test_no_transaction_is_open_during_any_request(
    ledger: SqlLedger, ledger_url: str
) -> None:
    """R081: creates, the walks after a lost reply, and the label: each asks the database."""
    found: list[tuple[str, bool]] = []
    graph = FakeGraph(small_world())

    async def asks(call: Call, proceed: Proceed, _: Setting) -> Reply:
        found.append((call.method, is_one_open(ledger_url)))
        return await proceed(call)

    graph.faults.add(Fault("asks", at_all, strike=asks, lasting=True))
    graph.faults.add("reply_lost_after_commit", nth=2)
    client = GraphClient(
        tokens=Tokens(default=SecretStr("fake-token")),
        url="http://graph.test",
        transport=httpx.ASGITransport(graph),
    )
    chance, limits = SeededChance(), Limits(concurrency=1)
    outside = Outside(
        ledger=ledger,
        graph=client,
        clock=SystemClock(),
        chance=chance,
        limits=limits,
        owner=chance.owner(),
    )
    plan = read_plan(TREE, echo=limits.echo)
    submitted = await submit(
        plan, key=None, new=False, publish=False, ledger=ledger, chance=chance, limits=limits
    )

    published = await publish(submitted.document.id, outside)
    await client.aclose()

    assert published.view.document.state is DocumentState.PUBLISHED
    assert {method for method, _ in found} == {"POST", "GET"}
    assert [each for each in found if each[1]] == []
