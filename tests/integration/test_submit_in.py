"""A document handed in inside the caller's own transaction: theirs commits it, or nobody does."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import Connection, Engine, NullPool, create_engine, text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session

from adapters.bootstrap import Reconciler
from adapters.store.ledger import SqlLedger
from fixtures.graph.scene import small_world
from fixtures.seeded_chance import SeededChance
from fixtures.virtual_time import VirtualTime, WorkerClock
from fixtures.world_graph import WorldGraph
from reconciler.errors import ForeignLedger, InvalidPlan, LedgerUnavailable, UnknownDocument
from reconciler.limits import Limits
from reconciler.model import DocumentState
from reconciler.outside import Outside
from tests.contract.ledgers import StandingClock
from tests.crash.plans import ONE_AD, ads
from tests.databases import opened
from tests.postgres import Postgres


@pytest_asyncio.fixture
async def product(ledger_url: str) -> AsyncIterator[Reconciler]:
    async with opened(ledger_url, StandingClock()) as ledger:
        yield product_on(ledger)


def product_on(ledger: SqlLedger) -> Reconciler:
    chance, time = SeededChance(0), VirtualTime()
    time.close()
    outside = Outside(
        ledger=ledger,
        graph=WorldGraph(small_world(StandingClock())),
        clock=WorkerClock(time),
        chance=chance,
        limits=Limits(),
        owner=chance.owner(),
    )
    return Reconciler(outside, read_budget=timedelta(seconds=2), close=_nothing)


async def _nothing() -> None:
    pass


@pytest.fixture
def engine(ledger_url: str) -> Iterator[Engine]:
    """The application's own, which writes its JSON in a way of its own, and has a table there."""
    url = ledger_url.replace("postgresql:", "postgresql+psycopg:")
    made = create_engine(url, poolclass=NullPool, json_serializer=_spaced)
    with made.begin() as connection:
        connection.execute(text("CREATE TABLE campaign_draft (name TEXT, document_id TEXT)"))
    yield made
    made.dispose()


def _spaced(value: Any) -> str:
    return json.dumps(value, indent=1)


def drafts(connection: Connection) -> list[Any]:
    return list(connection.execute(text("SELECT document_id FROM campaign_draft")).scalars())


async def handed_in(product: Reconciler, theirs: Connection | Session, **how: Any) -> str:
    """With a row of their own beside it."""
    document = (await product.submit_in(theirs, ONE_AD, **how)).document
    row = {"id": document.id}
    theirs.execute(text("INSERT INTO campaign_draft VALUES ('Spring', :id)"), row)
    return document.id


async def test_their_commit_is_its_commit(product: Reconciler, engine: Engine) -> None:
    with Session(engine) as session:
        document_id = await handed_in(product, session, publish=True)
        with pytest.raises(UnknownDocument):
            await product.peek(document_id)
        session.commit()

    document = (await product.peek(document_id)).document
    with engine.connect() as connection:
        assert drafts(connection) == [document_id]
    assert document.state is DocumentState.QUEUED
    assert document.items[0].params == {"creative": {"creative_id": "3001"}}


async def test_what_they_roll_back_was_never_handed_in(product: Reconciler, engine: Engine) -> None:
    with engine.connect() as connection:
        document_id = await handed_in(product, connection)
        connection.rollback()

        assert drafts(connection) == []
    with pytest.raises(UnknownDocument):
        await product.peek(document_id)
    assert (await product.submit(ONE_AD)).created


async def test_a_connection_that_had_not_begun_is_theirs_to_commit(
    product: Reconciler, engine: Engine
) -> None:
    with engine.connect() as connection:
        submitted = await product.submit_in(connection, ONE_AD)
        connection.commit()

    assert (await product.peek(submitted.document.id)).document == submitted.document


async def test_the_same_plan_and_the_next_revision_are_known_there_too(
    product: Reconciler, engine: Engine
) -> None:
    known = (await product.submit(ONE_AD, key="k")).document
    with Session(engine) as session:
        same = await product.submit_in(session, ONE_AD, key="k")
        mended = await product.submit_in(session, ads("Spring, mended"), key="k")
        session.commit()

    assert (same.document.id, same.created, same.changed) == (known.id, False, False)
    assert (mended.document.id, mended.changed) == (known.id, True)
    assert (await product.peek(known.id)).document.items[0].name == "Spring, mended"


async def test_a_bad_plan_leaves_their_transaction_as_it_was(
    product: Reconciler, engine: Engine
) -> None:
    with Session(engine) as session:
        session.execute(text("INSERT INTO campaign_draft VALUES ('Spring', 'mine')"))
        with pytest.raises(InvalidPlan):
            await product.submit_in(session, {"items": []})
        session.commit()

    with engine.connect() as connection:
        assert drafts(connection) == ["mine"]


async def test_statements_compiled_for_them_are_not_used_by_the_ledger(
    product: Reconciler, engine: Engine
) -> None:
    """Whoever comes first, each writes JSON in its own way."""
    with Session(engine) as session:
        theirs = (await product.submit_in(session, ads("Theirs"))).document
        session.commit()
    ours = (await product.submit(ads("Ours"))).document

    with engine.connect() as connection:
        found = connection.execute(text("SELECT document_id, params FROM item"))
        written = {row.document_id: row.params for row in found}
    if engine.dialect.name == "sqlite":
        assert "\n" in written[theirs.id]
        assert written[ours.id] == '{"creative":{"creative_id":"3001"}}'
    assert (await product.peek(theirs.id)).document == theirs


async def test_a_transaction_of_another_database_is_refused(
    product: Reconciler, tmp_path: Path, postgres: Postgres, ledger_url: str
) -> None:
    elsewhere = create_engine(f"sqlite:///{tmp_path / 'app.db'}", poolclass=NullPool)
    with elsewhere.connect() as connection, pytest.raises(ForeignLedger):
        await product.submit_in(connection, ONE_AD)
    if ledger_url.startswith("postgresql:"):
        other = postgres.migrated()
        engine = create_engine(
            other.replace("postgresql:", "postgresql+psycopg:"), poolclass=NullPool
        )
        with engine.connect() as connection, pytest.raises(ForeignLedger):
            await product.submit_in(connection, ONE_AD)
        engine.dispose()
        postgres.drop(other)
    elsewhere.dispose()


async def test_a_connection_that_commits_by_itself_is_refused_and_stores_nothing(
    product: Reconciler, engine: Engine
) -> None:
    alone = engine.execution_options(isolation_level="AUTOCOMMIT")
    with alone.connect() as connection, pytest.raises(LedgerUnavailable, match="in autocommit"):
        await product.submit_in(connection, ONE_AD)
    with Session(alone) as session, pytest.raises(LedgerUnavailable, match="in autocommit"):
        await product.submit_in(session, ONE_AD)

    assert (await product.submit(ONE_AD)).created


async def test_a_transaction_that_they_began_by_hand_in_autocommit_carries_it(
    product: Reconciler, engine: Engine
) -> None:
    alone = engine.execution_options(isolation_level="AUTOCOMMIT")
    with alone.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        document = (await product.submit_in(connection, ONE_AD)).document
        with pytest.raises(UnknownDocument):
            await product.peek(document.id)
        connection.exec_driver_sql("COMMIT")

    assert (await product.peek(document.id)).document == document


async def test_what_is_no_transaction_is_refused_and_what_is_one_is_named(
    product: Reconciler, engine: Engine
) -> None:
    theirs: Any
    for theirs in (engine, None, "postgresql://", object()):
        with pytest.raises(LedgerUnavailable, match="is no transaction") as refused:
            await product.submit_in(theirs, ONE_AD)
        assert "AsyncSession" in refused.value.next_step


async def test_an_async_session_carries_it_too(postgres: Postgres) -> None:
    url = postgres.migrated()
    engine = create_async_engine(
        url.replace("postgresql:", "postgresql+psycopg:"), poolclass=NullPool
    )
    async with opened(url) as ledger:
        product = product_on(ledger)
        async with AsyncSession(engine) as session:
            kept = await product.submit_in(session, ads("Kept"))
            await session.commit()
        alone = engine.execution_options(isolation_level="AUTOCOMMIT")
        async with AsyncSession(alone) as session:
            with pytest.raises(LedgerUnavailable, match="in autocommit"):
                await product.submit_in(session, ads("Refused"))
        async with engine.connect() as connection:
            dropped = await product.submit_in(connection, ads("Dropped"))
            await connection.rollback()

        assert (await product.peek(kept.document.id)).document == kept.document
        with pytest.raises(UnknownDocument):
            await product.peek(dropped.document.id)
    await engine.dispose()
    postgres.drop(url)
