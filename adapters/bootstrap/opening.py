"""Opens the product: settings in, adapters joined to the core, nothing created by the way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from reconciler.outside import Outside, Watch, unseen
from reconciler.ports import Graph

from ..clock import SystemChance, SystemClock
from ..settings import Settings
from .product import Reconciler
from .secrets import REDACTION, learn_secrets

if TYPE_CHECKING:
    from ..graph.client import GraphClient
    from ..observing import Notices
    from ..store.ledger import SqlLedger


def open_reconciler(
    settings: Settings, *, stopping: Callable[[], bool] = lambda: False
) -> Reconciler:
    """The product, ready for use in the running event loop. Close it, or use it in `async with`.

    `stopping` is asked before every create; once it says True no further one starts. Raises
    `InvalidSettings`, `WrongSchema` where the ledger is missing or old, `ForeignLedger` where it is
    a copy or belongs to another GRAPH_URL.
    """
    from ..observing import Observer

    limits = settings.to_limits()
    learn_secrets(settings)
    graph = open_graph(settings)  # opens nothing yet, so that nothing is left open by a refusal
    ledger = open_ledger(settings)
    notices = _notices(settings)
    ledger.watcher = Observer(notices)
    chance = SystemChance()
    traced, watch = _traced(graph)
    outside = Outside(
        ledger=ledger,
        graph=traced,
        clock=SystemClock(),
        chance=chance,
        limits=limits,
        owner=chance.owner(),
        legacy=settings.to_legacy(),
        stopping=stopping,
        watch=watch,
    )

    async def close() -> None:
        await notices.aclose()
        await graph.aclose()
        await ledger.aclose()

    budget = timedelta(seconds=settings.read_budget_seconds)
    return Reconciler(outside, read_budget=budget, close=close)


def _traced(graph: Graph) -> tuple[Graph, Watch]:
    """With a span around what takes time, where OpenTelemetry is installed."""
    from ..observing.tracing import TracedGraph, tracer, watching

    spans = tracer()
    if spans is None:
        return graph, unseen
    return TracedGraph(graph, spans), watching(spans)


def _notices(settings: Settings) -> Notices:
    from ..observing import Notices

    url = settings.notify_url.get_secret_value() if settings.notify_url else None
    return Notices(url=url, command=settings.notify_command)


def open_ledger(settings: Settings) -> SqlLedger:
    """The ledger of this GRAPH_URL. Creates nothing."""
    url = settings.database_url.get_secret_value()
    if settings.is_sqlite:
        from ..store.sqlite import SqliteLedger

        return SqliteLedger.open(url, graph_url=settings.graph_url)
    from ..store.postgres import PostgresLedger

    return PostgresLedger.open(url, graph_url=settings.graph_url)


def open_graph(settings: Settings) -> GraphClient:
    """The API's client. The deadline of one page is that of one call: a settle lease that makes no
    step for twice that long is given up."""
    from ..graph.client import GraphClient
    from ..observing import request_ended

    return GraphClient(
        tokens=settings.token_for,
        app_secret=settings.app_secret,
        url=settings.graph_url,
        version=settings.graph_version,
        page_size=settings.page_size,
        max_pages=settings.max_pages,
        narrows=settings.narrow_listings,
        concurrency=settings.concurrency,
        read_timeout=timedelta(seconds=settings.call_timeout_seconds),
        throttle_max_wait=timedelta(seconds=settings.throttle_max_wait_seconds),
        redaction=REDACTION,
        ended=request_ended,
    )


def migrate(settings: Settings, *, accept: bool = False) -> str:
    """Create or upgrade the ledger; the database it is in, as it may be shown. `accept`: a restored
    or cloned database is meant.

    Raises `ForeignLedger` without it, and then nothing was changed.
    """
    learn_secrets(settings)
    url = settings.database_url.get_secret_value()
    if settings.is_sqlite:
        from ..store.sqlite import migrate as migrate_file

        migrate_file(url, graph_url=settings.graph_url, accept=accept)
        return settings.database_shown
    from ..store.postgres import migrate as migrate_database

    return migrate_database(url, graph_url=settings.graph_url, accept=accept)
