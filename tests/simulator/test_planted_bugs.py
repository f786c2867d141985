"""Every planted bug is caught in as many histories as it states; without one nothing is."""

from __future__ import annotations

import pytest

from fixtures.simulator.planted_bugs import BUGS, PlantedBug, caught, failed

SEED = 80_000
"""Other histories than the gate's first ones, which the canary has."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: str(bug.name))
def test_a_planted_bug_is_caught(bug: PlantedBug) -> None:
    assert caught(bug, SEED) is not None, f"{bug.name}: {bug.why}"


def test_a_bug_is_gone_after_it_was_planted() -> None:
    for bug in BUGS:
        with bug.planted():
            pass

    assert [failed(seed) for seed in range(SEED, SEED + 5)] == [None] * 5
