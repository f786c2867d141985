"""Faults that real users met while publishing, played through publish, crash and recovery."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from fixtures.graph.ground import WorldOptions
from fixtures.stage import Stage, is_at_rest
from fixtures.world_graph import Sky, Weather
from reconciler.limits import Limits
from reconciler.model import Document, DocumentState, Grade, ItemState, Outcome, Reason
from reconciler.outside import Outside
from reconciler.publish import publish
from tests.crash.plans import ONE_AD, ads
from tests.crash.promise import assert_promise, live_entities_per_item

SHORT = Limits(
    lease=timedelta(seconds=30),
    lease_margin=timedelta(seconds=3),
    call_timeout=timedelta(seconds=10),
)

SENT, SAVED = 3, 4
"""Effects of a publish, from 0: queued, claimed, the intent, the create, the answer saved."""


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def states(document: Document) -> dict[str, ItemState]:
    return {item.key: item.state for item in document.items}


def live(stage: Stage, document: Document) -> int:
    return sum(map(len, live_entities_per_item(stage.world, document).values()))


def test_r009_three_replies_of_twenty_are_lost_and_twenty_exist_in_the_end() -> None:
    """R009: 17 recorded at once, 3 unknown and then found; still 20 outside."""
    lost = {5: Weather.REPLY_LOST, 9: Weather.REPLY_LOST, 10: Weather.REPLY_LOST}
    stage = Stage(sky=Sky(by_number=lost), page_size=7)
    document_id = stage.submit(ads(*(f"Spring / {number}" for number in range(20))))

    stage.publish(document_id)
    document = stage.run_until_rest(document_id)

    found = [item.intent.found_by for item in document.items if item.intent]
    assert document.state is DocumentState.PUBLISHED
    assert (found.count(Grade.REPLY), found.count(Grade.MARK)) == (17, 3)
    assert live(stage, document) == 20
    assert_promise(stage)
    stage.close()


def test_r010_the_id_is_on_disk_before_anything_else_is_asked(stage: Stage) -> None:
    """R010: the process dies after the save; three reruns create nothing."""
    document_id = stage.submit(ONE_AD)
    dying = stage.process(dies_at=SAVED, after=True)

    assert stage.dies(_publish(document_id, dying))
    assert states(stage.document(document_id)) == {"a1": ItemState.CONFIRMED}

    for _ in range(3):
        stage.time.pass_(timedelta(seconds=130))
        stage.run_until_rest(document_id)
    assert len(stage.graph.creates) == 1


def test_r011_a_kill_after_the_post_at_every_run_makes_one_entity(stage: Stage) -> None:
    """R011: runs 2 and 3 stop at the live lease or recover; none creates again."""
    document_id = stage.submit(ONE_AD)
    for _ in range(3):
        stage.dies(_publish(document_id, stage.process(dies_at=SENT, after=True)))

    document = stage.run_until_rest(document_id)

    assert len(stage.graph.creates) == 1
    assert (document.state, live(stage, document)) == (DocumentState.PUBLISHED, 1)


def test_r012_an_entity_that_is_not_listed_yet_is_not_absent() -> None:
    """R012: made at once, listed two minutes later; not absent before, found then, one in all.

    The lag is longer than assumed by default, so the assumption is set to fit (A4).
    """
    limits = Limits(
        lease=timedelta(seconds=30),
        lease_margin=timedelta(seconds=3),
        call_timeout=timedelta(seconds=10),
        listing_lag=timedelta(seconds=120),
        late_landing=timedelta(seconds=30),
    )
    lag = WorldOptions(lag={"adset/ads": timedelta(seconds=120)})
    stage = Stage(limits=limits, options=lag)
    document_id = stage.submit(ONE_AD)
    stage.dies(_publish(document_id, stage.process(dies_at=SENT, after=True)))

    stage.time.pass_(timedelta(seconds=60))
    early = stage.settle(document_id, asked=True).view.document
    assert states(early) == {"a1": ItemState.PENDING}
    assert [judged.reason for judged in early.verdicts] == [Reason.TOO_SOON]

    document = stage.run_until_rest(document_id)
    assert (states(document), live(stage, document)) == ({"a1": ItemState.CONFIRMED}, 1)
    assert len(stage.graph.creates) == 1
    stage.close()


def test_r014_publish_settles_what_is_open_before_it_creates_anything(stage: Stage) -> None:
    """R014: no create before the old intent has a verdict."""
    stage.sky.by_number = {0: Weather.ERROR_BEFORE}
    document_id = stage.submit(ads("Spring / 1", "Spring / 2"))
    stage.publish(document_id)
    sent = len(stage.graph.creates)

    again = [stage.publish(document_id) for _ in range(3)]

    assert [published.attempt for published in again] == [None, None, None]
    assert "unanswered" in again[-1].why
    assert len(stage.graph.creates) == sent


def test_r015_a_definite_refusal_closes_the_intent_and_nothing_is_looked_up(stage: Stage) -> None:
    """R015: closed with the error in the same transaction; later there is no crash signature."""
    stage.sky.by_number = {0: Weather.INVALID}
    document_id = stage.submit(ONE_AD)

    document = stage.publish(document_id).view.document
    stage.settle(document_id, asked=True)

    intent = document.item("a1").intent
    assert intent is not None
    assert (document.state, states(document)) == (DocumentState.FAILED, {"a1": ItemState.REJECTED})
    assert [call.error.row for call in intent.calls if call.error] == ["E28"]
    assert (len(stage.graph.walks), is_at_rest(document)) == (0, True)


def test_r016_evidence_is_not_dropped_while_nothing_can_be_listed(stage: Stage) -> None:
    """R016: every listing fails; both intents stay exactly as they were."""
    stage.sky.by_name = {"Spring": Weather.ERROR_AFTER}
    document_id = stage.submit(ads("Spring / 1", "Spring / 2"))
    stage.sky.blind = dict.fromkeys(range(1000), Reason.LISTING_INCOMPLETE)
    stage.publish(document_id)
    before = stage.document(document_id)
    stage.time.pass_(timedelta(minutes=30))

    settled = stage.settle(document_id, asked=True)

    assert settled.withheld is Reason.LISTING_INCOMPLETE
    assert settled.view.document.items == before.items


def test_r017_a_second_attempt_has_a_window_of_its_own(stage: Stage) -> None:
    """R017: what an earlier attempt made is kept and never offered as the match of a later one."""
    document_id = stage.submit(ads("Spring / 1", "Spring / 2"))
    stage.sky.by_number = {1: Weather.ERROR_AFTER}
    stage.dies(_publish(document_id, stage.process(dies_at=6, after=True)))

    document = stage.run_until_rest(document_id)

    ids = [item.intent.external_id for item in document.items if item.intent]
    assert (document.state, len(set(ids))) == (DocumentState.PUBLISHED, 2)
    assert_promise(stage)


def test_r018_what_was_never_made_is_made_once_and_what_is_doubtful_is_held(stage: Stage) -> None:
    """R018: absent may be created; two possible matches wait for a person, quietly."""
    stage.sky.by_number = {0: Weather.ERROR_BEFORE}
    alone = stage.submit(ONE_AD)
    stage.publish(alone)
    assert stage.run_until_rest(alone).state is DocumentState.PUBLISHED

    stage.sky.by_number = {len(stage.graph.creates): Weather.ERROR_AFTER}
    copied = stage.submit(ads("Autumn"))
    stage.dies(_publish(copied, stage.process(dies_at=SENT, after=True)))
    (made,) = [each for each in stage.world.live("ad") if each.name == "Autumn"]
    stage.world.copy(made.id, tells_source=False)

    held = stage.run_until_rest(copied)
    looked = len(stage.graph.walks)
    stage.settle(copied)

    assert (held.state, states(held)) == (DocumentState.HELD, {"a1": ItemState.HELD})
    assert [judged.reason for judged in held.verdicts] == [Reason.AMBIGUOUS]
    assert len(stage.graph.walks) == looked


def test_r065_a_worker_that_froze_past_its_lease_writes_nothing_when_it_wakes() -> None:
    """R065: neither its renewal nor its end changes the document of the next worker."""
    stage = Stage(limits=SHORT, sky=Sky(by_number={0: Weather.REPLY_LOST}))
    document_id = stage.submit(ONE_AD)
    stage.dies(_publish(document_id, stage.process(dies_at=SENT, after=True)))
    frozen = stage.document(document_id).lease
    assert frozen is not None
    stage.run_until_rest(document_id)
    before = stage.document(document_id)

    late = stage.time.run(stage.ledger.renew(document_id, frozen.owner, frozen.epoch, SHORT.lease))

    assert late is None
    assert stage.document(document_id) == before
    stage.close()


async def _publish(document_id: str, worker: Outside) -> None:
    await publish(document_id, worker)


def test_an_unanswered_call_is_told_as_unknown(stage: Stage) -> None:
    """R006: a reset after the commit is unknown, one request, found later."""
    stage.sky.by_number = {0: Weather.ERROR_AFTER}
    document_id = stage.submit(ONE_AD)

    stage.publish(document_id)
    document = stage.run_until_rest(document_id)

    intent = document.item("a1").intent
    assert intent is not None
    assert [call.outcome for call in intent.calls] == [Outcome.UNKNOWN]
    assert (len(stage.graph.creates), intent.found_by) == (1, "mark")
