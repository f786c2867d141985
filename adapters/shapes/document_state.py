"""`document-state/1`: one document as it is, everything an operator or a program asks about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from reconciler.attributes import attributes_said, created_at, warnings_said
from reconciler.imported import NO_END_KNOWN
from reconciler.lifecycle import shown_next
from reconciler.model import (
    Attempt,
    Container,
    ContainerKind,
    Document,
    Intent,
    Item,
    ItemState,
    JudgedItem,
    Lease,
    Next,
    Surplus,
)
from reconciler.ports import View
from reconciler.signature import is_crashed, is_unsettled

from .next_command import next_command
from .values import account, shown_time

SCHEMA: Final = "document-state/1"

STILL_SAID: Final = frozenset(
    {ItemState.REJECTED, ItemState.PENDING, ItemState.ABSENT, ItemState.HELD}
)
"""Items whose last call's error still holds: not one that was mended since, nor one that exists."""


def document_state(view: View) -> dict[str, Any]:
    """The whole shape. What time alone changes (crashed, due) is taken from `view.now`."""
    document = view.document
    return {
        "schema": SCHEMA,
        "document_id": document.id,
        "key": document.key,
        "title": document.title,
        "revision": document.revision,
        "origin": document.origin.value,
        "account_id": account(document.account_id),
        "container": container(document.container),
        **standing(document, view.now),
        "cancel_requested": document.cancel_requested,
        "since": shown_time(document.since),
        "due_at": shown_time(document.due_at),
        "items": [_item(item) for item in document.items],
        "attempts": [_attempt(attempt) for attempt in document.attempts],
        "lease": _lease(document.lease),
        "surplus": [_surplus(extra) for extra in document.surplus],
        "verdicts": [_verdict(judged) for judged in document.verdicts],
        "next": next_action(
            document,
            shown_next(document, view.account, view.now, worker_seen=bool(view.worker_seen)),
        ),
    }


def standing(document: Document, now: datetime) -> dict[str, Any]:
    """State, and the two things beside it that are derived."""
    return {
        "state": document.state.value,
        "crashed": is_crashed(document, now),
        "unsettled": is_unsettled(document, now),
    }


def next_action(
    document: Document, step: Next, *, never_none: Collection[str] = ()
) -> dict[str, Any]:
    """The next safe action with the command to type; `never_none` as in `next_command`."""
    return {
        "action": step.action.value,
        "until": shown_time(step.until),
        "why": step.why,
        "command": next_command(document, step, never_none=never_none),
    }


def container(parent: Container) -> dict[str, str]:
    """An account's id carries its `act_`, as everywhere."""
    is_account = parent.kind is ContainerKind.ACCOUNT
    return {"kind": parent.kind.value, "id": account(parent.id) if is_account else parent.id}


def counted(items: Sequence[Mapping[str, Any]]) -> str:
    """How many were made and are recorded; what a listing lacks since is not said to exist."""
    confirmed = sum(item["state"] == ItemState.CONFIRMED for item in items)
    unlisted = sum(item["unlisted_since"] is not None for item in items)
    if not unlisted:
        return f"{confirmed} of {len(items)} exist and are recorded"
    return f"{confirmed} of {len(items)} were made and are recorded, {unlisted} not listed any more"


def about_surplus(state: Mapping[str, Any]) -> str:
    """What a person may do about what is listed and not known; where the recorded entity itself is
    gone, another one of it may be the last. Empty: nothing is open about it."""
    if not any(map(_is_open, state["surplus"])):
        return ""
    gone = {item["key"] for item in state["items"] if item["unlisted_since"]}
    is_last = any(extra["item"] in gone for extra in state["surplus"] if _is_open(extra))
    first = _MAY_BE_THE_LAST if is_last else _MAY_BE_TOO_MANY
    return f"{first} What is to stay is recorded as known, for good, with a reason."


def _is_open(extra: Mapping[str, Any]) -> bool:
    return not extra["known"] and extra["unlisted_since"] is None


_MAY_BE_TOO_MANY: Final = (
    "Look at it in Ads Manager beside the one that is recorded. What is too many is yours to "
    "delete: nothing here deletes."
)
_MAY_BE_THE_LAST: Final = (
    "What is recorded is not listed any more, so this may be the only one there is: look at both "
    "in Ads Manager before anything is deleted."
)


def _item(item: Item) -> dict[str, Any]:
    return {
        "key": item.key,
        "kind": str(item.kind),
        "name": item.name,
        "state": str(item.state),
        **(_unsent() if item.intent is None else _sent(item.intent)),
        "error": _last_error(item),
    }


def _sent(intent: Intent) -> dict[str, Any]:
    return {
        "reason": intent.reason and str(intent.reason),
        "external_id": intent.external_id,
        "effective_status": intent.effective_status,
        "created_time": shown_time(created_at(intent)),
        "attributes": attributes_said(intent),
        "found_by": intent.found_by and str(intent.found_by),
        "unlisted_since": shown_time(intent.unlisted_since),
        "warnings": list(warnings_said(intent)),
    }


def _unsent() -> dict[str, Any]:
    """The same of an item for which nothing was sent yet."""
    absent = ("reason", "external_id", "effective_status", "created_time", "attributes", "found_by")
    return {**dict.fromkeys(absent), "unlisted_since": None, "warnings": []}


def _last_error(item: Item) -> str | None:
    """What the API, or the network, said to the latest call that it did not answer with an id."""
    calls = item.intent.calls if item.intent and item.state in STILL_SAID else ()
    error = calls[-1].error if calls else None
    return error.message if error else None


def _has_no_end(attempt: Attempt) -> bool:
    """Of an imported document that may still run elsewhere: nobody told when its worker is gone."""
    return attempt.lease_until == NO_END_KNOWN


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "lease_epoch": attempt.lease_epoch,
        "owner": attempt.owner,
        "started_at": shown_time(attempt.started_at),
        "finished_at": shown_time(attempt.finished_at),
        "lease_until": None if _has_no_end(attempt) else shown_time(attempt.lease_until),
        "outcome": attempt.outcome.value if attempt.outcome else None,
        "error": attempt.error,
    }


def _lease(lease: Lease | None) -> dict[str, Any] | None:
    if lease is None:
        return None
    return {
        "owner": lease.owner,
        "epoch": lease.epoch,
        "until": shown_time(lease.until),
        "purpose": lease.purpose.value,
    }


def _surplus(extra: Surplus) -> dict[str, Any]:
    return {
        "item": extra.item,
        "external_id": extra.external_id,
        "kind": extra.kind.value,
        "known": extra.known,
        "unlisted_since": shown_time(extra.unlisted_since),
    }


def _verdict(judged: JudgedItem) -> dict[str, Any]:
    return {
        "item": judged.item,
        "verdict": judged.verdict,
        "reason": judged.reason.value if judged.reason else None,
        "judged_at": shown_time(judged.judged_at),
        "evidence_id": judged.evidence_id,
        "evidence_hash": judged.evidence_hash,
    }
