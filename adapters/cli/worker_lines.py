"""What a worker does, line by line on stderr: for people, or as JSON for programs.

Calm: a sweep in which nothing happened says nothing. Names no secret: errors are redacted.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from reconciler.sweep import Swept
from reconciler.visit import Count
from reconciler.worker import Happened, Happening

from ..bootstrap import REDACTION
from ..shapes import shown_time, sweep_report
from .output import say, visible

ALWAYS: Final = frozenset({Happening.FAILED, Happening.LEDGER_AWAY})
"""Told with --quiet too."""

FAILED_TOLD_MAX: Final = 5
"""Documents that failed in one pass, each with its reason on the pass's own line."""


class WorkerLines:
    """Tells each happening as it comes; with --quiet only what went wrong."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._is_quiet = not logging.getLogger().isEnabledFor(logging.WARNING)

    def begin(self, owner: str, slots: int, sweep_seconds: float, engine: str) -> None:
        """The first line."""
        if self._is_quiet:
            return
        started = {
            "owner": owner,
            "documents_at_once": slots,
            "sweep_seconds": sweep_seconds,
            "engine": engine,
        }
        text = (
            f"{owner}: {slots} documents at once, a sweep every {sweep_seconds:g} s, "
            f"engine {engine}; Ctrl-C ends it"
        )
        self._line("started", text, started)

    def __call__(self, happened: Happened) -> None:
        """One happening."""
        detail, went_wrong = dict(happened.detail), happened.what in ALWAYS
        swept = detail.pop("swept", None)
        if isinstance(swept, Swept):
            if set(swept.counts) <= {Count.NOTHING} and swept.error is None:
                return
            detail, went_wrong = _of_sweep(swept), swept.errors > 0
        if self._is_quiet and not went_wrong:
            return
        name = {"document_id": happened.document_id} if happened.document_id else {}
        self._line(happened.what.value, _TEXTS[happened.what](happened, detail), name | detail)

    def _line(self, event: str, text: str, detail: Mapping[str, Any]) -> None:
        at = shown_time(datetime.now(UTC))
        if self._as_json:
            say(REDACTION(json.dumps({"at": at, "event": event, **detail})))
        else:
            say(visible(REDACTION(f"{at} {text}")))


def _of_sweep(swept: Swept) -> dict[str, Any]:
    report = sweep_report(swept)
    failed = {visit.document_id for visit in swept.visits if visit.error}
    told = [one for one in report["documents"] if one["document_id"] in failed]
    return {name: report[name] for name in ("run", "counts", "error")} | {"failed": told}


def _ended(happened: Happened, detail: Mapping[str, Any]) -> str:
    why = f": {detail['error']}" if detail.get("error") else ""
    outcome = str(detail["outcome"]).replace("_", " ")
    state = str(detail["state"]).replace("_", " ")
    return f"{happened.document_id} {state} (attempt {detail['attempt']} {outcome}{why})"


def _swept(_: Happened, detail: Mapping[str, Any]) -> str:
    told = [f"{count} {name}" for name, count in detail["counts"].items() if count]
    error = [f"broken off: {detail['error']}"] if detail["error"] else []
    failed = [f"{one['document_id']} error: {one['reason']}" for one in detail["failed"]]
    return "; ".join([f"sweep: {', '.join(told + error)}", *_cut(failed)])


def _cut(failed: list[str]) -> list[str]:
    """`reconciler sweep` tells them all, and so does --json."""
    more = len(failed) - FAILED_TOLD_MAX
    return [*failed[:FAILED_TOLD_MAX], *([f"and {more:,} more"] if more > 0 else [])]


_TEXTS: Final[Mapping[Happening, Callable[[Happened, Mapping[str, Any]], str]]] = {
    Happening.TAKEN: lambda h, d: f"{h.document_id} attempt {d['attempt']} begins",
    Happening.ENDED: _ended,
    Happening.FAILED: lambda h, d: f"{h.document_id} error, left alone for a while: {d['error']}",
    Happening.SWEPT: _swept,
    Happening.LEDGER_AWAY: lambda _, d: f"nothing new is taken: {d['error']}",
    Happening.LEDGER_BACK: lambda _, __: "the ledger answers again",
    Happening.STOPPING: lambda _, d: f"stopping with {d['in_hand']} documents in hand",
}
