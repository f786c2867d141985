"""The metrics of one process, and of the ledger it asks: names that alert rules rest on.

Counters are this process's own and begin at zero with it. What is asked of the ledger (`STANDING`)
is the same whichever process is asked. None bears an account: those would be too many.
"""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY: Final = CollectorRegistry()

SURVIVORS_BUCKETS: Final = (0, 1, 2, 5, 10, 100, 1_000, 10_000, 100_000)


def _counter(name: str, says: str, *labels: str) -> Counter:
    return Counter(f"reconciler_{name}", says, labels, registry=REGISTRY)


def _gauge(name: str, says: str, *labels: str) -> Gauge:
    return Gauge(f"reconciler_{name}", says, labels, registry=REGISTRY)


ATTEMPTS: Final = _counter("attempts", "Attempts that ended, by their outcome.", "outcome")
CRASH_SIGNATURES: Final = _counter("crash_signatures", "Takeovers: a lease ended, nothing said.")
CREATES: Final = _counter("creates", "Creates that were answered, or given up.", "outcome")
VERDICTS: Final = _counter("verdicts", "What looks said of items.", "verdict", "reason")
LISTING_INCOMPLETE: Final = _counter("listing_incomplete", "Looks without a verdict.", "reason")
STALE: Final = _counter("stale_looks", "Looks of which something had moved meanwhile.")
FENCE_REJECTIONS: Final = _counter("fence_rejections", "Writes refused for a lost lease.")
COMMIT_UNKNOWN: Final = _counter("commit_unknown", "Commits that nobody acknowledged.")
SURPLUS: Final = _counter("surplus", "Entities beyond what is wanted, as they were noticed.")
INVARIANT_VIOLATIONS: Final = _counter("invariant_violations", "Our own assertions that failed.")
GRAPH_REQUESTS: Final = _counter(
    "graph_requests", "Requests to the API, by what they asked and what came of them.", "class"
)
THROTTLE_WAIT: Final = _counter("throttle_wait_seconds", "What accounts were told to wait.")
NOTICES: Final = _counter("notices", "Notices that were sent, or could not be.", "result")
SURVIVORS: Final = Histogram(
    "reconciler_funnel_survivors",
    "Rows left behind each stage of a funnel.",
    ("stage",),
    buckets=SURVIVORS_BUCKETS,
    registry=REGISTRY,
)

DOCUMENTS: Final = _gauge("documents", "Documents in each state.", "state")
OLDEST_UNSETTLED: Final = _gauge(
    "oldest_unsettled_seconds",
    "Since when the oldest of our own documents waits for an unanswered call.",
)
OLDEST_IMPORTED: Final = _gauge(
    "imported_unsettled_oldest_seconds",
    "Since when the oldest imported document waits to be looked at; no worker does.",
)
OLDEST_HELD: Final = _gauge(
    "human_queue_oldest_seconds", "Since when the oldest held document waits for a person."
)
WORKER_SEEN: Final = _gauge("worker_seen_seconds", "Since any worker was seen; +Inf: never.")

REQUESTS: Final = _counter("http_requests", "Requests to the service.", "route", "status")
