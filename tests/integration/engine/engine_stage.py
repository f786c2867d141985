"""Workers with an engine on a real PostgreSQL and a pretend API, in real time, without waiting.

Whatever a test waits for is told by a worker or read from the database; how fast that comes is
nobody's matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from adapters.clock import SystemChance, SystemClock
from adapters.engine.in_process import InProcess
from adapters.engine.port import Engine
from adapters.engine.procrastinate_engine import Procrastinate
from adapters.store.ledger import SqlLedger
from fixtures.graph import World
from fixtures.world_graph import WorldGraph
from reconciler.limits import Limits
from reconciler.model import Account, BlockReason, Echo
from reconciler.outside import Outside
from reconciler.plan import read_plan
from reconciler.serving import Happened, Happening, Worked
from reconciler.submit import submit
from tests.databases import asked, opened

SECONDS_MAX: Final = 100
QUICK: Final = Limits(
    lease=timedelta(seconds=8),
    lease_margin=timedelta(seconds=1),
    call_timeout=timedelta(seconds=5),
    late_landing=timedelta(seconds=0.2),
    listing_lag=timedelta(seconds=0.2),
    backoff_base=timedelta(seconds=0.1),
    sweep_interval=timedelta(seconds=1),
    concurrency=3,
)
ACCOUNTS: Final = [f"act_{1001 + number}" for number in range(4)]
PUBLISHED: Final = "published"


@dataclass
class Life:
    """A running worker: its story, and how to end it."""

    engine: Engine
    outside: Outside
    story: list[Happened] = field(default_factory=list)
    is_stopping: bool = False
    on_told: Callable[[Happened], None] = lambda _: None
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[Worked] | None = None

    def start(self) -> None:
        """Begin to work."""
        self._task = asyncio.create_task(self.engine.work(self.outside, self._hear))

    def _hear(self, happened: Happened) -> None:
        self.story.append(happened)
        self.on_told(happened)
        self._news.set()

    def told(self, what: Happening) -> list[str | None]:
        """The documents of which this was told, in order."""
        return [happened.document_id for happened in self.story if happened.what is what]

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Return once this holds; it is asked whenever the worker tells something."""
        async with asyncio.timeout(SECONDS_MAX):
            while not is_so():
                self._news.clear()
                await self._news.wait()

    async def ended(self) -> Worked:
        """What it did, once it was told to stop and everything begun has ended."""
        self.is_stopping = True
        return await self.until_ended()

    async def until_ended(self) -> Worked:
        """What it did, once it ended by itself; or what it ended with."""
        assert self._task is not None
        async with asyncio.timeout(SECONDS_MAX):
            return await self._task

    async def cancelled(self) -> None:
        """As by a second signal."""
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


class EngineStage:
    """One ledger with the engine's tables, one pretend API, any number of workers."""

    def __init__(self, url: str, ledger: SqlLedger, limits: Limits) -> None:
        self.url = url
        self.ledger = ledger
        self.limits = limits
        self.world = _world()
        self.graph = WorldGraph(self.world)
        self.chance = SystemChance()
        self.lives: list[Life] = []

    def life(self, engine: Engine | None = None) -> Life:
        """A worker, not started; driven by procrastinate unless another engine is given."""
        made = Life(engine or Procrastinate(self.url), self.outside(lambda: made.is_stopping))
        self.lives.append(made)
        return made

    def running(self, engine: Engine | None = None) -> Life:
        """A worker that was just started."""
        made = self.life(engine)
        made.start()
        return made

    def outside(self, stopping: Callable[[], bool] = lambda: False) -> Outside:
        """The ports of one process."""
        return Outside(
            ledger=self.ledger,
            graph=self.graph,
            clock=SystemClock(),
            chance=self.chance,
            limits=self.limits,
            owner=self.chance.owner(),
            stopping=stopping,
        )

    async def queued(self, *names: str, account: str = "act_1001") -> str:
        """A document of these ads that waits for a worker."""
        plan = read_plan(plan_of(account, *names), echo=Echo.LABEL)
        submitted = await submit(
            plan,
            key=None,
            new=False,
            publish=True,
            ledger=self.ledger,
            chance=self.chance,
            limits=self.limits,
        )
        return submitted.document.id

    async def throttled(self, account: str) -> None:
        """Nothing is to be asked of this account for an hour."""
        until = datetime.now(UTC) + timedelta(hours=1)
        closed = Account(id=account, reason=BlockReason.THROTTLED, until=until)
        assert await self.ledger.set_account(closed, Account(id=account))

    async def asked(self, statement: str, **given: Any) -> list[dict[str, Any]]:
        """One statement by hand, while the workers work."""
        return await asyncio.to_thread(asked, self.url, statement, **given)

    async def until_all_are(self, state: str) -> None:
        """Return once every document is."""
        await self.until_none("SELECT id FROM document WHERE state <> :state", state=state)

    async def until_none(self, question: str, **given: Any) -> None:
        """Return once this question has no row any more."""
        async with asyncio.timeout(SECONDS_MAX):
            while await self.asked(question, **given):
                pass

    def made(self) -> list[str]:
        """The names of all ads ever made, sorted: by the world's own log."""
        return sorted(creation.name for creation in self.world.log if creation.kind == "ad")


def plan_of(account: str, *names: str) -> dict[str, Any]:
    """Ads of these names in the account's ad set."""
    params = {"creative": {"creative_id": f"3{account[-3:]}"}}
    items = [
        {"key": f"a{n}", "kind": "ad", "name": name, "params": params}
        for n, name in enumerate(names, start=1)
    ]
    container = {"kind": "adset", "id": f"2{account[-3:]}"}
    return {"account_id": account, "container": container, "items": items}


def _world() -> World:
    """Each account has an ad set and a creative."""
    world = World(lambda: datetime.now(UTC), ACCOUNTS)
    for account in ACCOUNTS:
        end = account[-3:]
        world.place("campaigns", f"1{end}", account_id=account, name="Spring")
        world.place("adsets", f"2{end}", account_id=account, parent_id=f"1{end}", name="all")
        world.place("adcreatives", f"3{end}", account_id=account, name="creative")
    return world


@asynccontextmanager
async def engine_stage(url: str, limits: Limits = QUICK) -> AsyncIterator[EngineStage]:
    """On a ledger that has the engine's tables; workers that still run are ended with it."""
    async with opened(url) as ledger:
        stage = EngineStage(url, ledger, limits)
        try:
            yield stage
        finally:
            for life in stage.lives:
                await life.cancelled()


IN_PROCESS: Final = InProcess()
