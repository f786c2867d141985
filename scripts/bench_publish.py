"""Times publishing many ads against the fake API, beside a bare loop that records nothing."""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Final

from adapters.bootstrap import Reconciler, migrate, open_reconciler
from adapters.settings import Settings, load_settings
from fixtures.bench.bare import bare_loop
from fixtures.bench.load import bare_requests, the_plan
from fixtures.bench.report import Figures, show
from fixtures.graph.answering import TOKEN
from fixtures.graph.socket_server import fake_process
from reconciler.model import DocumentState

TARGET: Final = 1.10
"""Publishing may take this many times as long as the loop that forgets everything."""


def bench_publish(wanted: argparse.Namespace) -> bool:
    """Run both by turns and print the medians. Whether the target is met."""
    with (
        tempfile.TemporaryDirectory(prefix="reconciler-bench-", dir=wanted.dir) as folder,
        fake_process("--latency-ms", str(wanted.latency_ms)) as url,
    ):
        figures = asyncio.run(_measure(wanted, Path(folder), url))
        show(figures, ads=wanted.ads, folder=Path(folder), target=TARGET)
    return figures.ratio <= TARGET


async def _measure(wanted: argparse.Namespace, folder: Path, url: str) -> Figures:
    product: list[float] = []
    bare: list[float] = []
    together: list[float] = []
    for run in range(wanted.runs + 1):
        seconds = (
            await _publish(wanted, folder, url, f"p{run}"),
            await _bare(wanted, url, f"b{run}"),
        )
        size = wanted.create_batch
        in_batches = [await _publish(wanted, folder, url, f"t{run}", size)] if size else []
        if run:  # the first, of all, only warms up
            product.append(seconds[0])
            bare.append(seconds[1])
            together += in_batches
    what = (
        f"{wanted.ads} ads, {wanted.latency_ms:g} ms each, {wanted.concurrency} in flight; "
        f"{wanted.runs} runs of each, by turns"
    )
    named = {f"publish, {wanted.create_batch} a request": together} if together else {}
    return Figures(what=what, product=product, bare=bare, together=named)


async def _publish(
    wanted: argparse.Namespace, folder: Path, url: str, run: str, create_batch: int = 1
) -> float:
    """From the call of `publish` to its return, when everything is durable; a fresh ledger."""
    settings = _settings(folder / f"{run}.db", url, wanted.concurrency, create_batch)
    migrate(settings)
    async with open_reconciler(settings) as product:
        document = (await product.submit(the_plan(run, wanted.ads))).document
        seconds = await _timed(product.publish(document.id))
        await _check(product, document.id)
    return seconds


async def _check(product: Reconciler, document_id: str) -> None:
    state = (await product.peek(document_id)).document.state
    if state is not DocumentState.PUBLISHED:
        raise SystemExit(f"bench: the document is {state.value}, not published")


async def _bare(wanted: argparse.Namespace, url: str, run: str) -> float:
    bodies = bare_requests(run, wanted.ads)
    return await _timed(bare_loop(url, bodies, in_flight=wanted.concurrency))


async def _timed(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


def _settings(database: Path, url: str, concurrency: int, create_batch: int) -> Settings:
    return load_settings(
        database_url=f"sqlite:///{database}",
        graph_url=url,
        graph_token=TOKEN,
        concurrency=concurrency,
        create_batch=create_batch,
    )
