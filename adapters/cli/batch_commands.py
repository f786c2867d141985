"""The commands `batch plan`, `apply` and `revert`: call the use case, count, and tell."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reconciler import batch_apply, batch_plan, batch_revert
from reconciler.batch_account import Judged
from reconciler.batch_group import Progress
from reconciler.batch_refusal import refuse_unfit, too_bold
from reconciler.batch_values import Head, Outcome, Result
from reconciler.typed_command import typed_command

from ..bootstrap import REDACTION, Reconciler
from ..shapes import REVERTED, batch_report, outcome_row, plan_report, planned_row
from . import batch_plan_file
from .batch_examples import Sample, examples_shape
from .batch_page import page
from .batch_picture import plan_picture, report_picture
from .batch_progress import followed
from .batch_table import Table, table
from .batch_tally import Tally
from .decision_commands import person
from .exit_codes import after_batch_plan
from .running import Stop
from .session import Told, Work
from .whole_file import FileLost


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAsked:
    """What was typed. `every_document`: the report names each."""

    output: Path | None
    account_id: str | None
    held: bool
    examples: int
    seed: int | None
    detailed: bool
    every_document: bool


def plan(asked: PlanAsked) -> Work:
    """Judge, write the plan, and show what it would change."""

    async def work(product: Reconciler, _: Stop) -> Told:
        seed = secrets.randbelow(1 << 31) if asked.seed is None else asked.seed
        sample = Sample(asked.examples, seed)
        documents: list[dict[str, Any]] = []
        with _plan_file(asked.output) as file, followed("judged") as step:

            def write(judged: Judged) -> None:
                sample.add(judged)
                if file is not None:
                    file.write(judged.planned)
                if asked.every_document:
                    documents.append(planned_row(judged.planned))

            head = await batch_plan.plan(
                batch_plan.Asked(account_id=asked.account_id, held=asked.held),
                product.outside,
                write=write,
                end=file.end if file is not None else lambda _: None,
                step=lambda told: step(told.done, told.of, _so_far_seen(told)),
            )
            if file is not None:
                file.finish(head)
        shape = plan_report(head, documents, str(asked.output) if asked.output else None)
        shape["examples"] = examples_shape(sample)
        return Told(
            shape=shape,
            picture=lambda: plan_picture(shape, too_bold(head)),
            code=after_batch_plan(head, detailed=asked.detailed),
        )

    return work


def _so_far_seen(told: Progress) -> str:
    listed = f"{told.places_done:,} of {told.places:,} containers listed"
    if not told.log_pages:
        return listed
    return f"{listed}, {told.log_pages:,} pages of the activity log read"


@contextmanager
def _plan_file(path: Path | None) -> Iterator[batch_plan_file.PlanWriter | None]:
    if path is None:
        yield None
        return
    writer = batch_plan_file.PlanWriter(path)
    try:
        yield writer
    finally:
        writer.drop()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyAsked:
    """What was typed."""

    plan: Path
    share_max: float | None
    csv: Path | None
    html: Path | None
    every_document: bool


def apply(asked: ApplyAsked) -> Work:
    """Carry a plan out, and report."""

    async def work(product: Reconciler, stop: Stop) -> Told:
        with batch_plan_file.opened(asked.plan) as (head, lines), ExitStack() as open_files:
            await refuse_unfit(head, product.outside, share_max=asked.share_max)
            report = _Report(every_document=asked.every_document)
            if asked.csv is not None:
                report.table = open_files.enter_context(table(asked.csv))
            tally = Tally(keep=report.keep)
            with followed("applied") as step:

                def tell(outcome: Outcome) -> None:
                    tally.add(outcome)
                    step(tally.documents, head.documents, _so_far(tally))

                await batch_apply.apply(head, lines, product.outside, tell=tell)
        notes = _stopped(head, tally, asked.plan) if stop() else ()
        return _told(head.run, tally, report, notes, head=head, html=asked.html)

    return work


def _so_far(tally: Tally) -> str:
    return f"{tally.counts['stale']:,} stale, {tally.counts['error']:,} errors"


def _stopped(head: Head, tally: Tally, plan: Path) -> tuple[str, ...]:
    left = head.documents - tally.documents
    return (f"{left:,} documents are left: {typed_command('batch apply', str(plan))} goes on",)


def revert(run: str, reason: str, *, every_document: bool) -> Work:
    """Take a run back, and report."""

    async def work(product: Reconciler, _: Stop) -> Told:
        report = _Report(every_document=every_document)
        tally = Tally(keep=report.keep)
        undo = batch_revert.Undo(run=run, reason=REDACTION(reason), by=person())
        with followed("looked at") as step:

            def tell(outcome: Outcome) -> None:
                tally.add(outcome)
                step(tally.documents, 0, _so_far(tally))

            await batch_revert.revert(undo, product.outside, tell=tell)
        is_taken_back = tally.results[Result.CHANGED] or tally.results[Result.BEFORE]
        note = REVERTED if is_taken_back else None
        return _told(run, tally, report, (), note=note)

    return work


@dataclass(slots=True)
class _Report:
    """Where each outcome goes beside the counts."""

    every_document: bool
    table: Table | None = None
    documents: list[dict[str, Any]] = field(default_factory=list)

    def keep(self, outcome: Outcome) -> None:
        """One document."""
        row = outcome_row(outcome)
        if self.every_document:
            self.documents.append(row)
        if self.table is not None:
            reason = outcome.reason.value if outcome.reason else ""
            more = {"account_id": outcome.account_id, "reason": reason, "why": outcome.why or ""}
            self.table.add(row | more)


def _told(
    run: str,
    tally: Tally,
    report: _Report,
    notes: tuple[str, ...],
    *,
    head: Head | None = None,
    html: Path | None = None,
    note: str | None = None,
) -> Told:
    troubles = [
        {
            "result": trouble.result.value,
            "why": REDACTION(trouble.why),
            "count": trouble.count,
            "examples": trouble.examples,
        }
        for trouble in tally.worst_first
    ]
    shape = batch_report(run, tally.counts, report.documents, troubles)
    shape["note"] = note
    shape["results"] = {result.value: count for result, count in sorted(tally.results.items())}
    shape["states"] = dict(sorted(tally.states.items()))
    shape["reasons"] = dict(sorted(tally.reasons.items()))
    if html is not None and head is not None:
        _write_page(html, page(shape, head))
    return Told(shape=shape, picture=lambda: report_picture(shape), code=tally.code, notes=notes)


def _write_page(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise FileLost(
            f"{path} cannot be written: {error.strerror}",
            next_step="name another file with --html; what was applied is done",
        ) from error
