"""A state that moved is told in the journal, also where no verdict but patience or life ran out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from fixtures.lives import DiesAt
from fixtures.stage import Stage
from reconciler import events, settle
from reconciler.limits import Limits
from reconciler.model import Account, BlockReason, DocumentState
from tests.integration.crashed import crashed_after_create


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage(limits=Limits(passing_max=timedelta(minutes=10)))
    yield stage
    stage.close()


def last_state_told(stage: Stage, document_id: str) -> str:
    lines = stage.time.run(stage.ledger.journal(document_id))
    told = [line.event.detail["state"] for line in lines if line.event.kind == events.STATE]
    return str(told[-1])


def test_a_document_held_as_poison_says_so_in_the_journal(stage: Stage) -> None:
    document_id = crashed_after_create(stage)
    for _ in range(stage.limits.max_attempts + 1):
        stage.dies(settle.settle(document_id, stage.worker(DiesAt(effect="graph.walk")).outside))
        stage.time.pass_(stage.limits.lease)

    assert stage.run_until_rest(document_id).state is DocumentState.HELD
    assert last_state_told(stage, document_id) == "held"


def test_a_document_held_because_its_account_stays_closed_says_so_in_the_journal(
    stage: Stage,
) -> None:
    document_id = crashed_after_create(stage)
    stage.time.pass_(stage.limits.lease + timedelta(hours=1))
    account = stage.view(document_id).account
    until = stage.time.now() + timedelta(hours=1)
    closed = Account(id=account.id, reason=BlockReason.THROTTLED, until=until)
    assert stage.time.run(stage.ledger.set_account(closed, account))

    assert stage.settle(document_id).view.document.state is DocumentState.HELD
    assert last_state_told(stage, document_id) == "held"
