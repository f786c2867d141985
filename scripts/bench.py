#!/usr/bin/env python3
"""Times publishing many ads against the fake API, beside a bare loop that records nothing."""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Sequence
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both by turns and print the medians. 0 within the target, 4 beyond it."""
    wanted = _parser().parse_args(arguments)
    for name in [name for name in os.environ if name.startswith("RECONCILER_")]:
        del os.environ[name]
    with (
        tempfile.TemporaryDirectory(prefix="reconciler-bench-", dir=wanted.dir) as folder,
        fake_process("--latency-ms", str(wanted.latency_ms)) as url,
    ):
        figures = asyncio.run(_measure(wanted, Path(folder), url))
        show(figures, ads=wanted.ads, folder=Path(folder), target=TARGET)
    return 0 if figures.ratio <= TARGET else 4


async def _measure(wanted: argparse.Namespace, folder: Path, url: str) -> Figures:
    product: list[float] = []
    bare: list[float] = []
    for run in range(wanted.runs + 1):
        seconds = (
            await _publish(wanted, folder, url, f"p{run}"),
            await _bare(wanted, url, f"b{run}"),
        )
        if run:  # the first, of both, only warms up
            product.append(seconds[0])
            bare.append(seconds[1])
    what = (
        f"{wanted.ads} ads, {wanted.latency_ms:g} ms each, {wanted.concurrency} in flight; "
        f"{wanted.runs} runs of each, by turns"
    )
    return Figures(what=what, product=product, bare=bare)


async def _publish(wanted: argparse.Namespace, folder: Path, url: str, run: str) -> float:
    """From the call of `publish` to its return, when everything is durable; a fresh ledger."""
    settings = _settings(folder / f"{run}.db", url, wanted.concurrency)
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


def _settings(database: Path, url: str, concurrency: int) -> Settings:
    return load_settings(
        database_url=f"sqlite:///{database}",
        graph_url=url,
        graph_token=TOKEN,
        concurrency=concurrency,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    add = parser.add_argument
    add("--ads", type=int, default=200, help="how many ads (default: 200)")
    add("--runs", type=int, default=5, help="of each, by turns (default: 5)")
    add("--latency-ms", type=float, default=50, help="of every reply of the API (default: 50)")
    add("--concurrency", type=int, default=10, help="creates in flight (default: 10)")
    add("--dir", type=Path, help="where the ledger lies (default: the folder for temporary files)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
