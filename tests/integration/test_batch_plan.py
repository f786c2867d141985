"""Planning: every broken document judged, each container listed once for all, nothing written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from fixtures.crash_points import DyingGraph, Process
from fixtures.lives import DiesAt
from fixtures.stage import Stage
from fixtures.world_graph import US
from reconciler import batch_group, publish
from reconciler.listing import Keep, Walk, WalkRequest
from reconciler.model import Account, BlockReason, DocumentState, Grade, Reason
from reconciler.policy import Legacy, LegacyEvidence
from reconciler.settle import judge_only, settle, take_over
from reconciler.verdict import Found, Inconclusive, Verdict
from tests.crash.plans import ONE_AD
from tests.integration.batching import Batching
from tests.integration.elsewhere import Elsewhere, finished, line


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


@pytest.fixture
def batch(stage: Stage) -> Batching:
    return Batching(stage)


def with_old_documents(stage: Stage, *lines: object, names: str = "") -> list[str]:
    """A healthy document, and what these lines tell of; the ids of entities of these names."""
    elsewhere = Elsewhere(stage)
    healthy, *ids = elsewhere.made("Healthy", *names)
    stage.time.pass_(timedelta(minutes=30))
    elsewhere.imports(finished("healthy", Healthy=healthy), *lines)  # type: ignore[arg-type]
    return ids


def crashed(stage: Stage) -> str:
    """A document of ours whose ad was made, and whose worker died before it knew."""
    document_id = stage.submit(ONE_AD)
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    return document_id


class Meanwhile(DyingGraph):
    """Somebody recovers d1 during the first walk, or only takes it over."""

    def __init__(self, stage: Stage, *, only_takes_over: bool) -> None:
        super().__init__(stage.graph, Process())
        self._stage = stage
        self._only_takes_over = only_takes_over

    async def walk(
        self,
        request: WalkRequest,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Callable[[], None] = lambda: None,
    ) -> Walk:
        walk = await super().walk(request, keep, now, step=step)
        if len(self._stage.graph.walks) == 1:
            await self._act()
        return walk

    async def _act(self) -> None:
        process = self._stage.process()
        if self._only_takes_over:
            await take_over(await process.ledger.read("d1"), process)
        else:
            await settle("d1", process, asked=True)


def alone(stage: Stage, batch: Batching, document_id: str) -> list[str]:
    """What a look of its own says of it."""
    settled = stage.time.run(judge_only(document_id, batch.worker()))
    return [word(verdict) for _, verdict in sorted(settled.verdicts.items())]


def word(verdict: Verdict) -> str:
    """As a plan tells it in a word."""
    if isinstance(verdict, Found):
        return verdict.row.id
    return verdict.reason if isinstance(verdict, Inconclusive) else "absent"


def test_documents_that_share_a_container_share_its_walks(stage: Stage, batch: Batching) -> None:
    a, b = with_old_documents(
        stage, line("d1", "A"), line("d2", "B", "C"), line("d3", "D"), names="AB"
    )
    ours = crashed(stage)
    batch.settle_all()

    planned = batch.plan()

    assert planned.told() == {
        "d1": [a],
        "d2": [b, "absent"],
        "d3": ["absent"],
        ours: [stage.world.created_by(US, "ad")[0].id],
    }
    assert (planned.head.walks, planned.head.walked_twice, len(stage.graph.walks)) == (2, 1, 2)
    assert planned.head.counts == Counter(found=3, absent=2)
    assert planned.line(ours).items[0].grade is Grade.MARK


def test_each_is_judged_as_a_look_of_its_own_would_judge_it(stage: Stage, batch: Batching) -> None:
    with_old_documents(
        stage,
        line("d1", "A"),
        line("d2", "A", "B"),
        line("d3", "C", "C"),
        line("d4", "D"),
        names="ABCCD",
    )
    ours = crashed(stage)
    batch.settle_all()

    told = batch.plan().told()

    assert told == {each: alone(stage, batch, each) for each in ("d1", "d2", "d3", "d4", ours)}
    assert told["d1"] == [Reason.CONTESTED]


def test_a_container_where_everything_is_found_is_walked_once(
    stage: Stage, batch: Batching
) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "B"), names="AB")

    assert (batch.plan().head.walks, len(stage.graph.walks)) == (1, 1)


def test_planning_takes_no_lease_and_writes_nothing(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    crashed(stage)
    batch.settle_all()
    before = [stage.document(each) for each in ("d1", *stage.documents)]
    life = Process()

    batch.plan(worker=stage.worker(life).outside)

    assert {effect for effect in life.effects if effect.startswith("ledger")} == set()
    assert [stage.document(each) for each in ("d1", *stage.documents)] == before


def test_a_healthy_document_is_in_no_plan(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage)
    stage.publish(stage.submit(ONE_AD))

    assert batch.plan().lines == ()
    assert stage.graph.walks == []


def test_who_still_publishes_is_in_no_plan(stage: Stage, batch: Batching) -> None:
    document_id = crashed(stage)

    assert stage.document(document_id).state is DocumentState.PUBLISHING
    assert batch.plan().lines == ()


def test_two_who_want_one_entity_get_nothing(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "A"), names="A")

    assert batch.plan().told() == {"d1": [Reason.CONTESTED], "d2": [Reason.CONTESTED]}


def test_a_strangers_twin_from_the_same_minutes_makes_a_name_ambiguous(
    stage: Stage, batch: Batching
) -> None:
    with_old_documents(stage, line("d1", "A"), names="AA")

    assert batch.plan().told() == {"d1": [Reason.AMBIGUOUS]}


def test_what_the_policy_refuses_is_refused_in_a_plan_too(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    batch.legacy = Legacy(evidence=LegacyEvidence.NEVER)

    assert batch.plan().told() == {"d1": [Reason.POLICY]}


def test_without_finished_documents_of_an_account_nothing_is_claimed(
    stage: Stage, batch: Batching
) -> None:
    elsewhere = Elsewhere(stage)
    elsewhere.made("A")
    stage.time.pass_(timedelta(minutes=30))
    elsewhere.imports(line("d1", "A"))

    assert batch.plan().told() == {"d1": [Reason.POLICY]}


def test_a_container_that_is_not_listed_to_its_end_is_never_empty(
    stage: Stage, batch: Batching
) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "X"), names="A")
    stage.sky.blind[0] = Reason.LISTING_INCOMPLETE

    planned = batch.plan()

    assert planned.told() == {
        "d1": [Reason.LISTING_INCOMPLETE],
        "d2": [Reason.LISTING_INCOMPLETE],
    }
    assert planned.head.changes == 0, "nothing is done on it"


def test_a_second_walk_that_stops_leaves_absence_open(stage: Stage, batch: Batching) -> None:
    (a,) = with_old_documents(stage, line("d1", "A"), line("d2", "X"), names="A")
    stage.sky.blind[1] = Reason.LISTING_INCOMPLETE

    assert batch.plan().told() == {
        "d1": [Reason.LISTING_INCOMPLETE],
        "d2": [Reason.LISTING_INCOMPLETE],
    }
    assert batch.plan().told() == {"d1": [a], "d2": ["absent"]}


@pytest.mark.parametrize("why", [BlockReason.THROTTLED, BlockReason.ACCESS])
def test_a_closed_account_holds_back_itself_alone(
    stage: Stage, batch: Batching, why: BlockReason
) -> None:
    other = line("d9", "A", account_id="act_1002")
    (a,) = with_old_documents(stage, line("d1", "A"), other, names="A")
    until = stage.time.now() + timedelta(hours=1)
    closed = Account(id="act_1002", reason=why, until=until, token_print=stage.graph.token)
    stage.time.run(stage.ledger.set_account(closed, Account(id="act_1002")))

    assert batch.plan().told() == {"d1": [a], "d9": [Reason(why.value)]}
    assert {walk.account_id for walk in stage.graph.walks} == {"act_1001"}


def test_an_account_that_is_throttled_on_the_way_is_asked_no_more(
    stage: Stage, batch: Batching
) -> None:
    elsewhere = {"container": {"kind": "adset", "id": "2002"}}
    with_old_documents(stage, line("d1", "A"), line("d2", "B", **elsewhere), names="A")
    stage.sky.blind[0] = Reason.THROTTLED

    assert batch.plan().told() == {"d1": [Reason.THROTTLED], "d2": [Reason.THROTTLED]}
    assert len(stage.graph.walks) == 1


def test_a_large_group_is_read_again_and_says_the_same(
    stage: Stage, batch: Batching, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "B", "C"), line("d3", "A"), names="AB")
    small = batch.plan()
    monkeypatch.setattr(batch_group, "KEPT_ITEMS_MAX", 0)

    assert batch.plan().told() == small.told()


@pytest.mark.parametrize("only_takes_over", [False, True])
def test_what_moves_while_its_container_is_walked_is_left_out_of_the_plan(
    stage: Stage, batch: Batching, monkeypatch: pytest.MonkeyPatch, only_takes_over: bool
) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "B"), names="AB")
    monkeypatch.setattr(batch_group, "KEPT_ITEMS_MAX", 0)
    planned = batch.plan(
        worker=replace(batch.worker(), graph=Meanwhile(stage, only_takes_over=only_takes_over))
    )

    assert set(planned.told()) == {"d2"}
    assert planned.head.moved == 1


def test_held_documents_are_judged_again_only_where_somebody_asks(
    stage: Stage, batch: Batching
) -> None:
    (a,) = with_old_documents(stage, line("d1", "A"), names="A")
    batch.legacy = Legacy(evidence=LegacyEvidence.NEVER)
    batch.apply(batch.plan())
    assert stage.document("d1").state is DocumentState.HELD
    batch.legacy = Legacy()

    assert batch.plan().told() == {}
    assert batch.plan(held=True).told() == {"d1": [a]}


def test_a_document_of_several_containers_ties_them_together(stage: Stage, batch: Batching) -> None:
    campaign = {"container": {"kind": "account", "id": "act_1001"}, "kind": "campaign"}
    with_old_documents(
        stage,
        line("d1", "A"),
        line("d2", "B"),
        line("d2", "Big", **campaign),
        line("d3", "Big", **campaign),
        names="AB",
    )

    batch.plan()

    asked = Counter((walk.container.id, walk.kind, walk.statuses) for walk in stage.graph.walks)
    assert set(asked.values()) == {1}, "each place once, and once more for an absence"
    assert len({place[:2] for place in asked}) == 2


def test_what_documents_share_is_written_once_and_let_go_with_the_last_of_them(
    stage: Stage, batch: Batching
) -> None:
    made = with_old_documents(
        stage, line("d1", "A", "B"), line("d2", "A"), line("d3", "B"), names="AB"
    )
    file = batch.plan().file

    kinds = [
        next(word for word in ("ends", "document_id", "rows") if word in each) for each in file
    ]
    assert kinds == ["rows", "document_id", "document_id", "document_id", "ends"]
    rows = [row["data"]["id"] for each in file for row in each.get("rows", ())]
    assert sorted(rows) == sorted(made)
    assert all(len(json.dumps(each)) < 2_000 for each in file if "document_id" in each)
