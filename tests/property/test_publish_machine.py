"""A state machine over publish, crash, foreign creations, copies, recovery and what people decide.

Every rule is played on two stages that differ in the ledger alone: memory and SQLite. After each
step the promise is checked against the worlds' own logs, and the two must tell the same story. A
failure prints a short program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from fixtures.graph.ground import WorldOptions
from fixtures.graph.scene import ADSET
from fixtures.lives import DiesAt
from fixtures.memory_ledger import MemoryLedger
from fixtures.stage import Stage, is_crash
from fixtures.world_graph import US, Sky, Weather
from reconciler import cancel
from reconciler.errors import DecisionRefused, UnknownItem, WrongState
from reconciler.limits import Limits
from reconciler.model import BlockReason, Document, DocumentState, Echo, ItemState
from reconciler.outside import Outside
from reconciler.publish import publish
from reconciler.resolve import resolve
from reconciler.resolve_decision import Choice, Decision
from tests.crash.plans import ads
from tests.crash.promise import assert_promise
from tests.crash.sqlite_ledgers import sqlite_in_memory

NAMES = st.sampled_from(["Spring / 1", "Spring / 2"])
ITEMS = st.sampled_from(["a1", "a2", "a3"])
EFFECTS = st.sampled_from(
    ["ledger.LeaseFree", "ledger.Claim", "ledger.Fenced", "graph.create", "graph.walk",
     "ledger.SettleLease", "ledger.Takeover"]
)  # fmt: skip
WEATHERS = st.one_of(
    st.just(Weather.FAIR),
    st.sampled_from([Weather.LATE, Weather.REPLY_LOST, Weather.ERROR_AFTER, Weather.ERROR_BEFORE]),
    st.sampled_from([weather for weather in Weather if weather is not Weather.MADE_TWICE]),
)
DURATIONS = st.sampled_from([0, 1, 29, 31, 61, 119, 121, 181, 301, 1000])


class Publishing(RuleBasedStateMachine):
    """Two stages, one story."""

    documents: Bundle[str] = Bundle("documents")

    def __init__(self) -> None:
        super().__init__()
        self.stages: list[Stage] = []

    @initialize(
        seed=st.integers(0, 3), echo=st.sampled_from([Echo.LABEL, Echo.LABEL_AND_NAME]),
        concurrency=st.integers(1, 3),
    )  # fmt: skip
    def open(self, seed: int, echo: Echo, concurrency: int) -> None:
        """Requests land and rows appear as late as A3 and A4 allow."""
        limits = Limits(echo=echo, concurrency=concurrency)
        self.stages = [
            Stage(
                seed=seed,
                limits=limits,
                open_ledger=open_ledger,
                options=WorldOptions(lag={"*": limits.listing_lag * 0.99}),
                sky=Sky(late_by=limits.late_landing * 0.99),
            )
            for open_ledger in (MemoryLedger, sqlite_in_memory)
        ]

    def both(self, act: Callable[[Stage], Any]) -> Any:
        """Play it on both; what comes back must be the same."""
        first, second = (act(stage) for stage in self.stages)
        assert first == second, "the ledgers tell two stories"
        return first

    @rule(target=documents, names=st.lists(NAMES, min_size=1, max_size=3), again=st.booleans())
    def submit(self, names: list[str], again: bool) -> str:
        document_id = self.both(lambda stage: stage.submit(ads(*names), new=again))
        assert isinstance(document_id, str)
        return document_id

    @rule(document_id=documents, effect=EFFECTS, nth=st.integers(0, 1), after=st.booleans())
    def publish_and_die(self, document_id: str, effect: str, nth: int, after: bool) -> None:
        self.both(lambda s: _publish(s, document_id, DiesAt(effect=effect, nth=nth, after=after)))

    @rule(document_id=documents, weather=WEATHERS)
    def publish(self, document_id: str, weather: Weather) -> None:
        """Its first create meets this weather."""
        for stage in self.stages:
            stage.sky.by_number[len(stage.graph.creates)] = weather
        self.both(lambda stage: _publish(stage, document_id, None))

    @rule(document_id=documents)
    def a_worker_drives_it_to_rest(self, document_id: str) -> None:
        if self.stages[0].document(document_id).state is not DocumentState.DRAFT:
            self.both(lambda stage: _driven_to_rest(stage, document_id).state)

    @rule(document_id=documents, asked=st.booleans())
    def settle(self, document_id: str, asked: bool) -> None:
        """Looking creates nothing (S17): the stage asserts it."""
        self.both(lambda stage: stage.settle(document_id, asked=asked).withheld)

    @rule(document_id=documents)
    def cancel(self, document_id: str) -> None:
        self.both(lambda stage: _cancel(stage, document_id))

    @rule(
        document_id=documents, item=ITEMS, choice=st.sampled_from(Choice), row=st.integers(0, 5),
        looks_first=st.booleans(), dies_at=st.one_of(st.none(), EFFECTS),
    )  # fmt: skip
    def a_person_decides(
        self, *, document_id: str, item: str, choice: Choice, row: int, looks_first: bool,
        dies_at: str | None,
    ) -> None:  # fmt: skip
        """Never against the evidence, and never that a colleague's is ours: anything else may be
        said of anything, and no second entity comes of it."""
        if looks_first:
            self.both(lambda stage: stage.settle(document_id, asked=True).withheld)
        life = None if dies_at is None else DiesAt(effect=dies_at, after=bool(row % 2))
        self.both(lambda stage: _decide(stage, document_id, _said(stage, item, choice, row), life))

    @rule(name=NAMES)
    def a_colleague_creates_one_of_our_name(self, name: str) -> None:
        for stage in self.stages:
            params: dict[str, Any] = {"creative": {"creative_id": "3001"}}
            stage.world.colleague_creates("ads", name, parent_id=ADSET, **params)

    @rule(index=st.integers(0, 3))
    def somebody_copies_ours(self, index: int) -> None:
        for stage in self.stages:
            ours = stage.world.created_by(US, "ad")
            if ours:
                stage.world.copy(ours[index % len(ours)].id)

    @rule(index=st.integers(0, 3))
    def somebody_archives_ours(self, index: int) -> None:
        for stage in self.stages:
            ours = stage.world.created_by(US, "ad")
            if ours:
                stage.world.archive(ours[index % len(ours)].id)

    @rule(seconds=DURATIONS)
    def time_passes(self, seconds: int) -> None:
        for stage in self.stages:
            stage.time.pass_(timedelta(seconds=seconds))

    @invariant()
    def the_promise_holds(self) -> None:
        for stage in self.stages:
            assert_promise(stage)

    @invariant()
    def both_ledgers_know_the_same(self) -> None:
        if self.stages:
            self.both(lambda stage: [_known(stage.document(each)) for each in stage.documents])

    def teardown(self) -> None:
        """Liveness: once the faults stop everything rests or waits for a person."""
        for stage in self.stages:
            stage.sky.by_number.clear()
            for document_id in stage.documents:
                if stage.document(document_id).state is not DocumentState.DRAFT:
                    document = _driven_to_rest(stage, document_id)
                    assert not [i for i in document.items if i.state is ItemState.PENDING]
            assert_promise(stage)
            stage.close()


def _driven_to_rest(stage: Stage, document_id: str) -> Document:
    """Whose account a refused token closed waits first until it is asked again: the bench wakes
    by the document alone, and forty rounds would pass in one moment."""
    account = stage.view(document_id).account
    if account.reason is BlockReason.ACCESS and account.until is not None:
        stage.time.pass_until(account.until)
    return stage.run_until_rest(document_id)


def _publish(stage: Stage, document_id: str, life: DiesAt | None) -> str:
    worker = stage.worker(life).outside
    try:
        stage.time.run(_publishing(document_id, worker))
    except WrongState as refused:
        return refused.message
    except BaseException as error:  # caught inside the rule: what escapes is not shrunk
        if not is_crash(error):
            raise
        return "died"
    return "ended"


async def _publishing(document_id: str, worker: Outside) -> None:
    await publish(document_id, worker)


def _cancel(stage: Stage, document_id: str) -> str:
    try:
        view = stage.time.run(cancel.cancel(document_id, stage.process()))
    except WrongState as refused:
        return refused.message
    return view.document.state


def _said(stage: Stage, item: str, choice: Choice, row: int) -> Decision:
    """Adopts what our requests made, for whatever item of whatever document, and copies of it."""
    ours = (one for one in stage.world.log if one.kind == "ad" and (one.actor == US or one.copy_of))
    ads = [made.id for made in ours]
    adopted = ads[row % len(ads)] if ads else "4711"
    external_id = adopted if choice is Choice.ADOPT else None
    return Decision(item=item, choice=choice, reason="seen", by="ann", external_id=external_id)


def _decide(stage: Stage, document_id: str, said: Decision, life: DiesAt | None) -> str:
    worker = stage.worker(replace(life, effects=[]) if life else None).outside
    before = len(stage.graph.creates)
    try:
        resolved = stage.time.run(resolve(document_id, said, worker))
    except (DecisionRefused, UnknownItem) as refused:
        return refused.message
    except BaseException as error:
        if not is_crash(error):
            raise
        return "died"
    finally:
        assert len(stage.graph.creates) == before, "deciding created something"
    return f"recorded {resolved.is_recorded}, repeated {resolved.is_repeated}"


def _known(document: Document) -> tuple[Any, ...]:
    """Everything but what a ledger may spell its own way."""
    return (
        document.state,
        document.due_at,
        document.owes_look_from,
        document.lease,
        document.items,
        document.attempts,
        document.surplus,
        document.verdicts,
        document.next,
    )


def test_the_promise_holds_and_both_ledgers_agree_whatever_is_done() -> None:
    run_state_machine_as_test(
        Publishing,
        settings=settings(
            max_examples=250,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
