#!/usr/bin/env python3
"""Times worker processes over many documents in many accounts, and counts what they made."""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import psycopg
from rich.console import Console

from adapters.bootstrap import open_reconciler
from adapters.settings import Settings, load_settings
from fixtures.bench.many_accounts import Load
from fixtures.bench.processor_time import processor_seconds
from fixtures.bench.report import machine_facts
from fixtures.bench.workers_report import Round, show
from fixtures.graph.answering import TOKEN
from fixtures.graph.socket_server import fake_process
from fixtures.postgres_server import PostgresServer, running_postgres
from fixtures.tied import TIED

PREFIX: Final = "RECONCILER_"
SUBMITS_AT_ONCE: Final = 8
POLL_SECONDS: Final = 0.5
PROGRAM: Final = Path(sys.executable).with_name("reconciler")

_LEFT: Final = "SELECT count(*) FROM document WHERE state <> 'published'"
_TIME: Final = (
    "SELECT (max(finished_at) - min(started_at)) / 1e6 FROM attempt WHERE outcome = 'succeeded'"
)
_IDS: Final = "SELECT external_id FROM intent"


def main() -> int:
    """One round for each number of workers, each on a new database. 0 if nothing was twice."""
    wanted = _parser().parse_args()
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        del os.environ[name]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    load = Load(documents=wanted.documents, accounts=wanted.accounts, ads=wanted.ads_each)
    console = Console(stderr=True)
    rounds = []
    with console.status("") as status:
        for count in wanted.workers:
            rounds.append(_round(load, count, wanted, status.update))
            # A long one that is ended has told what it knew.
            console.print(f"{count} workers: {rounds[-1].per_second:.1f} documents/s")
    show(
        rounds,
        what=f"{load.documents:,} documents of {load.ads} ads in {load.accounts} accounts,"
        f" {wanted.latency_ms:g} ms each reply, PostgreSQL in memory",
        machine=f"{machine_facts()}, load {os.getloadavg()[0]:.1f} at the end",
    )
    return 1 if any(each.twice or each.wrong for each in rounds) else 0


def _round(load: Load, count: int, wanted: argparse.Namespace, say: Any) -> Round:
    latency = ("--latency-ms", str(wanted.latency_ms))
    with (
        fake_process("--empty", "--token", TOKEN, *latency, *load.flags()) as url,
        running_postgres(fsync="on", autovacuum="on") as server,
    ):
        settings = load_settings(database_url=server.url(), graph_url=url, graph_token=TOKEN)
        subprocess.run(  # noqa: S603
            [PROGRAM, "migrate"],
            env=_environment(url, server.url()),
            check=True,
            stdout=subprocess.DEVNULL,
        )
        say(f"{count} workers: submitting")
        asyncio.run(_submit_all(load, settings))
        api = _listener(url)
        with _workers(count, url, server.url()) as processes:
            groups = {
                "workers": [each.pid for each in processes],
                "api": [api],
                "database": [server.process],
            }
            before = {name: processor_seconds(*ids) for name, ids in groups.items()}
            _wait(server, processes, lambda left: say(f"{count} workers: {left:,} documents left"))
            used = {name: processor_seconds(*ids) - before[name] for name, ids in groups.items()}
        return _judged(load, count, server, url, used)


async def _submit_all(load: Load, settings: Settings) -> None:
    plans = load.plans()
    async with open_reconciler(settings) as product, asyncio.TaskGroup() as group:

        async def some() -> None:
            for plan in plans:  # shared: each is taken once
                await product.submit(plan, publish=True)

        for _ in range(SUBMITS_AT_ONCE):
            group.create_task(some())


@contextmanager
def _workers(count: int, url: str, database: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    with tempfile.TemporaryDirectory(prefix="reconciler-bench-") as folder:
        started = [
            subprocess.Popen(  # noqa: S603
                [*TIED, PROGRAM, "worker"],
                cwd=folder,
                env=_environment(url, database),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # it tells a line for each document
            )
            for _ in range(count)
        ]
        try:
            yield started
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait()


def _environment(url: str, database: str) -> Mapping[str, str]:
    return os.environ | {
        f"{PREFIX}DATABASE_URL": database,
        f"{PREFIX}GRAPH_URL": url,
        f"{PREFIX}GRAPH_TOKEN": TOKEN,
    }


def _wait(
    server: PostgresServer,
    processes: Sequence[subprocess.Popen[bytes]],
    say: Callable[[int], None],
) -> None:
    while left := _asked(server, _LEFT)[0][0]:
        if any(process.poll() is not None for process in processes):
            raise SystemExit("a worker ended by itself")
        say(left)
        time.sleep(POLL_SECONDS)


def _judged(load: Load, count: int, server: PostgresServer, url: str, used: Any) -> Round:
    told = httpx.get(f"{url}/_fake/world", trust_env=False, timeout=300).json()["log"]
    made = [line["id"] for line in told if line["kind"] == "ad"]
    bound = {row[0] for row in _asked(server, _IDS)}
    return Round(
        workers=count,
        documents=load.documents,
        entities=len(made),
        seconds=float(_asked(server, _TIME)[0][0]),
        processor=used,
        twice=len(made) - load.documents * load.ads,
        wrong=len(bound.symmetric_difference(made)),
    )


def _asked(server: PostgresServer, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(server.url(), autocommit=True) as opened:
        return opened.execute(statement.encode()).fetchall()


def _listener(url: str) -> int:
    """The fake's process: the newest child of ours that serves."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    serving = [
        int(child)
        for child in children
        if b"fixtures.graph.serve" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    return serving[-1]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/throughput", description=__doc__)
    add = parser.add_argument
    add("--workers", type=int, nargs="+", default=[1, 2, 4], help="processes (default: 1 2 4)")
    add("--documents", type=int, default=2_000, help="in each round (default: 2000)")
    add("--accounts", type=int, default=200, help="over which they are spread (default: 200)")
    add("--ads-each", type=int, default=2, help="of a document (default: 2)")
    add("--latency-ms", type=float, default=10, help="of every reply of the API (default: 10)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
