"""What an import says while it runs."""

from __future__ import annotations

import pytest

from adapters.cli.line_progress import told_progress
from reconciler.importing import Imported


@pytest.mark.parametrize(
    ("lines", "seconds", "share", "says"),
    [
        (0, 0.0, None, "0 lines read, 0 a second, 0 of them refused"),
        (5_000, 10.0, None, "5,000 lines read, 500 a second, 0 of them refused"),
        (
            5_000,
            10.0,
            0.25,
            "5,000 lines read, 500 a second, 0 of them refused, 25%, about 30 s left",
        ),
        (
            5_000,
            10.0,
            1.0,
            "5,000 lines read, 500 a second, 0 of them refused, 100%, about 0 s left",
        ),
    ],
)
def test_lines_rate_and_what_is_left(
    lines: int, seconds: float, share: float | None, says: str
) -> None:
    assert told_progress(Imported(lines=lines), seconds, share) == says
