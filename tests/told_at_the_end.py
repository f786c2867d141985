"""What a test has to say to whoever reads the run's log, printed in the closing summary.

A process of xdist has no terminal: what it prints is lost. A property of a test reaches the process
that has one.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

TOLD = "told at the end"
"""The name under which a test records it: `record_property(TOLD, text)`."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print it, whether the test passed or failed."""
    for test, text in _told(terminalreporter):
        terminalreporter.section(test)
        terminalreporter.write_line(text)


def _told(terminalreporter: pytest.TerminalReporter) -> Iterator[tuple[str, str]]:
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport) and report.when == "call":
                yield from ((report.nodeid, str(t)) for n, t in report.user_properties if n == TOLD)
