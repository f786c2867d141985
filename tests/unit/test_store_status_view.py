"""The view `document_status`: one query tells a person where each document stands."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.store.sqlite import SqliteLedger, migrate
from reconciler.model import Document, ItemState, Kind, Purpose, Surplus
from tests.contract.ledger_documents import (
    MINUTE,
    bound,
    call,
    document,
    intent,
    item,
    leased,
    pending,
    publishing,
    put,
    queued,
)

NOW = datetime.now(UTC)  # the view reads the database's clock


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    """A new ledger on a file, whose clock is the wall's: the view has no other."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    migrate(url, graph_url="https://graph.example")
    opened = SqliteLedger.open(url)
    yield opened
    opened.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where it is."""
    return tmp_path / "ledger.db"


def _status(file: Path) -> dict[str, Any]:
    connection = sqlite3.connect(file)
    connection.row_factory = sqlite3.Row
    row = connection.execute("SELECT * FROM document_status").fetchone()
    connection.close()
    return dict(row)


LIVE = leased(until=NOW + timedelta(days=1))
ENDED = leased(until=NOW - MINUTE)
LATE = intent(calls=(call(external_id="5"),))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (document(), {"state": "draft", "crashed": 0, "unsettled": 0, "due": 0, "next": "publish"}),
        (queued(due_at=NOW - MINUTE), {"due": 1, "unsettled": 0, "next": "publish"}),
        (queued(due_at=NOW + timedelta(days=1)), {"due": 0, "next": "publish"}),
        (
            queued("d1", pending("a1"), due_at=NOW + timedelta(days=1)),
            {"unsettled": 1, "crashed": 0, "next": "wait"},
        ),
        (
            publishing("d1", pending("a1"), **LIVE),
            {"state": "publishing", "crashed": 0, "unsettled": 0, "next": "wait"},
        ),
        (
            publishing("d1", pending("a1"), **ENDED),
            {"state": "publishing", "crashed": 1, "unsettled": 1, "next": "recover"},
        ),
        (publishing("d1", item("a1"), **ENDED), {"crashed": 1, "unsettled": 0}),
        (publishing(lease=None), {"crashed": 0}),
        (
            queued("d1", pending("a1"), **leased(Purpose.SETTLE, NOW + timedelta(days=1))),
            {"unsettled": 1, "crashed": 0},
        ),
        (queued("d1", item("a1", state=ItemState.ABSENT, intent=LATE)), {"unsettled": 1}),
        (queued("d1", item("a1", state=ItemState.HELD, intent=LATE)), {"unsettled": 1}),
        (queued("d1", item("a1", state=ItemState.ABSENT, intent=intent())), {"unsettled": 0}),
        (queued("d1", bound("a1", "5", calls=LATE.calls)), {"unsettled": 0}),
        (document(surplus=(Surplus(external_id="5", kind=Kind.AD),)), {"surplus_count": 1}),
        (document(owes_look_from=NOW), {"owes_look": 1}),
    ],
)
async def test_it_tells_state_and_next_step(
    ledger: SqliteLedger, file: Path, given: Document, wanted: dict[str, Any]
) -> None:
    await put(ledger, given)

    status = _status(file)

    status["next"] = status["next_action"]
    assert {name: status[name] for name in wanted} == wanted


async def test_a_crash_is_shown_though_nothing_was_written_since(
    ledger: SqliteLedger, file: Path
) -> None:
    await put(ledger, publishing("d1", pending("a1"), **ENDED))

    status = _status(file)

    assert (status["next_action"], status["next_until"]) == ("recover", None)
    assert "worker is gone" in status["next_why"]


async def test_times_are_read_by_people(ledger: SqliteLedger, file: Path) -> None:
    since = datetime(2026, 3, 10, 12, 0, 4, 250_000, tzinfo=UTC)
    await put(ledger, document(since=since))

    assert _status(file)["since"] == "2026-03-10T12:00:04.250Z"
