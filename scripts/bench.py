#!/usr/bin/env python3
"""Times publishing and listing, or one of them, each beside those who do the least."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench_listing import bench_listing
from bench_publish import bench_publish

BENCHES = {"publish": bench_publish, "listing": bench_listing}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is wanted and print the medians. 0 if all targets are met, 4 otherwise."""
    wanted = _parser().parse_args(arguments)
    for name in [name for name in os.environ if name.startswith("RECONCILER_")]:
        del os.environ[name]
    met = [bench(wanted) for name, bench in BENCHES.items() if wanted.what in (name, None)]
    return 0 if all(met) else 4


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("what", nargs="?", choices=sorted(BENCHES), help="only one of the two")
    parser.add_argument("--runs", type=int, default=5, help="of each, by turns (default: 5)")
    add = parser.add_argument_group("publish").add_argument
    add("--ads", type=int, default=200, help="how many ads (default: 200)")
    add("--latency-ms", type=float, default=50, help="of every reply of the API (default: 50)")
    add("--concurrency", type=int, default=10, help="creates in flight (default: 10)")
    add("--dir", type=Path, help="where the ledger lies (default: the folder for temporary files)")
    add = parser.add_argument_group("listing").add_argument
    sizes = [6_000, 50_000, 200_000]
    add("--rows", type=int, nargs="+", default=sizes, help="sizes (default: 6000 50000 200000)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
