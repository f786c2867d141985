#!/usr/bin/env python3
"""Kills, stops and cuts off real workers, and judges what is left by the pretend API's own log."""

import argparse
import asyncio
import os
import secrets
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final, NoReturn

from rich.console import Console

from adapters.bootstrap import Reconciler, open_reconciler
from adapters.settings import load_settings
from fixtures.chaos.namespaces import NoNamespaces, namespaces
from fixtures.chaos.network import CUTS, THIS_MACHINE, Network
from fixtures.chaos.profile import Profile
from fixtures.chaos.proxies import proxies
from fixtures.chaos.report import as_json, show
from fixtures.chaos.run import run
from fixtures.chaos.submitting import OpenProduct, Product

PREFIX: Final = "RECONCILER_"
RECOVERIES_AT_ONCE: Final = 8
STEADY_SHARE: Final = 0.9
"""Of the kills that a steady pace would make, at least: starting the next one takes a moment."""

USAGE: Final = 64
NOT_HERE: Final = 69
"""What was asked for is not to be had on this machine."""


class Supervisor:
    """The product, for the thread that opened it."""

    def __init__(self, runner: asyncio.Runner, product: Reconciler) -> None:
        self._runner = runner
        self._product = product

    def submit(self, plan: dict[str, Any], key: str) -> str:
        """Accept and queue it."""
        accepted = self._runner.run(self._product.submit(plan, key=key, publish=True))
        return accepted.document.id

    def recover(self, ids: Sequence[str]) -> None:
        """Each once, some at a time."""
        self._runner.run(self._recover(ids))

    async def _recover(self, ids: Sequence[str]) -> None:
        at_once = asyncio.Semaphore(RECOVERIES_AT_ONCE)

        async def one(document_id: str) -> None:
            async with at_once:
                await self._product.recover(document_id)

        async with asyncio.TaskGroup() as group:
            for document_id in ids:
                group.create_task(one(document_id))


def opening(environment: Mapping[str, str]) -> OpenProduct:
    """How to open the product with the settings that the workers have."""
    given = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in environment.items()
        if name.startswith(PREFIX)
    }

    @contextmanager
    def opened() -> Iterator[Product]:
        async def begin() -> Reconciler:
            return open_reconciler(load_settings(**given))

        with asyncio.Runner() as runner:
            product = runner.run(begin())
            try:
                yield Supervisor(runner, product)
            finally:
                runner.run(product.aclose())

    return opened


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where everything held and enough happened, 1 otherwise."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    wanted = _parser().parse_args(typed)
    if wanted.machines > 1 and wanted.database != "postgresql":
        sys.stderr.write("--machines: several of them need a database of their own, PostgreSQL\n")
        return USAGE
    if wanted.keep is not None and wanted.keep.exists():
        sys.stderr.write(f"--keep {wanted.keep}: name a new folder\n")
        return USAGE
    profile = _profile(wanted)
    for by in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(by, _leave)
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        del os.environ[name]
    console = Console(width=100, highlight=False, markup=False)
    replay = shlex.join(["scripts/chaos", *_without_seed(typed), "--seed", str(profile.seed)])
    try:
        with (
            _network(wanted.network, profile.machines) as network,
            _folder(wanted.keep) as folder,
            _one_line() as say,
        ):
            outcome = run(profile, folder, opening, say, network)
    except NoNamespaces as error:
        sys.stderr.write(
            f"this machine allows no network namespaces: {error}\n"
            "with --network proxies the lines are cut by proxies between the processes\n"
        )
        return NOT_HERE
    except KeyboardInterrupt:
        sys.stderr.write("stopped; nothing of it is left running\n")
        return 128 + signal.SIGINT
    if wanted.json:
        console.file.write(as_json(outcome, replay) + "\n")
    else:
        show(console, outcome, replay)
    return 0 if outcome.holds else 1


def _profile(wanted: argparse.Namespace) -> Profile:
    is_postgres = wanted.database == "postgresql"
    is_steady = wanted.kill_every is not None
    kills = int(wanted.minutes * 60 / wanted.kill_every * STEADY_SHARE) if is_steady else 60
    several = wanted.machines > 1
    return Profile(
        database=wanted.database,
        documents=wanted.documents,
        workers=wanted.workers or (8 if is_postgres else 4),
        minutes=wanted.minutes,
        seed=secrets.randbelow(1_000_000) if wanted.seed is None else wanted.seed,
        kills=kills if wanted.kills is None else wanted.kills,
        long_stops=0 if is_steady else wanted.long_stops,
        restarts=wanted.restarts if is_postgres and not is_steady else 0,
        machines=wanted.machines,
        partitions=wanted.partitions if several else 0,
        held=tuple(CUTS if wanted.held is None else wanted.held) if several else (),
        kill_every=wanted.kill_every,
    )


@contextmanager
def _network(kind: str, machines: int) -> Iterator[Network]:
    names = [f"machine-{number}" for number in range(1, machines + 1)]
    if machines == 1:
        yield THIS_MACHINE
        return
    with (namespaces if kind == "namespaces" else proxies)(names) as network:
        yield network


@contextmanager
def _one_line() -> Iterator[Callable[[str], None]]:
    """A line that tells how it goes, on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return

    def say(text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    try:
        yield say
    finally:
        say("")


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True)
        yield keep.resolve()
        return
    folder = Path(tempfile.mkdtemp(prefix="reconciler-chaos-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _without_seed(typed: Sequence[str]) -> list[str]:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seed")
    parser.add_argument("--keep")
    return parser.parse_known_args(typed)[1]


def _leave(by: int, _: FrameType | None) -> NoReturn:
    """Through every `finally`, so that the processes are stopped too."""
    raise SystemExit(128 + by)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/chaos", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("--database", choices=["sqlite", "postgresql"], default="postgresql")
    add(
        "--documents",
        type=int,
        default=300,
        help="how many are submitted (default: 300); 0: lines cut at the worst moment are all",
    )
    add("--workers", type=int, help="processes (default: 8, or 4 on one SQLite file)")
    add("--minutes", type=float, default=2, help="of faults, at least (default: 2)")
    add("--kills", type=int, help="with SIGKILL, at least (default: 60)")
    add("--long-stops", type=int, default=10, help="beyond the lease, at least (default: 10)")
    add("--restarts", type=int, default=4, help="crashes of PostgreSQL, at least (default: 4)")
    add(
        "--kill-every",
        type=float,
        metavar="SECONDS",
        help="instead of all that: SIGKILL any worker so often, and start it again at once",
    )
    add(
        "--machines",
        type=int,
        default=1,
        help="for the workers; with more than one the database and the API have their own too, "
        "and lines between them are cut (default: 1)",
    )
    add("--partitions", type=int, default=10, help="lines cut by chance, at least (default: 10)")
    add(
        "--held",
        nargs="*",
        choices=list(CUTS),
        help="lines cut while the API holds the reply of a create (default: each once)",
    )
    add(
        "--network",
        choices=["namespaces", "proxies"],
        default="namespaces",
        help=f"what the machines are made of; {NOT_HERE} is the exit code where there are no "
        "namespaces (default: namespaces, for root on Linux)",
    )
    add("--seed", type=int, help="of plans, faults and strikes (default: a new one)")
    add("--keep", type=Path, metavar="DIR", help="leave the logs and an SQLite ledger in DIR, new")
    add("--json", action="store_true", help="the figures for programs")
    return parser


if __name__ == "__main__":
    sys.exit(main())
