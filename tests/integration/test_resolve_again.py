"""A decision said again, on old evidence, malformed, or while others are at the document."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest

from fixtures.crash_points import Process
from fixtures.lives import IsStopped
from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler import cancel, publish, settle
from reconciler.errors import BindingTaken, DecisionRefused, StaleEvidence, UnknownItem
from reconciler.limits import Limits
from reconciler.model import DocumentState, Echo, Grade, ItemState, NextAction, Reason
from reconciler.resolve import Resolved, resolve
from reconciler.resolve_decision import Decision
from tests.crash.plans import ONE_AD, ads
from tests.integration.held import (
    NAME,
    a_colleagues,
    adopt,
    decide,
    held_beside_a_stranger,
    hold,
    none,
    reason_of,
    refusal,
    settled,
    told,
)


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


@pytest.fixture
def unmarked() -> Iterator[Stage]:
    """Sent without a mark: name and time are all there is."""
    made = Stage(limits=Limits(echo=Echo.NONE))
    yield made
    made.close()


# --- saying it again, on what was seen -----------------------------------------------------------


@pytest.mark.parametrize("choice", ["adopt", "none", "hold"])
def test_said_again_it_changes_nothing(stage: Stage, choice: str) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    said = {"adopt": adopt(theirs), "none": none(), "hold": hold()}[choice]
    decide(stage, document_id, said)
    before, walks = stage.document(document_id), len(stage.graph.walks)

    again = decide(stage, document_id, said)

    assert again.is_repeated
    assert stage.document(document_id) == before
    assert len(stage.graph.walks) == walks


def test_none_said_again_after_the_item_was_made_changes_nothing(stage: Stage) -> None:
    document_id, _ = held_beside_a_stranger(stage)
    decide(stage, document_id, none())
    stage.run_until_rest(document_id)

    assert decide(stage, document_id, none()).is_repeated


def test_evidence_older_than_an_hour_is_refused_for_all_but_holding(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    stage.time.pass_(timedelta(hours=1, seconds=1))

    assert "too old" in refusal(stage, document_id, adopt(theirs))
    assert "too old" in refusal(stage, document_id, none())
    assert decide(stage, document_id, hold()).is_recorded


def test_a_fresh_look_makes_an_old_case_decidable(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    stage.time.pass_(timedelta(hours=2))

    stage.settle(document_id, asked=True)

    assert decide(stage, document_id, adopt(theirs)).is_recorded


def test_what_was_never_looked_up_cannot_be_decided_on(stage: Stage) -> None:
    stage.sky.by_number[0] = Weather.UNREACHED
    document_id = stage.submit(ads(NAME))

    assert "was never sent" in refusal(stage, document_id, none())


def test_a_decision_on_other_evidence_than_stands_is_stale(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    (judged,) = stage.document(document_id).verdicts
    looked_at = judged.evidence_hash
    stage.settle(document_id, asked=True)

    with pytest.raises(StaleEvidence):
        decide(stage, document_id, adopt(theirs, evidence_hash=looked_at))
    (judged,) = stage.document(document_id).verdicts
    said = adopt(theirs, evidence_hash=judged.evidence_hash)
    assert decide(stage, document_id, said).is_recorded


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (none(reason="  "), "needs a reason"),
        (none(reason="\0"), "needs a reason"),
        (none(reason=" \u200b\u2060\ufe0f "), "needs a reason"),
        (none(reason="\u3164"), "needs a reason"),
        (none(reason="TEXT"), "write why in its place"),
        (hold(reason=" TEXT "), "write why in its place"),
        (none(reason="x" * 2001), "longer than"),
        (none(external_id="1"), "only an adoption"),
        (none(override=True), "only an adoption"),
        (hold(also=("1",)), "only an adoption"),
        (adopt(""), "one to adopt"),
        (adopt("1x"), "digits"),
        (adopt("1", also=("2", "1")), "1 cannot be adopted and be beside what is adopted"),
        (adopt("1", also=("2", "2")), "2 is named twice in also"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused(stage: Stage, said: Decision, why: str) -> None:
    document_id, _ = held_beside_a_stranger(stage)

    assert why in refusal(stage, document_id, said)


def test_a_decision_about_no_item_of_the_document_is_told_so(stage: Stage) -> None:
    document_id, _ = held_beside_a_stranger(stage)

    with pytest.raises(UnknownItem, match="no item a9; it has a1"):
        decide(stage, document_id, none(item="a9"))

    assert told(stage, document_id) == []


# --- others at it --------------------------------------------------------------------------------


def test_under_anothers_lease_nothing_is_decided(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)

    async def while_somebody_looks() -> Resolved:
        looker = stage.worker(IsStopped(effect="graph.walk", stops_for=5.0)).outside
        looking = asyncio.create_task(settle.settle(document_id, looker, asked=True))
        await asyncio.sleep(1)
        resolved = await resolve(document_id, adopt(theirs), stage.process())
        await looking
        return resolved

    resolved = stage.time.run(while_somebody_looks())

    assert (resolved.held_by_another, resolved.is_recorded) == (True, False)


def test_a_listing_that_does_not_end_decides_nothing(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    stage.sky.blind[len(stage.graph.walks)] = Reason.LISTING_INCOMPLETE

    resolved = decide(stage, document_id, adopt(theirs))

    assert (resolved.withheld, resolved.is_recorded) == (Reason.LISTING_INCOMPLETE, False)
    assert resolved.view.document == stage.document(document_id), "whole, with its items"
    assert stage.document(document_id).lease is None
    assert decide(stage, document_id, adopt(theirs)).is_recorded


def test_a_throttled_walk_closes_the_account_and_the_next_decision_asks_nothing(
    stage: Stage,
) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    stage.sky.blind[len(stage.graph.walks)] = Reason.THROTTLED

    decide(stage, document_id, adopt(theirs))
    walks = len(stage.graph.walks)

    assert decide(stage, document_id, adopt(theirs)).withheld is Reason.THROTTLED
    assert len(stage.graph.walks) == walks


def test_what_moves_between_the_look_and_the_decision_is_looked_at_again(stage: Stage) -> None:
    """Another document of the name begins meanwhile: it may own what is listed."""
    document_id, theirs = held_beside_a_stranger(stage)
    slow = stage.worker(IsStopped(effect="ledger.Fenced", stops_for=5.0)).outside
    rival = stage.submit(ONE_AD, new=True)
    stage.sky.by_number[len(stage.graph.creates)] = Weather.ERROR_BEFORE
    walks = len(stage.graph.walks)

    async def meanwhile() -> Resolved:
        deciding = asyncio.create_task(resolve(document_id, adopt(theirs), slow))
        await asyncio.sleep(1)
        await publish.publish(rival, stage.process())
        return await deciding

    resolved = stage.time.run(meanwhile())

    assert resolved.is_recorded
    assert len(stage.graph.walks) - walks == 2 + 1 + 2  # ours, the other document's, ours again


class TakenOnce(Process):
    """Its first decision meets the unique index: somebody bound the id in the same moment."""

    def begin(self, effect: str) -> bool:
        """Raises where the database would."""
        if effect == "ledger.Fenced" and effect not in self.effects:
            self.effects.append(effect)
            raise BindingTaken("4711")
        return Process.begin(self, effect)


def test_losing_on_the_unique_binding_is_no_error_and_is_looked_at_again(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    worker = stage.worker(TakenOnce())

    resolved = decide(stage, document_id, adopt(theirs), worker.outside)

    assert resolved.is_recorded
    assert worker.life.effects.count("graph.walk") == 4


def test_two_people_who_adopt_one_row_for_two_items_are_told_that_one_was_quicker(
    stage: Stage,
) -> None:
    first, second = stage.submit(ONE_AD), stage.submit(ONE_AD, new=True)
    for one in (first, second):
        stage.sky.by_number[len(stage.graph.creates)] = Weather.ERROR_BEFORE
        stage.publish(one)
    theirs = a_colleagues(stage)
    for one in (first, second):
        settled(stage, one)

    async def both() -> list[Resolved | BaseException]:
        said = (resolve(one, adopt(theirs), stage.process()) for one in (first, second))
        return list(await asyncio.gather(*said, return_exceptions=True))

    ends = stage.time.run(both())

    (refused,) = [end for end in ends if isinstance(end, DecisionRefused)]
    assert "bound elsewhere for good" in refused.message
    bound = [stage.document(one).item("a1").intent for one in (first, second)]
    assert [intent.external_id for intent in bound if intent and intent.external_id] == [theirs]


def test_a_claim_by_name_and_time_gives_way_to_a_person(unmarked: Stage) -> None:
    """The loser lets go first, in its own transaction; it is held for a person then."""
    loser = unmarked.submit(ONE_AD)
    unmarked.sky.by_number[0] = Weather.REPLY_LOST
    unmarked.publish(loser)
    settled(unmarked, loser)
    intent = unmarked.document(loser).item("a1").intent
    assert intent is not None
    assert intent.found_by is Grade.NAME_AND_TIME
    claimed = intent.external_id
    assert claimed is not None
    unmarked.sky.by_number[1] = Weather.ERROR_BEFORE
    winner = unmarked.submit(ONE_AD, new=True)
    unmarked.publish(winner)
    for _ in range(2):
        a_colleagues(unmarked)
    settled(unmarked, winner)

    decide(unmarked, winner, adopt(claimed, override=True))

    won, lost = (unmarked.document(one).item("a1") for one in (winner, loser))
    assert won.intent is not None
    assert (won.intent.external_id, won.intent.found_by) == (claimed, Grade.PERSON)
    assert (lost.state, reason_of(unmarked, loser)) == (ItemState.HELD, Reason.CONTESTED)
    assert unmarked.document(loser).next.action is NextAction.DECIDE


def test_what_is_cancelled_and_held_can_be_decided_and_stays_cancelled(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    stage.time.run(cancel.cancel(document_id, stage.process()))

    document = decide(stage, document_id, adopt(theirs)).view.document

    assert (document.state, document.item("a1").state) == (
        DocumentState.CANCELLED,
        ItemState.CONFIRMED,
    )


def test_a_crashed_document_is_taken_over_first(stage: Stage) -> None:
    document_id = stage.submit(ads(NAME))
    dying = stage.process(dies_at=4)
    stage.dies(publish.publish(document_id, dying))
    stage.time.pass_(stage.limits.lease)

    document = decide(stage, document_id, hold()).view.document

    assert document.state is DocumentState.HELD
