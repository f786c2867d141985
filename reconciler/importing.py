"""The use case `import`: take documents from elsewhere over, each line accepted or refused.

Creates nothing and asks the API nothing. What was committed stays, wherever it is interrupted, and
the same file again goes on: what is known already changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Final

from .admitting import Fault, Judged, imported, judged, told_anew
from .arriving import Admission, Standing
from .contesting import give_up
from .errors import BindingTaken, InvalidImport
from .imported import Record, Stated, document_of
from .imported_lines import Group, RawLine, Reading, Refused
from .model import Document
from .outside import Outside
from .ports import Anyhow, Change, View

DOCUMENTS_MAX: Final = 200
ITEMS_MAX: Final = 2_000
CHARACTERS_MAX: Final = 4_000_000
"""In one transaction: enough that the commit is cheap, few enough that others hardly wait."""

TRIES_MAX: Final = 5
"""How often a batch is judged again because what it contests moved meanwhile."""


@dataclass(slots=True)
class Imported:
    """What became of the documents so far, and of the lines that were refused.

    `ignored` counts lines by a key that means nothing here.
    """

    accepted: int = 0
    unchanged: int = 0
    refused: int = 0
    lines: int = 0
    ignored: dict[str, int] = field(default_factory=dict)


async def import_documents(
    lines: Iterable[RawLine],
    stated: Stated,
    outside: Outside,
    *,
    refuse: Callable[[Refused], None],
    step: Callable[[Imported], None] = lambda _: None,
) -> Imported:
    """Take over what the lines tell of. `refuse` hears every fault, `step` follows each commit.

    Returns after everything accepted would survive a power cut. Raises `InvalidImport` where TIME
    lies in the future: nobody knows that a worker will be gone.
    """
    # 1. One moment for the whole run: nothing told can lie ahead of it.
    now = await outside.ledger.now()
    if stated.gone_before > now:
        raise InvalidImport(
            f"{stated.gone_before.isoformat()} lies in the future: nobody knows who will live then",
            next_step="give a time before which every worker was last seen that is gone now",
        )
    # 2. Batch by batch: what can stand is stored, the rest is told.
    told, reading = Imported(), Reading(now)
    for batch in _batches(reading.records(_counted(lines, told))):
        await _take_over(batch, stated, outside, _Telling(told, refuse))
        told.ignored = dict(reading.ignored)
        step(told)
    # 3. Only then is a statement about the whole kept: an interrupted run has not shown it all.
    for account_id in sorted(stated.complete):
        await outside.ledger.say_complete(account_id)
    return told


@dataclass(frozen=True, slots=True)
class _Telling:
    told: Imported
    refuse: Callable[[Refused], None]

    def refused(self, faults: Iterable[Refused]) -> None:
        """Tell each fault, and count the lines that have one."""
        lines = set()
        for fault in faults:
            self.refuse(fault)
            lines.add(fault.line)
        self.told.refused += len(lines)

    def fault(self, group: Group, fault: Fault) -> None:
        """Refuse a group for a reason that its lines do not show."""
        self.refused(group.refuse(*fault))


async def _take_over(
    groups: list[Group], stated: Stated, outside: Outside, telling: _Telling
) -> None:
    for group in groups:
        telling.refused(group.refused)
    waiting = [group for group in groups if group.record is not None]
    for _ in range(TRIES_MAX):
        if not waiting:
            return
        done = await _admitted(waiting, stated, outside)
        telling.told.accepted += len(done.changes)
        telling.told.unchanged += len(done.unchanged)
        for group, fault in done.refused:
            telling.fault(group, fault)
        for group in done.open:
            await _told_anew(group, stated, outside, telling)
        # A claim that gives way does so in a transaction of its own, before its id is taken.
        for binding, document_id in done.contested:
            await give_up(binding, outside, to=document_id)
        waiting = done.later
    for group in waiting:
        telling.fault(group, ("recorded", "is claimed anew at every try", "import it once more"))


async def _admitted(groups: list[Group], stated: Stated, outside: Outside) -> Judged:
    done = Judged()

    def decide(standing: Standing) -> Admission:
        nonlocal done
        done = judged(groups, standing, stated, outside.limits)
        return done.admission()

    records = [group.record for group in groups if group.record is not None]
    names = {record.document_id for record in records}
    ids = {(record.account_id, each) for record in records for each in record.external_ids()}
    await outside.ledger.admit(names, ids, decide)
    return done


async def _told_anew(group: Group, stated: Stated, outside: Outside, telling: _Telling) -> None:
    """One document on which nothing rests yet: a change like any other."""
    record = group.record
    assert record is not None
    said: list[Fault | bool] = []

    def decide(view: View) -> Change:
        found = told_anew(view.document, record, stated, view.now, outside.limits)
        if isinstance(found, tuple):
            said[:] = [found]
            return Change(document=view.document)
        said[:] = [found is not view.document]
        return imported(found) if found is not view.document else Change(document=found)

    try:
        await outside.ledger.change(record.document_id, Anyhow(), decide)
    except BindingTaken as error:
        said[:] = [("recorded", f"{error.external_id} is bound elsewhere", "see which is right")]
    match said[0]:
        case bool(is_new):
            telling.told.accepted += is_new
            telling.told.unchanged += not is_new
        case fault:
            telling.fault(group, fault)


def _counted(lines: Iterable[RawLine], told: Imported) -> Iterator[RawLine]:
    for line in lines:
        told.lines += 1
        yield line


def _batches(groups: Iterable[Group]) -> Iterator[list[Group]]:
    batch: list[Group] = []
    items = characters = 0
    for group in groups:
        batch.append(group)
        items += _items(group.record)
        characters += group.characters
        if len(batch) >= DOCUMENTS_MAX or items >= ITEMS_MAX or characters >= CHARACTERS_MAX:
            yield batch
            batch, items, characters = [], 0, 0
    if batch:
        yield batch


def _items(record: Record | None) -> int:
    return sum(len(part.names) for part in record.parts) if record else 1


async def preview(
    lines: Iterable[RawLine], stated: Stated, outside: Outside, documents: int
) -> list[tuple[Group, Document | None]]:
    """The first documents as they would be taken over, None where refused; stores nothing.

    What only the ledger knows (a known id, a bound entity) is not asked.
    """
    now = await outside.ledger.now()
    groups = islice(Reading(now).records(lines), documents)
    return [(group, _understood(group, stated, now, outside)) for group in groups]


def _understood(group: Group, stated: Stated, now: datetime, outside: Outside) -> Document | None:
    if group.record is None:
        return None
    return document_of(group.record, stated, now, outside.limits)
