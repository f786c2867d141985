"""The view `document_status`: one query tells a person where each document stands."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from adapters.store.columns import MICROSECOND
from adapters.store.ledger import SqlLedger
from reconciler.model import (
    Account,
    BlockReason,
    Document,
    DocumentState,
    ItemState,
    Kind,
    Next,
    NextAction,
    Origin,
    Purpose,
    Surplus,
)
from reconciler.next_step import is_seen, shown_next
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
from tests.databases import asked, opened

NOW = datetime.now(UTC).replace(microsecond=0)  # the view reads the database's clock


@pytest_asyncio.fixture
async def ledger(ledger_url: str) -> AsyncIterator[SqlLedger]:
    """A new ledger, whose clock is the database's or the wall's: the view has no other."""
    async with opened(ledger_url) as found:
        yield found


def _status(url: str) -> dict[str, Any]:
    [row] = _rows(url)
    return row


LIVE = leased(until=NOW + timedelta(days=1))
ENDED = leased(until=NOW - MINUTE)
LATE = intent(calls=(call(external_id="5"),))


def from_elsewhere(state: DocumentState) -> Document:
    """From elsewhere, one name of it not recorded."""
    return document("d1", pending("a1"), state=state, origin=Origin.IMPORTED)


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
        (from_elsewhere(DocumentState.PARTLY_PUBLISHED), {"unsettled": 0, "next": "none"}),
        (from_elsewhere(DocumentState.FAILED), {"unsettled": 0, "next": "none"}),
        (from_elsewhere(DocumentState.QUEUED), {"unsettled": 1, "next": "recover"}),
        (document(surplus=(Surplus(external_id="5", kind=Kind.AD),)), {"surplus_count": 1}),
        (document(owes_look_from=NOW), {"owes_look": 1}),
    ],
)
async def test_it_tells_state_and_next_step(
    ledger: SqlLedger, ledger_url: str, given: Document, wanted: dict[str, Any]
) -> None:
    await put(ledger, given)

    status = _status(ledger_url)

    status["next"] = status["next_action"]
    assert {name: status[name] for name in wanted} == wanted


async def test_a_crash_is_shown_though_nothing_was_written_since(
    ledger: SqlLedger, ledger_url: str
) -> None:
    await put(ledger, publishing("d1", pending("a1"), **ENDED))

    status = _status(ledger_url)

    assert (status["next_action"], status["next_until"]) == ("recover", None)
    assert "worker is gone" in status["next_why"]


async def test_times_are_read_by_people(ledger: SqlLedger, ledger_url: str) -> None:
    since = datetime(2026, 3, 10, 12, 0, 4, 250_000, tzinfo=UTC)
    await put(ledger, document(since=since))

    assert _status(ledger_url)["since"] == "2026-03-10T12:00:04.250Z"


SOON = NOW + timedelta(days=1)
BEFORE = NOW - MINUTE
IN_VAIN = Next(action=NextAction.WAIT, until=SOON, why="the last look gave no verdict (clock)")
EVERY_WAY = [
    document(),
    document(state=DocumentState.HELD),
    document(state=DocumentState.PUBLISHED, surplus=(Surplus(external_id="5", kind=Kind.AD),)),
    document(state=DocumentState.CANCELLED),
    document(state=DocumentState.FAILED, owes_look_from=NOW),
    document("d1", item("a1", state=ItemState.REJECTED), state=DocumentState.PARTLY_PUBLISHED),
    queued(due_at=BEFORE),
    queued(due_at=SOON),
    queued(due_at=None),
    queued("d1", pending("a1"), due_at=BEFORE),
    queued("d1", pending("a1"), due_at=SOON),
    queued("d1", pending("a1"), due_at=SOON, next=IN_VAIN),
    queued("d1", pending("a1"), due_at=SOON + MINUTE, next=IN_VAIN),
    queued("d1", pending("a1"), due_at=SOON, next=IN_VAIN, cancel_requested=True),
    queued("d1", pending("a1"), due_at=BEFORE, cancel_requested=True),
    queued("d1", pending("a1"), due_at=BEFORE, **leased(Purpose.SETTLE, SOON)),
    queued("d1", pending("a1"), due_at=BEFORE, **leased(Purpose.SETTLE, BEFORE)),
    publishing("d1", pending("a1"), **LIVE),
    publishing("d1", pending("a1"), **ENDED),
    publishing(lease=None, origin=Origin.IMPORTED),
    queued("d1", pending("a1"), due_at=None, origin=Origin.IMPORTED),
    publishing("d1", pending("a1"), origin=Origin.IMPORTED, **ENDED),
    from_elsewhere(DocumentState.PARTLY_PUBLISHED),
    from_elsewhere(DocumentState.FAILED),
    document(origin=Origin.IMPORTED),
]
ACCOUNTS = [
    None,
    Account(id="act_1001", reason=BlockReason.THROTTLED, until=SOON),
    Account(id="act_1001", reason=BlockReason.THROTTLED, until=BEFORE),
    Account(id="act_1001", reason=BlockReason.ACCESS, until=SOON),
]


@pytest.mark.parametrize("worker", [None, 1, 3], ids=["no worker", "a minute ago", "long ago"])
@pytest.mark.parametrize("account", ACCOUNTS, ids=lambda a: a and f"{a.reason} {a.until > NOW}")
async def test_one_query_says_what_the_program_says(
    ledger: SqlLedger, ledger_url: str, account: Account | None, worker: int | None
) -> None:
    """Every state by account and worker: action, time and words of `next`, as `show` has them."""
    documents = [replace(each, id=f"d{n}", key=f"d{n}") for n, each in enumerate(EVERY_WAY)]
    await put(ledger, *documents)
    if account is not None:
        assert await ledger.set_account(account, Account(id=account.id))
    if worker is not None:
        await ledger.beat("w1")
        _move_back(ledger_url, worker * MINUTE)

    said = {row["document_id"]: _next_of(row) for row in _rows(ledger_url)}

    now = await ledger.now()
    seen = is_seen(await ledger.worker_seen_at(), now)
    for each in documents:
        view = await ledger.read(each.id)
        step = shown_next(view.document, view.account, now, worker_seen=seen)
        until = step.until and step.until.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        assert said[each.id] == (step.action.value, until, step.why), each


def _next_of(row: dict[str, Any]) -> tuple[str, str | None, str]:
    return row["next_action"], row["next_until"], row["next_why"]


def _rows(url: str) -> list[dict[str, Any]]:
    return asked(url, "SELECT * FROM document_status")


def _move_back(url: str, by: timedelta) -> None:
    asked(url, "UPDATE worker SET seen_at = seen_at - :by", by=by // MICROSECOND)
