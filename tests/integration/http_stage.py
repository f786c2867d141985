"""A stage on which the real client speaks HTTP to the fake API, in virtual time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import httpx
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from fixtures.graph import AnsweringOptions, FakeGraph
from fixtures.graph.scene import ADSET
from fixtures.lives import DiesAt
from fixtures.stage import Stage
from fixtures.world_graph import US, WorldGraph
from reconciler import publish
from reconciler.activity_log import LoggedCreations, UnreadLog
from reconciler.call_outcome import Answer, CreateRequest
from reconciler.listing import Keep, Walk, WalkRequest
from reconciler.model import Document, ItemState
from tests.crash.plans import ONE_AD, Plan
from tests.crash.promise import live_entities_per_item

TOKEN = "fake-token"


@dataclass(slots=True, kw_only=True)
class OverHttp(WorldGraph):
    """The port as it is in production; counts what it is asked, as its base does."""

    client: GraphClient

    async def create(self, request: CreateRequest, *, within: timedelta) -> Answer:
        """One POST, through whatever faults the fake has."""
        self.creates.append(request)
        return await self.client.create(request, within=within)

    async def create_many(
        self, requests: Sequence[CreateRequest], *, within: timedelta
    ) -> tuple[Answer, ...]:
        """One POST for all of them."""
        self.batches.append(tuple(requests))
        self.creates.extend(requests)
        return await self.client.create_many(requests, within=within)

    async def keep_pace(self, account_id: str, *, within: timedelta) -> None:
        """The real wait."""
        await self.client.keep_pace(account_id, within=within)

    async def walk(
        self,
        request: WalkRequest,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Callable[[], None] = lambda: None,
    ) -> Walk:
        """The real walk."""
        self.walks.append(request)
        return await self.client.walk(request, keep, now, step=step)

    async def walk_ours(
        self,
        request: WalkRequest,
        label: str,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Callable[[], None] = lambda: None,
    ) -> Walk | None:
        """The real one."""
        return await self.client.walk_ours(request, label, keep, now, step=step)

    async def logged_creations(
        self, account_id: str, since: datetime, until: datetime
    ) -> LoggedCreations | UnreadLog:
        """The real log."""
        return await self.client.logged_creations(account_id, since, until)

    async def has_label(self, account_id: str, name: str) -> bool | None:
        """The real look for a label."""
        self.label_walks += 1
        return await self.client.has_label(account_id, name)

    async def probe(self, account_id: str) -> bool:
        """The real probe."""
        return await self.client.probe(account_id)

    def is_app_throttled(self, account_id: str) -> bool:
        """The real one."""
        return self.client.is_app_throttled(account_id)

    def token_print(self, account_id: str) -> str | None:
        """The real one."""
        return self.client.token_print(account_id)


@dataclass(slots=True, kw_only=True)
class HttpStage(Stage):
    """`fake` takes faults; `client` are settings of the client. Each request takes 50 ms."""

    client: dict[str, Any] = field(default_factory=dict)
    fake: FakeGraph = field(init=False)

    def __post_init__(self) -> None:
        Stage.__post_init__(self)
        options = AnsweringOptions(tokens={TOKEN: US})
        self.fake = FakeGraph(self.world, options=options, latency_seconds=0.05)
        self.forget()

    def forget(self) -> None:
        """What follows happens in other processes: their client has seen no reply yet."""
        settings: dict[str, Any] = {"tokens": Tokens(default=SecretStr(TOKEN)), **self.client}
        client = GraphClient(
            url="http://graph.test",
            transport=httpx.ASGITransport(self.fake),
            page_size=self.page_size,
            fraction=self.chance.fraction,
            **settings,
        )
        self.graph = OverHttp(world=self.world, client=client)


SetUp = Callable[..., HttpStage]
"""Makes a stage of these settings, which is taken down and held to the promise in the end."""


def crashed(stage: HttpStage, *, made: bool = True, plan: Plan = ONE_AD) -> str:
    """The id of a document whose worker died around its first create; its lease has ended."""
    document_id = stage.submit(plan)
    dying = stage.worker(DiesAt(effect="graph.create", after=made)).outside
    assert stage.dies(publish.publish(document_id, dying))
    stage.time.pass_(stage.limits.lease)
    return document_id


def looked_for_an_hour(stage: HttpStage, document_id: str) -> Document:
    """As a worker would: whenever it is due, and settling only, so that no create hides a claim."""
    for _ in range(12):
        stage.settle(document_id)
        stage.time.pass_(timedelta(minutes=5))
    return stage.document(document_id)


def states(document: Document) -> list[ItemState]:
    return [item.state for item in document.items]


def live(stage: HttpStage, document: Document) -> list[int]:
    return [len(ids) for ids in live_entities_per_item(stage.world, document).values()]


def colleagues_create(stage: HttpStage, count: int, name: str = "other") -> None:
    for number in range(count):
        stage.world.colleague_creates("ads", f"{name} {number}", parent_id=ADSET)
