"""`list/1`: documents with state and next action, counts first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from reconciler.lifecycle import shown_next
from reconciler.model import Account, DocumentState
from reconciler.ports import Summary
from reconciler.signature import is_crashed

from .document_state import next_action
from .values import account, shown_time

SCHEMA: Final = "list/1"


def documents_list(
    counts: Mapping[DocumentState, int],
    lines: Sequence[Summary],
    now: datetime,
    accounts: Mapping[str, Account] | None = None,
    *,
    worker_seen: bool = False,
) -> dict[str, Any]:
    """Counts cover the whole selection, also where `documents` was cut to its newest.

    `accounts` are those of the lines, by id; one that is not given counts as open.
    """
    known = accounts or {}
    return {
        "schema": SCHEMA,
        "counts": {state.value: counts[state] for state in DocumentState if counts.get(state)},
        "documents": [
            _line(summary, _account(summary, known), now, worker_seen) for summary in lines
        ],
    }


def _account(summary: Summary, known: Mapping[str, Account]) -> Account:
    account_id = summary.document.account_id
    return known.get(account_id, Account(id=account_id))


def _line(summary: Summary, of: Account, now: datetime, worker_seen: bool) -> dict[str, Any]:
    document, unsettled = summary.document, summary.unsettled
    step = shown_next(document, of, now, worker_seen=worker_seen, unsettled=unsettled)
    return {
        "document_id": document.id,
        "title": document.title,
        "state": document.state.value,
        "crashed": is_crashed(document, now),
        "unsettled": unsettled,
        "surplus": summary.has_surplus,
        "account_id": account(document.account_id),
        "since": shown_time(document.since),
        "next": next_action(document, step),
    }
