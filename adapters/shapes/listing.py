"""`list/1`: documents with state and next action, counts first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from reconciler.lifecycle import shown_next
from reconciler.model import Account, DocumentState, Next, NextAction
from reconciler.next_step import of_closed
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
) -> dict[str, Any]:
    """Counts cover the whole selection, also where `documents` was cut to its newest.

    `accounts` are those of the lines, by id; one that is not given counts as open.
    """
    known = accounts or {}
    return {
        "schema": SCHEMA,
        "counts": {state.value: counts[state] for state in DocumentState if counts.get(state)},
        "documents": [_line(summary, _account(summary, known), now) for summary in lines],
    }


def _account(summary: Summary, known: Mapping[str, Account]) -> Account:
    account_id = summary.document.account_id
    return known.get(account_id, Account(id=account_id))


def _line(summary: Summary, of: Account, now: datetime) -> dict[str, Any]:
    document = summary.document
    return {
        "document_id": document.id,
        "title": document.title,
        "state": document.state.value,
        "crashed": is_crashed(document, now),
        "unsettled": summary.unsettled,
        "surplus": summary.has_surplus,
        "account_id": account(document.account_id),
        "since": shown_time(document.since),
        "next": next_action(document, listed_next(summary, of, now)),
    }


def listed_next(summary: Summary, of: Account, now: datetime) -> Next:
    """The stored next step with what time, or the account, changed since it was stored.

    A line has no items, so what only they tell is left as it was stored.
    """
    document, stored = summary.document, summary.document.next
    if document.state is DocumentState.PUBLISHING:
        return shown_next(document, of, now)
    if document.state is not DocumentState.QUEUED:
        return stored
    if closed := of_closed(of, now):
        return closed
    action = NextAction.RECOVER if summary.unsettled else NextAction.PUBLISH
    if stored.action is NextAction.ROTATE_TOKEN:
        return Next(action=action, why="the account's token was renewed since")
    if stored.until is not None and stored.until <= now:
        return Next(action=action, why="the time it waited for has come")
    return stored
