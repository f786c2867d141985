"""Says at the end how many cells of the crash matrix were run."""

from __future__ import annotations

import pytest
from _pytest.terminal import TerminalReporter


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
