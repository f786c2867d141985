"""The oracle sees what is planted: a chaos run whose oracle is blind proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fixtures.chaos.history import History
from fixtures.chaos.logs import FORBIDDEN, bad_words
from fixtures.chaos.oracle import CHECKS, late_landings
from tests.chaos.told import (
    SIBLING,
    STRANGER,
    TWIN,
    at,
    call,
    healthy,
    made,
    with_item,
    with_made,
)

GRAVE = CHECKS.keys() - {"documents not at rest"}


@dataclass(frozen=True)
class Planted:
    """A history that must be reported, and by which checks."""

    name: str
    plant: Callable[[History], History]
    seen_by: set[str]


def second(history: History, *, arrived: float, landed: float, surplus: bool = True) -> History:
    """One item twice: its first call was never answered, the second one bound what it made."""
    calls = (call(1), call(30, 31, outcome="created", external_id="9"))
    twice = replace(TWIN, calls=calls, external_id="9")
    history = with_item(history, twice)
    history = with_made(history, made(TWIN, "9", arrived=30.5, landed=30.6))
    first = replace(history.made[0], requested_at=at(arrived), landed_at=at(landed))
    told = {"Da": frozenset({"1"})} if surplus else {}
    request = replace(history.sent[0], at=at(30.5))
    changed = (first, *history.made[1:])
    return replace(history, made=changed, surplus=told, sent=(*history.sent, request))


PLANTED = [
    Planted(
        "an item claims what was made for its twin",
        lambda h: with_item(
            with_item(h, replace(TWIN, external_id="2")), replace(SIBLING, external_id="1")
        ),
        {"wrong claims", "unrecorded entities"},
    ),
    Planted(
        "two items claim one entity",
        lambda h: with_item(h, replace(TWIN, external_id="2")),
        {"wrong claims", "unrecorded entities"},
    ),
    Planted(
        "an item claims what a colleague made",
        lambda h: with_item(h, replace(TWIN, external_id="77")),
        {"wrong claims", "unrecorded entities"},
    ),
    Planted(
        "an item claims an entity of another document",
        lambda h: with_item(h, replace(STRANGER, external_id="2")),
        {"wrong claims", "unrecorded entities"},
    ),
    Planted(
        "a document tells as surplus what is another's",
        lambda h: replace(h, surplus={"Da": frozenset({"3"})}),
        {"wrong claims"},
    ),
    Planted(
        "a second entity, and both requests landed in time",
        lambda h: second(h, arrived=1.5, landed=1.6),
        {"second entities"},
    ),
    Planted(
        "a second entity of a request that landed at the last moment",
        lambda h: second(h, arrived=1.5, landed=1 + 10 + 10),
        {"second entities"},
    ),
    Planted(
        "a late landing that no surplus tells",
        lambda h: second(h, arrived=1.5, landed=21.1, surplus=False),
        {"unrecorded entities"},
    ),
    Planted(
        "an entity of ours that is bound to nothing",
        lambda h: with_item(h, replace(TWIN, external_id=None, state="absent")),
        {"unrecorded entities"},
    ),
    Planted(
        "an entity that bears the mark of no item",
        lambda h: with_made(h, replace(h.made[0], id="9", labels=())),
        {"unrecorded entities"},
    ),
    Planted(
        "a create that was sent before its call was written",
        lambda h: with_item(h, replace(TWIN, calls=(call(1.55),))),
        {"creates sent unwritten"},
    ),
    Planted(
        "a create that was sent twice for one call",
        lambda h: replace(h, sent=(*h.sent, h.sent[0])),
        {"creates sent unwritten"},
    ),
    Planted(
        "two entities of one call",
        lambda h: replace(
            with_made(h, made(TWIN, "9", arrived=2.5, landed=2.6)),
            surplus={"Da": frozenset({"9"})},
        ),
        {"second entities"},
    ),
]


def seen(history: History) -> set[str]:
    """The checks that report something of what must never be."""
    return {name for name in GRAVE if list(CHECKS[name](history))}


def test_a_healthy_history_is_not_reported() -> None:
    assert {name: list(check(healthy())) for name, check in CHECKS.items()} == {
        name: [] for name in CHECKS
    }


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_what_is_planted_is_reported_by_its_check_and_no_other(planted: Planted) -> None:
    assert seen(planted.plant(healthy())) == planted.seen_by


def test_a_landing_later_than_a3_allows_excuses_a_second_entity_that_is_told() -> None:
    """Its lease ended at 11 s; at 21 s its bytes could land no more, and did."""
    history = second(healthy(), arrived=1.5, landed=21.1)

    assert seen(history) == set()
    assert [item.place for item, _ in late_landings(history)] == [TWIN.place]


def test_a_recorded_end_counts_from_when_it_was_known() -> None:
    """A worker that was stopped records the end long after another had judged by the lease."""
    history = second(healthy(), arrived=35, landed=35.1)
    item = history.items[TWIN.place]
    told_late = replace(item.calls[0], ended_at=at(36), external_id="1", outcome="created")
    known_before = replace(told_late, ended_at=at(29), external_id=None, outcome="unknown")

    late = with_item(history, replace(item, calls=(told_late, item.calls[1])))
    early = with_item(history, replace(item, calls=(known_before, item.calls[1])))

    assert "second entities" not in seen(late)
    assert "second entities" in seen(early)  # 35.1 is within 29 + 10


@pytest.mark.parametrize(
    "change",
    [{"state": "queued"}, {"state": "held"}, {"state": "failed"}, {"owes_look_from": 1}],
    ids=str,
)
def test_a_document_that_is_not_published_or_owes_a_look_is_not_at_rest(
    change: dict[str, object],
) -> None:
    history = healthy()
    document = {**history.documents["Da"], **change}
    history = replace(history, documents={**history.documents, "Da": document})

    assert len(list(CHECKS["documents not at rest"](history))) == 1


@pytest.fixture(params=FORBIDDEN)
def log(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A worker's log in which one of these stands."""
    file = tmp_path / "worker-1.1.log"
    file.write_text(f"it begins\nthen {FORBIDDEN[request.param]}\n")
    return request.param, file


def test_what_no_worker_may_say_is_found_in_its_log(log: tuple[str, Path]) -> None:
    what, file = log

    (line,) = bad_words([file])

    assert line.startswith(f"{what} in {file.name}")
    assert what not in {"a token", "a password"} or FORBIDDEN[what] not in line
