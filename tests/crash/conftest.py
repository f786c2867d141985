"""Ledgers on PostgreSQL for the crash matrix; and how many of its cells were run, at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from _pytest.terminal import TerminalReporter

from tests.crash.postgres_ledgers import PostgresForStories, stories_on
from tests.postgres import Postgres


@pytest.fixture(scope="module")
def stories(postgres: Postgres) -> Iterator[PostgresForStories]:
    """Ledgers for one story after the other."""
    url = postgres.migrated()
    with stories_on(url) as opened:
        yield opened
    postgres.drop(url)


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """One line: tests record their cells as a property, which also travels between processes."""
    passed: list[pytest.TestReport] = terminalreporter.stats.get("passed", [])
    cells = sum(
        int(str(value))
        for report in passed
        for name, value in report.user_properties
        if name == "cells" and report.when == "call"
    )
    if cells:
        terminalreporter.write_line(f"crash matrix: {cells:,} cells, each judged by the log")
