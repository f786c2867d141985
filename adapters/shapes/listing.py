"""`list/1`: documents with state and next action, counts first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from reconciler.lifecycle import shown_next
from reconciler.model import Account, DocumentState, Next, NextAction
from reconciler.ports import Summary
from reconciler.signature import is_crashed

from .document_state import next_action
from .values import account, shown_time

SCHEMA: Final = "list/1"


def documents_list(
    counts: Mapping[DocumentState, int], lines: Sequence[Summary], now: datetime
) -> dict[str, Any]:
    """Counts cover the whole selection, also where `documents` was cut to its newest."""
    return {
        "schema": SCHEMA,
        "counts": {state.value: counts[state] for state in DocumentState if counts.get(state)},
        "documents": [_line(summary, now) for summary in lines],
    }


def _line(summary: Summary, now: datetime) -> dict[str, Any]:
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
        "next": next_action(document, listed_next(summary, now)),
    }


def listed_next(summary: Summary, now: datetime) -> Next:
    """The stored next step with what time changed; the items, which a line does not have, aside."""
    document = summary.document
    if document.state is DocumentState.PUBLISHING:
        return shown_next(document, Account(id=document.account_id), now)
    stored = document.next
    if stored.action is NextAction.WAIT and stored.until is not None and stored.until <= now:
        action = NextAction.RECOVER if summary.unsettled else NextAction.PUBLISH
        return Next(action=action, why="the time it waited for has come")
    return stored
