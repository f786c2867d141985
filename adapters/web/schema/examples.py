"""The examples of the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

DOCUMENT_ID: Final = "01KB8Z6Q3N0V5T9W2X4Y6A8C0E"
_NEXT: Final = {
    "action": "none",
    "until": None,
    "why": "everything it wants exists and is recorded",
    "command": None,
    "request": None,
}
_SINCE: Final = "2026-03-10T12:05:04.250000Z"

PLAN: Final[dict[str, Any]] = {
    "schema": "plan/1",
    "account_id": "act_1001",
    "container": {"kind": "adset", "id": "2001"},
    "items": [
        {
            "key": "a1",
            "kind": "ad",
            "name": "Spring / 1",
            "params": {"status": "PAUSED", "creative": {"creative_id": "3001"}},
        }
    ],
}

DECISION: Final[dict[str, Any]] = {
    "decision": "adopt",
    "external_id": "23851234567890123",
    "reason": "the row of 12:04 is ours, seen in Ads Manager",
}

DOCUMENT: Final[dict[str, Any]] = {
    "schema": "document-state/1",
    "document_id": DOCUMENT_ID,
    "key": "spring-2026",
    "title": None,
    "revision": 1,
    "origin": "ours",
    "account_id": "act_1001",
    "container": {"kind": "adset", "id": "2001"},
    "state": "published",
    "crashed": False,
    "unsettled": False,
    "cancel_requested": False,
    "since": _SINCE,
    "due_at": None,
    "items": [
        {
            "key": "a1",
            "kind": "ad",
            "name": "Spring / 1",
            "state": "confirmed",
            "reason": None,
            "external_id": "23851234567890123",
            "effective_status": None,
            "created_time": None,
            "attributes": None,
            "found_by": "reply",
            "unlisted_since": None,
            "warnings": [],
            "error": None,
        }
    ],
    "attempts": [
        {
            "number": 1,
            "lease_epoch": 1,
            "owner": "host-4711-0a1b2c3d4e5f",
            "started_at": "2026-03-10T12:05:03.100000Z",
            "finished_at": _SINCE,
            "lease_until": "2026-03-10T12:07:03.100000Z",
            "outcome": "succeeded",
            "error": None,
        }
    ],
    "lease": None,
    "surplus": [],
    "verdicts": [],
    "next": _NEXT,
}

LIST: Final[dict[str, Any]] = {
    "schema": "list/1",
    "counts": {"published": 1},
    "documents": [
        {
            "document_id": DOCUMENT_ID,
            "title": None,
            "state": "published",
            "crashed": False,
            "unsettled": False,
            "surplus": False,
            "account_id": "act_1001",
            "since": _SINCE,
            "next": _NEXT,
        }
    ],
    "after": None,
}

EXPLANATION: Final[dict[str, Any]] = {
    "schema": "explain/1",
    "document_id": DOCUMENT_ID,
    "state": "published",
    "items": [],
    "not_judged": [{"item": "a1", "state": "confirmed", "found_by": "reply"}],
    "next": _NEXT,
}

TIMELINE: Final[dict[str, Any]] = {
    "schema": "timeline/1",
    "document_id": DOCUMENT_ID,
    "entries": [
        {
            "sequence": 1,
            "at": _SINCE,
            "kind": "submitted",
            "item": None,
            "detail": {"revision": 1, "items": 1},
        }
    ],
}

PROBLEM: Final[dict[str, Any]] = {
    "type": "urn:reconciler:problem:unknown_document",
    "title": "Not found",
    "status": 404,
    "code": "unknown_document",
    "detail": f"there is no document {DOCUMENT_ID}",
    "next": "GET /v1/documents lists those you may see",
}
