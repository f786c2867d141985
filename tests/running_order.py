"""Which files run first where several processes share the tests, and which of them gives way.

The gate computes for minutes in processes of its own, and nobody times it: it begins first and
takes what the others leave, for many of them wait, for leases, servers and processes. After it
come the files that take longest, so that none of them is left alone at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

import pytest

GATE: Final = "tests/simulator/test_gate.py"
LONG: Final = (
    "tests/crash/test_every_cut_on_postgres.py",
    "tests/chaos/test_smoke.py",
    "tests/crash/test_every_cut.py",
    "tests/crash/test_lost_commits.py",
    "tests/chaos/test_machines.py",
    "tests/e2e/test_demo.py",
    "tests/e2e/test_cli_worker.py",
    "tests/e2e/test_cli_postgres.py",
    "tests/crash/test_every_cut_on_sqlite.py",
    "tests/contract/test_ledger_due.py",
    "tests/contract/test_ledger_guards.py",
    "tests/contract/test_ledger_contract.py",
    "tests/e2e/test_killed_batch.py",
    "tests/integration/test_bench.py",
    "tests/integration/test_scale_rows.py",
    "tests/integration/engine/test_engine_workers.py",
)
"""Those of half a minute and more, and of a few tests that take long."""

BEHIND_THE_GATE: Final = "tests/repo/test_requirements.py"
"""A process is given its next file before it needs it. This one, of a moment, can wait."""


def order_among(processes: int) -> tuple[str, ...]:
    """The files that run first, in their order: each process is given one, then each its next."""
    others = processes - 1
    return (GATE, *LONG[:others], BEHIND_THE_GATE, *LONG[others:])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In every process alike; alone, one runs them as they stand."""
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes > 1:
        rank = {file: number for number, file in enumerate(order_among(processes))}
        items.sort(key=lambda item: rank.get(file_of(item), len(rank)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """The gate's process, and those that it starts, give way to all others from here on."""
    if file_of(item) == GATE and "PYTEST_XDIST_WORKER" in os.environ:
        os.nice(19)
    return (yield)


def file_of(item: pytest.Item) -> str:
    """Where it stands, from the root of the repository."""
    return item.nodeid.partition("::")[0]
