"""Several creates in one request: what goes together, and what each answer leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from fixtures.graph.scene import ACCOUNT
from fixtures.lives import DiesAt
from fixtures.stage import OpenLedger, Stage
from fixtures.world_graph import Weather, WorldGraph
from reconciler import publish
from reconciler.call_outcome import Answer, CreateRequest
from reconciler.limits import Limits
from reconciler.model import (
    AttemptOutcome,
    BlockReason,
    Document,
    DocumentState,
    Grade,
    ItemState,
    Outcome,
    Reason,
)
from tests.crash.plans import Plan, ads
from tests.crash.promise import assert_promise, live_entities_per_item

ROUND = timedelta(milliseconds=50)
"""What one request takes on the stage."""

PENDING, CONFIRMED, ABSENT = ItemState.PENDING, ItemState.CONFIRMED, ItemState.ABSENT


@pytest.fixture
def stage() -> Iterator[Stage]:
    """What is made one by one beside it is the first create of each document."""
    made = Stage(limits=Limits(create_batch=5))
    try:
        yield made
        assert_promise(made)
    finally:
        made.close()


def states(document: Document) -> list[ItemState]:
    return [item.state for item in document.items]


def sizes(stage: Stage) -> list[int]:
    return [len(batch) for batch in stage.graph.batches]


def names(batch: Iterable[CreateRequest]) -> list[str]:
    return [str(request.params["name"]) for request in batch]


def outcomes(document: Document) -> list[Outcome | None]:
    """Of the last call of each item that has one."""
    return [item.intent.calls[-1].outcome for item in document.items if item.intent]


def once_each(stage: Stage, document: Document) -> bool:
    return all(len(ids) == 1 for ids in live_entities_per_item(stage.world, document).values())


def tree(adsets: dict[str, str]) -> Plan:
    """Campaigns, and ad sets by the campaign that each is in."""
    campaigns = [
        {"key": key, "kind": "campaign", "name": key, "params": {"objective": "OUTCOME_TRAFFIC"}}
        for key in sorted(set(adsets.values()))
    ]
    below = [
        {
            "key": key,
            "kind": "adset",
            "name": key,
            "params": {"campaign_id": {"$ref": campaign}},
        }
        for key, campaign in adsets.items()
    ]
    return {"account_id": ACCOUNT, "items": [*campaigns, *below]}


# --- what goes together ---------------------------------------------------------------------------


def test_the_first_create_goes_alone_and_the_others_share_requests(stage: Stage) -> None:
    document = stage.publish(stage.submit(ads(*"ABCDEFGHIJKLM"))).view.document

    assert document.state is DocumentState.PUBLISHED
    assert sizes(stage) == [5, 5, 2]
    assert once_each(stage, document)


def test_by_default_every_create_goes_alone(stage: Stage) -> None:
    stage.limits = Limits()

    stage.publish(stage.submit(ads(*"ABCDEF")))

    assert (len(stage.graph.creates), stage.graph.batches) == (6, [])


def test_no_request_holds_more_than_ten_ads(stage: Stage) -> None:
    """Facts 4.16."""
    stage.limits = Limits(create_batch=50)

    stage.publish(stage.submit(ads(*(f"Spring / {n}" for n in range(24)))))

    assert sizes(stage) == [10, 10, 3]


def test_no_request_holds_two_ad_sets_of_one_campaign(stage: Stage) -> None:
    """Facts 4.16. What cannot go with the first goes beside it, or after."""
    plan = tree({"s1": "c1", "s2": "c1", "s3": "c2", "s4": "c2", "s5": "c3"})

    document = stage.publish(stage.submit(plan)).view.document

    assert document.state is DocumentState.PUBLISHED
    assert [names(batch) for batch in stage.graph.batches] == [["c2", "c3", "s1"], ["s3", "s5"]]
    assert once_each(stage, document)


def test_no_slot_waits_while_others_are_together(stage: Stage) -> None:
    """A request is in flight once, however many creates it holds: 1 + 10 + 10 in two rounds."""
    stage.limits = Limits(create_batch=5, concurrency=2, wave_size=10)
    began = stage.time.now()

    stage.publish(stage.submit(ads(*(f"Spring / {n}" for n in range(21)))))

    assert stage.time.now() - began == 3 * ROUND


# --- what the answers leave -----------------------------------------------------------------------


@pytest.mark.parametrize("weather", [Weather.REPLY_LOST, Weather.ERROR_BEFORE, Weather.LATE])
def test_one_child_that_stays_unknown_keeps_the_others_ids_and_is_settled(
    stage: Stage, weather: Weather
) -> None:
    """R002, R004: never sent again before it is settled."""
    stage.sky.by_number = {3: weather}
    document_id = stage.submit(ads(*"ABCDEF"))

    document = stage.publish(document_id).view.document

    found = weather is Weather.REPLY_LOST
    assert states(document) == [CONFIRMED] * 3 + [CONFIRMED if found else PENDING] + [CONFIRMED] * 2
    assert outcomes(document)[3] is Outcome.UNKNOWN
    assert len(stage.graph.creates) == 6
    rested = stage.run_until_rest(document_id)
    assert rested.state is DocumentState.PUBLISHED
    assert once_each(stage, rested)
    assert len(stage.graph.creates) == (7 if weather is Weather.ERROR_BEFORE else 6)


@pytest.mark.parametrize(
    "weather", [Weather.REPLY_LOST, Weather.ERROR_AFTER, Weather.ERROR_BEFORE, Weather.LATE]
)
def test_a_batch_that_stays_unknown_as_a_whole_is_settled_child_by_child(
    stage: Stage, weather: Weather
) -> None:
    stage.sky.by_batch = {0: weather}
    document_id = stage.submit(ads(*"ABCDEF"))

    attempted = stage.publish(document_id).view.document
    document = stage.run_until_rest(document_id)

    assert outcomes(attempted)[1:] == [Outcome.UNKNOWN] * 5
    assert document.state is DocumentState.PUBLISHED
    assert once_each(stage, document)


def test_a_batch_that_never_left_is_sent_again_at_once(stage: Stage) -> None:
    stage.sky.by_batch = {0: Weather.UNREACHED}

    document = stage.publish(stage.submit(ads(*"ABCDEF"))).view.document

    assert document.state is DocumentState.PUBLISHED
    assert sizes(stage) == [5, 5]
    assert once_each(stage, document)


def test_refused_children_end_their_items_and_no_others(stage: Stage) -> None:
    """R003: the document is not published."""
    stage.sky.by_number = {2: Weather.INVALID, 4: Weather.INVALID}

    document = stage.publish(stage.submit(ads(*"ABCDEF"))).view.document

    refused = ItemState.REJECTED
    assert states(document) == [CONFIRMED, CONFIRMED, refused, CONFIRMED, refused, CONFIRMED]
    assert document.state is DocumentState.PARTLY_PUBLISHED
    assert stage.graph.walks == []


def test_a_throttle_of_the_whole_closes_the_account_and_is_settled(stage: Stage) -> None:
    """A throttled write may have been carried out (facts 2.10)."""
    stage.sky.by_batch = {0: Weather.THROTTLED_AFTER}
    document_id = stage.submit(ads(*"ABCDEFGH"))

    view = stage.publish(document_id).view

    assert view.account.reason is BlockReason.THROTTLED
    assert view.document.attempts[-1].outcome is AttemptOutcome.HANDED_BACK
    document = stage.run_until_rest(document_id)
    assert document.state is DocumentState.PUBLISHED
    assert once_each(stage, document)


def test_what_waits_behind_a_batch_that_stays_unknown_is_not_sent(stage: Stage) -> None:
    stage.limits = Limits(create_batch=5, concurrency=1)
    stage.sky.by_batch = {0: Weather.ERROR_BEFORE}

    document = stage.publish(stage.submit(ads(*(f"Spring / {n}" for n in range(9))))).view.document

    assert sizes(stage) == [5]
    assert states(document) == [CONFIRMED, *[PENDING] * 5, *[ABSENT] * 3]
    assert outcomes(document)[6:] == [Outcome.NOT_SENT] * 3


# --- an answer that cannot be saved ---------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class GivesAnothersId(WorldGraph):
    """Makes what it is asked for, and answers one of the creates with an id that is known here."""

    external_id: str
    at: int

    async def create_many(
        self, requests: Sequence[CreateRequest], *, within: timedelta
    ) -> tuple[Answer, ...]:
        """As ever, but for that one."""
        answers = await super(GivesAnothersId, self).create_many(requests, within=within)
        wrong = Answer(outcome=Outcome.CREATED, external_id=self.external_id)
        return (*answers[: self.at], wrong, *answers[self.at + 1 :])


def known_id(stage: Stage) -> str:
    """The id of another document's ad."""
    intent = stage.publish(stage.submit(ads("Autumn"))).view.document.items[0].intent
    assert intent is not None
    assert intent.external_id is not None
    return intent.external_id


@pytest.mark.parametrize("at", [0, 3, 9])
def test_one_answer_that_cannot_be_saved_spoils_none_beside_it(
    open_ledger: OpenLedger, at: int
) -> None:
    """R088: nine of ten are saved, the tenth is told apart, and found by its mark."""
    stage = Stage(limits=Limits(create_batch=10), open_ledger=open_ledger)
    known = known_id(stage)
    graph = GivesAnothersId(world=stage.world, sky=stage.sky, external_id=known, at=at)
    document_id = stage.submit(ads(*(f"Spring / {number}" for number in range(11))))

    document = stage.publish(document_id, replace(stage.process(), graph=graph)).view.document

    told = outcomes(document)
    assert told.count(Outcome.CREATED) == 10
    assert told[at + 1] is Outcome.UNKNOWN
    odd = document.items[at + 1].intent
    assert odd is not None
    assert odd.calls[0].error is not None
    assert known in odd.calls[0].error.message
    assert (document.state, odd.found_by) == (DocumentState.PUBLISHED, Grade.MARK)
    assert once_each(stage, document)
    assert_promise(stage)
    stage.close()


def test_after_an_answer_that_contradicts_what_is_known_nothing_further_is_sent(
    stage: Stage,
) -> None:
    """From the first answer that leaves something unknown on no create starts."""
    stage.limits = Limits(create_batch=2, concurrency=1)
    graph = GivesAnothersId(world=stage.world, sky=stage.sky, external_id=known_id(stage), at=1)
    stage.sky.blind = {0: Reason.LISTING_INCOMPLETE}
    document_id = stage.submit(ads(*"ABCDEFGHI"))

    document = stage.publish(document_id, replace(stage.process(), graph=graph)).view.document

    assert document.attempts[-1].outcome is AttemptOutcome.UNRESOLVED
    assert len(graph.creates) == 1 + 2 + 2  # the second batch left while the first was being saved
    assert once_each(stage, stage.run_until_rest(document_id))


# --- a death on the way ---------------------------------------------------------------------------


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_every_intent_of_a_batch_is_written_before_it_is_sent(stage: Stage, after: bool) -> None:
    """Dead around the POST: five calls without an end, found or made again, each once."""
    stage.sky.by_number = {4: Weather.ERROR_BEFORE}
    document_id = stage.submit(ads(*"ABCDEF"))
    dying = stage.worker(DiesAt(effect="graph.create_many", after=after)).outside

    assert stage.dies(publish.publish(document_id, dying))

    crashed = stage.document(document_id)
    assert states(crashed) == [CONFIRMED, *[PENDING] * 5]
    assert outcomes(crashed) == [Outcome.CREATED, *[None] * 5]
    document = stage.run_until_rest(document_id)
    assert document.state is DocumentState.PUBLISHED
    assert once_each(stage, document)
