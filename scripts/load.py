#!/usr/bin/env python3
"""Puts `reconciler serve` under load: times by operation, errors, and whether its memory stays."""

import argparse
import asyncio
import json
import os
import secrets
import shlex
import signal
import sys
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

from rich.console import Console

from adapters.bootstrap.opening import open_ledger
from adapters.settings import load_settings
from adapters.web.access import Scope
from adapters.web.keys import new_key
from fixtures.service_load.profile import Profile
from fixtures.service_load.report import as_json, show
from fixtures.service_load.run import Environment, run

PREFIX: Final = "RECONCILER_"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where there was no error and memory stayed as it was, 1 otherwise."""
    wanted = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # through all finally
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        del os.environ[name]
    seed = secrets.randbelow(1_000_000) if wanted.seed is None else wanted.seed
    profile = Profile(
        database=wanted.database,
        seconds=wanted.seconds,
        clients=wanted.clients,
        documents=wanted.documents,
        seed=seed,
    )
    with tempfile.TemporaryDirectory(prefix="reconciler-load-") as folder:
        outcome = run(profile, Path(folder), make_keys, _say)
    _say("")
    replay = _again(profile)
    if wanted.json:
        sys.stdout.write(json.dumps(as_json(outcome, replay), indent=2) + "\n")
    else:
        show(Console(width=110, highlight=False, markup=False), outcome, replay)
    return 1 if outcome.breaches else 0


def make_keys(environment: Environment, count: int) -> list[str]:
    """One for each client: the service counts requests by key."""
    given = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in environment.items()
        if name.startswith(PREFIX)
    }
    return asyncio.run(_make_keys(given, count))


async def _make_keys(given: dict[str, str], count: int) -> list[str]:
    ledger = open_ledger(load_settings(**given))
    try:
        made = []
        for number in range(count):
            key, kept = new_key(
                f"load-{number}",
                [Scope.READ, Scope.PUBLISH],
                None,
                lasting=timedelta(days=1),
                now=await ledger.now(),
            )
            await ledger.add_key(kept)
            made.append(key)
        return made
    finally:
        await ledger.aclose()


def _again(profile: Profile) -> str:
    flags = {
        "--database": profile.database,
        "--seconds": f"{profile.seconds:g}",
        "--clients": profile.clients,
        "--documents": profile.documents,
        "--seed": profile.seed,
    }
    return shlex.join(["scripts/load", *(str(part) for pair in flags.items() for part in pair)])


def _say(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/load", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("--database", choices=["sqlite", "postgresql"], default="postgresql")
    add("--seconds", type=float, default=300, help="of load (default: 300)")
    add("--clients", type=int, default=16, help="each asks 15 times a second at most (default: 16)")
    add("--documents", type=int, default=500, help="published before it begins (default: 500)")
    add("--seed", type=int, help="of what is asked and what goes wrong (default: a new one)")
    add("--json", action="store_true", help="the figures for programs")
    return parser


if __name__ == "__main__":
    sys.exit(main())
