"""PostgreSQL ends every session, or crashes and starts again, at each write of a publish.

The worker lives on. It gets to see an error or nothing at all; what was committed is there
afterwards, and the document ends published, each item once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

import psycopg
import pytest
from sqlalchemy import Connection

from adapters.store.ledger import Locking, SqlLedger
from adapters.store.postgres import migrate
from fixtures.postgres_server import PostgresServer, running_postgres
from fixtures.stage import Stage
from reconciler.errors import LedgerUnavailable
from reconciler.limits import Limits
from reconciler.model import DocumentState
from reconciler.ports import Ledger
from tests.crash.plans import FOUR_ADS
from tests.crash.postgres_ledgers import PostgresForStories, stories_on
from tests.crash.promise import assert_promise
from tests.postgres import GRAPH_URL

Result = TypeVar("Result")
Count = Callable[[str, object], None]
Disturb = Callable[[], None]

WRITES_MAX: Final = 50
"""More than a publish has: a loop that gets there has lost its way."""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One that may be stopped."""
    with running_postgres() as running:
        migrate(running.url(), graph_url=GRAPH_URL, accept_unsafe=True)
        yield running


@pytest.fixture(scope="module")
def stories(server: PostgresServer) -> Iterator[PostgresForStories]:
    """Ledgers for one story after the other."""
    with stories_on(server.url()) as opened:
        yield opened


def _end_every_session(server: PostgresServer) -> None:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )


def _crash(server: PostgresServer) -> None:
    server.restart("immediate")


@dataclass
class Disturbed(SqlLedger):
    """A ledger under which something happens once: before its n-th write, or in its middle."""

    ledger: SqlLedger
    nth: int
    inside: bool
    disturb: Disturb
    writes: int = 0

    async def now(self) -> datetime:
        return await self.ledger.now()

    async def aclose(self) -> None:
        await self.ledger.aclose()

    async def _read(self, body: Callable[[Connection, datetime], Result]) -> Result:
        return await self.ledger._read(body)

    async def _write(
        self, body: Callable[[Connection, datetime], Result], locked: Locking | None = None
    ) -> Result:
        self.writes += 1
        if self.writes - 1 != self.nth:
            return await self.ledger._write(body, locked)
        if not self.inside:
            self.disturb()
            return await self.ledger._write(body, locked)

        def disturbed(connection: Connection, now: datetime) -> Result:
            self.disturb()
            return body(connection, now)

        return await self.ledger._write(disturbed, locked)


@pytest.mark.parametrize("disturb", [_end_every_session, _crash], ids=["sessions ended", "crashed"])
@pytest.mark.parametrize("inside", [False, True], ids=["between writes", "inside a write"])
def test_the_document_ends_published_each_item_once(
    server: PostgresServer,
    stories: PostgresForStories,
    disturb: Callable[[PostgresServer], None],
    inside: bool,
    record_property: Count,
) -> None:
    for nth in range(WRITES_MAX):

        def opened(clock: Callable[[], datetime], nth: int = nth) -> Ledger:
            return Disturbed(stories(clock), nth, inside, lambda: disturb(server))

        if not _played(Stage(limits=Limits(concurrency=3), open_ledger=opened)):
            break

    assert 0 < nth < WRITES_MAX - 1
    record_property("cells", nth)


def _played(stage: Stage) -> bool:
    """Whether the publish had that many writes."""
    assert isinstance(stage.ledger, Disturbed)
    try:
        stage.publish(stage.submit(FOUR_ADS))
    except* LedgerUnavailable:
        pass  # whoever sees it says the same again
    was_disturbed = stage.ledger.writes > stage.ledger.nth
    stage.ledger.nth = -1
    document_id = stage.submit(FOUR_ADS)
    document = stage.run_until_rest(document_id)

    assert stage.documents == [document_id]
    assert document.state is DocumentState.PUBLISHED, stage.story(document_id)
    assert document.surplus == ()
    assert_promise(stage)
    stage.close()
    return was_disturbed
