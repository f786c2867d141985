"""The command `resolve`: one decision, or a file of them; what came of each is told."""

from __future__ import annotations

import getpass
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any

from reconciler.errors import (
    DecisionRefused,
    ReconcilerError,
    StaleEvidence,
    UnknownDocument,
    UnknownItem,
)
from reconciler.resolve import Resolved
from reconciler.resolve_decision import Choice, Decision

from ..bootstrap import REDACTION, Reconciler
from ..shapes import DecisionLine, decided, decisions_report
from .decision_file import Malformed, Read, decisions_of
from .decision_progress import told_each
from .decisions_picture import decisions_picture
from .document_picture import document_picture
from .exit_codes import after_decisions, after_resolve
from .running import Stop
from .session import Told, Work


def decision(item: str, choice: Choice, reason: str, **more: Any) -> Decision:
    """What the person at this terminal decides; secrets in their words are taken out."""
    return Decision(item=item, choice=choice, reason=REDACTION(reason), by=person(), **more)


def person() -> str:
    """The user of the operating system, as far as it knows a name."""
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return f"uid {os.getuid()}"


def resolve(document_id: str, said: Decision) -> Work:
    """Carry it out, and show the document as it stands then."""

    async def work(product: Reconciler, _: Stop) -> Told:
        resolved = await product.resolve(document_id, said)
        shape = decided(resolved)
        return Told(
            shape=shape,
            picture=lambda: document_picture(shape),
            code=after_resolve(resolved),
            notes=(_what_came_of_it(resolved, said), *map(_warning, resolved.warnings)),
        )

    return work


def _warning(said: str) -> str:
    return f"WARNING: {said}"


def _what_came_of_it(resolved: Resolved, said: Decision) -> str:
    if resolved.held_by_another:
        return "not decided: another worker holds the lease; run it again"
    if resolved.withheld is not None:
        return f"not decided: no listing to decide on, {resolved.withheld.value}; run it again"
    if resolved.is_repeated:
        return f"nothing changed: {said.item} stands as you decide already"
    return f"recorded: {said.choice.value} for {said.item}"


def resolve_file(file: str) -> Work:
    """Every line by itself: what one cannot do stops none of the others."""

    async def work(product: Reconciler, stop: Stop) -> Told:
        lines = [line async for line in told_each(_carried_out(product, file, stop))]
        shape = decisions_report(lines)
        return Told(
            shape=shape,
            picture=lambda: decisions_picture(shape),
            code=after_decisions(line.result for line in lines),
        )

    return work


async def _carried_out(product: Reconciler, file: str, stop: Stop) -> AsyncIterator[DecisionLine]:
    for read in _until_stopped(decisions_of(file, by=person()), stop):
        if isinstance(read, Malformed):
            yield DecisionLine(line=read.line, result="refused", message=read.problem)
        else:
            yield await _one(product, read)


def _until_stopped(lines: Iterator[Read | Malformed], stop: Stop) -> Iterator[Read | Malformed]:
    for read in lines:
        if stop():
            return
        yield read


async def _one(product: Reconciler, read: Read) -> DecisionLine:
    told = DecisionLine(
        line=read.line, document_id=read.document_id, item=read.decision.item, result="recorded"
    )
    try:
        resolved = await product.resolve(read.document_id, read.decision)
    except ReconcilerError as error:
        return told.ended(_result_of(error), REDACTION(error.message), error.next_step)
    if resolved.held_by_another:
        return told.ended("held_by_another", "another worker holds the lease")
    if resolved.withheld is not None:
        return told.ended("withheld", resolved.withheld.value)
    if resolved.is_repeated:
        return told.ended("unchanged")
    return told.ended("recorded", "; ".join(map(_warning, resolved.warnings)))


def _result_of(error: ReconcilerError) -> str:
    if isinstance(error, StaleEvidence):
        return "stale"
    refusals = (DecisionRefused, UnknownDocument, UnknownItem)
    return "refused" if isinstance(error, refusals) else "error"
