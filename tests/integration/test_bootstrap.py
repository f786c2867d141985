"""The product as a program opens it: async and blocking, against the pretend API."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.bootstrap import migrate, open_blocking, open_reconciler
from adapters.settings import Settings, load_settings
from fixtures.graph.answering import TOKEN
from fixtures.graph.app import FakeGraph
from fixtures.graph.scene import small_world
from fixtures.graph.socket_server import running_fake
from reconciler.errors import AlreadyMade, ForeignLedger, InvalidSettings, WrongSchema
from reconciler.model import DocumentState, ItemState

PLAN: dict[str, Any] = {
    "account_id": "1001",
    "container": {"kind": "adset", "id": "2001"},
    "items": [
        {"key": "a1", "kind": "ad", "name": "A", "params": {"creative": {"creative_id": "3001"}}}
    ],
}


@pytest.fixture
def graph() -> FakeGraph:
    return FakeGraph(small_world())


@pytest.fixture
def settings(
    graph: FakeGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Settings]:
    monkeypatch.chdir(tmp_path)
    with running_fake(graph) as url:
        yield load_settings(
            database_url=f"sqlite:///{tmp_path}/ledger.db", graph_url=url, graph_token=TOKEN
        )


async def test_a_program_publishes_and_reads(settings: Settings, graph: FakeGraph) -> None:
    migrate(settings)

    async with open_reconciler(settings) as product:
        document = (await product.submit(PLAN)).document
        published = await product.publish(document.id)
        again = await product.publish(document.id)
        listed = await product.list(account_id="1001")
        settled = await product.read(document.id)

    assert published.view.document.state is DocumentState.PUBLISHED
    assert (again.attempt, again.why) == (None, "everything of it is published already")
    assert settled.view.document == again.view.document
    assert listed.counts == {DocumentState.PUBLISHED: 1}
    assert sum(creation.kind == "ad" for creation in graph.world.log) == 1


async def test_who_asks_what_is_due_is_waited_for_and_says_it_on(settings: Settings) -> None:
    migrate(settings)

    async with open_reconciler(settings) as product:
        document = (await product.submit(PLAN, publish=True)).document
        due = await product.due()
        awaited = (await product.peek(document.id)).worker_seen
        advanced = [await product.advance(document_id) for document_id in due * 3]
        left = await product.due()

    assert (due, awaited, left) == ((document.id,), True, ())
    assert [one.attempt is not None for one in advanced] == [True, False, False]
    assert [one.again_at for one in advanced] == [None] * 3


def test_the_blocking_twin_has_every_method(settings: Settings) -> None:
    migrate(settings)

    with open_blocking(settings) as product:
        document = product.submit(PLAN, publish=True).document
        view = product.cancel(document.id)
        with pytest.raises(AttributeError):
            product.no_such_method()

    assert view.document.state is DocumentState.CANCELLED


def test_a_blocking_program_sends_by_itself_in_a_block(settings: Settings) -> None:
    migrate(settings)
    plan = PLAN | {"items": [{**PLAN["items"][0], "key": key, "name": key} for key in "abc"]}

    with open_blocking(settings) as product:
        document = product.submit(plan).document
        with product.intent(document.id, "a") as intent:
            intent.confirm(71)
            inside = product.read(document.id).view.document
        with product.intent(document.id, "b") as refused:
            refused.reject("the budget is too low")
        with pytest.raises(KeyError), product.intent(document.id, "c"):
            raise KeyError
        with pytest.raises(AlreadyMade), product.intent(document.id, "a"):
            pytest.fail("a body cannot be skipped, so it must not be entered")
        ended = product.peek(document.id).document

    assert (intent.external_id, intent.labels) == ("71", (document.mark_part,))
    assert inside.item("a").state is ItemState.CONFIRMED
    assert [item.state for item in ended.items] == [
        ItemState.CONFIRMED,
        ItemState.REJECTED,
        ItemState.PENDING,
    ]


def test_nothing_is_made_by_opening(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(WrongSchema) as refused:
        open_reconciler(settings)

    assert refused.value.next_step == "reconciler migrate"
    assert list(tmp_path.iterdir()) == []


async def test_a_ledger_belongs_to_one_api(settings: Settings) -> None:
    migrate(settings)

    with pytest.raises(ForeignLedger):
        open_reconciler(settings.model_copy(update={"graph_url": "https://graph.example"}))


async def test_a_refused_opening_leaves_nothing_open(settings: Settings) -> None:
    migrate(settings)
    other = settings.model_copy(update={"graph_version": "latest"})

    with pytest.raises(InvalidSettings):
        open_reconciler(other)


async def test_once_it_is_stopping_no_further_create_starts(
    settings: Settings, graph: FakeGraph
) -> None:
    migrate(settings)

    async with open_reconciler(settings, stopping=lambda: True) as product:
        document = (await product.submit(PLAN)).document
        published = await product.publish(document.id)

    assert published.view.document.state is DocumentState.QUEUED
    assert graph.requests == []
