"""The gate: twenty thousand histories, and a bug that is planted and must be seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.simulator.gate import HISTORIES, REPORT, SECONDS_MAX, Played, played
from tests.told_at_the_end import TOLD


@pytest.mark.timeout(SECONDS_MAX + 60)
def test_the_promise_holds_in_twenty_thousand_histories(
    record_property: Callable[[str, object], None],
) -> None:
    """Every counter must reach its floor too; the table is told whatever comes."""
    gate = played()
    record_property(TOLD, gate.told)

    assert gate.exit_code == 0, gate.told
    assert f"seeds 0 to {HISTORIES - 1}" in gate.told


def test_what_was_played_before_is_judged_as_it_was_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"exit_code": 1, "told": "violations 3"}), encoding="utf-8")
    monkeypatch.setenv(REPORT, str(report))

    assert played() == Played(exit_code=1, told="violations 3")
    assert not report.exists()


def test_a_report_that_is_missing_is_no_pass(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(REPORT, str(tmp_path / "nothing.json"))

    with pytest.raises(FileNotFoundError):
        played()
