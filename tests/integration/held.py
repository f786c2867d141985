"""Where stories of a person's decision begin: a document that is held, and what they saw of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from fixtures.graph.scene import ADSET, CREATIVE
from fixtures.lives import DiesAt
from fixtures.stage import Stage
from fixtures.world_graph import US, Weather
from reconciler import events, publish
from reconciler.errors import DecisionRefused
from reconciler.model import DocumentState, Reason
from reconciler.outside import Outside
from reconciler.resolve import Resolved, resolve
from reconciler.resolve_decision import Choice, Decision
from tests.crash.plans import ONE_AD

NAME = "Spring / 1"


def held_beside_a_stranger(stage: Stage, plan: dict[str, Any] = ONE_AD) -> tuple[str, str]:
    """The document, held(echo_unproven), and a colleague's ad of its name from the same minutes.

    Its own create never left: the worker died before it.
    """
    document_id = stage.submit(plan)
    dying = stage.worker(DiesAt(effect="graph.create")).outside
    assert stage.dies(publish.publish(document_id, dying))
    theirs = a_colleagues(stage)
    settled(stage, document_id)
    assert reason_of(stage, document_id) is Reason.ECHO_UNPROVEN, stage.story(document_id)
    return document_id, theirs


def held_before_two_of_ours(stage: Stage) -> tuple[str, list[str]]:
    """The document, held(ambiguous), and the two entities that one request made (outside A8)."""
    document_id = stage.submit(ONE_AD)
    stage.sky.by_number[0] = Weather.MADE_TWICE
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    settled(stage, document_id)
    assert reason_of(stage, document_id) is Reason.AMBIGUOUS, stage.story(document_id)
    return document_id, [made.id for made in stage.world.created_by(US, "ad")]


def a_colleagues(stage: Stage, name: str = NAME) -> str:
    """The id of an unmarked ad that somebody makes now in the scene's ad set."""
    creative = {"creative_id": CREATIVE}
    made = stage.world.colleague_creates("ads", name, parent_id=ADSET, creative=creative)
    return made.id


def settled(stage: Stage, document_id: str) -> None:
    """Let everything show, and look."""
    limits = stage.limits
    stage.time.pass_(limits.lease + limits.late_landing + limits.listing_lag)
    stage.settle(document_id)
    if stage.document(document_id).state is DocumentState.QUEUED:
        stage.time.pass_(limits.late_landing + limits.listing_lag + timedelta(seconds=1))
        stage.settle(document_id)


def reason_of(stage: Stage, document_id: str, item: str = "a1") -> Reason | None:
    """Why the item is held; None where it is not."""
    intent = stage.document(document_id).item(item).intent
    return intent.reason if intent else None


def decision(choice: Choice, item: str = "a1", **more: Any) -> Decision:
    """What somebody decides about the item."""
    told = {"reason": "seen in Ads Manager", "by": "ann", **more}
    return Decision(item=item, choice=choice, **told)


def adopt(external_id: str, **more: Any) -> Decision:
    """This row is it."""
    return decision(Choice.ADOPT, external_id=external_id, **more)


def none(**more: Any) -> Decision:
    """No row is it."""
    return decision(Choice.NONE, **more)


def hold(**more: Any) -> Decision:
    """Not now."""
    return decision(Choice.HOLD, **more)


def decide(
    stage: Stage, document_id: str, said: Decision, worker: Outside | None = None
) -> Resolved:
    """Say it; nothing is created by that (S17)."""
    before = len(stage.graph.creates)
    resolved = stage.time.run(resolve(document_id, said, worker or stage.process()))
    assert len(stage.graph.creates) == before, "deciding created something"
    return resolved


def told(stage: Stage, document_id: str) -> list[dict[str, Any]]:
    """What the journal keeps of a person's decisions."""
    lines = stage.time.run(stage.ledger.journal(document_id))
    return [dict(line.event.detail) for line in lines if line.event.kind == events.RESOLVED]


def refusal(stage: Stage, document_id: str, said: Decision) -> str:
    """Why it is refused; and then nothing is changed by it."""
    before = stage.document(document_id)
    with pytest.raises(DecisionRefused) as refused:
        decide(stage, document_id, said)
    after = stage.document(document_id)
    assert (after.state, after.items, after.verdicts) == (
        before.state,
        before.items,
        before.verdicts,
    )
    assert after.lease is None
    assert told(stage, document_id) == []
    return refused.value.message
