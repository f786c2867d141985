"""The commands about documents: each calls one thing and says what came of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from reconciler.errors import InvalidPlan, PlanError, UnknownItem
from reconciler.lease import is_live
from reconciler.model import Document, DocumentState, NextAction, Origin, Reason
from reconciler.plan import parse_plan_text
from reconciler.ports import View
from reconciler.settle import Settled
from reconciler.signature import may_live_elsewhere
from reconciler.typed_command import typed_command
from reconciler.verdict import Absent, Found, Inconclusive, Verdict

from ..bootstrap import Reconciler
from ..shapes import document_state, explanation, notes_of
from ..shapes.advice import makes_more
from ..shapes.next_command import IMPORT
from .document_picture import document_picture
from .exit_codes import ExitCode, after_cancel, after_publish, after_recover, after_show
from .funnel_picture import funnel_picture
from .next_picture import timing
from .publishing import publish_and_wait, publish_once
from .running import Stop
from .session import Told, Work

PLAN_BYTES_MAX: Final = 32 * 1024 * 1024
"""A thousand items of thirty kilobytes each; more is a wrong file."""

_LEAVES_PUBLISHED: Final = "leaves it published where everything turns out to exist"


def submit(plan: str, *, key: str | None, publish: bool, new: bool) -> Work:
    """Store the plan; the picture says under which id."""

    async def work(product: Reconciler, _: Stop) -> Told:
        source = "stdin" if plan == "-" else plan
        value = parse_plan_text(_read_plan(plan, source), source)
        submitted = await product.submit(value, source=source, key=key, new=new, publish=publish)
        view = await product.peek(submitted.document.id)
        return _told(view, ExitCode.DONE, *submitted.warnings)

    return work


def _read_plan(plan: str, source: str) -> bytes:
    try:
        text = sys.stdin.buffer.read(PLAN_BYTES_MAX + 1) if plan == "-" else _file(plan)
    except OSError as error:
        raise _unreadable(source, f"cannot be read: {error.strerror}") from error
    if len(text) > PLAN_BYTES_MAX:
        raise _unreadable(source, f"has more than {PLAN_BYTES_MAX:,} bytes")
    return text


def _file(plan: str) -> bytes:
    with Path(plan).open("rb") as file:
        return file.read(PLAN_BYTES_MAX + 1)


def _unreadable(source: str, problem: str) -> InvalidPlan:
    error = PlanError(
        item=None, field="file", problem=problem, instead="name a plan, or - for stdin"
    )
    return InvalidPlan((error,), source=source)


def publish(document_id: str, *, wait: bool) -> Work:
    """One attempt here; with `wait`, as many as it takes until the document rests."""

    async def work(product: Reconciler, stop: Stop) -> Told:
        run = publish_and_wait if wait else publish_once
        published = await run(product, document_id, stop)
        return _told(published.view, after_publish(published.view), *_why_waiting(published.view))

    return work


def _why_waiting(view: View) -> tuple[str, ...]:
    """Where it goes on later: until when, and why."""
    step = document_state(view)["next"]
    if view.document.state not in (DocumentState.QUEUED, DocumentState.PUBLISHING):
        return ()
    if step["action"] != NextAction.WAIT:
        again = f"; publish again{timing(step)}" if step["until"] else ""
        return (f"not done: {step['why']}{again}",)
    return (f"waiting{timing(step)}, because {step['why']}",)


def show(document_id: str, *, recover: bool, refresh: bool) -> Work:
    """Reading is what triggers the looking that is due."""

    async def work(product: Reconciler, _: Stop) -> Told:
        if not recover and not refresh:
            view = await product.peek(document_id)
            return _told(view, ExitCode.DONE, *await _taken_back(product, view))
        settled = await product.read(document_id, refresh=refresh)
        code = after_show(withheld=settled.withheld, held_by_another=settled.held_by_another)
        undone = await _taken_back(product, settled.view)
        return _told(settled.view, code, *undone, *_why_withheld(settled))

    return work


async def _taken_back(product: Reconciler, view: View) -> tuple[str, ...]:
    """Of what a batch bound, what a person took back and what became of that since."""
    if view.document.origin is not Origin.IMPORTED:
        return ()
    return notes_of(view.document, await product.outside.ledger.journal(view.document.id))


def _why_withheld(settled: Settled) -> tuple[str, ...]:
    if settled.held_by_another:
        return ("no verdict: another worker holds the lease and is looking",)
    if settled.withheld is None or settled.withheld is Reason.TOO_SOON:
        return ()
    return (f"no verdict: {settled.withheld.value}",)


def recover(document_id: str, *, dry_run: bool) -> Work:
    """A person asks: a due time is no obstacle, and a held document is looked at too."""

    async def work(product: Reconciler, _: Stop) -> Told:
        settled = await product.recover(document_id, dry_run=dry_run)
        code = after_recover(
            settled.view, withheld=settled.withheld, held_by_another=settled.held_by_another
        )
        notes = _verdicts(settled) if dry_run else ()
        undone = await _taken_back(product, settled.view)
        return _told(settled.view, code, *notes, *undone, *_why_withheld(settled))

    return work


def _verdicts(settled: Settled) -> tuple[str, ...]:
    """What a real run would decide now; a dry one shows the document as it was."""
    if not settled.looked:
        return ("dry run: nothing to look at",)
    said = sorted(settled.verdicts.items())
    document = settled.view.document
    return tuple(f"dry run: {item} {verdict_in_words(verdict, document)}" for item, verdict in said)


def verdict_in_words(verdict: Verdict, document: Document) -> str:
    """A verdict that a real run would give, on a line."""
    match verdict:
        case Found(row=row, grade=grade):
            return f"~ found {row.id} by {grade.value}"
        case Absent():
            after = "may be made" if makes_more(document) else "nothing listed fits"
            return f"+ absent, {after}"
        case Inconclusive(reason=reason):
            return f"{'.' if reason.is_passing else '?'} inconclusive, {reason.value}"


def cancel(document_id: str) -> Work:
    """Cancelled, or recorded and honoured when what is under way has ended."""

    async def work(product: Reconciler, _: Stop) -> Told:
        view = await product.cancel(document_id)
        code = after_cancel(view)
        return _told(view, code, *([_honoured(view)] if code is ExitCode.RUN_AGAIN else []))

    return work


def _honoured(view: View) -> str:
    """By whom a recorded cancel will be: whoever is at it, else the look that ends all doubt.

    The first look at what crashed seldom is that one: what a call made may not show yet. Either
    may find that everything was made: then there is nothing to cancel.
    """
    document = view.document
    look = f"the look that leaves nothing open cancels it, or {_LEAVES_PUBLISHED}"
    if may_live_elsewhere(document):
        by = f"once its line is imported with a later time, or with its end, {look}: {IMPORT}"
    elif is_live(document.lease, view.now):
        by = f"once what is under way ends, that cancels it, or {_LEAVES_PUBLISHED}"
    else:
        by = f"{look}: {typed_command('recover', document.id)}"
    return f"recorded: nothing more is created; {by}"


def explain(document_id: str, item: str | None = None) -> Work:
    """The stored evidence of the latest verdicts, or of one; looks at nothing outside."""

    async def work(product: Reconciler, _: Stop) -> Told:
        shape = explanation(await product.explain(document_id))
        shape = shape if item is None else _of_one(shape, item)
        return Told(shape=shape, picture=lambda: funnel_picture(shape), code=ExitCode.DONE)

    return work


def _of_one(shape: dict[str, Any], key: str) -> dict[str, Any]:
    parts = ("items", "not_judged")
    narrowed = {part: [one for one in shape[part] if one["item"] == key] for part in parts}
    if not any(narrowed.values()):
        raise UnknownItem(
            f"the document has no item {key}",
            next_step=typed_command("show", shape["document_id"]),
        )
    return shape | narrowed


def _told(view: View, code: int, *notes: str) -> Told:
    shape = document_state(view)
    return Told(shape=shape, picture=lambda: document_picture(shape), code=code, notes=notes)
