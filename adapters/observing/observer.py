"""Turns what became durable into log lines, figures and notices: one watcher for all three."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any, Final

from reconciler import events
from reconciler.errors import CommitUnknown
from reconciler.model import BlockReason, Document, DocumentState
from reconciler.ports import Change, Event, Fenced, Guard
from reconciler.verdict import Evidence

from . import metrics
from .json_lines import logger_of
from .notices import Notices

LOG_NAME: Final = "reconciler.document"
INCOMPLETE: Final = frozenset({"listing_incomplete", "throttled", "access", "clock"})
NO_END: Final = frozenset({"due"})
"""A line about a state that no attempt's end led to."""


class Observer:
    """Watches a ledger. Every line bears document, attempt and epoch."""

    def __init__(self, notices: Notices | None = None) -> None:
        self._log = logger_of(LOG_NAME)
        self._notices = notices

    def stored(self, document: Document, change: Change, at: datetime) -> None:
        """Count and tell it, and send a notice where a person is wanted."""
        for event in change.events:
            _count(event)
            self._tell(document, event)
        for evidence in change.evidence:
            _count_stages(evidence)
        _count_wait(change, at)
        if self._notices is not None:
            self._notices.consider(document, change.events)

    def turned_away(self, document_id: str, guard: Guard) -> None:
        """A fence that held."""
        if isinstance(guard, Fenced):
            metrics.FENCE_REJECTIONS.inc()
            self._log.warning("fence_rejection", document=document_id, epoch=guard.epoch)

    def failed(self, error: Exception) -> None:
        """A commit of which nobody knows, or a fault of ours."""
        unknown = isinstance(error, CommitUnknown)
        (metrics.COMMIT_UNKNOWN if unknown else metrics.INVARIANT_VIOLATIONS).inc()
        self._log.error("commit_unknown" if unknown else "invariant_violation", error=str(error))

    def _tell(self, document: Document, event: Event) -> None:
        detail: dict[str, Any] = {**event.detail}
        detail |= {} if event.item is None else {"item": event.item}
        level = logging.WARNING if _wants_a_person(event) else logging.INFO
        self._log.log(
            level,
            event.kind,
            document=document.id,
            attempt=len(document.attempts) or None,
            epoch=document.lease_epoch,
            account=document.account_id,
            detail=detail,
        )


def request_ended(request_class: str) -> None:
    """Count one request to the API, such as `create_answered`."""
    metrics.GRAPH_REQUESTS.labels(request_class).inc()


def _wants_a_person(event: Event) -> bool:
    is_held = event.kind == events.STATE and event.detail.get("state") == DocumentState.HELD
    return is_held or event.kind == events.SURPLUS


def _count(event: Event) -> None:
    match event.kind, event.detail:
        case events.TAKEN_OVER, _:
            metrics.CRASH_SIGNATURES.inc()
            metrics.ATTEMPTS.labels(outcome="orphaned").inc()
        case events.STATE, {"why": str(why)} if why not in NO_END:
            metrics.ATTEMPTS.labels(outcome=why).inc()
        case events.ANSWERED, {"outcome": str(outcome)}:
            metrics.CREATES.labels(outcome=outcome).inc()
        case events.LOOKED, {"verdict": str(verdict), "reason": reason}:
            metrics.VERDICTS.labels(verdict=verdict, reason=reason or "").inc()
            if reason in INCOMPLETE:
                metrics.LISTING_INCOMPLETE.labels(reason=reason).inc()
        case events.STALE, _:
            metrics.STALE.inc()
        case events.SURPLUS, _:
            metrics.SURPLUS.inc()


def _count_stages(evidence: Evidence) -> None:
    for stage in evidence.body.get("stages", ()):
        left = int(stage["in"]) - int(stage["not_ours"]) - int(stage["doubt"])
        metrics.SURVIVORS.labels(stage=stage["stage"]).observe(left)


def _count_wait(change: Change, at: datetime) -> None:
    account = change.account
    if account is not None and account.reason is BlockReason.THROTTLED and account.until:
        metrics.THROTTLE_WAIT.inc(max(0.0, (account.until - at).total_seconds()))
