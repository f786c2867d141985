#!/usr/bin/env python3
"""Times publishing, listing and reading, each beside those who do the least; by name, a batch."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from bench_batch import bench_batch
from bench_listing import bench_listing
from bench_publish import bench_publish
from bench_read import bench_read

BENCHES = {
    "publish": bench_publish,
    "listing": bench_listing,
    "read": bench_read,
    "batch": bench_batch,
}
BY_NAME_ONLY = {"batch"}
"""What takes its time."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is wanted and print the medians. 0 if all targets are met, 4 otherwise."""
    wanted = _parser().parse_args(arguments)
    for name in [name for name in os.environ if name.startswith("RECONCILER_")]:
        del os.environ[name]
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM)
    )  # through every finally
    chosen = [wanted.what] if wanted.what else sorted(BENCHES.keys() - BY_NAME_ONLY)
    met = [BENCHES[name](wanted) for name in chosen]
    return 0 if all(met) else 4


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument(
        "what", nargs="?", choices=sorted(BENCHES), help="only this one (batch: not by itself)"
    )
    parser.add_argument("--runs", type=int, default=5, help="of each, by turns (default: 5)")
    add = parser.add_argument_group("publish").add_argument
    add("--ads", type=int, default=200, help="how many ads (default: 200)")
    add("--latency-ms", type=float, default=50, help="of every reply of the API (default: 50)")
    add("--concurrency", type=int, default=10, help="creates in flight (default: 10)")
    add("--create-batch", type=int, help="also publish with that many creates in a request")
    add("--dir", type=Path, help="where the ledger lies (default: the folder for temporary files)")
    add = parser.add_argument_group("listing").add_argument
    sizes = [6_000, 50_000, 200_000]
    add("--rows", type=int, nargs="+", default=sizes, help="sizes (default: 6000 50000 200000)")
    add = parser.add_argument_group("read").add_argument
    add("--reads", type=int, default=2_000, help="of a healthy document (default: 2000)")
    add("--first", action="store_true", help="as if each were read for the first time")
    add = parser.add_argument_group("batch").add_argument
    add("--documents", type=int, default=2_000, help="broken; as many healthy ones beside them")
    add("--containers", type=int, help="default: one for 200 documents")
    add("--entities", type=int, help="default: four for a document")
    add("--database", choices=["sqlite", "postgresql"], default="postgresql")
    add("--seed", type=int, default=0, help="of the heap, and of what kills")
    add("--kills", type=int, default=0, help="end the application so often first (default: 0)")
    add("--profile", action="store_true", help="tell where the time goes; slower")
    return parser


if __name__ == "__main__":
    sys.exit(main())
