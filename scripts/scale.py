#!/usr/bin/env python3
"""Plans past the machine: how long documents wait under the API's quota, and what rows weigh."""

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console

from fixtures.scale.model import Inputs, simulated
from fixtures.scale.quota import quota_of
from fixtures.scale.report import as_row, needed, waits_table
from fixtures.scale.rows import measured, sizes_table


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table for what is asked."""
    wanted = _parser().parse_args(arguments)
    console = Console(markup=False, emoji=False, highlight=False, width=120)
    if wanted.what == "rows":
        console.print(sizes_table(measured(wanted.rows_of), wanted.documents))
        return 0
    inputs = _inputs(wanted)
    console.print(needed(inputs, wanted.processor_ms))
    rows = [as_row(workers, inputs, simulated(inputs, workers)) for workers in wanted.workers]
    console.print(waits_table(rows))
    return 0


def _inputs(wanted: argparse.Namespace) -> Inputs:
    return Inputs(
        accounts=wanted.accounts,
        documents_a_year=wanted.documents,
        creates_each=wanted.creates_each,
        hours=wanted.hours,
        skew=wanted.skew,
        peak=wanted.peak,
        quota=quota_of(wanted.tier, wanted.active_ads),
        latency_seconds=wanted.latency_seconds,
        lanes=wanted.account_concurrency,
        concurrency=wanted.concurrency,
        seed=wanted.seed,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/scale", description=__doc__)
    add = parser.add_argument
    add("what", choices=["waits", "rows"], help="a simulation; or rows on a real PostgreSQL")
    add("--documents", type=float, default=1e8, help="a year, or in all for rows (default: 1e8)")
    add("--rows-of", type=int, default=200_000, help="documents that are laid down and measured")
    add("--accounts", type=int, default=10_000)
    add("--creates-each", type=int, default=4, help="of a document (default: 4)")
    add("--hours", type=float, default=24, help="that are simulated (default: 24)")
    add("--skew", type=float, default=1.0, help="Zipf's exponent over accounts (default: 1)")
    add("--peak", type=float, default=2.0, help="of a day, 1 to 2 times its mean (default: 2)")
    add("--tier", choices=["limited", "full"], default="full", help="of the app's access")
    add("--active-ads", type=int, default=0, help="of an account, which raise its quota")
    add("--latency-seconds", type=float, default=1.0, help="of a create (default: 1)")
    add("--processor-ms", type=float, default=100, help="of a worker for a document (default: 100)")
    add("--concurrency", type=int, default=10, help="of a worker (default: 10)")
    add("--account-concurrency", type=int, default=10, help="lanes of an account (default: 10)")
    add("--workers", type=int, nargs="+", default=[1, 2, 4, 8], help="(default: 1 2 4 8)")
    add("--seed", type=int, default=0)
    return parser


if __name__ == "__main__":
    sys.exit(main())
