"""A batch is killed at each of its effects; run again, it ends as if nothing had happened."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from fixtures.stage import Stage
from reconciler import batch_chunks
from reconciler.batch_apply import apply
from reconciler.batch_revert import Undo, revert
from reconciler.model import Document
from tests.crash.cells import EFFECTS_MAX
from tests.integration.batching import Batching, Plan
from tests.integration.elsewhere import line
from tests.integration.test_batch_plan import crashed, with_old_documents


def played() -> tuple[Stage, Batching, Plan]:
    """Four documents, two of which share a name, and one of ours; a plan for them."""
    stage = Stage()
    with_old_documents(
        stage, line("d1", "A"), line("d2", "B", "C"), line("d3", "D"), line("d4", "D"), names="ABD"
    )
    crashed(stage)
    batch = Batching(stage)
    batch.settle_all()
    return stage, batch, batch.plan()


def ends(stage: Stage) -> list[Any]:
    """Everything that stands in the end, what depends on chance and time apart."""
    ids = ("d1", "d2", "d3", "d4", *stage.documents)
    return [_told(stage.document(each)) for each in ids]


def _told(document: Document) -> Any:
    items = [
        (item.key, item.state, item.intent and (item.intent.external_id, item.intent.reason))
        for item in document.items
    ]
    hashes = [judged.evidence_hash for judged in document.verdicts]
    return document.state, document.lease, document.recoveries, items, hashes


def uninterrupted() -> list[Any]:
    """What stands where nobody dies, each document in a transaction of its own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batch_chunks, "DOCUMENTS_MAX", 1)
        stage, batch, planned = played()
        batch.apply(planned)
        wanted = ends(stage)
        stage.close()
    return wanted


@pytest.mark.parametrize(("together", "transactions"), [(1, 5), (2, 3), (100, 1)])
def test_every_cut_of_applying_ends_like_the_uninterrupted_one(
    together: int, transactions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = uninterrupted()
    monkeypatch.setattr(batch_chunks, "DOCUMENTS_MAX", together)
    cuts = 0
    for at in range(EFFECTS_MAX):
        died = False
        for after in (False, True):
            stage, batch, planned = played()
            dying = stage.process(dies_at=at, after=after)
            died = stage.dies(apply(planned.head, planned.lines, dying, tell=lambda _: None))
            batch.apply(planned)
            assert ends(stage) == wanted, f"{'after' if after else 'before'} effect {at}"
            stage.close()
            cuts += died
        if not died:
            break
    assert cuts == 2 * transactions, "each transaction, before and after it"


@pytest.mark.parametrize("after", [False, True])
def test_every_cut_of_taking_back_ends_like_the_uninterrupted_one(after: bool) -> None:
    stage, batch, planned = played()
    batch.apply(planned)
    batch.revert(planned.head.run)
    wanted = ends(stage)
    stage.close()
    for at in count():
        stage, batch, planned = played()
        batch.apply(planned)
        undo = Undo(run=planned.head.run, reason="wrong", by="ann")
        died = stage.dies(revert(undo, stage.process(at, after), tell=lambda _: None))
        batch.revert(planned.head.run)
        assert ends(stage) == wanted, f"effect {at}"
        stage.close()
        if not died:
            break
    assert at == 2, "two documents are imported and have something bound"
