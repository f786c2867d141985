"""A plan as JSON: its head, and a line for each document, written and read back without loss.

A row that two walks agree on is written once. What is None is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, Final

from .batch_values import AccountPlan, Change, Head, Planned, PlannedItem
from .listing import IncompleteListing, Listing, Row, Statuses, WalkRequest
from .model import Container, ContainerKind, DocumentState, Grade, ItemState, Kind, Origin, Reason

SCHEMA: Final = "batch-plan/1"

_MICROSECOND: Final = timedelta(microseconds=1)
_ROW_TEXTS: Final = tuple(
    field.name for field in fields(Row) if field.name not in ("id", "kind", "labels", "data")
)
Json = Mapping[str, Any]


# --- the head --------------------------------------------------------------------------------


def head_json(head: Head) -> dict[str, Any]:
    """The first line, its hash left out."""
    return {
        "schema": SCHEMA,
        "run": head.run,
        "at": head.at.isoformat(),
        "ledger": head.ledger,
        "settings": dict(head.settings),
        "documents": head.documents,
        "changes": head.changes,
        "counts": dict(sorted(head.counts.items())),
        "reasons": dict(sorted(head.reasons.items())),
        "walks": head.walks,
        "pages": head.pages,
        "walked_twice": head.walked_twice,
        "moved": head.moved,
        "stages": {name: list(totals) for name, totals in head.stages.items()},
        "accounts": {
            name: {
                "documents": one.documents,
                "planned": one.planned,
                "claims": one.claims,
                "changes": one.changes,
            }
            for name, one in sorted(head.accounts.items())
        },
    }


def head_of(given: Json) -> Head:
    """The head as it was written. Raises `KeyError`, `TypeError`, `ValueError` if it is none."""
    return Head(
        run=given["run"],
        at=datetime.fromisoformat(given["at"]),
        ledger=given["ledger"],
        settings=given["settings"],
        counts=Counter(given["counts"]),
        reasons=Counter(given["reasons"]),
        accounts={name: AccountPlan(**one) for name, one in given["accounts"].items()},
        walks=given["walks"],
        pages=given["pages"],
        walked_twice=given["walked_twice"],
        moved=given["moved"],
        stages={name: list(totals) for name, totals in given["stages"].items()},
    )


# --- a document ------------------------------------------------------------------------------


def line_json(planned: Planned) -> dict[str, Any]:
    """One line: what a person and a program read first, then what it is judged on again."""
    rows = _Rows(planned.listings)
    return {
        "document_id": planned.document_id,
        "account_id": planned.account_id,
        "container": _container_json(planned.container),
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
        "walks": [_walk_json(walk) | rows.of(walk) for walk in planned.listings],
        "incomplete": [
            _walk_json(walk) | {"reason": walk.reason.value, "detail": walk.detail}
            for walk in planned.incomplete
        ],
        "rows": [_row_json(row) for row in rows.every],
    }


def planned_of(given: Json) -> Planned:
    """The document as it was written. Raises what `head_of` raises, and `IndexError`."""
    account_id = given["account_id"]
    rows = [_row(one) for one in given["rows"]]
    change = given["change"]
    return Planned(
        document_id=given["document_id"],
        account_id=account_id,
        container=_container(given["container"]),
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
        listings=tuple(_listing(account_id, walk, rows) for walk in given["walks"]),
        incomplete=tuple(_incomplete(account_id, walk) for walk in given["incomplete"]),
        label_exists=given["label_exists"],
    )


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


# --- walks and rows --------------------------------------------------------------------------


class _Rows:
    """Every different row of some walks, and where each stands."""

    def __init__(self, listings: Iterable[Listing]) -> None:
        self.every: list[Row] = []
        self._at: dict[str, list[int]] = {}
        self._numbers = {id(walk): [self._number(row) for row in walk.rows] for walk in listings}

    def of(self, listing: Listing) -> dict[str, Any]:
        """The rows of a walk, by their numbers, and what only a complete one has."""
        difference = listing.clock_difference
        return {
            "rows": self._numbers[id(listing)],
            "clock_difference": None if difference is None else difference // _MICROSECOND,
            "saw_an_id_twice": listing.saw_an_id_twice,
        }

    def _number(self, row: Row) -> int:
        known = self._at.setdefault(row.id, [])
        for number in known:
            if self.every[number] == row:
                return number
        known.append(len(self.every))
        self.every.append(row)
        return known[-1]


def _walk_json(walk: Listing | IncompleteListing) -> dict[str, Any]:
    return {
        "container": _container_json(walk.request.container),
        "kind": walk.request.kind.value,
        "statuses": walk.request.statuses.value,
        "pages": walk.pages,
        "row_count": walk.row_count,
        "started_at": walk.started_at.isoformat(),
        "ended_at": walk.ended_at.isoformat(),
    }


def _walked(account_id: str, given: Json) -> dict[str, Any]:
    return {
        "request": WalkRequest(
            account_id=account_id,
            container=_container(given["container"]),
            kind=Kind(given["kind"]),
            statuses=Statuses(given["statuses"]),
        ),
        "pages": given["pages"],
        "row_count": given["row_count"],
        "started_at": datetime.fromisoformat(given["started_at"]),
        "ended_at": datetime.fromisoformat(given["ended_at"]),
    }


def _listing(account_id: str, given: Json, rows: list[Row]) -> Listing:
    difference = given["clock_difference"]
    return Listing(
        **_walked(account_id, given),
        rows=tuple(rows[number] for number in given["rows"]),
        clock_difference=None if difference is None else difference * _MICROSECOND,
        saw_an_id_twice=given["saw_an_id_twice"],
    )


def _incomplete(account_id: str, given: Json) -> IncompleteListing:
    reason, detail = Reason(given["reason"]), given["detail"]
    return IncompleteListing(**_walked(account_id, given), reason=reason, detail=detail)


def _row_json(row: Row) -> dict[str, Any]:
    texts = {name: getattr(row, name) for name in _ROW_TEXTS}
    told = {name: text for name, text in texts.items() if text is not None}
    return {"id": row.id, "kind": row.kind.value, **told} | {
        "labels": list(row.labels),
        "data": dict(row.data),
    }


def _row(given: Json) -> Row:
    texts = {name: given[name] for name in _ROW_TEXTS if name in given}
    return Row(
        id=given["id"],
        kind=Kind(given["kind"]),
        labels=tuple(given["labels"]),
        data=given["data"],
        **texts,
    )


def _container_json(container: Container) -> dict[str, str]:
    return {"kind": container.kind.value, "id": container.id}


def _container(given: Json) -> Container:
    return Container(kind=ContainerKind(given["kind"]), id=given["id"])
