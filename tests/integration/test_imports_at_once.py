"""Imports side by side, on each database: everything is taken once, and no id stands for two."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from adapters.clock import SystemChance, SystemClock
from adapters.store.ledger import SqlLedger
from fixtures.graph.scene import small_world
from fixtures.world_graph import WorldGraph
from reconciler.imported import Stated
from reconciler.imported_lines import RawLine, Refused
from reconciler.importing import Imported, import_documents
from reconciler.limits import Limits
from reconciler.outside import Outside
from tests.databases import opened
from tests.integration.elsewhere import finished, line

DOCUMENTS = 500


def outside(ledger: SqlLedger) -> Outside:
    return Outside(
        ledger=ledger,
        graph=WorldGraph(small_world()),
        clock=SystemClock(),
        chance=SystemChance(),
        limits=Limits(),
        owner="importer",
    )


async def imports(ledger: SqlLedger, lines: list[dict[str, Any]]) -> tuple[Imported, list[Refused]]:
    refused: list[Refused] = []
    raws = [RawLine(number=at, text="", value=each) for at, each in enumerate(lines, 1)]
    stated = Stated(gone_before=datetime.now(UTC) - timedelta(seconds=1))
    return await import_documents(raws, stated, outside(ledger), refuse=refused.append), refused


async def test_the_same_file_imported_by_two_at_once_is_taken_once(ledger_url: str) -> None:
    lines = [line(f"{number:04d}", "A", "B") for number in range(DOCUMENTS)]

    async with opened(ledger_url) as one, opened(ledger_url) as other:
        (first, _), (second, _) = await asyncio.gather(imports(one, lines), imports(other, lines))
        stored = await one.exported(limit=2 * DOCUMENTS)

    assert first.accepted + second.accepted == len(stored) == DOCUMENTS
    assert first.unchanged + second.unchanged == DOCUMENTS
    assert (first.refused, second.refused) == (0, 0)


async def test_of_two_imports_that_record_the_same_ids_each_id_goes_to_one(
    ledger_url: str,
) -> None:
    ours = [finished(f"a{number}", A=str(9_000 + number)) for number in range(DOCUMENTS)]
    theirs = [finished(f"b{number}", A=str(9_000 + number)) for number in range(DOCUMENTS)]

    async with opened(ledger_url) as one, opened(ledger_url) as other:
        done = await asyncio.gather(imports(one, ours), imports(other, theirs[::-1]))
        stored = await one.exported(limit=4 * DOCUMENTS)

    bound = Counter(
        item.intent.external_id for each in stored for item in each.items if item.intent
    )
    assert set(bound.values()) == {1}
    assert len(bound) == DOCUMENTS
    assert sum(told.accepted for told, _ in done) == DOCUMENTS
    assert {fault.field for _, refused in done for fault in refused} == {"recorded"}


async def test_two_that_say_at_once_that_an_account_is_complete_say_it_once(
    ledger_url: str,
) -> None:
    accounts = [f"act_{number}" for number in range(100)]

    async with opened(ledger_url) as one, opened(ledger_url) as other:
        said = [each.say_complete(account) for account in accounts for each in (one, other)]
        await asyncio.gather(*said)

        assert all([await one.is_complete(account) for account in accounts])
