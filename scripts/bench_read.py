"""Times reading a healthy document over HTTP, beside a bare route of the bare query in one app."""

import argparse
import asyncio
import http.client
import itertools
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import uvicorn
from fastapi import FastAPI

from adapters.bootstrap import Reconciler, migrate, open_reconciler
from adapters.bootstrap.service import service_ledger
from adapters.settings import Settings, load_settings
from adapters.store import whole_document
from adapters.web import KeyAccess, Scope, Service, create_app
from adapters.web.keys import new_key, system_now
from adapters.web.loopback import ServiceAccess
from adapters.web.pace import Pace
from fixtures.bench.load import the_plan
from fixtures.bench.read_report import TARGET, ReadFigures, show
from fixtures.graph.answering import TOKEN
from fixtures.graph.socket_server import fake_process

DOCUMENTS: Final = 20
ADS: Final = 10
WARMING: Final = 200

Get = Callable[[str], float]
"""Asks for a path; gives the seconds until the whole answer was there."""


def bench_read(wanted: argparse.Namespace) -> bool:
    """Publish some documents, then read them by turns. Whether the target is met."""
    if wanted.first:  # nothing is kept of the reads before
        whole_document._remembered = whole_document._values_of  # noqa: SLF001
    with tempfile.TemporaryDirectory(prefix="reconciler-bench-", dir=wanted.dir) as folder:
        with fake_process() as url:
            settings = _settings(Path(folder), url)
            migrate(settings)
            ids, key = asyncio.run(_published(settings))
        with _serving(settings) as port, _a_process() as client:
            figures = client.submit(_measured, port, key, ids, wanted.runs, wanted.reads).result()
        show(figures, folder=Path(folder))
    return figures.ratio <= TARGET


def _settings(folder: Path, url: str) -> Settings:
    database = f"sqlite:///{folder / 'ledger.db'}"
    return load_settings(database_url=database, graph_url=url, graph_token=TOKEN)


async def _published(settings: Settings) -> tuple[list[str], str]:
    """The documents' ids, and a key that may read them."""
    key, kept = new_key("bench", [Scope.READ], None, lasting=timedelta(days=1), now=system_now())
    async with open_reconciler(settings) as product:
        await service_ledger(product).add_key(kept)
        return [await _one(product, str(number)) for number in range(DOCUMENTS)], key


async def _one(product: Reconciler, run: str) -> str:
    document = (await product.submit(the_plan(run, ADS))).document
    await product.publish(document.id)
    return document.id


@contextmanager
def _serving(settings: Settings) -> Iterator[int]:
    """The service in a thread, with the bare route beside its own; gives the port."""
    service = Service.of(settings)
    access = ServiceAccess(KeyAccess(service), host="127.0.0.1")
    app = create_app(service, access=access, pace=Pace(1e9, 1e9))
    _add_bare(app, service)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def _add_bare(app: FastAPI, service: Service) -> None:
    """The row as it is: nobody is asked who they are, nothing is made of it."""

    @app.get("/bare/{document_id}")
    async def bare(document_id: str) -> dict[str, Any]:
        statement = whole_document._WHOLE["sqlite"]  # noqa: SLF001 - the very same query
        row = await service.ledger._read(  # noqa: SLF001 - in the very same thread
            lambda connection, _: statement.row(connection, {"the_id": document_id})
        )
        return {name: str(value) for name, value in row._asdict().items()}


def _a_process() -> ProcessPoolExecutor:
    """Two threads of one Python keep each other waiting, which would be measured."""
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


def _asking(port: int, key: str) -> Get:
    """By one connection that stays open."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Authorization": f"Bearer {key}"}

    def get(path: str) -> float:
        began = time.perf_counter()
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == http.HTTPStatus.OK, (path, answer.status)
        return time.perf_counter() - began

    return get


def _measured(port: int, key: str, ids: list[str], runs: int, reads: int) -> ReadFigures:
    """One read of each by turns; the first some warm up."""
    get = _asking(port, key)
    turn = itertools.cycle(ids)
    for _ in range(WARMING):
        _both(get, next(turn))
    product, bare = [], []
    for _ in range(runs):
        both = [_both(get, next(turn)) for _ in range(reads)]
        product.append([each for each, _ in both])
        bare.append([each for _, each in both])
    return ReadFigures(product=product, bare=bare)


def _both(get: Get, document_id: str) -> tuple[float, float]:
    return get(f"/v1/documents/{document_id}"), get(f"/bare/{document_id}")
