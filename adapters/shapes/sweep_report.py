"""`sweep/1` and `worker/1`: what a pass did, and what a worker did in its life."""

from __future__ import annotations

from typing import Any, Final

from reconciler.model import DocumentState, Reason
from reconciler.sweep import Swept
from reconciler.verdict import Inconclusive
from reconciler.visit import Count, Visit
from reconciler.worker import Worked

SWEEP: Final = "sweep/1"
WORKER: Final = "worker/1"


def sweep_report(swept: Swept) -> dict[str, Any]:
    """Counts over all visits, and those documents at which something happened.

    `found`, `absent` and `inconclusive` count items, the others documents.
    """
    counts = swept.counts
    return {
        "schema": SWEEP,
        "run": swept.run,
        "held_by_another": swept.held_by_another,
        "counts": {count.value: counts[count] for count in Count},
        "documents": [_touched(visit) for visit in swept.visits if _is_touched(visit)],
        "error": swept.error,
    }


def _touched(visit: Visit) -> dict[str, Any]:
    return {
        "document_id": visit.document_id,
        "due": visit.kind.value,
        "before": _state(visit.before),
        "after": _state(visit.after),
        "reason": visit.error or _reason(visit),
        "surplus": visit.new_surplus,
    }


def _state(state: DocumentState | None) -> str | None:
    return state.value if state is not None else None


def _is_touched(visit: Visit) -> bool:
    said = visit.verdicts or visit.withheld or visit.error or visit.new_surplus
    return bool(said) or visit.before is not visit.after


def _reason(visit: Visit) -> str | None:
    """Why something of it is still not known; a reason that needs a person goes first."""
    said = visit.verdicts.values()
    reasons = [one.reason for one in said if isinstance(one, Inconclusive)]
    reasons += [visit.withheld] if visit.withheld is not None else []
    reasons.sort(key=_is_passing)
    return reasons[0].value if reasons else None


def _is_passing(reason: Reason) -> bool:
    return reason.is_passing


def worker_report(worked: Worked) -> dict[str, Any]:
    """Attempts by how they ended, sweeps, and errors at documents or in sweeps."""
    return {
        "schema": WORKER,
        "attempts": dict(sorted(worked.attempts.items())),
        "sweeps": worked.sweeps,
        "errors": worked.errors,
    }
