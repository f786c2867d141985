"""Which files run first where several processes share the tests: those that take longest.

So none of them is left alone at the end, while the other processors idle.
"""

from __future__ import annotations

import os
from typing import Final

import pytest

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

RANK: Final = {file: number for number, file in enumerate(LONG)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In every process alike; alone, one runs them as they stand."""
    if int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) > 1:
        items.sort(key=lambda item: RANK.get(file_of(item), len(LONG)))


def file_of(item: pytest.Item) -> str:
    """Where it stands, from the root of the repository."""
    return item.nodeid.partition("::")[0]
