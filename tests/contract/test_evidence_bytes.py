"""Evidence is what a person decides on: no byte of it changes unnoticed, in any database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio
from sqlalchemy import text

from adapters.store.ledger import SqlLedger
from reconciler.errors import LedgerUnavailable
from reconciler.ports import Anyhow
from reconciler.verdict import Evidence
from tests.contract.ledger_documents import put, queued, unchanged
from tests.contract.ledgers import StandingClock
from tests.databases import by_hand, new_file, opened

FOUND: Final = Evidence.of({"name": "ü", "now": 1.5})


@pytest_asyncio.fixture
async def ledger(ledger_url: str, clock: StandingClock) -> AsyncIterator[SqlLedger]:
    """A new ledger in each database, with this evidence."""
    async with opened(ledger_url, clock) as found:
        await put(found, queued())
        change = found.change
        await change("d1", Anyhow(), lambda view: replace(unchanged(view), evidence=(FOUND,)))
        yield found


def flipped(stored: str) -> Iterator[str]:
    """The text with one byte other than it was: its lowest bit, and where there is one its case."""
    for at, char in enumerate(stored):
        for other in {chr(ord(char) ^ 1), char.swapcase()} - {char}:
            yield stored[:at] + other + stored[at + 1 :]


@pytest.mark.parametrize("column", ["body", "hash"])
async def test_whichever_byte_is_flipped_the_evidence_is_refused_by_its_name(
    ledger: SqlLedger, ledger_url: str, column: str
) -> None:
    with by_hand(ledger_url) as connection:
        stored = str(connection.scalar(text(f"SELECT {column} FROM evidence")))
    unnoticed = []

    for altered in flipped(stored):
        with by_hand(ledger_url) as connection:
            connection.execute(text(f"UPDATE evidence SET {column} = :it"), {"it": altered})
        if FOUND.id not in await refusal(ledger):
            unnoticed.append(altered)

    assert unnoticed == []
    assert len(list(flipped(stored))) > len(stored)


@pytest.mark.parametrize(
    "spoiled",
    ["CAST(body AS BLOB)", "CAST(x'7bff7d' AS TEXT)", "NULLIF(hash, body)"],
    ids=["no text any more", "no UTF-8 any more", "another text"],
)
async def test_whatever_sqlite_may_hold_there_it_is_called_damaged_and_not_shown(
    tmp_path: Path, clock: StandingClock, spoiled: str
) -> None:
    """A column of text holds what anybody puts there, byte for byte."""
    url = new_file(tmp_path)
    async with opened(url, clock) as found:
        await put(found, queued())
        await found.change("d1", Anyhow(), lambda view: replace(unchanged(view), evidence=(FOUND,)))
        with by_hand(url) as connection:
            connection.execute(text(f"UPDATE evidence SET body = {spoiled}"))

        with pytest.raises(LedgerUnavailable, match="altered or damaged") as refused:
            await found.evidence(FOUND.id)

    assert "restore the ledger from a backup" in str(refused.value.next_step)
    assert "{" not in refused.value.message


async def refusal(ledger: SqlLedger) -> str:
    """What is said instead of the evidence; empty where it is given."""
    try:
        await ledger.evidence(FOUND.id)
    except LedgerUnavailable as refused:
        return refused.message
    return ""


async def test_what_was_put_back_is_read_again(ledger: SqlLedger, ledger_url: str) -> None:
    """What refuses it is the byte, not that somebody was there."""
    for spoil in (
        "UPDATE evidence SET body = body || ' '",
        "UPDATE evidence SET body = trim(body)",
    ):
        with by_hand(ledger_url) as connection:
            connection.execute(text(spoil))

    assert await ledger.evidence(FOUND.id) == FOUND
