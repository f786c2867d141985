"""What only the ledger on a SQLite file promises: durable commits, many writers, cancellation."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import sqlite3
import sys
import threading
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio

from adapters.store.sqlite import SqliteLedger
from reconciler.errors import CommitUnknown, LedgerUnavailable
from reconciler.model import DocumentState
from reconciler.ports import Anyhow, Change, Claim, View
from tests.contract.ledger_documents import (
    MINUTE,
    put,
    queued,
    setting,
    unchanged,
)
from tests.contract.ledgers import StandingClock
from tests.databases import new_file

ROUNDS: Final = 200


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A new file."""
    return new_file(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where it is."""
    return tmp_path / "ledger.db"


@pytest_asyncio.fixture
async def ledger(url: str, clock: StandingClock) -> AsyncIterator[SqliteLedger]:
    """A ledger on it."""
    opened = SqliteLedger.open(url, now=clock)
    yield opened
    await opened.aclose()


# --- durable ---------------------------------------------------------------------------------


async def test_a_commit_is_synced_before_it_is_acknowledged(ledger: SqliteLedger) -> None:
    """A1: a write-ahead log, synced at every commit."""
    asked = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")

    def pragmas(driver: sqlite3.Connection) -> list[Any]:
        return [driver.execute(f"PRAGMA {name}").fetchone()[0] for name in asked]

    found = await ledger._run(lambda: pragmas(ledger._database._driver))

    assert found == ["wal", 2, 1, 30_000]  # 2 is FULL


async def test_what_was_stored_is_there_for_whoever_opens_the_file_next(
    ledger: SqliteLedger, url: str, clock: StandingClock
) -> None:
    await put(ledger, queued())
    written = await ledger.change("d1", Anyhow(), setting(title="kept"))

    other = SqliteLedger.open(url, now=clock)
    assert await other.read("d1") == written
    await other.aclose()


async def test_a_lost_acknowledgement_is_neither_success_nor_failure(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(ledger, queued())
    driver = ledger._database._driver
    monkeypatch.setattr(ledger._database, "_driver", _FailingAtCommit(driver))

    with pytest.raises(CommitUnknown):
        await ledger.change("d1", Anyhow(), setting(title="perhaps"))

    monkeypatch.undo()
    assert (await ledger.read("d1")).document.title is None
    assert await ledger.change("d1", Anyhow(), setting(title="again")) is not None


class _FailingAtCommit:
    """A driver whose disk fails when the log is synced."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        self._driver = driver

    @property
    def in_transaction(self) -> bool:
        return self._driver.in_transaction

    def execute(self, statement: str) -> sqlite3.Cursor:
        if statement != "COMMIT":
            return self._driver.execute(statement)
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
        raise error


async def test_a_file_that_stays_locked_is_told_in_our_own_words(
    url: str, file: Path, clock: StandingClock
) -> None:
    impatient = SqliteLedger.open(url, now=clock, busy_milliseconds=1)
    await put(impatient, queued())
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")

    with pytest.raises(LedgerUnavailable, match="locked"):
        await impatient.change("d1", Anyhow(), unchanged)
    assert (await impatient.read("d1")).document.state is DocumentState.QUEUED

    writer.execute("ROLLBACK")
    assert await impatient.change("d1", Anyhow(), unchanged) is not None
    writer.close()
    await impatient.aclose()


WRITING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("CREATE TABLE half (one)")
print("writing", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")
"""


@pytest.mark.parametrize("ending", [signal.SIGCONT, signal.SIGKILL])
async def test_a_writer_that_was_stopped_is_told_of_and_how_to_go_on(
    url: str, file: Path, clock: StandingClock, ending: signal.Signals
) -> None:
    """Whichever of the two is done, nothing is lost and the others go on."""
    impatient = SqliteLedger.open(url, now=clock, busy_milliseconds=1)
    await put(impatient, queued())
    command = [sys.executable, "-c", WRITING, str(file)]
    writer = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert writer.stdin is not None
    assert writer.stdout is not None
    try:
        assert await writer.stdout.readline() == b"writing\n"
        writer.send_signal(signal.SIGSTOP)

        with pytest.raises(LedgerUnavailable, match="locked") as refused:
            await impatient.change("d1", Anyhow(), unchanged)

        told = refused.value.next_step
        assert "no process of yours was stopped while it wrote" in told
        assert f"kill -{'CONT' if ending is signal.SIGCONT else '9'} PID" in told
        writer.send_signal(ending)
        writer.stdin.close()
        await writer.wait()
    finally:
        if writer.returncode is None:
            writer.kill()
            await writer.wait()
    assert await impatient.change("d1", Anyhow(), unchanged) is not None
    await impatient.aclose()


# --- several writers -------------------------------------------------------------------------


def _claims(url: str, owner: str, barrier: threading.Barrier | Barrier) -> list[str]:
    """Claim each document at the same moment as the other, and say which were won."""
    ledger = SqliteLedger.open(url, now=StandingClock(), inline=True)
    won = []
    guard = Claim(owner=owner, duration=MINUTE, token_print=None)
    for number in range(ROUNDS):
        barrier.wait(30)
        if asyncio.run(ledger.change(f"d{number}", guard, unchanged)) is not None:
            won.append(f"d{number}")
            assert asyncio.run(ledger.renew(f"d{number}", owner, 1, MINUTE)) is not None
        # This one reads before it writes.
        asyncio.run(put(ledger, queued(f"{owner}{number}")))
    ledger.close()
    return won


async def _put_many(url: str) -> None:
    ledger = SqliteLedger.open(url, now=StandingClock())
    await put(ledger, *(queued(f"d{number}") for number in range(ROUNDS)))
    await ledger.aclose()


def _check_one_winner_each(first: list[str], second: list[str]) -> None:
    assert sorted(first + second) == sorted(f"d{number}" for number in range(ROUNDS))


async def test_of_two_threads_one_claims_each_document(url: str) -> None:
    """R087: no row lock is relied on; the conditional update decides."""
    await _put_many(url)
    barrier = threading.Barrier(2)

    won = await asyncio.gather(
        *(asyncio.to_thread(_claims, url, owner, barrier) for owner in ("me", "you"))
    )

    _check_one_winner_each(*won)


async def test_of_two_processes_one_claims_each_document_and_neither_is_locked_out(
    url: str,
) -> None:
    """R084: the write lock is taken at the beginning, so that no 'locked' escapes."""
    await _put_many(url)
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(2) as pool:
        barrier = manager.Barrier(2)
        running = [pool.apply_async(_claims, (url, owner, barrier)) for owner in ("me", "you")]
        won = [await asyncio.to_thread(each.get, 60) for each in running]

    _check_one_winner_each(*won)


# --- a caller that goes ----------------------------------------------------------------------


async def test_a_cancelled_caller_tears_no_transaction(ledger: SqliteLedger) -> None:
    """R086: what had begun commits; the ledger is free for the next."""
    await put(ledger, queued())
    begun, go_on = threading.Event(), threading.Event()

    def decide(view: View) -> Change:
        begun.set()
        assert go_on.wait(10)
        return setting(title="kept")(view)

    caller = asyncio.create_task(ledger.change("d1", Anyhow(), decide))
    assert await asyncio.to_thread(begun.wait, 10)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    go_on.set()

    assert (await ledger.read("d1")).document.title == "kept"


async def test_a_failure_that_nobody_waits_for_is_logged_for_those_who_ask(
    ledger: SqliteLedger, caplog: pytest.LogCaptureFixture
) -> None:
    await put(ledger, queued())
    begun, go_on = threading.Event(), threading.Event()

    def decide(_: View) -> Change:
        begun.set()
        assert go_on.wait(10)
        raise LedgerUnavailable("the disk is gone")

    caller = asyncio.create_task(ledger.change("d1", Anyhow(), decide))
    assert await asyncio.to_thread(begun.wait, 10)
    caller.cancel()
    with caplog.at_level(logging.INFO), pytest.raises(asyncio.CancelledError):
        await caller
    go_on.set()
    with caplog.at_level(logging.INFO):
        await ledger.read("d1")

    assert "the disk is gone" in caplog.text
    assert [record.levelname for record in caplog.records] == ["INFO"]


async def test_many_callers_share_one_thread_and_none_interleaves(ledger: SqliteLedger) -> None:
    await put(ledger, queued("d1", revision=0))

    def decide(view: View) -> Change:
        return setting(revision=view.document.revision + 1)(view)

    await asyncio.gather(*(ledger.change("d1", Anyhow(), decide) for _ in range(50)))

    assert (await ledger.read("d1")).document.revision == 50


async def test_closing_twice_is_closing_once(url: str) -> None:
    ledger = SqliteLedger.open(url)
    await ledger.aclose()
    await ledger.aclose()
    ledger.close()
