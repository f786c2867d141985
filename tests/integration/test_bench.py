"""The benchmarks run, and a walk of a long container stays small. No time is judged here."""

import subprocess
import sys

from fixtures.bench.page_server import serving_pages
from fixtures.bench.turns import competitor
from tests.repo.tree import ROOT

ROWS = 200_000
PEAK_MB_MAX = 60
"""What a walk of that many rows may need above what its process began with."""


def test_the_benchmarks_run_and_tell_their_figures() -> None:
    flags = ["--runs", "1", "--ads", "3", "--latency-ms", "0", "--rows", "2000"]
    flags += ["--create-batch", "2", "--reads", "20"]
    bench = subprocess.run(
        [sys.executable, "scripts/bench.py", *flags],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert bench.returncode in (0, 4), bench.stderr  # 4: slower than the target, as it may be here
    told = [line.split("  ") for line in bench.stdout.splitlines()]
    names = {cell.strip() for line in told for cell in line}
    assert names > {"publish", "publish, 2 a request", "bare httpx loop"}
    assert "a healthy document read over HTTP; 1 runs of 20, by turns" in bench.stdout
    assert names > {"walk and narrow", "httpx + orjson", "aiohttp + msgspec", "facebook-business"}


def test_the_bench_of_batches_makes_plans_and_applies_a_heap() -> None:
    """Whether what was done is what was planned is judged here too."""
    flags = ["--documents", "40", "--containers", "2", "--database", "sqlite"]
    bench = subprocess.run(
        [sys.executable, "scripts/bench.py", "batch", *flags],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert bench.returncode == 0, bench.stdout + bench.stderr
    assert "2 of 2 containers walked twice for an absence: +0.0%" in bench.stdout
    assert "applied: changed 36" in bench.stdout


def test_a_walk_of_200_000_rows_needs_little_memory() -> None:
    with serving_pages(ROWS) as url, competitor("scripts/bench_walk.py", url) as walk:
        turn = walk.run()

    assert turn.rows == ROWS
    assert turn.peak_mb <= PEAK_MB_MAX
