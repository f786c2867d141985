"""`scripts/load`: a real service under a few seconds of load, and what it would be blamed for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.service_load.footprint import Footprint
from fixtures.service_load.latencies import Latencies
from fixtures.service_load.profile import Operation, Profile
from fixtures.service_load.run import Outcome, breaches

ROOT = Path(__file__).resolve().parents[3]
FLAT = [100_000_000] * 300


def test_a_service_under_load_answers_everybody_and_ends_in_order() -> None:
    size = ["--database", "sqlite", "--seconds", "4", "--clients", "4", "--documents", "12"]
    command = [sys.executable, str(ROOT / "scripts" / "load.py"), *size, "--seed", "1", "--json"]

    ended = subprocess.run(
        command,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = json.loads(ended.stdout)
    assert told["breaches"] == []
    assert told["operations"]["read"]["answers"] > 0
    assert set(told["operations"]["read"]["statuses"]) == {"200"}


@pytest.mark.parametrize(
    ("resident", "statuses", "code", "blamed"),
    [
        pytest.param(FLAT, [200], 0, [], id="nothing"),
        pytest.param([*FLAT[:150], *[106_000_000] * 150], [200], 0, ["memory grew"], id="a leak"),
        pytest.param([100, 200], [200], 0, [], id="too short to tell of memory"),
        pytest.param(FLAT, [200, 503], 0, ["read: 1 times 503"], id="an error of the service"),
        pytest.param(FLAT, [404], 0, [], id="an answer that says no"),
        pytest.param(FLAT, [429], 0, ["read: 1 times 429"], id="asked too often: no measure"),
        pytest.param(FLAT, [200], -9, ["ended with -9"], id="an end in disorder"),
    ],
)
def test_what_a_service_is_blamed_for(
    resident: list[int], statuses: list[int], code: int, blamed: list[str]
) -> None:
    read = Latencies()
    for status in statuses:
        read.note(0.01, status)
    measured: dict[Operation, Latencies] = {"read": read}
    outcome = Outcome(
        profile=Profile(database="sqlite", seconds=300, clients=1, documents=1, seed=0),
        measured=measured,
        footprint=Footprint(1, resident=resident, files=[10] * len(resident)),
        seconds=300,
        documents=1,
        code=code,
    )

    lines = breaches(outcome)

    assert len(lines) == len(blamed)
    assert all(said in line for said, line in zip(blamed, lines, strict=True))
