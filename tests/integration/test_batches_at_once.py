"""Two batches, a sweeping worker, and a person, all at once on one ledger: each document is decided
once, and no entity is bound to two.

`AT_ONCE_SEED` in the environment chooses another heap.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from adapters.clock import SystemClock
from fixtures.corpus.outside import HeapGraph, as_ours, line_of
from fixtures.corpus.world import Heap, Old, Recipe, heap
from fixtures.seeded_chance import SeededChance
from reconciler import batch_apply, batch_chunks, events
from reconciler.arriving import Admission
from reconciler.batch_account import Judged
from reconciler.batch_plan import Asked, plan
from reconciler.batch_values import Head, Outcome, Planned, Result
from reconciler.errors import ReconcilerError
from reconciler.imported import Stated, document_of
from reconciler.imported_lines import RawLine, Reading
from reconciler.limits import Limits
from reconciler.model import Document, ItemState, Origin
from reconciler.outside import Outside
from reconciler.ports import Change
from reconciler.resolve import resolve
from reconciler.resolve_decision import Choice, Decision
from reconciler.settle import settle
from reconciler.sweep import sweep
from tests.databases import asked, opened

RECIPE = Recipe(documents=24, per_container=8, seed=int(os.environ.get("AT_ONCE_SEED", "0")))
TOGETHER = 5
DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"


@dataclass(frozen=True, kw_only=True)
class Play:
    """A heap, and how a process over its ledger is opened."""

    made: Heap
    url: str

    @asynccontextmanager
    async def process(self, name: str) -> AsyncIterator[Outside]:
        """A process with a connection of its own; its clock stands long after everything."""
        async with opened(self.url, now=lambda: RECIPE.imported_at) as ledger:
            yield Outside(
                ledger=ledger,
                graph=HeapGraph(labelled(self.made), marked=True),
                clock=SystemClock(),
                chance=SeededChance(len(name)),
                limits=Limits(),
                owner=name,
            )

    async def fill(self) -> None:
        """Healthy documents, and of the broken ones every other as if it had been sent here."""
        stated = Stated(gone_before=RECIPE.imported_at - timedelta(hours=12))
        async with self.process("importer") as outside:
            now = await outside.ledger.now()
            changes = tuple(
                Change(document=self._taken(old, stated, now))
                for old in (*self.made.healthy, *self.made.broken)
            )
            await outside.ledger.admit(
                (), (), lambda _: Admission(changes=changes, complete=frozenset({"act_1001"}))
            )

    def _taken(self, old: Old, stated: Stated, now: Any) -> Document:
        raw = RawLine(number=1, text="", value=line_of(old, RECIPE))
        [group] = Reading(now).records(iter([raw]))
        assert group.record is not None
        document = document_of(group.record, stated, now, Limits())
        return as_ours(document) if is_ours(old.id) else document

    async def planned(self) -> tuple[Head, list[Planned]]:
        """A plan for all of it."""
        judged: list[Judged] = []
        async with self.process("planner") as outside:
            head = await plan(Asked(), outside, write=judged.append)
        return head, [one.planned for one in judged]


def is_ours(document_id: str | None) -> bool:
    """Every other of the broken ones; the others, and all healthy ones, come from elsewhere."""
    return document_id is not None and document_id.startswith("d") and int(document_id[1:]) % 2 == 0


def labelled(made: Heap) -> Heap:
    """The same rows, with the labels of those documents only that are sent with one."""
    rows = {
        container: [one if is_ours(one.owner) else replace(one, owner=None) for one in those]
        for container, those in made.rows.items()
    }
    return Heap(broken=made.broken, healthy=made.healthy, rows=rows)


async def apply(play: Play, name: str, planned: tuple[Head, list[Planned]]) -> list[Outcome]:
    """One batch, to its end."""
    told: list[Outcome] = []
    async with play.process(name) as outside:
        await batch_apply.apply(planned[0], planned[1], outside, tell=told.append)
    return told


async def work(play: Play) -> None:
    """A worker's sweep."""
    async with play.process("a worker") as outside:
        await sweep(outside)


async def decide(play: Play) -> None:
    """A person says "not now" of every fifth document."""
    said = Decision(item="1", choice=Choice.HOLD, reason="not now", by="ann")
    async with play.process("a person") as outside:
        for old in play.made.broken[::5]:
            # It may be decided by now, or somebody may be at it.
            with contextlib.suppress(ReconcilerError):
                await resolve(old.id, said, outside)


async def look_again(play: Play) -> None:
    """At what everybody found in somebody else's hands, and left to them."""
    async with play.process("whoever asks next") as outside:
        for old in play.made.broken:
            if is_ours(old.id):
                await settle(old.id, outside, asked=True)


async def test_nothing_is_decided_twice_and_nothing_is_bound_twice(
    ledger_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_chunks, "DOCUMENTS_MAX", TOGETHER)
    play = Play(made=heap(RECIPE), url=ledger_url)
    await play.fill()
    first, second = await play.planned(), await play.planned()

    one, same, other, _, _ = await asyncio.gather(
        apply(play, "batch 1", first),
        apply(play, "batch 2", first),
        apply(play, "another batch", second),
        work(play),
        decide(play),
    )

    told = [*one, *same, *other]
    changed = Counter(each.document_id for each in told if each.result is Result.CHANGED)
    assert not [each for each in told if each.result is Result.ERROR], RECIPE
    assert max(changed.values()) == 1, RECIPE
    assert len(changed) > RECIPE.documents / 3, RECIPE
    await look_again(play)
    await _check(play, changed)
    if ledger_url.startswith("postgresql"):
        assert asked(ledger_url, DEADLOCKS) == [{"deadlocks": 0}], "somebody waited in a circle"


async def _check(play: Play, changed: Counter[str]) -> None:
    bound: Counter[str] = Counter()
    async with play.process("a reader") as outside:
        for old in (*play.made.broken, *play.made.healthy):
            document = (await outside.ledger.read(old.id)).document
            kinds = [line.event.kind for line in await outside.ledger.journal(old.id)]
            assert kinds.count(events.BATCH_APPLIED) == changed[old.id], old
            assert kinds.count(events.TAKEN_OVER) <= 1, old
            assert document.lease is None, old
            ids = [item.intent.external_id for item in document.items if item.intent]
            assert {one for one in ids if one} <= {one.id for one in old.made}, old
            bound.update(one for one in ids if one)
            if document.origin is Origin.OURS:
                assert not [item for item in document.items if item.state is ItemState.PENDING], old
    assert max(bound.values()) == 1, RECIPE
    recovered = sum(bound[one.id] for old in play.made.broken for one in old.lost)
    assert recovered > play.made.lost / 2, RECIPE
