"""What only the ledger on PostgreSQL promises: durable commits, lost connections, cancellation."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any, Final

import psycopg
import pytest
import pytest_asyncio
from sqlalchemy import Connection, text

from adapters.store import postgres_database, transactions
from adapters.store.postgres import PostgresLedger
from reconciler.errors import CommitUnknown, LedgerUnavailable
from reconciler.model import DocumentState
from reconciler.ports import Anyhow, Change, View
from tests.contract.ledger_documents import document, put, queued, setting, unchanged
from tests.contract.ledgers import NOON, StandingClock
from tests.contract.postgres_hand import Hand, Standing
from tests.postgres import Postgres

IN_FORCE: Final = ("synchronous_commit", "transaction_isolation", "transaction_read_only")


@pytest.fixture
def hand(postgres: Postgres) -> Hand:
    """A new ledger, by hand."""
    return Hand(postgres.migrated())


@pytest_asyncio.fixture
async def ledger(hand: Hand) -> AsyncIterator[PostgresLedger]:
    """Ours."""
    opened = hand.ledger(StandingClock())
    yield opened
    await opened.aclose()


# --- durable ---------------------------------------------------------------------------------


def _in_force(connection: Connection, _: datetime) -> list[str]:
    asked = (text(f"SELECT current_setting('{name}')") for name in IN_FORCE)
    return [connection.execute(one).scalar_one() for one in asked]


async def test_a_commit_is_on_disk_before_it_is_acknowledged_whatever_the_database_says(
    ledger: PostgresLedger, hand: Hand
) -> None:
    """A1: set for each transaction, so that a pooler's other clients change nothing."""
    [(name,)] = hand.ask("SELECT current_database()")
    hand.ask(f"ALTER DATABASE {name} SET synchronous_commit = off")
    hand.ask(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")

    assert await ledger._write(_in_force) == ["on", "read committed", "off"]
    assert await ledger._read(_in_force) == ["on", "repeatable read", "on"]


async def test_nothing_is_left_on_a_connection_for_whoever_uses_it_next(
    ledger: PostgresLedger, hand: Hand
) -> None:
    """Behind a transaction pooler it is somebody else."""
    await put(ledger, queued())
    await ledger.change("d1", Anyhow(), unchanged)

    async with ledger._database._engine.connect() as connection:
        driver = await postgres_database._driver_of(connection)
        left = await driver.execute(
            "SELECT current_setting('lock_timeout'),"
            " (SELECT count(*) FROM pg_prepared_statements),"
            " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')"
        )
        assert await left.fetchone() == ("0", 0, 0)
        await driver.execute("SELECT 1")


async def test_a_read_sees_one_unchanging_state(ledger: PostgresLedger, hand: Hand) -> None:
    await put(ledger, queued())

    def body(connection: Connection, now: datetime) -> tuple[View, View]:
        before = transactions.read(connection, now, "d1")
        hand.ask("UPDATE document SET title = 'moved'")
        return before, transactions.read(connection, now, "d1")

    before, after = await ledger._read(body)

    assert before == after
    assert (await ledger.read("d1")).document.title == "moved"


async def test_the_time_is_the_databases(hand: Hand) -> None:
    ledger = hand.ledger()
    [(before,)] = hand.ask("SELECT clock_timestamp()")
    now = await ledger.now()
    [(after,)] = hand.ask("SELECT clock_timestamp()")
    await ledger.aclose()

    assert before <= now <= after
    assert now.tzinfo is UTC


# --- a commit that is not acknowledged -------------------------------------------------------

Execute = Callable[..., Any]


def _answer_to_commit(monkeypatch: pytest.MonkeyPatch, *, arrives: bool) -> None:
    """The connection breaks at the next COMMIT, before or after the server has made it."""
    execute: Execute = psycopg.AsyncConnection.execute

    async def breaking(self: psycopg.AsyncConnection[Any], query: Any, *given: Any) -> Any:
        if query != "COMMIT":
            return await execute(self, query, *given)
        monkeypatch.undo()
        if arrives:
            await execute(self, query, *given)
        postgres_database._cut(self)
        return await execute(self, "SELECT 1")

    monkeypatch.setattr(psycopg.AsyncConnection, "execute", breaking)


@pytest.mark.parametrize("arrives", [True, False], ids=["made", "not made"])
async def test_a_lost_acknowledgement_is_neither_success_nor_failure(
    ledger: PostgresLedger, monkeypatch: pytest.MonkeyPatch, arrives: bool
) -> None:
    await put(ledger, queued())
    _answer_to_commit(monkeypatch, arrives=arrives)

    with pytest.raises(CommitUnknown) as lost:
        await ledger.change("d1", Anyhow(), setting(title="perhaps"))

    assert lost.value.next_step == "read again"
    assert (await ledger.read("d1")).document.title == ("perhaps" if arrives else None)
    assert await ledger.change("d1", Anyhow(), setting(title="again")) is not None


async def test_a_commit_that_the_server_turns_into_a_rollback_is_no_success(
    ledger: PostgresLedger,
) -> None:
    """PostgreSQL answers COMMIT with ROLLBACK, not with an error, where a statement had failed."""
    await put(ledger, queued())

    def body(connection: Connection, _: datetime) -> None:
        cursor = connection.connection.cursor()
        cursor.execute("UPDATE document SET title = 'lost'")
        with pytest.raises(psycopg.errors.DivisionByZero):
            cursor.execute("SELECT 1 / 0")

    with pytest.raises(LedgerUnavailable, match="rolled the transaction back"):
        await ledger._write(body)

    assert (await ledger.read("d1")).document.title is None


async def test_a_commit_with_a_warning_is_not_taken_for_durable(ledger: PostgresLedger) -> None:
    """So the server tells that it did not wait for the standby, which failover would promote."""

    def body(connection: Connection, _: datetime) -> None:
        cursor = connection.connection.cursor()
        cursor.execute(
            "CREATE FUNCTION pg_temp.warn() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE WARNING 'not on the standby'; RETURN NULL; END $$"
        )
        cursor.execute(
            "CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON account"
            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pg_temp.warn()"
        )
        cursor.execute("INSERT INTO account (id, failures) VALUES ('act_1', 0)")

    with pytest.raises(CommitUnknown, match="not on the standby"):
        await ledger._write(body)


# --- a connection that is lost ---------------------------------------------------------------


async def test_a_connection_lost_before_the_commit_changed_nothing(
    ledger: PostgresLedger, hand: Hand
) -> None:
    await put(ledger, queued())

    def decide(view: View) -> Change:
        hand.cut_everybody_off()
        return setting(title="lost")(view)

    with pytest.raises(LedgerUnavailable) as refused:
        await ledger.change("d1", Anyhow(), decide)

    assert not isinstance(refused.value, CommitUnknown)
    assert (await ledger.read("d1")).document.title is None
    assert await ledger.change("d1", Anyhow(), setting(title="again")) is not None


async def test_connections_that_broke_while_nobody_used_them_are_replaced_unnoticed(
    ledger: PostgresLedger, hand: Hand
) -> None:
    await put(ledger, queued())
    await asyncio.gather(*(ledger.read("d1") for _ in range(20)))
    hand.cut_everybody_off()

    assert (await ledger.read("d1")).document.state is DocumentState.QUEUED
    assert await ledger.change("d1", Anyhow(), setting(title="kept")) is not None


async def test_a_server_that_is_gone_is_told_in_our_own_words(
    ledger: PostgresLedger, hand: Hand, postgres: Postgres
) -> None:
    await put(ledger, queued())
    postgres.drop(hand.url)

    with pytest.raises(LedgerUnavailable) as refused:
        await ledger.read("d1")

    assert "does not exist" in refused.value.message
    assert refused.value.next_step


async def test_a_server_that_answers_no_more_is_given_up(
    ledger: PostgresLedger, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frozen server keeps its sockets open and says nothing."""
    await put(ledger, queued())
    monkeypatch.setattr(postgres_database, "DEADLINE_SECONDS", 0.1)

    with (
        hand.holding("SELECT 1 FROM document FOR UPDATE"),
        pytest.raises(LedgerUnavailable, match="closed the connection"),
    ):
        await ledger.change("d1", Anyhow(), unchanged)

    monkeypatch.undo()
    assert await ledger.change("d1", Anyhow(), unchanged) is not None


async def test_a_row_that_stays_locked_is_told_in_our_own_words(
    ledger: PostgresLedger, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(ledger, queued())
    hasty = postgres_database._WRITE.replace("lock_timeout = '30s'", "lock_timeout = '10ms'")
    monkeypatch.setattr(postgres_database, "_WRITE", hasty)

    with (
        hand.holding("SELECT 1 FROM document FOR UPDATE"),
        pytest.raises(LedgerUnavailable, match="lock timeout"),
    ):
        await ledger.change("d1", Anyhow(), unchanged)

    assert await ledger.change("d1", Anyhow(), unchanged) is not None


async def test_our_own_mistakes_are_not_taken_for_a_database_that_is_away(
    ledger: PostgresLedger,
) -> None:
    def body(connection: Connection, _: datetime) -> None:
        connection.connection.cursor().execute("SELECT nonsense")

    with pytest.raises(AssertionError, match="nonsense"):
        await ledger._write(body)


# --- a caller that goes ----------------------------------------------------------------------


async def test_a_cancelled_caller_tears_no_transaction_and_leaves_no_connection_in_use(
    ledger: PostgresLedger, hand: Hand
) -> None:
    """R086: what had begun commits."""
    await put(ledger, queued())

    async with Standing().changing(hand, "d1", Anyhow(), unchanged):
        caller = asyncio.create_task(ledger.change("d1", Anyhow(), setting(title="kept")))
        await hand.until_somebody_waits()
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller

    await asyncio.gather(*ledger._running)
    assert (await ledger.read("d1")).document.title == "kept"
    assert ledger._database._engine.pool.status().count("Current Checked out connections: 0") == 1


async def test_a_failure_that_nobody_waits_for_is_logged_for_those_who_ask(
    ledger: PostgresLedger, hand: Hand, caplog: pytest.LogCaptureFixture
) -> None:
    await put(ledger, queued())

    def decide(_: View) -> Change:
        raise LedgerUnavailable("the disk is gone")

    with caplog.at_level(logging.INFO):
        async with Standing().changing(hand, "d1", Anyhow(), unchanged):
            caller = asyncio.create_task(ledger.change("d1", Anyhow(), decide))
            await hand.until_somebody_waits()
            caller.cancel()
        await asyncio.gather(*ledger._running, return_exceptions=True)
        with pytest.raises(asyncio.CancelledError):
            await caller

    assert "the disk is gone" in caplog.text
    assert [record.levelname for record in caplog.records] == ["INFO"]


async def test_closing_lets_what_runs_end_and_closing_twice_is_closing_once(hand: Hand) -> None:
    ledger = hand.ledger(StandingClock())
    writing = asyncio.create_task(put(ledger, document()))
    await asyncio.sleep(0)  # it begins

    await ledger.aclose()
    await writing
    await ledger.aclose()

    other = hand.ledger(StandingClock())
    assert (await other.read("d1")).now == NOON
    await other.aclose()
