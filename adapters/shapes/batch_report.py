"""`batch/1`: what a batch plans, did, or took back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from reconciler.batch_values import Head, Outcome, Planned
from reconciler.log_question import Said

from .values import shown_time

BATCH: Final = "batch/1"
COUNTED: Final = ("found", "absent", "inconclusive", "nothing", "stale", "error")
LOG_ROWS: Final = ("asked", "untold", "claimed", "documents")


def plan_report(
    head: Head, documents: Iterable[Mapping[str, Any]], file: str | None
) -> dict[str, Any]:
    """What would change. `nothing` counts documents that would not."""
    counts = {name: head.counts[name] for name in COUNTED}
    counts["nothing"] = head.documents - head.changes
    return {
        "schema": BATCH,
        "run": head.run,
        "at": shown_time(head.at),
        "plan": file,
        "counts": counts,
        "changes": head.changes,
        "reasons": dict(sorted(head.reasons.items())),
        "moved": head.moved,
        "listed": {
            "walks": head.walks, "pages": head.pages, "walked_twice": head.walked_twice
        },
        "log": {"pages": head.log_pages, **{said.value: head.log[said.value] for said in Said}},
        "log_rows": {name: head.log_rows[name] for name in LOG_ROWS},
        "accounts": {
            name: {
                "documents": one.documents,
                "planned": one.planned,
                "changes": one.changes,
                "claims": one.claims,
                "share": round(one.share, 4),
            }
            for name, one in sorted(head.accounts.items())
        },
        "documents": list(documents),
    }  # fmt: skip


def planned_row(planned: Planned) -> dict[str, Any]:
    """One document of a plan. `log_untold`: ids of rows of which a log that was read named no
    app."""
    return {
        "document_id": planned.document_id,
        "before": planned.change.before.value,
        "after": planned.change.after.value,
        "reason": planned.reason.value if planned.reason else None,
        "log": planned.log.said.value if planned.log else None,
        "log_untold": list(planned.untold),
    }


REVERTED: Final = (
    "what is taken back is held; no worker, sweep or plan looks at it by itself. A later look that "
    "a person asks for may find the same row and bind it again: reconciler recover ID, reconciler "
    "batch plan --held. So that it does not, adopt the right row (reconciler resolve ID ITEM "
    "--adopt EXTERNAL_ID --reason TEXT), or rename or delete the wrong one outside before anybody "
    "looks. resolve --hold does not keep a look from it, and --none is refused while the row fits"
)
"""Said by `batch revert`, also of what was taken back before."""


def batch_report(
    run: str,
    counts: Mapping[str, int],
    documents: Iterable[Mapping[str, Any]],
    troubles: Iterable[Mapping[str, Any]],
) -> dict[str, Any]:
    """What was done, and what was not, grouped by why."""
    return {
        "schema": BATCH,
        "run": run,
        "counts": {name: counts.get(name, 0) for name in COUNTED},
        "troubles": list(troubles),
        "documents": list(documents),
    }


def outcome_row(outcome: Outcome) -> dict[str, Any]:
    """One document of a report; `reason` of what is stale or failed is said in words."""
    return {
        "document_id": outcome.document_id,
        "result": outcome.result.value,
        "before": outcome.before.value if outcome.before else None,
        "after": outcome.after.value if outcome.after else None,
        "reason": outcome.why or (outcome.reason.value if outcome.reason else None),
    }
