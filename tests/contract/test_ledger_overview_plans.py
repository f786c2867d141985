"""By which indexes an operator's list is found and counted, as SQLite plans it."""

from __future__ import annotations

from pathlib import Path

from adapters.store.finding import Which
from adapters.store.judged import Judged
from reconciler.model import Kind
from tests.contract.ledgers import StandingClock
from tests.contract.plans_of_queries import plans
from tests.databases import new_file, opened


async def test_what_looks_said_and_which_kinds_there_are_is_found_by_an_index(
    tmp_path: Path, clock: StandingClock
) -> None:
    """SQLite plans without counting rows."""
    async with opened(new_file(tmp_path), clock) as few:
        with plans() as told:
            await few.overview(accounts=None, since=None)
            await few.page(limit=1, which=Which.RECOVERED)
            await few.page(limit=1, kind=Kind.AD)
            await few.page(limit=1, kind=Kind.AD, verdict=Judged.ABSENT)

    assert len(told.using("ix_verdict_said (verdict=?)")) == 2
    assert len(told.using("ix_item_kind (kind=? AND document_id=?)")) == 2
    assert len(told.using("ix_verdict_said (verdict=? AND judged_at>?)")) == 3
    assert told.reading_whole("verdict", "item", "intent") == []


async def test_counts_that_are_narrowed_by_item_read_no_table_of_items_whole(
    tmp_path: Path, clock: StandingClock
) -> None:
    async with opened(new_file(tmp_path), clock) as few:
        with plans() as told:
            await few.overview(accounts=None, since=None, kind=Kind.AD)
            await few.overview(accounts=None, since=None, kind=Kind.AD, verdict=Judged.ABSENT)

    assert told.using("ix_item_kind (kind=? AND document_id=?)")
    assert told.using("ix_verdict_said (verdict=?)")
    assert told.reading_whole("verdict", "item", "intent") == []
