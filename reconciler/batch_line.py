"""A document of a plan as JSON: written and read back without loss, in few bytes.

Documents of one group were judged on the same walks, so walks and rows are written once for a
group, before the first document that needs them; a document tells them by their numbers. Whoever
reads drops them at the line that ends the group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .batch_values import Change, Planned, PlannedItem
from .batch_walk_line import (
    container_json,
    container_of,
    incomplete_json,
    incomplete_of,
    row_json,
    row_of,
    walk_json,
    walk_of,
)
from .copying import replace
from .listing import Listing, Row, WalkRequest
from .log_question import LogAnswer, Said
from .model import DocumentState, Grade, ItemState, Origin, Reason

Json = Mapping[str, Any]


class PlanLines:
    """Spells documents; remembers of each open group what was written."""

    def __init__(self) -> None:
        self._open: dict[int, _Written] = {}

    def of(self, planned: Planned) -> Iterator[dict[str, Any]]:
        """The line of this document, and before it a line of what none before needed."""
        written = self._open.setdefault(planned.group, _Written())
        line = _line_json(planned, [written.numbers(walk) for walk in planned.listings])
        if shared := written.taken():
            yield {"group": planned.group, "account_id": planned.account_id, **shared}
        yield line

    def end(self, group: int) -> Iterator[dict[str, Any]]:
        """The line that says that no document of this group follows."""
        if self._open.pop(group, None) is not None:
            yield {"ends": group}


@dataclass(slots=True)
class _Written:
    """The walks and rows of a group that have a number, and those not told yet."""

    _walks: dict[tuple[WalkRequest, datetime], int] = field(default_factory=dict)
    _rows: dict[str, list[tuple[int, Row]]] = field(default_factory=dict)
    _row_count: int = 0
    _new_walks: list[dict[str, Any]] = field(default_factory=list)
    _new_rows: list[dict[str, Any]] = field(default_factory=list)

    def numbers(self, walk: Listing) -> list[Any]:
        """The number of a walk, and those of its rows."""
        which = walk.request, walk.started_at
        if which not in self._walks:
            self._walks[which] = len(self._walks)
            self._new_walks.append(walk_json(walk))
        return [self._walks[which], [self._row_number(row) for row in walk.rows]]

    def _row_number(self, row: Row) -> int:
        """A row on which two walks agree is one."""
        known = self._rows.setdefault(row.id, [])
        for number, one in known:
            if one is row or one == row:
                return number
        known.append((self._row_count, row))
        self._new_rows.append(row_json(row))
        self._row_count += 1
        return self._row_count - 1

    def taken(self) -> dict[str, Any]:
        """What was not told yet; from now on it is."""
        walks, self._new_walks = self._new_walks, []
        rows, self._new_rows = self._new_rows, []
        return {"walks": walks, "rows": rows} if walks or rows else {}


class PlanReading:
    """Reads lines back in their order."""

    def __init__(self) -> None:
        self._open: dict[int, _Read] = {}

    def of(self, given: Json) -> Planned | None:
        """The document of this line, None where it is of no document. Raises `KeyError`,
        `TypeError`, `ValueError`, `IndexError` for what we never wrote."""
        if "ends" in given:
            self._open.pop(given["ends"], None)
            return None
        if "document_id" not in given:
            self._open.setdefault(given["group"], _Read()).add(given)
            return None
        return _planned_of(given, self._open.get(given["group"], _Read()))


@dataclass(slots=True)
class _Read:
    walks: list[Listing] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def add(self, given: Json) -> None:
        """What the documents that follow tell by number."""
        self.walks += [walk_of(given["account_id"], walk) for walk in given["walks"]]
        self.rows += map(row_of, given["rows"])

    def listing(self, number: int, rows: list[int]) -> Listing:
        """One walk as one document was judged on it."""
        return replace(self.walks[number], rows=tuple(self.rows[each] for each in rows))


def _line_json(planned: Planned, walks: list[Any]) -> dict[str, Any]:
    """What a person and a program read first, then what it is judged on again."""
    return {
        "document_id": planned.document_id,
        "account_id": planned.account_id,
        "container": container_json(planned.container),
        "origin": planned.origin.value,
        "state": planned.state.value,
        "crashed": planned.crashed,
        "epoch": planned.epoch,
        "verdicts": [_item_json(item) for item in planned.items],
        "change": {
            "from": planned.change.before.value,
            "to": planned.change.after.value,
            "items": {key: dict(told) for key, told in planned.change.items.items()},
        },
        "judged_at": planned.judged_at.isoformat(),
        "began_at": planned.began_at.isoformat(),
        "label_exists": planned.label_exists,
        "group": planned.group,
        "walks": walks,
        "incomplete": [incomplete_json(walk) for walk in planned.incomplete],
        "log": _log_json(planned),
    }


def _planned_of(given: Json, read: _Read) -> Planned:
    account_id, change = given["account_id"], given["change"]
    return Planned(
        document_id=given["document_id"],
        account_id=account_id,
        container=container_of(given["container"]),
        origin=Origin(given["origin"]),
        state=DocumentState(given["state"]),
        crashed=given["crashed"],
        epoch=given["epoch"],
        judged_at=datetime.fromisoformat(given["judged_at"]),
        began_at=datetime.fromisoformat(given["began_at"]),
        items=tuple(_item(one) for one in given["verdicts"]),
        change=Change(
            before=DocumentState(change["from"]),
            after=DocumentState(change["to"]),
            items=change["items"],
        ),
        group=given["group"],
        listings=tuple(read.listing(number, rows) for number, rows in given["walks"]),
        incomplete=tuple(incomplete_of(account_id, walk) for walk in given["incomplete"]),
        label_exists=given["label_exists"],
        log=_log(given["log"]),
        left_to_log=tuple(given["log"].get("rows", ())) if given["log"] else (),
    )


def _log_json(planned: Planned) -> dict[str, Any] | None:
    if planned.log is None:
        return None
    told = {"said": planned.log.said.value, "apps": dict(planned.log.apps)}
    return told | {"rows": list(planned.left_to_log)}


def _log(given: Json | None) -> LogAnswer | None:
    return None if given is None else LogAnswer(said=Said(given["said"]), apps=given["apps"])


def _item_json(item: PlannedItem) -> dict[str, Any]:
    return {
        "item": item.item,
        "state": item.state.value,
        "facts": item.facts,
        "verdict": item.verdict,
        "reason": item.reason and item.reason.value,
        "external_id": item.external_id,
        "grade": item.grade and item.grade.value,
        "evidence_hash": item.evidence_hash,
    }


def _item(given: Json) -> PlannedItem:
    return PlannedItem(
        item=given["item"],
        state=ItemState(given["state"]),
        facts=given["facts"],
        verdict=given["verdict"],
        reason=Reason(given["reason"]) if given["reason"] else None,
        external_id=given["external_id"],
        grade=Grade(given["grade"]) if given["grade"] else None,
        evidence_hash=given["evidence_hash"],
    )
