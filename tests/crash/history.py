"""A random history from one seed: settings, plans, workers that die, people who interfere.

First anything may happen, at once and in any order, within A1 to A8. Then the faults stop, and one
healthy worker must bring every document to rest. `lines` tells what was done, for a failing seed.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final

from fixtures.crash_points import Process
from fixtures.graph.ground import WorldOptions
from fixtures.graph.scene import ADSET
from fixtures.lives import DiesAt, IsCancelled, IsStopped, LedgerFails
from fixtures.memory_ledger import MemoryLedger
from fixtures.stage import OpenLedger, Stage, advance, is_crash
from fixtures.world_graph import US, Sky, Weather
from reconciler import cancel, publish, settle
from reconciler.errors import LedgerUnavailable, WrongState
from reconciler.limits import Limits
from reconciler.model import Document, DocumentState, Echo, Reason
from reconciler.outside import Outside
from tests.crash.plans import TREE, Plan, ads
from tests.crash.promise import assert_promise

WITHIN_A8: Final = tuple(weather for weather in Weather if weather is not Weather.MADE_TWICE)
NAMES: Final = ("Spring / 1", "Spring / 2", "Spring / 3")
EFFECTS: Final = (
    "ledger.LeaseFree",
    "ledger.Claim",
    "ledger.Fenced",
    "ledger.Takeover",
    "ledger.SettleLease",
    "ledger.Anyhow",
    "ledger.renew",
    "ledger.set_account",
    "graph.create",
    "graph.walk",
    "graph.has_label",
)
UNFINISHED: Final = (DocumentState.FAILED, DocumentState.PARTLY_PUBLISHED)
HOSTS: Final = 3
STEPS_PER_HOST: Final = 8


@dataclass(slots=True)
class History:
    """One run. `play` is all there is to call.

    Without marks (`marked` False) strangers keep out, for a name proves nothing against them, and a
    person says `publish` again where something was proven absent.
    """

    seed: int
    marked: bool = True
    open_ledger: OpenLedger = MemoryLedger
    random: random.Random = field(init=False)
    stage: Stage = field(init=False)
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        limits = _limits(self.random)
        if not self.marked:
            limits = replace(limits, echo=Echo.NONE)
        self.stage = Stage(
            seed=self.seed,
            limits=limits,
            open_ledger=self.open_ledger,
            page_size=self.random.randint(1, 5),
            options=_options(self.random, limits),
            sky=_sky(self.random, limits),
        )
        self._tell(f"{limits}")

    def play(self) -> None:
        """Raises `AssertionError`, with the seed and the story, where the promise was broken."""
        try:
            self._submit_all()
            self.stage.time.run(self._everything_at_once())
            assert_promise(self.stage)
            self._calm_down()
            self._rest()
        except BaseException as error:
            error.add_note("\n".join([f"RECONCILER_SEED={self.seed} replays:", *self.lines]))
            raise
        finally:
            self.stage.close()

    # --- the faults --------------------------------------------------------------------------

    def _submit_all(self) -> None:
        for number in range(self.random.randint(1, 3)):
            plan = _plan(self.random) if self.marked else _plan_apart(self.random, number)
            publishes = self.random.random() < 0.5
            self.stage.submit(plan, key=f"document {number}", publish=publishes)
            self._tell(f"submit {[item['name'] for item in plan['items']]}, publish={publishes}")

    async def _everything_at_once(self) -> None:
        await asyncio.gather(self._people(), *(self._host(number) for number in range(HOSTS)))

    async def _host(self, number: int) -> None:
        """A machine on which one process after the other works on whatever there is."""
        for _ in range(STEPS_PER_HOST):
            await self._pause()
            life = self._life()
            ahead = timedelta(seconds=self.random.choice((0, 0, -300, 300)))
            outside = self.stage.worker(life, ahead=ahead, stopping=self._stopping(life)).outside
            document_id = self.random.choice(self.stage.documents)
            name, work = self._work(document_id, outside)
            how = await self._run(work, life)
            self._tell(f"host {number}: {name} {document_id}, {_said(life)}: {how}")

    def _work(self, document_id: str, outside: Outside) -> tuple[str, Coroutine[Any, Any, object]]:
        choice = self.random.random()
        if choice < 0.35:
            return "publish", publish.publish(document_id, outside)
        if choice < 0.70:
            return "advance", advance(document_id, outside)
        if choice < 0.80:
            return "settle", settle.settle(document_id, outside, asked=True)
        if choice < 0.87:
            budget = timedelta(seconds=self.random.uniform(0, 2))
            return "show", settle.settle(document_id, outside, budget=budget)
        if choice < 0.92:
            return "refresh", settle.settle(document_id, outside, refresh=True)
        if choice < 0.97:
            return "dry run", settle.judge_only(document_id, outside)
        return "cancel", cancel.cancel(document_id, outside)

    async def _run(self, work: Coroutine[Any, Any, object], life: Process) -> str:
        task = asyncio.ensure_future(work)
        if isinstance(life, IsCancelled):
            life.main = task
        try:
            await task
        except WrongState as error:
            return f"refused: {error.message}"
        except LedgerUnavailable as error:
            return f"raised {error.code}"
        except asyncio.CancelledError:
            return "cancelled"
        except BaseException as error:
            if not is_crash(error):
                raise
            return "died"
        return "done"

    def _life(self) -> Process:
        choice, after = self.random.random(), self.random.random() < 0.5
        if choice < 0.25:
            return Process()
        effect, nth = self.random.choice(EFFECTS), self.random.randint(0, 2)
        if choice < 0.60:
            return DiesAt(effect=effect, nth=nth, after=after)
        if choice < 0.75:
            stops_for = self._stops_for(effect, after)
            return IsStopped(effect=effect, nth=nth, after=after, stops_for=stops_for)
        if choice < 0.87:
            return LedgerFails(dies_at=self.random.randint(0, 12), after=after)
        return IsCancelled(dies_at=self.random.randint(0, 12))

    def _stops_for(self, effect: str, after: bool) -> float:
        """Up to twenty leases. Between the last check and the request no longer than A3 allows."""
        if effect == "graph.create" and not after:
            return self.stage.limits.late_landing.total_seconds() * self.random.random()
        longest = self.stage.limits.lease * self.random.choice((1, 2, 20))
        return longest.total_seconds() * self.random.random()

    def _stopping(self, life: Process) -> Callable[[], bool]:
        if self.random.random() < 0.9:
            return lambda: False
        effects = self.random.randint(0, 8)
        return lambda: len(life.effects) > effects

    async def _people(self) -> None:
        for _ in range(8):
            await self._pause()
            strangers = (self._a_colleague_creates, self._somebody_copies_ours)
            acts = (
                *(strangers if self.marked else ()),
                self._somebody_archives_what_is_read_back,
                self._the_weather_changes,
                self._the_weather_changes,
                self._a_walk_goes_blind,
                self._the_token_is_rotated,
            )
            self.random.choice(acts)()

    def _a_colleague_creates(self) -> None:
        name = self.random.choice(NAMES)
        self._tell(f"a colleague creates {name}")
        params: dict[str, Any] = {"creative": {"creative_id": "3001"}}
        self.stage.world.colleague_creates("ads", name, parent_id=ADSET, **params)

    def _somebody_copies_ours(self) -> None:
        ours = self.stage.world.created_by(US)
        if ours:
            source = self.random.choice(ours).id
            self._tell(f"somebody copies {source}")
            self.stage.world.copy(source)

    def _somebody_archives_what_is_read_back(self) -> None:
        """Not before: A5 is about what we have not read yet. Ads only, whose parents stay."""
        ours = self.stage.world.created_by(US, "ad")
        if ours:
            entity_id = self.random.choice(ours).id
            self._tell(f"somebody archives {entity_id}")
            self.stage.world.archive(entity_id)

    def _the_weather_changes(self) -> None:
        sky = self.stage.sky
        sky.otherwise = self.random.choice((Weather.FAIR, Weather.FAIR, *WITHIN_A8))
        sky.wait = self.random.choice((None, timedelta(seconds=30)))
        self._tell(f"the weather is {sky.otherwise}")

    def _a_walk_goes_blind(self) -> None:
        number = len(self.stage.graph.walks) + self.random.randint(0, 2)
        reasons = (Reason.LISTING_INCOMPLETE, Reason.THROTTLED, Reason.ACCESS)
        self.stage.sky.blind[number] = self.random.choice(reasons)
        self._tell(f"walk {number} will be {self.stage.sky.blind[number]}")

    def _the_token_is_rotated(self) -> None:
        self.stage.graph.token += "'"
        self._tell("the token is rotated")

    async def _pause(self) -> None:
        """Short, about a lease, or about a settle time: the times at which something changes."""
        limits = self.stage.limits
        settle_time = limits.late_landing + limits.listing_lag
        longest = self.random.choice(
            (timedelta(seconds=1), limits.call_timeout, limits.lease, limits.lease + settle_time)
        )
        await asyncio.sleep(longest.total_seconds() * self.random.uniform(0, 1.2))

    # --- afterwards --------------------------------------------------------------------------

    def _calm_down(self) -> None:
        self._tell("the faults stop")
        sky = self.stage.sky
        sky.otherwise = Weather.FAIR
        sky.by_number.clear()
        sky.blind.clear()
        self.stage.graph.token += "!"

    def _rest(self) -> None:
        """Liveness, then that doing it again changes nothing and calls nothing."""
        for document_id in self.stage.documents:
            document = self._rest_of(document_id)
            self._tell(f"{document_id} rests: {document.state}")
        assert_promise(self.stage)
        for document_id in self.stage.documents:
            before, requests = self.stage.document(document_id), self._requests()
            if before.state is not DocumentState.DRAFT:
                self.stage.settle(document_id)
            assert self.stage.document(document_id) == before, "S6: looking again changed it"
            assert self._requests() == requests, "S11: a document at rest was looked at"

    def _rest_of(self, document_id: str) -> Document:
        document = self.stage.run_until_rest(document_id)
        for _ in document.items:
            if self.marked or document.state not in UNFINISHED:
                break
            self.stage.publish(document_id)
            document = self.stage.run_until_rest(document_id)
        return document

    def _requests(self) -> tuple[int, int]:
        return len(self.stage.graph.creates), len(self.stage.graph.walks)

    def _tell(self, line: str) -> None:
        self.lines.append(f"  {self.stage.time.now():%H:%M:%S.%f} {line}")


def _limits(chance: random.Random) -> Limits:
    """A2 holds; every ratio within it may come."""
    lease = chance.uniform(1, 60)
    call_timeout = lease * chance.uniform(0.05, 0.6)
    margin = (lease - call_timeout) * chance.uniform(0.05, 0.6)
    return Limits(
        lease=timedelta(seconds=lease),
        lease_margin=timedelta(seconds=margin),
        call_timeout=timedelta(seconds=call_timeout),
        late_landing=timedelta(seconds=chance.uniform(0, 60)),
        listing_lag=timedelta(seconds=chance.uniform(0, 30)),
        backoff_base=timedelta(seconds=chance.uniform(0.1, 5)),
        backoff_cap=timedelta(seconds=chance.uniform(5, 60)),
        max_attempts=chance.randint(2, 6),
        concurrency=chance.randint(1, 4),
        wave_size=chance.randint(1, 5),
        echo=chance.choice((Echo.LABEL, Echo.LABEL, Echo.LABEL_AND_NAME)),
    )


def _options(chance: random.Random, limits: Limits) -> WorldOptions:
    lag = limits.listing_lag * chance.choice((0.0, chance.random(), 1.0))
    offset = limits.clock_skew * chance.uniform(-0.9, 0.9)
    options = WorldOptions(lag={"*": lag}, clock_offset=offset)
    options.order = chance.choice(("newest", "oldest", "shuffled"))
    options.cursor_binding = chance.choice(("item", "position"))
    return options


def _sky(chance: random.Random, limits: Limits) -> Sky:
    weathers = (*[Weather.FAIR] * 8, *WITHIN_A8)
    return Sky(
        by_number={number: chance.choice(weathers) for number in range(6)},
        latency=min(timedelta(seconds=0.5), limits.call_timeout) * chance.uniform(0.01, 0.3),
        late_by=limits.late_landing * chance.choice((0.0, chance.random(), 1.0)),
        cut_lands_after=chance.choice((None, limits.late_landing * chance.random())),
    )


def _plan(chance: random.Random) -> Plan:
    if chance.random() < 0.3:
        return TREE
    return ads(*(chance.choice(NAMES) for _ in range(chance.randint(1, 6))))


def _plan_apart(chance: random.Random, number: int) -> Plan:
    """Names that no other document has."""
    names = [f"Autumn {number} / {chance.randint(1, 4)}" for _ in range(chance.randint(1, 5))]
    return ads(*names)


def _said(life: Process) -> str:
    when = "after" if life.after else "before"
    match life:
        case DiesAt(effect=effect, nth=nth):
            return f"dies {when} {effect} {nth}"
        case IsStopped(effect=effect, nth=nth, stops_for=seconds):
            return f"stands still {when} {effect} {nth} for {seconds:.1f} s"
        case IsCancelled(dies_at=at):
            return f"is cancelled at effect {at}"
        case LedgerFails(dies_at=at):
            return f"its ledger fails {when} effect {at}"
        case _:
            return "lives"
